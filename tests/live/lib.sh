# SPDX-License-Identifier: Apache-2.0
# What all live tests share: the tally, and running the two programs. Sourced by run.sh, which
# sets B (the build directory), T (a scratch directory) and HERE (this directory).

PASSED=0 FAILED=0 SKIPPED=0
HOST_HIDES=
# How many times slower than real ones this machine's CPUs are: more than 1 where they are emulated.
SLOW=${OFFWAKE_SLOW:-1}
RECORD=$B/offwake-record
REPORT=$B/offwake-report
WORKLOAD=$B/tests/live/workload
ANCESTOR=$B/tests/live/ancestor
WITNESS=$B/tests/live/witness
CROWD=$B/tests/live/crowd
LIMITED=$B/tests/live/record-limited
SMALL32=$B/tests/live/small32
ELSEWHERE=$B/tests/live/elsewhere

ok()
{
	PASSED=$((PASSED + 1))
	printf 'ok   %s\n' "$*"
}

fail()
{
	FAILED=$((FAILED + 1))
	printf 'FAIL %s\n' "$*"
}

skip()
{
	SKIPPED=$((SKIPPED + 1))
	printf 'skip %s\n' "$*"
}

# What the programs cannot do yet, where they say so themselves: shown, neither passed nor failed.
limit()
{
	printf 'limit %s\n' "$*"
}

# verdict NAME CONDITION-STATUS FIGURES: 0 passes.
verdict()
{
	if [ "$2" -eq 0 ]; then ok "$1: $3"; else fail "$1: $3"; fi
}

# same NAME EXPECTED FOUND
same()
{
	if [ "$2" = "$3" ]; then ok "$1: $3"; else fail "$1: expected '$2', found '$3'"; fi
}

# tally FILE: lines that a checking script printed, each starting with ok, FAIL or limit.
tally()
{
	while read -r word rest; do
		case $word in
		ok) ok "$rest" ;;
		FAIL) fail "$rest" ;;
		limit) limit "$rest" ;;
		*) fail "unexpected line of a checking script: $word $rest" ;;
		esac
	done <"$1"
}

# at_once CALL...: functions with their arguments, run together, each in a shell of its own with a
# scratch directory of its own in $T; what they say comes in their order. For what mostly waits,
# and takes no notice of other load or of other workloads of the same names.
at_once()
{
	(
		whole=$T n=0
		for call in "$@"; do
			n=$((n + 1))
			T=$whole/at-once-$n
			mkdir "$T" || exit
			(
				PASSED=0 FAILED=0 SKIPPED=0
				eval "$call"
				echo "$PASSED $FAILED $SKIPPED $HOST_HIDES" >"$T/at-once"
			) >"$T/said" 2>&1 &
		done
		wait
	)
	n=0
	for call in "$@"; do
		n=$((n + 1))
		cat "$T/at-once-$n/said"
		if read -r passed failed skipped hides 2>/dev/null <"$T/at-once-$n/at-once"; then
			PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed))
			SKIPPED=$((SKIPPED + skipped)) HOST_HIDES=${hides:-$HOST_HIDES}
		else
			fail "$call: did not run to its end"
		fi
		rm -rf "$T/at-once-$n"
	done
}

# scaled COUNT: of something to do, as many as a slow machine does in about the time.
scaled()
{
	echo $((($1 + SLOW - 1) / SLOW))
}

# record ARG...: runs the recorder; RC, its stdout in $T/out, its stderr in $T/err.
record()
{
	RC=0
	"$RECORD" "$@" >"$T/out" 2>"$T/err" || RC=$?
}

# record, beside a witness of what the kernel does not show: its findings follow the truth.
witness_record()
{
	RC=0
	"$WITNESS" "$T/hidden" "$RECORD" "$@" >"$T/out" 2>"$T/err" || RC=$?
	cat "$T/hidden" >>"$T/out"
	[ ! -s "$T/hidden" ] || HOST_HIDES=yes
}

