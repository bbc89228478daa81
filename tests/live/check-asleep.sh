# SPDX-License-Identifier: Apache-2.0
# Threads that were off CPU before anybody looked: their user stacks, read out of their memory.

ASLEEP_PIDS=

# be_asleep PID-VARIABLE FILE COMMAND...: in the background until end_asleep; FILE has its output.
be_asleep()
{
	variable=$1 file=$2
	shift 2
	"$@" >"$file" 2>&1 &
	eval "$variable=$!"
	ASLEEP_PIDS="$ASLEEP_PIDS $!"
}

end_asleep()
{
	for pid in $ASLEEP_PIDS; do
		children=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
		# shellcheck disable=SC2086 # a list
		kill -KILL "$pid" $children 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	ASLEEP_PIDS=
}

# asleep_record NAME ARG...: in the background, REC; returns when it has begun.
asleep_record()
{
	name=$1
	shift
	rm -f "$T/rec.err"
	"$WORKLOAD" clock "$WITNESS" "$T/hidden" "$RECORD" -v -o "$T/$name.data" "$@" \
		>"$T/clock" 2>"$T/rec.err" &
	REC=$!
	wait_for_text "$T/rec.err" 'recording to' || fail "$name: the recorder does not start"
}

# asleep_dump NAME: when the recording is over.
asleep_dump()
{
	RC=0
	wait "$REC" || RC=$?
	dump "$T/$1.data"
	is_complete "$RC"
	verdict "$1: recorder status" $? "$RC"
	WINDOW_NS=$(awk -F '\t' '$1 == "end" { printf "%.0f\n", $3 - $2 }' "$T/dump")
}

# stacks_are NAME ROWS STACK COUNT: so many rows, each with that user stack (a pattern).
stacks_are()
{
	rows=$(sum_rows "$2" 1)
	right=$(sum_rows "($2) && tu ~ /$3/" 1)
	[ "$rows" -eq "$4" ] && [ "$right" -eq "$4" ]
	verdict "$1" $? "$right of $rows rows, of $4"
}

to_the_start='(start_thread|lib[a-z]*[.]so[^;]*)(;clone3?|;lib[^;]*)?$'
to_the_end='(__libc_start_call_main|lib[a-z]*[.]so[^;]*)(;[^;]*)?(;[^;]*)?$'
whole='kind == "open" && flags ~ /began-before/ && max_ns == WINDOW'

# Rows of one thread that slept all the time.
throughout()
{
	echo "$1 && $whole" | sed "s/WINDOW/$WINDOW_NS/"
}

odd_stacks()
{
	sleeper='ow_asleep_block;ow_asleep_again;ow_asleep_main;'
	stacks_are "asleep throughout: the user stack to the thread's start" \
		"$(throughout 'comm == "ow-still"')" "^$sleeper$to_the_start" 1
	for name in ow-gone ow-bar ow-filed ow-guarded; do
		stacks_are "asleep throughout, its stack not to be read ($name): said, not made up" \
			"$(throughout "comm == \"$name\"")" '^\[missed:walk-failed\]$' 1
	done
	hidden=$(awk '$1 == "hidden" { n += $3 } END { print n + 0 }' "$T/hidden")
	woken=$(sum_rows 'comm == "ow-wakes" && kind == "blocked"' 1)
	if [ "$woken" -eq 0 ] && [ "$hidden" -gt 0 ]; then
		limit "asleep, then woken: the host hid its switch"
		return
	fi
	stacks_are "asleep, then woken: clipped, marked, its user stack and its waker's" \
		"comm == \"ow-wakes\" && kind == \"blocked\" && flags ~ /began-before/ && max_ns < $WINDOW_NS &&
			waker_comm == \"ow-alarm\" && wu ~ /^ow_asleep_wake;wl_asleep;main/" \
		"^$sleeper$to_the_start" 1
	stacks_are "asleep again in the same place: the kernel reads the same user stack" \
		'comm == "ow-wakes" && flags !~ /began-before/ && kind != "preempted"' \
		"^$sleeper$to_the_start" 1
}

