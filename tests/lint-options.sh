#!/usr/bin/env bash
# lint-options.sh PROGRAM SOURCE - every option of the table in SOURCE, hidden ones apart, stands
# in what PROGRAM --help prints, in its manual page and in its completion; and these name no
# option that is not in the table. One line for each that is missing.
set -u
export LC_ALL=C
program=$1 source=$2
name=$(basename "$program")
page=docs/$name.1
completion=completions/$name
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Options of the table: "-x" and "--long", one a line.
sed -nE '/OPTION_HIDDEN/d
	s/^[[:space:]]*\{ ?"([a-z][a-z-]*)", '\''(.)'\''.*/--\1\n-\2/p
	s/^[[:space:]]*\{ ?"([a-z][a-z-]*)", [A-Z_]+,.*/--\1/p' "$source" | sort -u > "$tmp/table"
[ "$(wc -l < "$tmp/table")" -ge 10 ] || echo "$source: found too few options: is this script right?"

"$program" --help | grep -oE '^ +(-[A-Za-z], )? *--[a-z][a-z-]*' |
	grep -oE -- '--?[A-Za-z][a-z-]*' | sort -u > "$tmp/help"
# The lists of options only: examples and running text may name those of other programs.
sed -nE '/^\.It /{s/Fl Fl ([a-z][a-z-]*)/\n--\1\n/g;s/Fl ([A-Za-z])( |$)/\n-\1\n/g;p;}' "$page" |
	grep -E '^--?[A-Za-z][a-z-]*$' | sort -u > "$tmp/page"
bash -c '. "$1"; COMP_WORDS=("$2" -); COMP_CWORD=1; _${2//-/_}; printf "%s\n" "${COMPREPLY[@]%=}"' \
	bash "$completion" "$name" | sort -u > "$tmp/completion"
for where in help page completion; do
	comm -23 "$tmp/table" "$tmp/$where" | sed "s|\$| is not in the $where of $name|"
	comm -13 "$tmp/table" "$tmp/$where" | sed "s|\$| is in the $where of $name only|"
done