# dump FILE: its rows into $T/dump; DUMP_RC.
dump()
{
	DUMP_RC=0
	"$REPORT" --dump "$1" >"$T/dump" 2>"$T/dump.err" || DUMP_RC=$?
}

# Does this host hide switches? Known from a witness so far, or found out, in five seconds.
host_hides()
{
	for _ in 1 2 3 4 5; do
		[ -z "$HOST_HIDES" ] || break
		"$WITNESS" "$T/hides" sleep 1 && [ -s "$T/hides" ] && HOST_HIDES=yes
	done
	[ "${HOST_HIDES:=no}" = yes ]
}

# is_complete STATUS: whether a program's status says of the recording in $T/dump that nothing is
# missing, or nothing but what the host hides.
is_complete()
{
	[ "$1" -ne 0 ] || return 0
	[ "$1" -eq 3 ] && awk -F '\t' '
		$1 == "loss" && $3 > 0 && $2 == "unseen-switch" { unseen = 1 }
		$1 == "loss" && $3 > 0 && $2 !~ /^(unseen-switch|stack-.*|process-maps)$/ { other = 1 }
		$1 == "end" { end = 1 }
		END { exit !(unseen && end && !other) }' "$T/dump" && host_hides
}

first_line()
{
	head -n 1 "$1" | cut -c 1-160
}

# wait_for_text FILE PATTERN: at most ten seconds, or two minutes where CPUs are emulated: the kernel
# checks the programs for long there.
wait_for_text()
{
	tries=0
	while [ $tries -lt $((SLOW > 1 ? 2400 : 200)) ]; do
		grep -q "$2" "$1" 2>/dev/null && return 0
		sleep 0.05
		tries=$((tries + 1))
	done
	return 1
}

# start_workload NAME ARG...: in the background, its truth in $T/truth; WL_PID. Returns when
# all its roles have begun. Its end is awaited with end_workload.
start_workload()
{
	rm -f "$T/truth"
	"$WORKLOAD" "$@" >"$T/truth" 2>"$T/wl.err" &
	WL_PID=$!
	wait_for_text "$T/truth" '^ready' && return 0
	fail "workload $1 did not start: $(first_line "$T/wl.err")"
	end_workload
	return 1
}

# Ends it now if it is still running; what it started dies with it.
end_workload()
{
	kill -KILL "$WL_PID" 2>/dev/null || true
	wait "$WL_PID" 2>/dev/null || true
}

# ready_tids: of the running workload, joined with commas.
ready_tids()
{
	awk '$1 == "ready" && !seen[$3]++ { printf "%s%s", n++ ? "," : "", $3 }' "$T/truth"
}

# hidden_of TIDS: switches to them, comma separated, that the kernel hid from the last recording
# beside a witness.
hidden_of()
{
	awk -v tids=",$1," '$1 == "hidden" && index(tids, "," $2 ",") { n += $3 }
		END { print n + 0 }' "$T/hidden"
}

# newborn_record ARG...: witness_record; NEWBORN_HIDDEN, the switches hidden from threads that were
# made since.
newborn_record()
{
	# shellcheck disable=SC2016 # for the inner shell
	newest=$(sh -c 'echo $$')
	witness_record "$@"
	NEWBORN_HIDDEN=$(awk -v newest="$newest" '$1 == "hidden" && $2 > newest { n += $3 }
		END { print n + 0 }' "$T/hidden")
}

# sum_rows CONDITION EXPRESSION: over the rows of $T/dump, in awk's terms of rows.awk.
sum_rows()
{
	cat >"$T/sum.awk" <<-PROGRAM
		\$1 == "row" { row_fields() }
		\$1 == "row" && ($1) { sum += $2 }
		END { printf "%.0f\n", sum }
	PROGRAM
	awk -F '\t' -f "$HERE/rows.awk" -f "$T/sum.awk" "$T/dump"
}

# Steal time of this host so far, in ns: while stolen, a thread neither runs nor waits.
steal_ns()
{
	awk '$1 == "cpu" { printf "%.0f\n", $9 * 10000000 }' /proc/stat
}
