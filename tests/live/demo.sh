#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records four threads for three seconds with real eBPF and shows both reports.
set -u

HERE=$(cd "$(dirname "$0")" && pwd)
B=${OFFWAKE_BUILD:-$HERE/../../build}
T=$(mktemp -d "${TMPDIR:-/tmp}/offwake-demo.XXXXXX") || exit 1
PIPE_PID='' FUTEX_PID=''

clean_up()
{
	# What a workload started ends with it.
	[ -z "$PIPE_PID" ] || kill -KILL "$PIPE_PID" 2>/dev/null
	[ -z "$FUTEX_PID" ] || kill -KILL "$FUTEX_PID" 2>/dev/null
	rm -rf "$T"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# Status 3 is a success that says what is missing.
run()
{
	status=0
	"$@" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || exit 1
}

tids()
{
	awk '$1 == "ready" { printf "%s%s", n++ ? "," : "", $3 }' "$T/pipe" "$T/futex"
}

wait_for_tids()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(tids | tr ',' '\n' | wc -l)" -ge 3 ] && return
		sleep 0.1
	done
	echo "demo: the workloads do not start" >&2
	exit 1
}

if [ "$(id -u)" -ne 0 ]; then
	echo "demo: recording needs root; run \"sudo make demo\"" >&2
	exit 1
fi

echo "Two processes hand a byte to and fro, two threads a futex; each works for half a"
echo "millisecond, then waits for the other. Who waits where, and who ends the wait?"
"$B/tests/live/workload" pipe 100000 500 >"$T/pipe" &
PIPE_PID=$!
"$B/tests/live/workload" futex 100000 500 >"$T/futex" &
FUTEX_PID=$!
wait_for_tids
cd "$T" || exit 1
echo
echo "\$ offwake-record -t $(tids) 3"
run "$B/offwake-record" -t "$(tids)" 3
echo
echo "\$ offwake-report"
run "$B/offwake-report"
echo
echo "\$ offwake-report -f | tail -n 4     # for flamegraph.pl"
run "$B/offwake-report" -f >folded
tail -n 4 folded
