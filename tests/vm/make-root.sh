#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make-root.sh - make the ext4 image that run-in-vm.sh boots: Debian with the libraries that
# our programs are linked with, and what the live tests use.
# usage: make-root.sh SUITE IMAGE [PACKAGE...]      needs mmdebstrap and e2fsprogs
set -eu
. "$(dirname "$0")/mirror.sh"
[ $# -ge 2 ] || { echo "usage: make-root.sh SUITE IMAGE [PACKAGE...]" >&2; exit 2; }
suite=$1 image=$2
shift 2
packages=$(IFS=,; echo "$*")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
fetch_options > "$tmp/apt.conf"
mmdebstrap --quiet --variant=minbase ${packages:+"--include=$packages"} \
	--aptopt="$tmp/apt.conf" \
	--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' \
	--customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/* "$1"/var/log/*' \
	"$suite" "$tmp/root.tar" "$(source_line "$suite")"
mkdir "$tmp/root"
tar -C "$tmp/root" -xf "$tmp/root.tar" --exclude='./dev/*'
mkdir -p "$tmp/root/job" "$tmp/root/out"
rm -f "$image.new"
truncate -s 600M "$image.new"
mke2fs -q -t ext4 -O ^metadata_csum,^64bit,^has_journal -E root_owner=0:0 -d "$tmp/root" "$image.new"
mv "$image.new" "$image"
