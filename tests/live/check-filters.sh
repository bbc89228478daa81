# SPDX-License-Identifier: Apache-2.0
# Which threads and which intervals are recorded.
. "$HERE/who.sh"

filter_tid()
{
	start_workload naps 100000 100000 || return
	tid=$(awk '$1 == "ready" && $2 == "ow-nap-20ms" { print $3 }' "$T/truth")
	record -q -t "$tid" -o "$T/tid.data" 2
	dump "$T/tid.data"
	end_workload
	mine=$(sum_rows "tid == $tid" count)
	[ "$mine" -ge 40 ] && [ "$(sum_rows "tid != $tid" 1)" -eq 0 ]
	verdict "-t: this thread and no other" $? "$mine sleeps, $(sum_rows "tid != $tid" 1) rows of others"
}

filter_pid()
{
	start_workload naps 100000 100000 || return
	record -q -p "$WL_PID" -o "$T/pid.data" 1
	dump "$T/pid.data"
	end_workload
	threads=$(awk -F '\t' '$1 == "row" && !seen[$6]++ { n++ } END { print n + 0 }' "$T/dump")
	[ "$threads" -ge 2 ] && [ "$(sum_rows "tgid != $WL_PID" 1)" -eq 0 ]
	verdict "-p: all threads of this process and no other" $? \
		"$threads threads, $(sum_rows "tgid != $WL_PID" 1) rows of others"
}

# naps_with OPTION: how many intervals of each sleeper were recorded.
naps_with()
{
	witness_record -q "$@" -o "$T/naps.data" -- "$WORKLOAD" naps 100 20
	mv "$T/out" "$T/truth"
	hidden=$(hidden_of "$(ready_tids)")
	dump "$T/naps.data"
	short=$(sum_rows 'kind != "preempted" && comm == "ow-nap-1ms" && has(tu, "ow_timer_block")' count)
	long=$(sum_rows 'kind != "preempted" && comm == "ow-nap-20ms" && has(tu, "ow_timer_block")' count)
	over=$(sum_rows 'max_ns >= 15001000' count)
	under=$(sum_rows "max_ns < $((15000 * 1000)) && count > 0" count)
}

# How many of a sleeper's intervals are as they should be: a stolen CPU may stretch a short one.
filter_times()
{
	naps_with -m 15000
	[ "$long" -le 20 ] && [ "$long" -ge $((20 - hidden)) ] && [ "$short" -le 5 ] && [ "$under" -eq 0 ]
	verdict "-m 15000: the long sleeps only" $? "$short short, $long long, $under rows below ($hidden hidden)"
	naps_with -M 15000
	[ "$short" -ge 95 ] && [ "$long" -eq 0 ] && [ "$over" -eq 0 ]
	verdict "-M 15000: the short sleeps only" $? "$short short, $long long, $over rows above ($hidden hidden)"
	naps_with -m 500 -M 100000
	[ "$short" -le 100 ] && [ "$long" -le 20 ] && [ $((short + long)) -ge $((120 - hidden)) ]
	verdict "-m 500 -M 100000: both" $? "$short short, $long long ($hidden hidden)"
}

