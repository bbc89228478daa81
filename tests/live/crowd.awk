# SPDX-License-Identifier: Apache-2.0
# What a recording says of a crowd, beside the crowd's own truth and the switches that the host
# hid: crowd.awk TRUTH HIDDEN DUMP. Prints KEY VALUE lines.
#
# A path is read off the names in its stack: the frames between the leaf and ow_crowd_start are
# its bits, the highest first.

function path_of(stack,    frame, n, i, path)
{
	n = split(stack, frame, ";")
	for (i = 2; i <= n; i++) {
		if (index(frame[i], "ow_left") == 1)
			path = path * 2
		else if (index(frame[i], "ow_right") == 1)
			path = path * 2 + 1
		else
			return index(frame[i], "ow_crowd_start") == 1 ? path + 0 : -1
	}
	return -1
}

$1 == "member" {
	member[$2] = 1
	if (!process[$3]++) processes++
	first[$2] = $5; paths[$2] = $7; rounds[$2] = $9
	slept += $11; asleep_ns += $13
	off_ns += $17 - $15 - $19
	switches += $21
	if (!begin_ns || $15 < begin_ns) begin_ns = $15
	if ($17 > end_ns) end_ns = $17
	next
}
$1 == "path" { want[$2, $3] = $4; next }
$1 == "hidden" { hidden[$2] = $3; next }

$1 == "slice" {
	slices++
	if (previous_end && $3 < previous_end)
		unordered++
	previous_end = $4
	if ($4 - $3 > longest_ns) longest_ns = $4 - $3
	next
}
$1 == "loss" && $3 > 0 {
	if ($2 == "rows-full") { rows_lost = $3; rows_lost_ns = $4 }
	if ($2 == "stack-table" || $2 == "stack-ring" || $2 == "stack-collision")
		stacks_lost += $3
	if ($2 == "unseen-switch") unseen = $3
	else if ($2 !~ /^(stack-walk|process-maps|map-events)$/) other_lost += $3
	next
}
$1 == "end" { ended = 1 }
$1 == "row" {
	row_fields()
	if (tgid in process)
		all += count
	if (!(tid in member))
		next
	rows++
	if (kind != "open" && flags !~ /began/)
		all_ns += total_ns
	if (kind != "blocked" && kind != "unobserved")
		next
	if (!leaf_is(tu, "ow_crowd_block")) {
		if (tu == "" || tu ~ /^\[/) nameless += count
		next
	}
	blocked_ns += total_ns
	path = path_of(tu)
	if (path < 0) { torn++; next }
	key = tid SUBSEP path
	got[key] += count
}
END {
	for (t in member) {
		short = 0
		for (p = first[t]; p < first[t] + paths[t]; p++) {
			key = t SUBSEP p
			w = key in want ? want[key] : rounds[t]
			absent += !got[key]
			if (got[key] > w) extra += got[key] - w
			short += got[key] < w ? w - got[key] : 0
		}
		missing += short
		if (short > hidden[t]) unexplained += short - hidden[t]
		members++
	}
	printf "processes %d\nmembers %d\nrows %d\nslices %d\nlongest_ms %d\n", processes, members, rows, slices, longest_ns / 1e6
	printf "slept %d\nabsent %d\nmissing %d\nunexplained %d\nextra %d\ntorn %d\nnameless %d\n",
		slept, absent, missing, unexplained, extra, torn, nameless
	printf "ended %d\nother_lost %d\n", ended, other_lost
	printf "rows_lost %d\nstacks_lost %d\nunseen %d\nunordered %d\n",
		rows_lost, stacks_lost, unseen, unordered
	printf "all %d\nswitches %d\n", all, switches
	printf "ms %d\nasleep_ms %d\nblocked_ms %d\n", (end_ns - begin_ns) / 1e6, asleep_ns / 1e6, blocked_ns / 1e6
	printf "off_ms %d\nall_ms %d\nrows_lost_ms %d\n", off_ns / 1e6, all_ns / 1e6, rows_lost_ns / 1e6
}
