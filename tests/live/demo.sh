#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records two workloads for about three seconds with real eBPF and shows both reports.
set -u

HERE=$(cd "$(dirname "$0")" && pwd)
B=${OFFWAKE_BUILD:-$HERE/../../build}
T=$(mktemp -d "${TMPDIR:-/tmp}/offwake-demo.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 1' INT TERM

step()
{
	echo
	echo "\$ $*"
	"$@" || exit 1
}

if [ "$(id -u)" -ne 0 ]; then
	echo "demo: recording needs root; run \"sudo make demo\"" >&2
	exit 1
fi
PATH=$B:$B/tests/live:$PATH
cd "$T" || exit 1

echo "Two processes hand a byte to and fro, two threads a condition variable; each works for"
echo "half a millisecond and then waits for the other. Who waits where, and who ends the wait?"
step offwake-record -- sh -c 'workload pipe 2500 500 >pipe & workload condvar 2500 500 >cond; wait'
step offwake-report --comm ow-ping,ow-cond-a
echo
echo "\$ offwake-report -f | grep '^ow-' | tail -n 4      # for flamegraph.pl"
offwake-report -f >folded || exit 1
grep '^ow-' folded | tail -n 4
