#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every constant of the file format that has a number must stand in the specification with that
# number: "Dv NAME Ta NUMBER". And the other way round: no row may name what is gone.
set -u
cd "$(dirname "$0")/.." || exit 1
page=docs/offwake-trace.5
status=0

# NAME NUMBER, from "#define NAME NUMBER" and "NAME = NUMBER," of the given file.
constants()
{
	sed -nE 's/^#define[ 	]+(OWT_[A-Z0-9_]+)[ 	]+(0x[0-9a-f]+|[0-9]+)u?([ 	].*)?$/\1 \2/p
		s/^	(OWT_[A-Z0-9_]+) = (0x[0-9a-f]+|[0-9]+),?([ 	].*)?$/\1 \2/p' "$1"
}

wanted=$(constants format/layout.h; constants format/types.h)
[ "$(printf '%s\n' "$wanted" | wc -l)" -ge 80 ] || {
	echo "lint-spec: found too few constants in the headers: is this script right?" >&2
	exit 1
}
rows=$(sed -nE 's/^\.It Dv (OWT_[A-Z0-9_]+) Ta ([^ ]+).*/\1 \2/p' $page)
fault=$(printf '%s\n' "$wanted" | while read -r name number; do
	printf '%s\n' "$rows" | grep -qx "$name $number" ||
		echo "lint-spec: $page does not say that $name is $number"
done
printf '%s\n' "$rows" | while read -r row; do
	printf '%s\n' "$wanted" | grep -qx "$row" ||
		echo "lint-spec: $page says $row, the headers do not"
done)
[ -z "$fault" ] || { printf '%s\n' "$fault" >&2; status=1; }
exit $status
