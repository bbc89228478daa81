#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fetch-kernel.sh - unpack the newest Debian kernel of a suite into a directory. The system's
# own package sources and lists stay as they are.
# usage: fetch-kernel.sh SUITE ARCH FLAVOUR DIR     e.g. bookworm amd64 cloud-amd64 dir
set -eu
. "$(dirname "$0")/mirror.sh"
[ $# -eq 4 ] || { echo "usage: fetch-kernel.sh SUITE ARCH FLAVOUR DIR" >&2; exit 2; }
suite=$1 arch=$2 flavour=$3 dir=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp"/{lists/partial,cache/archives/partial,state,debs}
: > "$tmp/state/status"
source_line "$suite" > "$tmp/sources.list"
cat > "$tmp/apt.conf" <<CONF
Dir::Etc::sourcelist "$tmp/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "$tmp/state";
Dir::State::lists "$tmp/lists";
Dir::State::status "$tmp/state/status";
Dir::Cache "$tmp/cache";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "root";
CONF
export APT_CONFIG=$tmp/apt.conf
apt-get -qq update

# depends_of PACKAGE PATTERN
depends_of() {
	apt-cache depends "$1" | sed -n 's/^ *Depends: //p' | grep -E "$2" || true
}

image=$(depends_of "linux-image-$flavour" '^linux-image-' | head -n 1)
[ -n "$image" ] || { echo "no linux-image-$flavour for $arch in $suite" >&2; exit 1; }
# newer kernels come in several packages
more=$(depends_of "$image" '^linux-(modules|binary)-')
# shellcheck disable=SC2086 # words are wanted
(cd "$tmp/debs" && apt-get -qq download "$image" $more)
rm -rf "$dir.new"
mkdir -p "$dir.new"
for deb in "$tmp"/debs/*.deb; do
	dpkg-deb --fsys-tarfile "$deb" | tar -C "$dir.new" --keep-directory-symlink -xf -
done
rm -rf "$dir"
mv "$dir.new" "$dir"
