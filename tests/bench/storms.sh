#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Processes at the machine's maximum rate, by fork alone and by vfork and exec: what of them is in
# the recording, by name. Fails where more are neither there nor counted as lost than may have found
# their short sleep over before it began, one in 200.
# usage: storms.sh [SECONDS]   (root)
set -u

HERE=$(cd "$(dirname "$0")" && pwd)
B=${OFFWAKE_BUILD:-$HERE/../../build}
RECORD=$B/offwake-record
REPORT=$B/offwake-report
WORKLOAD=$B/tests/live/workload
MS=$((${1:-20} * 1000))
T=$(mktemp -d "${TMPDIR:-/tmp}/offwake-storms.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 1' INT TERM
FAILED=0

# judge NAME FUNCTION: the storm that $T/out counts and $T/storm.data holds.
judge()
{
	"$REPORT" --dump "$T/storm.data" 2>"$T/err" | awk -F '\t' -v name="$1" -v fn="$2" -v ms="$MS" '
		FILENAME == ARGV[1] { if (split($0, f, " ") == 2 && f[1] == "storm") made = f[2]; next }
		$1 == "loss" && $3 > 0 { lost = lost ", " $2 " " $3
			if ($2 !~ /^stack-/) counted += $3 }
		$1 == "row" && $2 != "preempted" && $17 ~ /nanosleep/ && $8 ~ /^(ow-storm|image-static-a|storm)$/ {
			if (index($18, fn)) named += $15
			else unnamed += $15 }
		END {
			missing = made - named - unnamed
			bad = made == 0 || unnamed + (missing > 0 ? missing : 0) > counted + made / 200
			printf "%s: %d processes, %.0f a second: %d sleeps named, %d not, %d missing; lost%s: %s\n",
				name, made, made * 1000 / ms, named, unnamed, missing,
				lost == "" ? " nothing" : substr(lost, 2), bad ? "FAIL" : "ok"
			exit bad }' "$T/out" - || FAILED=1
}

# storm NAME ARG FUNCTION
storm()
{
	"$WORKLOAD" storm "$MS" "$2" | awk -v name="$1" -v ms="$MS" \
		'{ printf "%s, not recorded: %.0f processes a second\n", name, $2 * 1000 / ms }'
	"$RECORD" -q -o "$T/storm.data" -- "$WORKLOAD" storm "$MS" "$2" >"$T/out"
	echo "recorder's status: $?, $(stat -c %s "$T/storm.data") bytes"
	judge "$1, as a command" "$3"
	"$RECORD" -o "$T/storm.data" 600 2>"$T/said" &
	rec=$!
	until grep -q 'recording to' "$T/said" || ! kill -0 "$rec" 2>/dev/null; do
		sleep 0.1
	done
	"$WORKLOAD" storm "$MS" "$2" >"$T/out"
	kill -TERM "$rec"
	wait "$rec"
	echo "recorder's status: $?, $(stat -c %s "$T/storm.data") bytes"
	judge "$1, all recorded" "$3"
}

storm "fork" 0 ow_storm_block
storm "vfork and exec" 1 ow_image_a_block
exit $FAILED
