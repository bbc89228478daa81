# SPDX-License-Identifier: Apache-2.0
# The ancestor's command line.

OFFWAKETIME=$B/offwaketime

drop_in()
{
	RC=0
	timeout 60 "$OFFWAKETIME" "$@" >"$T/out" 2>"$T/err" || RC=$?
}

# A sleep of the workload, told in the ancestor's layout: its leaf frames over its name.
text_run()
{
	start_workload pipe 100000 500 || return
	drop_in -p "$(ready_tids)" 1
	[ "$RC" -eq 0 ] || [ "$RC" -eq 3 ]
	verdict "offwaketime: status" $? "$RC $(first_line "$T/err")"
	same "offwaketime: the start line" \
		"Tracing blocked time (us) by user + kernel off-CPU and waker stack for 1 secs." \
		"$(first_line "$T/out")"
	same "offwaketime: start lines" 1 "$(grep -c '^Tracing' "$T/out")"
	[ "$(grep -c '^    target:          ow-p[io]ng' "$T/out")" -ge 2 ] &&
		grep -q '^    ow_pipe_wake' "$T/out" && grep -q '^    ow_pipe_block' "$T/out" &&
		grep -q '^    waker:           ow-p' "$T/out"
	verdict "offwaketime: wakers and targets" $? "$(wc -l <"$T/out") lines"
	drop_in -dfUp "$(ready_tids)" --min=100 1
	end_workload
	[ "$(grep -c '^Tracing' "$T/out")" -eq 0 ] && [ "$(grep -c '^$' "$T/out")" -eq 0 ] &&
		[ "$(grep -c ';--;' "$T/out")" -ge 2 ] && ! grep -q '__schedule' "$T/out" &&
		grep -q 'ow_pipe_block;--;' "$T/out"
	verdict "offwaketime: folded user stacks, letters together, a name cut short" $? \
		"status $RC, $(wc -l <"$T/out") lines"
}

# The bystander of a timer stands where [hardirq] would.
raw_wakers()
{
	start_workload bystander 100000 || return
	drop_in --raw-wakers -t "$(ready_tids)" 1
	end_workload
	grep -q '^    waker:           ow-hit-by' "$T/out" && ! grep -q '^    waker:           .hardirq' "$T/out"
	verdict "offwaketime --raw-wakers: names bystanders" $? \
		"status $RC, $(grep -c '^    waker:           ow-hit-by' "$T/out") rows"
}

# recorder_has_begun PID: the script's, within ten seconds; it gives its rights away as it does.
recorder_has_begun()
{
	for _ in $(seq 200); do
		rec=$(pgrep -P "$1" -x offwake-record) &&
			grep -q '^NoNewPrivs:.*1' "/proc/$rec/status" 2>/dev/null && return 0
		sleep 0.05
	done
	return 1
}

# Ctrl-C goes to the process group: script, recorder and, by then, reporter.
ctrl_c()
{
	start_workload pipe 100000 500 || return
	rm -f "$T/out"
	setsid env --default-signal=INT "$OFFWAKETIME" -p "$(ready_tids)" >"$T/out" 2>"$T/err" &
	script=$!
	wait_for_text "$T/out" 'Hit Ctrl-C to end'
	verdict "offwaketime: the start line is there at once" $? "$(first_line "$T/out")"
	recorder_has_begun "$script" || fail "offwaketime: its recorder does not start"
	sleep 1
	kill -INT "-$script"
	RC=0
	wait "$script" || RC=$?
	end_workload
	{ [ "$RC" -eq 0 ] || [ "$RC" -eq 3 ]; } &&
		[ "$(grep -c '^    target:          ow-p[io]ng' "$T/out")" -ge 2 ]
	verdict "offwaketime: Ctrl-C to its group prints the whole report" $? \
		"status $RC, $(wc -l <"$T/out") lines $(first_line "$T/err")"
	# sooner than the recorder can have begun
	setsid env --default-signal=INT "$OFFWAKETIME" -f >"$T/out" 2>"$T/err" &
	script=$!
	sleep 0.2
	kill -INT "-$script"
	RC=0
	wait "$script" || RC=$?
	[ "$RC" -eq 0 ] || [ "$RC" -eq 3 ] || [ "$RC" -eq 130 ]
	verdict "offwaketime: Ctrl-C at once ends it" $? "status $RC $(first_line "$T/err")"
}

drop_in_errors()
{
	for bad in "-x" "-p a" "-p 1 -t 1" "-u -k" "-U -K" "-p" "0" "1x" "1 2" "-m 0" "--m 1" \
		"--state -1" "--stack-storage-size 0"; do
		# shellcheck disable=SC2086 # words
		drop_in $bad
		same "offwaketime $bad: status, lines on stdout, says why" "2 0 yes" \
			"$RC $(wc -l <"$T/out") $([ -s "$T/err" ] && echo yes)"
	done
	drop_in -f -p "$(dead_pid)" 1
	[ "$RC" -eq 1 ] && grep -q 'there is no process' "$T/err" && ! [ -s "$T/out" ]
	verdict "offwaketime: the recorder's failure is its own" $? "status $RC: $(first_line "$T/err")"
	drop_in -h
	same "offwaketime -h" "0 1" "$RC $(grep -c '^usage: offwaketime ' "$T/out")"
	drop_in --ebpf
	same "offwaketime --ebpf" "0 1" "$RC $(grep -c 'SEC("tp_btf/sched_waking")' "$T/out")"
	same "offwaketime leaves nothing behind" 0 \
		"$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'offwaketime.*' | wc -l)"
}

check_offwaketime()
{
	at_once text_run raw_wakers ctrl_c
	drop_in_errors
}