# With 2 stacks to store, sums stay right; only stacks are missing, and it is said.
small_stack_table()
{
	witness_record --stack-storage-size 2 -o "$T/few.data" -- "$WORKLOAD" pipe 300 200
	dump "$T/few.data"
	is_complete "$RC"
	verdict "--stack-storage-size 2: recorder status" $? "$RC"
	lost=$(awk -F '\t' '$1 == "loss" && $2 ~ /stack/ { n += $3 } END { print n + 0 }' "$T/dump")
	[ "$lost" -gt 0 ]
	verdict "--stack-storage-size 2: missed stacks are counted" $? "$lost"
	grep -q 'stacks lost: stack table full' "$T/err"
	verdict "--stack-storage-size 2: the recorder says it" $? "$(tail -n 1 "$T/err")"
	"$REPORT" "$T/few.data" >"$T/text" 2>"$T/said"
	status=$?
	is_complete $status
	verdict "--stack-storage-size 2: reporter status" $? "$status"
	grep -q 'WARNING: .*--stack-storage-size' "$T/said"
	verdict "--stack-storage-size 2: the reporter warns" $? "$(first_line "$T/said")"
	want=$(grep -c 'Missed .* Stack' "$T/text")
	[ "$want" -gt 0 ]
	verdict "--stack-storage-size 2: missed stacks are marked" $? "$want"
	for role in ow-ping ow-pong; do
		want=$(awk -v role=$role '$1 == "truth" && $3 == role {
			for (i = 2; i < NF; i += 2) t[$i] = $(i + 1) }
			$1 == "hidden" { hidden[$2] = $3 }
			END { print t["life_nvcsw"] + 1, hidden[t["tid"]] + 0 }' "$T/out")
		# With ow_park, which cannot be told apart without its stack.
		found=$(sum_rows "comm == \"$role\" && (kind == \"blocked\" || kind == \"unobserved\")" count)
		[ "$found" -le "${want% *}" ] && [ "$found" -ge $((${want% *} - ${want#* })) ]
		verdict "--stack-storage-size 2: sleeps of $role" $? \
			"$found of ${want% *} (${want#* } hidden)"
	done
}

# few_files LIMIT ARG...: with so few open files it works, or says how to have it work.
few_files()
{
	limit=$1
	shift
	rm -f "$T/few.data"
	RC=0
	# shellcheck disable=SC3045 # dash and bash have it
	(ulimit -n "$limit" && exec "$RECORD" -o "$T/few.data" "$@") >"$T/out" 2>"$T/err" || RC=$?
	dump "$T/few.data"
	if [ "$RC" -eq 1 ]; then
		[ "$(wc -l <"$T/err")" -eq 1 ] && grep -q 'ulimit -n' "$T/err" && [ ! -e "$T/few.data" ]
	else
		is_complete "$RC" && is_complete "$DUMP_RC"
	fi
	verdict "ulimit -n $limit: $*" $? "status $RC, report $DUMP_RC: $(tail -n 1 "$T/err")"
}

few_files_of_all()
{
	for limit in 64 40 24; do
		few_files "$limit" -- true
		few_files "$limit" 1
	done
}

# Ids are short here for all to fit into one argument; the same one may be given often.
many_ids()
{
	ids=$(awk 'BEGIN { for (i = 0; i < 40000; i++) printf "%s1", i ? "," : "" }')
	record -t "$ids" -o "$T/ids.data" 1
	dump "$T/ids.data"
	is_complete "$RC" && is_complete "$DUMP_RC"
	verdict "-t with 40000 ids" $? "status $RC, report $DUMP_RC: $(first_line "$T/err")"
	start_workload sleepers 12000 || return
	ids=$(cd "/proc/$WL_PID/task" && echo * | tr ' ' ',')
	record -t "$ids" -o "$T/ids.data" 1
	dump "$T/ids.data"
	end_workload
	is_complete "$RC" && is_complete "$DUMP_RC"
	verdict "-t with 12001 threads" $? "status $RC, report $DUMP_RC: $(first_line "$T/err")"
	open=$(sum_rows 'kind == "open" && tk ~ /futex_(do_wait|wait_queue)/' count)
	[ "$open" -eq 12000 ]
	verdict "-t with 12001 threads: open sleeps" $? "$open"
}

# What is kept out is counted apart, open intervals too.
outside_is_apart()
{
	record -M 1 -o "$T/outside.data" 1
	counted=$("$REPORT" --info "$T/outside.data" 2>/dev/null |
		awk '/^meta intervals:/ { n = $3 } /^meta open_intervals:/ { o = $3 }
			/^meta intervals_outside_limits:/ { f = $3 }
			END { print (n < 1000000 && o + 0 == 0 && f > 0) ? "ok" : n " " o " " f }')
	same "-M 1: intervals outside are no others" ok "$counted"
}

check_filters()
{
	at_once outside_is_apart few_files_of_all many_ids filter_tid filter_pid follow_children \
		nothing_matched ids_that_are_not
	filter_times
	small_stack_table
	check_who
}
