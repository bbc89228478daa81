# SPDX-License-Identifier: Apache-2.0
# A minute of everything at once: hand-overs, timers, threads and processes that come and go. What
# the kernel says of it is for whoever runs this to look at. Not among the groups that run by
# themselves.

LOAD_SECONDS=60

# repeat WORKLOAD ARG...: over and over, until $T/enough is there.
repeat()
{
	while [ ! -e "$T/enough" ]; do
		"$WORKLOAD" "$@" >/dev/null 2>&1
	done
}

check_load()
{
	rm -f "$T/enough"
	repeat pipe 1000 50 &
	repeat futex "$(scaled 20000)" &
	repeat exits 40 1 &
	repeat fork-tree 40 &
	repeat aborted &
	(while [ ! -e "$T/enough" ]; do /bin/true; done) &
	before=$(now_ms)
	record -o "$T/load.data" $LOAD_SECONDS
	took=$(($(now_ms) - before))
	touch "$T/enough"
	wait
	dump "$T/load.data"
	is_complete "$RC" || [ "$RC" -eq 3 ]
	verdict "load: recorded to its end" $? \
		"status $RC, $took ms: $(grep -o '[0-9]* intervals.*lost[^,]*' "$T/err")"
	for comm in ow-ping ow-pong ow-fut-a ow-exit-0 ow-racer true; do
		found=$(sum_rows "comm == \"$comm\"" count)
		[ "$found" -gt 0 ]
		verdict "load: intervals of $comm" $? "$found"
	done
	window=$(awk -F '\t' '$1 == "end" { printf "%.0f\n", $3 - $2 }' "$T/dump")
	[ "${window:-0}" -ge $((LOAD_SECONDS * 1000000000)) ] &&
		[ "$(sum_rows "max_ns > ${window:-0}" 1)" -eq 0 ]
	verdict "load: no interval is longer than the recording" $? "$(sum_rows 1 1) rows"
}
