# SPDX-License-Identifier: Apache-2.0
# What is said on a terminal, and on stderr that is none.

# on_terminal ARG...: the recorder with a terminal of its own, whose text goes to $T/screen.
on_terminal()
{
	RC=0
	SHELL=/bin/sh timeout 60 script -qefc "$RECORD $*" "$T/typescript" </dev/null >"$T/screen" 2>&1 || RC=$?
}

# The lines that were written in place, one a line.
live_lines()
{
	tr '\r' '\n' <"$1" | grep -cE '^[0-9]+ s  [0-9]+ switches/s  [0-9]+ rows  [0-9]+ stacks  [0-9]+ lost  [0-9.]+ MiB'
}

live_view()
{
	start_workload pipe 100000 500 || return
	on_terminal -p "$(ready_tids)" -o "$T/view.data" 4
	lines=$(live_lines "$T/screen")
	[ "$lines" -ge 2 ] && [ "$lines" -le 4 ]
	verdict "on a terminal a line each second" $? "$lines in 4 s, status $RC"
	last=$(tr '\r' '\n' <"$T/screen" | grep -E '^[23] s ' | tail -n 1)
	rate=$(echo "$last" | awk '{ print $3 }')
	[ "${rate:-0}" -ge 100 ]
	verdict "its figures are those of the workload" $? "$last"
	tr '\r' '\n' <"$T/screen" | grep -q "intervals and"
	verdict "the last word stands alone" $? "$(tr '\r' '\n' <"$T/screen" | grep 'intervals and' | cut -c 1-60)"
	on_terminal -q -p "$(ready_tids)" -o "$T/view.data" 2
	same "-q on a terminal: bytes" 0 "$(stat -c %s "$T/screen")"
	record -p "$(ready_tids)" -o "$T/view.data" 2
	end_workload
	same "where stderr is no terminal: live lines, control bytes" "0 0" \
		"$(live_lines "$T/err") $(tr -d '\n -~' <"$T/err" | wc -c)"
	on_terminal -o "$T/view.data" -- sleep 2
	same "beside a command: live lines" 0 "$(live_lines "$T/screen")"
}

verbose()
{
	record -v -o "$T/verbose.data" -- true
	grep -q 'attached to .*sched_waking.*131072 rows.*131072 stacks' "$T/err"
	verdict "-v: what was attached" $? "$(grep attached "$T/err")"
	same "-v: what could not be had, as root" 0 "$(grep -c '; cure: ' "$T/err")"
	setpriv --bounding-set -dac_read_search,-dac_override \
		"$RECORD" -v -o "$T/verbose2.data" -- true 2>"$T/err"
	grep -q 'limited CAP_DAC_READ_SEARCH: .*; cure: ' "$T/err"
	verdict "-v: what could not be had" $? "$(grep -m 1 limited "$T/err")"
	record -o "$T/verbose.data" -- true
	same "the last line names what to look at before sharing" \
		"offwake-record: before you share it: offwake-report --info $T/verbose.data" \
		"$(tail -n 1 "$T/err")"
}

check_live()
{
	live_view
	verbose
}
