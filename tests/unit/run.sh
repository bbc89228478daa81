#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: run.sh BINARY [ARG...]: runs the unit tests and ends with "N passed, N failed". A leak
# leaves Criterion green, so the sanitizers write into a fresh directory: each report in it
# is one more failure.
set -u
[ $# -ge 1 ] || { echo "usage: $0 BINARY [ARG...]" >&2; exit 2; }
logs=$(mktemp -d "${TMPDIR:-/tmp}/offwake-unit.XXXXXX") || exit 1
trap 'rm -rf "$logs"' EXIT INT TERM
mkdir "$logs/san"
export ASAN_OPTIONS="log_path=$logs/san/asan:halt_on_error=1:detect_leaks=1:allocator_may_return_null=1"
export UBSAN_OPTIONS="log_path=$logs/san/ubsan:halt_on_error=1:print_stacktrace=1"
export LSAN_OPTIONS="log_path=$logs/san/lsan"
status=0
"$@" > "$logs/out" 2>&1 || status=1
cat "$logs/out"
reports=0
for log in "$logs"/san/*; do
	[ -e "$log" ] || continue
	reports=$((reports + 1))
	echo "== sanitizer report: ${log##*/}"
	cat "$log"
done
# [====] Synthesis: Tested: 59 | Passing: 58 | Failing: 1 | Crashing: 0
set -- $(sed -n 's/.*Tested: \([0-9]*\) | Passing: \([0-9]*\) .*/\1 \2/p' "$logs/out" | tail -n 1)
if [ $# = 2 ] && [ "$1" -gt 0 ]; then
	failed=$(($1 - $2 + reports))
	[ "$failed" != 0 ] || [ "$status" = 0 ] || failed=1
	echo "$2 passed, $failed failed"
	[ "$failed" = 0 ]
else
	echo "0 passed, 1 failed"
	exit 1
fi