odd_lives()
{
	stacks_are "stopped before: state T and the user stacks of its threads" \
		"$(throughout "tgid == $STOPPED && tid != tgid && state ~ /^0x.*[4-7c-f]\$/")" \
		"^ow_sleeper_main;$to_the_start" 3
	stacks_are "a process whose first thread has ended: the user stack of the other" \
		"$(throughout 'comm == "ow-orphan"')" "^ow_child_block;ow_orphan_main;$to_the_start" 1
	same "a process whose first thread has ended: rows of that one" 0 \
		"$(sum_rows "tid == $(awk '$1 == "ready" { print $4 }' "$T/orphan")" 1)"
	stacks_are "in a sleep that signals do not end: the user stack of a vfork's parent" \
		"$(throughout "tid == $VFORK && state ~ /^0x.*[2367abef]\$/")" ";main;$to_the_end" 1
	if [ -x "$SMALL32" ]; then
		stacks_are "32-bit: the user stack of a sleeper" "$(throughout "tid == $SMALL")" \
			'^ow_small_block;ow_small_again;ow_small_start(;[^;]*)?$' 1
	else
		limit "32-bit: no program could be built"
	fi
}

# The pass over everybody: how long it takes, and how much of starting up it is.
crowd()
{
	stacks_are "a crowd: the user stack of each" \
		"$(throughout "tgid == $CROWD && tid != tgid")" "^ow_sleeper_main;$to_the_start" 2000
	awk '$1 == "clock" { exec_ns = $2 } $1 == "end" { begin_ns = $2 }
		/user stacks read of/ { for (i = 1; i < NF; i++) {
			if ($i == "of") n = $(i + 1)
			if ($i == "in") ms = $(i + 1)
		} }
		END {
			printf "%s a crowd: user stacks of %d threads in %.1f ms, %.2f us each; exec to begin %.1f ms\n",
				(n >= 2000 ? "ok" : "FAIL"), n, ms, 1000 * ms / (n ? n : 1),
				(begin_ns - exec_ns) / 1e6
		}' "$T/clock" "$T/rec.err" "$T/dump" >"$T/verdicts"
	tally "$T/verdicts"
}

all_asleep()
{
	SMALL=0
	be_asleep ODD "$T/odd" "$WORKLOAD" asleep
	be_asleep CROWD "$T/crowd" "$WORKLOAD" sleepers 2000
	be_asleep STOPPED "$T/stopped" "$WORKLOAD" sleepers 3
	be_asleep ORPHAN "$T/orphan" "$WORKLOAD" leaderless 1 60000000
	be_asleep VFORK "$T/vfork" "$WORKLOAD" vfork 600000
	[ ! -x "$SMALL32" ] || be_asleep SMALL "$T/small" "$SMALL32"
	for file in odd crowd stopped orphan; do
		wait_for_text "$T/$file" '^ready' || fail "asleep: $file does not start"
	done
	kill -STOP "$STOPPED"
	sleep 0.3
	orphan=$(awk '$1 == "ready" { print $4 }' "$T/orphan")
	asleep_record asleep -p "$ODD,$CROWD,$STOPPED,$orphan,$VFORK,$SMALL" 2
	sleep 0.5
	kill -USR1 "$ODD"
	asleep_dump asleep
	odd_stacks
	odd_lives
	crowd
	asleep_record asleep-K -K -p "$ODD" 1
	asleep_dump asleep-K
	stacks_are "-K: no user stack of a sleeper" "$(throughout 'comm == "ow-still"')" '^-$' 1
	asleep_record asleep-U -U -p "$ODD" 1
	asleep_dump asleep-U
	stacks_are "-U: the user stack of a sleeper" \
		"$(throughout 'comm == "ow-still" && tk == "-"')" "^ow_asleep_block;" 1
	asleep_record asleep-state --state 2 -p "$ODD,$VFORK" 1
	asleep_dump asleep-state
	stacks_are "--state 2: the user stack of who sleeps so, and of no other" \
		'kind == "open" && flags ~ /began-before/' ";main;$to_the_end" 1
	end_asleep
}

# Two threads share a CPU, both in the first instruction of a function: whoever does not run as the
# recording begins stands at an exact address, not behind a call.
preempted_before()
{
	start_workload leaf 60000 || return
	witness_record -q -p "$WL_PID" -o "$T/leaf.data" 1
	dump "$T/leaf.data"
	end_workload
	found=$(sum_rows 'comm ~ /^ow-leaf/ && flags ~ /began-before/' count)
	right=$(sum_rows 'comm ~ /^ow-leaf/ && flags ~ /began-before/ && kind == "preempted" &&
		leaf_is(tu, "ow_leaf_spin")' count)
	hidden=$(hidden_of "$(ready_tids)")
	[ "$found" -le 2 ] && [ "$right" -eq "$found" ] && [ $((found + hidden)) -ge 1 ]
	verdict "preempted before: the exact leaf" $? "$right of $found ($hidden hidden)"
}

check_asleep()
{
	preempted_before
	if lends_memory; then
		all_asleep
	else
		limit "asleep: this kernel lends no memory of sleeping threads"
	fi
}
