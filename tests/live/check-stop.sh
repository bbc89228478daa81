# SPDX-License-Identifier: Apache-2.0
# How a recording ends, and what is left of it.

now_ms()
{
	awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime
}

# in_background FILE ARG...: REC_PID, which has begun. A non-interactive shell starts background jobs
# with SIGINT ignored; a program that must end on it has to be given the default back.
in_background()
{
	rm -f "$T/rec.err"
	env --default-signal=INT "$RECORD" -o "$@" >"$T/rec.out" 2>"$T/rec.err" &
	REC_PID=$!
	wait_for_text "$T/rec.err" 'recording to' || fail "stop: the recorder does not start"
}

# RC
end_of_recorder()
{
	RC=0
	wait "$REC_PID" || RC=$?
}

# How long it takes to begin is the machine's affair.
stop_by_duration()
{
	before=$(now_ms)
	in_background "$T/one.data" 1
	began=$(now_ms)
	end_of_recorder
	now=$(now_ms)
	dump "$T/one.data"
	is_complete "$RC" && [ $((now - before)) -ge 1000 ] && [ $((now - began)) -le 4000 ]
	verdict "duration 1" $? "status $RC, $((now - before)) ms, $((now - began)) of them as it recorded"
	span=$(awk -F '\t' '$1 == "end" { printf "%d\n", ($3 - $2) / 1000000 }' "$T/dump")
	[ "${span:-0}" -ge 990 ] && [ "${span:-0}" -le 1200 ]
	verdict "duration 1: the recording spans a second" $? "${span:-no end line} ms"
}

# A recorder that is kept from running as its time is up: the kernel programs end it all the same.
stop_on_time()
{
	start_workload nanosleep 100000 5000 || return
	in_background "$T/late.data" -p "$WL_PID" 1
	sleep 0.5
	kill -STOP "$REC_PID"
	sleep 2
	kill -CONT "$REC_PID"
	end_of_recorder
	end_workload
	dump "$T/late.data"
	is_complete "$RC"
	verdict "duration 1, stopped from half a second to two and a half" $? "status $RC"
	same "duration 1, stopped: the recording's length, ns" 1000000000 \
		"$(awk -F '\t' '$1 == "end" { printf "%d\n", $3 - $2 }' "$T/dump")"
	slept=$(sum_rows 'comm == "ow-timer"' total_ns)
	[ "$slept" -ge 900000000 ] && [ "$slept" -le 1000000000 ]
	verdict "duration 1, stopped: nothing is counted beyond the second" $? "$slept ns"
}

stop_by_signal()
{
	start_workload nanosleep 100000 5000 || return
	in_background "$T/signal.data" -p "$WL_PID"
	sleep 1.5
	kill -"$1" "$REC_PID"
	end_of_recorder
	end_workload
	dump "$T/signal.data"
	slept=$(sum_rows 'has(tu, "ow_timer_block")' count)
	is_complete "$RC" && is_complete "$DUMP_RC" && [ "$slept" -ge 100 ]
	verdict "SIG$1 ends it cleanly" $? "status $RC, report $DUMP_RC, $slept sleeps"
}

stop_by_kill()
{
	start_workload nanosleep 100000 5000 || return
	in_background "$T/kill.data" -p "$WL_PID"
	sleep 3.3
	kill -KILL "$REC_PID"
	wait "$REC_PID" 2>/dev/null
	end_workload
	dump "$T/kill.data"
	slices=$(awk -F '\t' '$1 == "slice" { n++ } END { print n + 0 }' "$T/dump")
	slept=$(sum_rows 'comm == "ow-timer"' count)
	[ "$DUMP_RC" -eq 3 ] && [ "$slices" -ge 2 ] && [ "$slept" -ge 200 ]
	verdict "SIGKILL leaves the slices that were finished" $? \
		"report $DUMP_RC, $slices slices, $slept sleeps"
}

command_status()
{
	record -o "$T/false.data" -- sh -c 'exit 7'
	dump "$T/false.data"
	is_complete "$RC" && grep -q 'status 7$' "$T/err"
	verdict "a command that fails: its status is said, ours is 0" $? \
		"$RC, $(grep command "$T/err")"
	record -o "$T/killed.data" -- sh -c 'kill -9 $$'
	dump "$T/killed.data"
	is_complete "$RC" && grep -q 'signal 9' "$T/err"
	verdict "a command that is killed: the signal is said, ours is 0" $? \
		"$RC, $(grep command "$T/err")"
	record -o "$T/none.data" -- "$T/no-such-command"
	[ "$RC" -eq 1 ] && ! [ -e "$T/none.data" ]
	verdict "a command that does not exist: status 1, no file" $? "$RC, $(tail -n 1 "$T/err")"
}

check_stop()
{
	at_once stop_by_duration stop_on_time "stop_by_signal INT" "stop_by_signal TERM" stop_by_kill \
		command_status
}
