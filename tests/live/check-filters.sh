# SPDX-License-Identifier: Apache-2.0
# Which threads and which intervals are recorded.

filter_tid()
{
	start_workload naps 100000 100000 || return
	tid=$(awk '$1 == "ready" && $2 == "ow-nap-20ms" { print $3 }' "$T/truth")
	record -q -t "$tid" -o "$T/tid.data" 1
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
	record -q "$@" -o "$T/naps.data" -- "$WORKLOAD" naps 100 20
	dump "$T/naps.data"
	short=$(sum_rows 'comm == "ow-nap-1ms" && has(tu, "ow_timer_block")' count)
	long=$(sum_rows 'comm == "ow-nap-20ms" && has(tu, "ow_timer_block")' count)
	over=$(sum_rows 'max_ns >= 5001000' count)
	under=$(sum_rows "max_ns < $((5000 * 1000)) && count > 0" count)
}

# How many of a sleeper's intervals are as they should be: a stolen CPU may stretch a short one.
filter_times()
{
	naps_with -m 5000
	[ "$long" -eq 20 ] && [ "$short" -le 5 ] && [ "$under" -eq 0 ]
	verdict "-m 5000: the long sleeps only" $? "$short short, $long long, $under rows below"
	naps_with -M 5000
	[ "$short" -ge 95 ] && [ "$long" -eq 0 ] && [ "$over" -eq 0 ]
	verdict "-M 5000: the short sleeps only" $? "$short short, $long long, $over rows above"
	naps_with -m 500 -M 100000
	same "-m 500 -M 100000: both" "100 20" "$short $long"
}

# With 2 stacks to store, sums stay right; only stacks are missing, and it is said.
small_stack_table()
{
	record --stack-storage-size 2 -o "$T/stacks.data" -- "$WORKLOAD" pipe 300 200
	same "--stack-storage-size 2: status" 0 "$RC"
	dump "$T/stacks.data"
	lost=$(awk -F '\t' '$1 == "loss" && $2 ~ /stack/ { n += $3 } END { print n + 0 }' "$T/dump")
	[ "$lost" -gt 0 ]
	verdict "--stack-storage-size 2: missed stacks are counted" $? "$lost"
	cat "$T/err" >"$T/said"
	"$REPORT" "$T/stacks.data" >"$T/text" 2>>"$T/said"
	grep -qi 'stack' "$T/said"
	verdict "--stack-storage-size 2: a warning" $? "$(grep -i stack "$T/said" | head -n 1)"
	for role in ow-ping ow-pong; do
		want=$(awk -v role=$role '$1 == "truth" && $3 == role {
			for (i = 2; i < NF; i += 2) t[$i] = $(i + 1)
			print t["life_nvcsw"] }' "$T/out")
		# One more: ow_park cannot be told apart without its stack.
		same "--stack-storage-size 2: sleeps of $role" $((want + 1)) \
			"$(sum_rows "comm == \"$role\" && (kind == \"blocked\" || kind == \"unobserved\")" count)"
	done
}

check_filters()
{
	filter_tid
	filter_pid
	filter_times
	small_stack_table
}
