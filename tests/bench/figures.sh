#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the figures the project keeps an eye on: start-up, cost per event, size, code.
# usage: figures.sh   (root, for all but the last)
set -u

HERE=$(cd "$(dirname "$0")" && pwd)
TREE=$HERE/../..
B=${OFFWAKE_BUILD:-$TREE/build}
RECORD=$B/offwake-record
REPORT=$B/offwake-report
WORKLOAD=$B/tests/live/workload
STATS=/proc/sys/kernel/bpf_stats_enabled
T=$(mktemp -d "${TMPDIR:-/tmp}/offwake-figures.XXXXXX") || exit 1
OLD_STATS=
BENCH_PID=

clean_up()
{
	[ -z "$OLD_STATS" ] || echo "$OLD_STATS" >"$STATS"
	[ -z "$BENCH_PID" ] || kill "$BENCH_PID" 2>/dev/null
	rm -rf "$T"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# From the exec of the recorder to the first instant whose events count: five runs, ms.
start_up()
{
	for _ in 1 2 3 4 5; do
		"$WORKLOAD" clock "$RECORD" -q -o "$T/start.data" -- true >"$T/clock"
		"$REPORT" --dump "$T/start.data" >"$T/dump"
		case $? in 0 | 3) ;; *) return 1 ;; esac
		awk '$1 == "clock" { exec_ns = $2 }
			$1 == "end" { printf "%.1f\n", ($2 - exec_ns) / 1e6 }' "$T/clock" "$T/dump"
	done | sort -n | awk '{ v[NR] = $1 } END {
		printf "exec to first counted event: median %s ms, worst %s ms\n", v[int((NR + 1) / 2)], v[NR] }'
}

# The counters of one BPF program a process holds: name, ns per run, runs.
program_costs()
{
	for info in /proc/"$1"/fdinfo/*; do
		awk '$1 == "prog_id:" { id = $2 } $1 == "run_time_ns:" { ns = $2 }
			$1 == "run_cnt:" { n = $2 }
			END { if (id && n) printf "%d %.0f %d\n", id, ns / n, n }' "$info" 2>/dev/null
	done | sort -u | while read -r id ns runs; do
		name=$(bpftool prog show id "$id" 2>/dev/null | awk '{ for (i = 1; i < NF; i++)
			if ($i == "name") { print $(i + 1); exit } }')
		echo "  ${name:-program $id}: $ns ns per run, $runs runs"
	done
}

start_bench()
{
	while :; do
		perf bench sched pipe -l 100000 >"$T/bench" 2>&1 || sleep 1
	done &
	BENCH_PID=$!
}

stop_bench()
{
	kill "$BENCH_PID"
	wait "$BENCH_PID" 2>/dev/null
	BENCH_PID=
}

cost_and_size()
{
	OLD_STATS=$(cat "$STATS")
	echo 1 >"$STATS"
	start_bench
	"$RECORD" -q -o "$T/bench.data" 10 &
	rec=$!
	sleep 8
	echo "BPF programs under perf bench sched pipe:"
	program_costs "$rec"
	echo "  an empty program reads: $("$B/tests/bench/empty" 1) ns per run"
	wait "$rec"
	echo "recorder's status: $?"
	stop_bench
	"$REPORT" --dump "$T/bench.data" | awk -F '\t' '$1 == "row" { rows++; n += $15 }
		$1 == "end" { s = ($3 - $2) / 1e9 }
		END { printf "that recording: %.1f s, %d rows, %d intervals\n", s, rows, n }'
	echo "its size: $(stat -c %s "$T/bench.data") bytes"
}

# perf bench sched pipe on one CPU (on two, the scheduler's choice of CPUs outweighs all else),
# by itself and while all is recorded, microseconds per operation.
slow_down()
{
	for how in alone recorded; do
		if [ $how = recorded ]; then
			"$RECORD" -q -o "$T/slow.data" 60 &
			rec=$!
			sleep 1
		fi
		for _ in 1 2 3; do
			taskset -c 0 perf bench sched pipe -l 50000 2>/dev/null |
				awk '/usecs\/op/ { print $1 }'
		done | sort -n | awk -v how=$how '{ v[NR] = $1 }
			END { printf "perf bench sched pipe on one CPU, %s: median %s us per operation\n", how, v[2] }'
	done
	kill -TERM "$rec"
	wait "$rec"
}

function_lengths()
{
	find "$TREE/bpf" "$TREE/record" "$TREE/format" "$TREE/report" -name '*.[ch]' 2>/dev/null |
		xargs awk -f "$HERE/functions.awk" | sort -n >"$T/lengths"
	awk '{ v[NR] = $1 } END {
		if (!NR) exit
		printf "functions: %d, median %d lines, 90th percentile %d, longest %d (%s)\n", NR,
			v[int((NR + 1) / 2)], v[int((NR * 9 + 9) / 10)], $1, $2 }' "$T/lengths"
}

if [ "$(id -u)" -ne 0 ]; then
	echo "not root: only the figures of the code"
elif ! command -v perf >/dev/null; then
	echo "perf is missing (Debian: linux-perf): no cost per event, no size of a recording"
	start_up
else
	start_up
	cost_and_size
	slow_down
fi
function_lengths
