# SPDX-License-Identifier: Apache-2.0
# Rows add up to what the kernel accounts of each thread: for threads of all kinds, with filters,
# and what the recorder says of its own cost.

# Steal of the host since steal was $1, rounded up as /proc/stat has it in hundredths.
steal_since()
{
	now=$(steal_ns)
	[ "$now" -eq 0 ] && echo 0 || echo $((now - $1 + 10000000))
}

# reconcile_verdicts NAME [AWK-ASSIGNMENT...]: of $T/dump, into the tally. LEFT_NS, COVERED.
reconcile_verdicts()
{
	name=$1
	shift
	tick=$(awk -F '\t' '$2 == "reconcile_tick_ns" { print $3 }' "$T/dump")
	awk -F '\t' -v name="reconcile: $name" -v steal_ns="${steal:-0}" -v tick_ns="${tick:-0}" \
		"$@" -f "$HERE/rows.awk" -f "$HERE/reconcile.awk" "$T/hidden" "$T/dump" \
		>"$T/verdicts" 2>"$T/figures"
	tally "$T/verdicts"
	LEFT_NS=$(awk '$1 == "figures" { print $3 }' "$T/figures")
	COVERED=$(awk '$1 == "figures" { print $4 }' "$T/figures")
}

# reconciled NAME ASSIGNMENTS RECORDER-ARG...
reconciled()
{
	name=$1 assignments=$2
	shift 2
	steal=$(steal_ns)
	witness_record -q --reconcile -o "$T/acc.data" "$@"
	steal=$(steal_since "$steal")
	dump "$T/acc.data"
	# of the whole machine others may do what costs rows: those are in the accounts
	if ! is_complete "$RC" && ! { [ "$RC" -eq 3 ] && [ "${everybody:-}" ]; }; then
		fail "reconcile: $name: statuses $RC and $DUMP_RC: $(tail -n 1 "$T/err")"
		return
	fi
	# shellcheck disable=SC2086 # words
	reconcile_verdicts "$name" $assignments
	outside=$("$REPORT" --info "$T/acc.data" 2>/dev/null | sed -n 's/^reconciled, outside: //p')
	same "reconcile: $name: the report finds outside" 0 "$outside"
}

# Threads that live through the recording, and those that do not.
reconcile_commands()
{
	reconciled pipe "-v witness=1" -- "$WORKLOAD" pipe 2000 100
	reconciled futex "-v witness=1" -- "$WORKLOAD" futex 5000 20
	reconciled timers "-v witness=1" -- "$WORKLOAD" nanosleep 1000 200
	reconciled spinner "-v witness=1" -- "$WORKLOAD" spinner 500
	reconciled fork-tree "-v witness=1" -- "$WORKLOAD" fork-tree 20
	reconciled exits "-v witness=1" -- "$WORKLOAD" exits 200
}

# reconcile_running NAME ASSIGNMENTS OPTION-FOR-IDS WORKLOAD...: a workload that is there before
# and after.
reconcile_running()
{
	name=$1 option=$2
	shift 2
	start_workload "$@" || return
	tids=$(ready_tids)
	case $option in
	-p) set -- -p "$WL_PID" ;;
	-t) set -- -t "$tids" ;;
	esac
	[ "$1" = -t ] || tids=$WL_PID
	reconciled "$name" "-v whole=1 -v tids=,$tids," "$@" 1
	end_workload
}

# What filters keep out is counted for its thread, and nothing else is missing.
reconcile_filters()
{
	by_state=
	for options in "-m 5000" "--state 2"; do
		case $options in --state*) by_state="-v by_state=1" ;; esac
		# shellcheck disable=SC2086 # words
		reconciled "$options" "$by_state" $options -- "$WORKLOAD" naps 100 20
		[ "${LEFT_NS:-0}" -gt 100000000 ]
		verdict "reconcile: $options: time was left out" $? "$((${LEFT_NS:-0} / 1000)) us"
	done
}

# What runs at the end is off CPU no longer, whatever its last absence was.
reconcile_running_at_end()
{
	start_workload spinner 10000 || return
	tids=$(ready_tids)
	reconciled "left out before, on CPU at the end" "-v whole=1 -v tids=,$tids, -v by_state=1" \
		-p "$WL_PID" --state 2 1
	end_workload
}

# All threads of the machine. Hidden switches must be covered.
reconcile_everybody()
{
	start_workload spinner 10000 || return
	tids=$(ready_tids)
	everybody="-v everybody=1"
	reconciled "the whole machine" "-v whole=1 -v tids=,$tids, $everybody" 2
	everybody=
	end_workload
}

# The cost of recording is in every file.
cost_is_noted()
{
	record -q -o "$T/cost.data" -- "$WORKLOAD" pipe 4000 50
	"$REPORT" --info "$T/cost.data" >"$T/info" 2>/dev/null
	cpu=$(sed -n 's/^cost, recorder: \([0-9]*\) us.*/\1/p' "$T/info")
	[ "${cpu:-0}" -ge 1000 ] && [ "$cpu" -lt 60000000 ]
	verdict "cost: CPU time of the recorder" $? "${cpu:-none} us"
	rss=$(sed -n 's/^meta cost_peak_rss_bytes: //p' "$T/info")
	[ "${rss:-0}" -gt 1000000 ] && [ "$rss" -lt 1000000000 ]
	verdict "cost: memory" $? "${rss:-none} bytes"
	runs=$(sed -n 's/^meta cost_bpf_runs.on_switch: //p' "$T/info")
	ns=$(sed -n 's/^cost, program on_switch: \([0-9]*\) ns an event.*/\1/p' "$T/info")
	[ "${runs:-0}" -gt 10 ] && [ "${ns:-0}" -ge 50 ] && [ "$ns" -lt 1000000 ]
	verdict "cost: on_switch" $? "${ns:-none} ns an event, of ${runs:-0} events"
	same "cost: the kernel measures no longer" 0 "$(cat /proc/sys/kernel/bpf_stats_enabled)"
	burnt=$(sed -n 's/^cost, recorder: .*; \([0-9.]*\)% of one CPU since.*/\1/p' "$T/info")
	verdict "cost: the command's own CPU time is not in it" \
		"$(awk -v p="${burnt:-100}" 'BEGIN { print (p >= 60) }')" "$burnt%"
}

# Where somebody has the kernel measure all the time, all events are measured.
cost_when_always_on()
{
	before=$(cat /proc/sys/kernel/bpf_stats_enabled)
	echo 1 >/proc/sys/kernel/bpf_stats_enabled 2>/dev/null || {
		skip "cost: kernel.bpf_stats_enabled cannot be set"
		return
	}
	record -q -o "$T/cost.data" -- "$WORKLOAD" pipe 1000 20
	echo "$before" >/proc/sys/kernel/bpf_stats_enabled
	dump "$T/cost.data"
	said=$(awk -F '\t' '$2 == "cost_bpf_stats" { print $3 }' "$T/dump")
	same "cost: measuring that is on is used" "always on" "$said"
	runs=$(awk -F '\t' '$2 == "cost_bpf_runs.on_switch" { print $3 }' "$T/dump")
	counted=$(awk -F '\t' '$2 == "intervals" { print $3 }' "$T/dump")
	[ "${runs:-0}" -ge "${counted:-1}" ]
	verdict "cost: every switch is measured" $? "$runs runs for $counted intervals"
}

check_reconcile()
{
	reconcile_commands
	reconcile_running "-p" -p sleepers 1000
	reconcile_running "-t" -t pipe 100000 50
	reconcile_filters
	reconcile_running_at_end
	reconcile_everybody
	cost_is_noted
	cost_when_always_on
}
