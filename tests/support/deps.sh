#!/bin/sh
# deps.sh - install the Debian packages named that are missing; elsewhere say what is needed.
set -eu
if ! command -v dpkg-query > /dev/null 2>&1; then
	echo "deps: this is not a Debian system; install what these Debian packages hold:" >&2
	printf '  %s\n' "$@" >&2
	exit 0
fi
missing=
for p in "$@"; do
	dpkg-query -W -f '${Status}\n' "$p" 2> /dev/null | grep -q '^install ok installed' ||
		missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "deps: installing$missing"
sudo=
if [ "$(id -u)" != 0 ]; then
	command -v sudo > /dev/null 2>&1 ||
		{ echo "deps: not root and no sudo: install$missing yourself" >&2; exit 1; }
	sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # words are wanted
{
	$sudo apt-get -qq update
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $missing
} > /dev/null || { echo "deps: apt-get failed; install$missing yourself" >&2; exit 1; }
