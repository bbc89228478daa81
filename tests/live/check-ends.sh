# SPDX-License-Identifier: Apache-2.0
# Stopping when it is hard to stop: while thousands sleep and die, while nobody reads, while the
# terminal is gone.

# Each sleeper began before and sleeps until the recording ends or it is killed, whichever comes
# first: one interval, finished or open. sleepers_at_stop THREADS SECONDS-BETWEEN
sleepers_at_stop()
{
	start_workload sleepers "$1" || return
	rm -f "$T/rec.err"
	env --default-signal=INT "$WITNESS" "$T/hidden" "$RECORD" -p "$WL_PID" -o "$T/open.data" \
		>"$T/rec.out" 2>"$T/rec.err" &
	parent=$!
	wait_for_text "$T/rec.err" 'recording to' || fail "stop: the recorder does not start"
	sleep 0.2
	read -r rec <"/proc/$parent/task/$parent/children"
	kill -INT "${rec% }"
	[ "$2" = 0 ] || sleep "$2"
	kill -KILL "$WL_PID"
	RC=0
	wait "$parent" || RC=$?
	wait "$WL_PID" 2>/dev/null
	dump "$T/open.data"
	hidden=$(awk -v pid="$WL_PID" -v cnt="$1" '$1 == "hidden" && $2 >= pid && $2 <= pid + cnt + 999 {
		n += $3 } END { print n + 0 }' "$T/hidden")
	once='flags ~ /began-before/ && tk ~ /futex_(do_wait|wait_queue)/'
	found=$(sum_rows "$once" count)
	open=$(sum_rows "$once && kind == \"open\"" count)
	threads=$(awk -F '\t' -f "$HERE/rows.awk" -f /dev/fd/3 "$T/dump" 3<<-PROGRAM
		\$1 == "row" { row_fields() }
		\$1 == "row" && $once && !(tid in seen) { seen[tid]; n++ }
		END { print n + 0 }
	PROGRAM
	)
	[ "$found" -eq "$threads" ] && [ "$found" -le "$1" ] && [ $((found + hidden)) -ge "$1" ]
	verdict "stop: sleeps of $1 threads that are killed $2 s later" $? \
		"status $RC, $found intervals of $threads threads, $open of them open ($hidden hidden)"
}

# As Ctrl-C does it: to the recorder and to the command that hangs.
interrupt_both()
{
	rm -f "$T/truth"
	setsid env --default-signal=INT "$RECORD" -q -o "$T/hang.data" -- \
		"$WORKLOAD" deadlock 60000 >"$T/truth" 2>"$T/rec.err" &
	group=$!
	wait_for_text "$T/truth" '^ready' || fail "stop: the deadlock does not start"
	sleep 0.5
	kill -s INT -- "-$group"
	RC=0
	wait "$group" || RC=$?
	dump "$T/hang.data"
	mine='comm ~ /^ow-dead/ && has(tu, "ow_deadlock_block")'
	found=$(sum_rows "$mine" count)
	unseen=$(awk -F '\t' '$1 == "loss" && $2 == "unseen-switch" { n = $3 } END { print n + 0 }' "$T/dump")
	is_complete "$RC" && [ "$found" -le 2 ] && [ $((found + unseen)) -ge 2 ]
	verdict "stop: both sleeps of a deadlock that Ctrl-C ends" $? \
		"status $RC, $found, $(sum_rows "$mine && kind == \"open\"" count) of them open ($unseen lost)"
}

# ends_within PID MS: whether it does; TOOK.
ends_within()
{
	before=$(now_ms)
	while kill -0 "$1" 2>/dev/null && [ $(($(now_ms) - before)) -lt "$2" ]; do
		sleep 0.05
	done
	TOOK=$(($(now_ms) - before))
	! kill -0 "$1" 2>/dev/null
}

# A pipe holds less than a recording begins with; whoever has it open never reads.
stalled_reader()
{
	rm -f "$T/stalled" && mkfifo "$T/stalled"
	exec 9<>"$T/stalled"
	env --default-signal=INT "$RECORD" -o - 20 >"$T/stalled" 2>"$T/rec.err" &
	rec=$!
	for _ in $(seq 200); do
		bpf_ids "$rec" >"$T/ids"
		[ ! -s "$T/ids" ] || break
		sleep 0.05
	done
	sleep "$1"
	bpf_ids "$rec" >"$T/ids"
	kill -INT "$rec"
	ends_within "$rec" 10000
	verdict "stop: SIGINT after $1 s while nobody reads the pipe" $? "$TOOK ms"
	kill -KILL "$rec" 2>/dev/null
	RC=0
	wait "$rec" 2>/dev/null || RC=$?
	exec 9>&-
	[ "$RC" -ne 0 ] && [ "$RC" -lt 128 ] &&
		grep -v 'recording to' "$T/rec.err" | grep -q '^offwake-record: '
	verdict "stop: it says what is missing then" $? "status $RC, $(tail -n 1 "$T/rec.err")"
	[ "$(wc -l <"$T/ids")" -gt 0 ] && nothing_is_left "$T/ids"
	verdict "stop: programs and maps that are left in the kernel" $? \
		"$(left_of "$T/ids") of $(wc -l <"$T/ids")"
}

# nohup gives it an ignored SIGHUP, which must stay so.
hangup_is_ignored()
{
	rm -f "$T/rec.err"
	nohup env --default-signal=INT "$RECORD" -o "$T/hup.data" >"$T/rec.out" 2>"$T/rec.err" \
		</dev/null &
	rec=$!
	wait_for_text "$T/rec.err" 'recording to' || fail "stop: the recorder does not start"
	kill -HUP "$rec"
	! ends_within "$rec" 1500
	verdict "stop: SIGHUP does not end it under nohup" $? "after $TOOK ms"
	kill -INT "$rec" 2>/dev/null
	RC=0
	wait "$rec" || RC=$?
	dump "$T/hup.data"
	is_complete "$RC"
	verdict "stop: SIGINT ends it under nohup" $? "status $RC"
}

sleepers_at_stops()
{
	for after in 0 0 0.005 0.01 0.02; do
		sleepers_at_stop 2000 $after
	done
}

interruptions()
{
	for _ in 1 2 3 4 5; do
		interrupt_both
	done
}

check_ends()
{
	at_once sleepers_at_stops interruptions "stalled_reader 0.5" "stalled_reader 2" hangup_is_ignored
}
