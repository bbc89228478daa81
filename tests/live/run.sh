#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Live tests: record workloads with known answers through real eBPF and compare. Needs root
# and BPF; otherwise says why and counts as skipped (OFFWAKE_LIVE=must makes that a failure).
# usage: run.sh [GROUP...]
set -u

HERE=$(cd "$(dirname "$0")" && pwd)
B=${OFFWAKE_BUILD:-$HERE/../../build}
T=$(mktemp -d "${TMPDIR:-/tmp}/offwake-live.XXXXXX") || exit 1
chmod 755 "$T"
trap 'rm -rf "$T"' EXIT
trap 'exit 1' INT TERM

. "$HERE/lib.sh"
GROUPS_ALL="
	selftest
	truth
	wakers
	names
	travel
	targets
	attach
	guest
	memory
	asleep
	namespaces
	filters
	options
	offwaketime
	preflight
	live
	privacy
	stop
	ends
	output
	errors
	reconcile
	ancestor
	scale
"
GROUPS_ASKED="load hotplug" # only when named
for group in $GROUPS_ALL $GROUPS_ASKED; do
	# shellcheck source=/dev/null
	. "$HERE/check-$group.sh"
done

finish()
{
	echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
	[ "$FAILED" -eq 0 ]
	exit
}

# run_group NAME: in a shell of its own, where its functions win over those of other groups that
# have the same name, and no variable is left over.
run_group()
{
	echo "== $1"
	began=$(date +%s)
	(
		# shellcheck source=/dev/null
		. "$HERE/check-$1.sh"
		"check_$1"
		echo "PASSED=$PASSED FAILED=$FAILED SKIPPED=$SKIPPED HOST_HIDES=$HOST_HIDES" >"$T/tally"
	)
	if [ -s "$T/tally" ]; then
		. "$T/tally"
		rm "$T/tally"
		echo "-- $1: $(($(date +%s) - began)) s"
	else
		fail "$1: did not run to its end"
	fi
}

# Why the tests cannot run here; empty when they can. The ancestor's program is the probe: it
# needs less than ours, so that a broken recorder is never mistaken for a host without BPF.
cannot_run()
{
	if [ "$(id -u)" -ne 0 ]; then
		echo "not root"
	elif ! [ -r /sys/kernel/btf/vmlinux ]; then
		echo "this kernel has no BTF"
	elif ! "$ANCESTOR" "$T/probe" true >"$T/out" 2>"$T/err"; then
		echo "BPF programs cannot be loaded: $(tail -n 1 "$T/err")"
	fi
}

[ $# -gt 0 ] || run_group selftest
WHY=$(cannot_run)
if [ -n "$WHY" ]; then
	if [ "${OFFWAKE_LIVE:-}" = must ]; then
		fail "live tests cannot run: $WHY"
	else
		skip "live tests cannot run: $WHY"
	fi
	finish
fi

[ $# -gt 0 ] || set -- $(echo "$GROUPS_ALL" | sed '/selftest/d')
for group in "$@"; do
	run_group "$group"
done
finish
