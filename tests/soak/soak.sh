#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Records the whole machine under each load for TIME seconds (60), with --reconcile, and fails
# when a thread's time is neither accounted for nor covered by a loss that is stated, or when
# the recorder's memory grows from the first minute to the last. Prints the figures. For a
# machine that does nothing else meanwhile.
# usage: soak.sh [LOAD...]    loads: mixed postgresql redis nginx    (root)
set -u

HERE=$(cd "$(dirname "$0")" && pwd)
B=${OFFWAKE_BUILD:-$HERE/../../build}
TIME=${TIME:-60}
RECORD=$B/offwake-record
REPORT=$B/offwake-report
WORKLOAD=$B/tests/live/workload
RSS_GROWTH_PERCENT=10
STACK_BYTES=1024 # of the recorder's, for each distinct stack
RSS_STEADY_S=60
RSS_BOUND_KIB=262144 # --max-memory
FAILED=0 LOAD_PIDS=

top=$(mktemp -d "${TMPDIR:-/tmp}/offwake-soak.XXXXXX") || exit 1
chmod 755 "$top"

. "$HERE/loads.sh"

clean_up()
{
	stop_load
	rm -rf "$top"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

fail()
{
	FAILED=$((FAILED + 1))
	echo "  FAIL $*"
}

# Seconds since the start, KiB resident and KiB of it our own: once a second until PID ends.
watch_memory()
{
	second=0
	while sleep 1 && [ -d "/proc/$1" ]; do
		second=$((second + 1))
		awk -v second="$second" '/^VmRSS/ { rss = $2 } /^RssAnon/ { anon = $2 }
			END { if (rss) print second, rss, anon }' "/proc/$1/status" 2>/dev/null
	done >"$T/memory"
}

# Its figures at 1, 5 and 10 minutes and so on, and whether it grew once it was steady.
judge_memory()
{
	awk -v steady="$RSS_STEADY_S" '
		$1 == 10 || $1 == 30 || $1 == 60 || $1 % 300 == 0 || $1 == 3600 {
			printf "  resident after %d s: %d KiB\n", $1, $2 }
		{ last = $2; at = $1; if ($2 > peak) peak = $2 }
		END { printf "  resident at the end (%d s): %d KiB, peak %d KiB\n", at, last, peak }' \
		"$T/memory"
	peak=$(awk '$2 > peak { peak = $2 } END { print peak + 0 }' "$T/memory")
	[ "$peak" -gt 0 ] && [ "$peak" -le "$RSS_BOUND_KIB" ] || fail "memory: $peak KiB at most"
	# processes that come and go have stacks of their own, which are kept until memory is used up
	[ "$TIME" -ge $((2 * RSS_STEADY_S)) ] && [ "$1" != mixed ] || return 0
	first=$(awk -v steady="$RSS_STEADY_S" '$1 == steady { print $2 }' "$T/memory")
	stacks=$(sed -n 's/^stacks: //p' "$T/info")
	allowed=$((first * RSS_GROWTH_PERCENT / 100 + stacks * STACK_BYTES / 1024))
	[ $((peak - first)) -le "$allowed" ] ||
		fail "memory grew by $((peak - first)) KiB after ${RSS_STEADY_S} s; $stacks stacks excuse $allowed"
}

judge_recording()
{
	"$REPORT" --info "$T/soak.data" >"$T/info" 2>"$T/info.err" || [ $? -eq 3 ] ||
		fail "the recording cannot be read: $(cat "$T/info.err")"
	awk -f "$HERE/figures.awk" "$T/info"
	echo "  file: $(stat -c %s "$T/soak.data") bytes"
	grep -q '^complete: yes' "$T/info" || fail "the recording is not complete"
	outside=$(sed -n 's/^reconciled, outside: //p' "$T/info")
	[ "$outside" = 0 ] || fail "threads whose times are not accounted for: ${outside:-unknown}"
}

soak()
{
	T=$top/$1 tries=0
	mkdir "$T"
	chmod 755 "$T"
	echo "$1: ${TIME} s"
	if ! "start_$1"; then
		fail "the load does not start: $(tail -n 3 "$T/load.err")"
		stop_load
		return
	fi
	sleep 2
	setsid "$RECORD" -q --reconcile --realtime=1 -o "$T/soak.data" "$TIME" 2>"$T/err" &
	recorder=$!
	watch_memory "$recorder"
	wait "$recorder"
	rc=$?
	case $rc in 0 | 3) ;; *) fail "the recorder ended with $rc: $(cat "$T/err")" ;; esac
	echo "  load: $("rate_$1")"
	stop_load
	judge_recording
	judge_memory "$1"
	rm -rf "$T"
}

[ "$(id -u)" -eq 0 ] || { echo "soak: needs root" >&2; exit 1; }
[ $# -gt 0 ] || set -- mixed postgresql redis nginx
for load; do
	if "lacks_$load"; then
		FAILED=$((FAILED + 1))
	else
		soak "$load"
	fi
done
[ "$FAILED" -eq 0 ]
