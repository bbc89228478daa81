#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: run.sh BINARY [ARG...]: runs the unit tests. A leak leaves Criterion green, so the
# sanitizers write into a fresh directory, and that must end empty.
set -u
[ $# -ge 1 ] || { echo "usage: $0 BINARY [ARG...]" >&2; exit 2; }
logs=$(mktemp -d "${TMPDIR:-/tmp}/offwake-unit.XXXXXX") || exit 1
trap 'rm -rf "$logs"' EXIT INT TERM
export ASAN_OPTIONS="log_path=$logs/asan:halt_on_error=1:detect_leaks=1:allocator_may_return_null=1"
export UBSAN_OPTIONS="log_path=$logs/ubsan:halt_on_error=1:print_stacktrace=1"
export LSAN_OPTIONS="log_path=$logs/lsan"
status=0
"$@" || status=1
for log in "$logs"/*; do
	[ -e "$log" ] || continue
	status=1
	echo "== sanitizer report: ${log##*/}"
	cat "$log"
done
exit $status
