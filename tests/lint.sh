#!/usr/bin/env bash
# lint.sh - rules of the house that a compiler does not check. One line for each breach; the
# last line counts the rules kept and broken.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
CC=${CC:-cc}
passed=0 failed=0 skipped=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# rule NAME COMMAND...: kept when the command prints nothing.
rule() {
	local name=$1
	shift
	if "$@" > "$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		sed "s|^|lint: $name: |" "$tmp/out" >&2
	fi
}

sources() {
	find bpf elf format record report tests -name '*.[ch]' -type f | sort
}

# none PATTERN FILES...: prints the lines that match.
none() {
	! grep -nE "$@"
}

no_includes_upward() {
	none '^[[:space:]]*#[[:space:]]*include.*\.\./' $(sources)
}

# The quoted includes of a room are files of that room or of the rooms named.
includes_only() {
	local room=$1 file name found dir
	grep -noE '^[[:space:]]*#[[:space:]]*include "[^"]+"' "$room"/*.[ch] |
		while IFS=: read -r file line name; do
			name=${name#*\"} name=${name%\"} found=
			case $name in *.skel.h | *.text.h) continue ;; esac
			for dir; do
				[ -e "$dir/$name" ] && found=1
			done
			[ "$found" ] || echo "$file:$line: $name is not of $*"
		done
}

# The system includes of a room are libc's or the ones named.
libc='assert|ctype|errno|fcntl|inttypes|limits|poll|signal|stdarg|stdbool|stddef|stdint|stdio'
libc="$libc|setjmp|stdlib|string|time|unistd|endian|argp|getopt|sched|sys/[a-z]+"
system_includes_only() {
	local room=$1 more=$2
	grep -nE '^[[:space:]]*#[[:space:]]*include <' "$room"/*.[ch] |
		grep -vE "<($libc|$more)\.h>"
	return 0
}

# Casts to pointers to more than a byte: a recording is never read or written as a struct.
no_pointer_casts() {
	grep -nE '\([[:space:]]*(const |unsigned |struct |signed )*[a-z_0-9]+ \*+[[:space:]]*\)[^;,{)]' \
		"$@" | grep -vE '\((const )?((unsigned )?char|u?int8_t|void) \*\)'
	return 0
}

headers_compile_alone() {
	local room=$1 header
	shift
	for header in "$room"/*.h; do
		case $header in *.bpf.h) continue ;; esac
		"$CC" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only "$@" \
			-include "$header" -x c /dev/null || echo "$header does not compile alone"
	done
}

# Functions as the style lays them out: a { in the first column to a } in the first column.
functions_fit() {
	awk 'FNR == 1 { start = 0 }
	     /^\{/ { start = FNR }
	     /^\}/ { if (start && FNR - start - 1 > 80)
			print FILENAME ":" start ": a function of " FNR - start - 1 " lines"
		     start = 0 }' $(sources)
}

files_fit() {
	local file
	for file in $(sources); do
		[ "$(wc -l < "$file")" -le 800 ] || echo "$file: over 800 lines"
	done
}

licence_first() {
	local file
	for file in $(sources); do
		head -n 1 "$file" | grep -q 'SPDX-License-Identifier: ' || echo "$file: no SPDX line"
	done
}

names_unique() {
	sources | grep -v '/selftest/' | sed 's|.*/||' | sort | uniq -d
}

# Their stack and their run time must not depend on a recording.
no_unbounded_stack() {
	none '\<(alloca|strdupa|strndupa)[[:space:]]*\(' $(sources)
}

# Symbols, commands and paths of a recording reach an output through escape.c only.
only_one_escape() {
	none '%[-0-9.*]*s.*(->|\.)bytes|(puts|fwrite)\(.*(->|\.)bytes' report/emit_*.c \
		report/report_main.c
}

libelf_in_the_worker_only() {
	grep -lE '<(libelf|gelf|elfutils/.*|dwarf|libiberty/.*)\.h>' elf/*.[ch] report/*.[ch] \
		record/*.[ch] | grep -vxE 'elf/elfjob.c|report/demangle.c'
	return 0
}

pages_are_clean() {
	mandoc -Tlint -W warning "$@" | grep -v 'outdated mandoc.db'
	return 0
}

rule includes no_includes_upward
rule rooms includes_only format
rule rooms includes_only elf format
rule rooms includes_only report format elf
rule rooms includes_only record format elf bpf
rule libraries system_includes_only format 'zstd|zlib'
rule libraries system_includes_only elf 'gelf|lzma|grp|linux/capability'
rule libraries system_includes_only report 'libiberty/demangle|linux/openat2'
rule casts no_pointer_casts $(ls format/*codec*.c format/*code.c format/bytes*.[ch] \
	format/columns.c format/chunk.c format/fileheader.c 2> /dev/null)
rule headers headers_compile_alone format -iquote format
rule headers headers_compile_alone elf -iquote elf -iquote format
rule headers headers_compile_alone report -iquote report -iquote elf -iquote format
rule headers headers_compile_alone record -iquote record -iquote elf -iquote format -iquote bpf
rule length functions_fit
rule length files_fit
rule licence licence_first
rule names names_unique
rule stack no_unbounded_stack
rule escape only_one_escape
rule isolation libelf_in_the_worker_only
rule options tests/lint-options.sh "${B:-build}/offwake-record" record/record_opts.c
rule options tests/lint-options.sh "${B:-build}/offwake-report" report/report_opts.c
pages=$(ls docs/*.[1-8] 2> /dev/null)
if [ -z "$pages" ] || ! command -v mandoc > /dev/null; then
	echo 'lint: pages: skipped: no manual pages, or no mandoc' >&2
	skipped=$((skipped + 1))
else
	# shellcheck disable=SC2086 # words are wanted
	rule pages pages_are_clean $pages
fi
echo "$passed passed, $failed failed$([ "$skipped" = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
