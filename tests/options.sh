#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: options.sh PROGRAM PAGE COMPLETION: the options in a program's --help, which is made
# from the table it parses with, are those of its page and of its completion: each, and no
# others. Ends with "N passed, N failed".
set -u
export LC_ALL=C
program=$1 page=$2 completion=$3 name=${1##*/}
passed=0 failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

in_help() {
	"$program" --help | grep -oE '^ +(-[a-zA-Z], )? *--[a-z-]+' | grep -oE -- '--?[a-zA-Z-]+'
}

# Where the page describes them: after ".It".
in_page() {
	grep -E '^\.It Fl ' "$page" | sed 's/ Ns .*//' | grep -oE 'Fl -?[a-zA-Z-]+' | sed 's/Fl /-/'
}

in_completion() {
	# shellcheck source=/dev/null
	source "$completion"
	COMP_WORDS=("$name" -) COMP_CWORD=1
	"$(complete -p "$name" | sed 's/.*-F \([a-z_]*\) .*/\1/')"
	printf '%s\n' "${COMPREPLY[@]%=}"
}

in_help | sort -u > "$tmp/help"
[ "$(wc -l < "$tmp/help")" -ge 5 ] || { echo "options: $name --help names no options"; failed=1; }
for place in page completion; do
	"in_$place" | sort -u > "$tmp/$place"
	if diff "$tmp/help" "$tmp/$place" > "$tmp/diff"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		sed -n "s/^</options: $name: not in its $place:/p
			s/^>/options: $name: in its $place only:/p" "$tmp/diff"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
