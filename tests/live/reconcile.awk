# SPDX-License-Identifier: Apache-2.0
# Reconciles a dump by itself: for each thread with an account, wall time less CPU time against
# its rows and what is known to be missing. Prints lines for tally().
# Variables: name; steal_ns and tick_ns, measured beside the recording; whole: 1, only threads
# that lived through it; tids: ",1,2," those that must be there, "" for none in particular;
# everybody: 1 when some threads of the host may not be shown to iterators, as their switches
# are not; by_state: 1 when only intervals in some
# states are recorded, so that others are no loss; witness: 1 when the dump comes behind a
# witness' findings, "hidden TID COUNT".

$1 ~ /^hidden / { split($1, word, " "); hidden_from[word[2]] = word[3] }

$1 == "end" { start_ns = $2; end_ns = $3 }
$1 == "loss" { loss[$2] = $3 }

$1 == "account" {
	key = $3 " " $2
	if (!(key in lives))
		order[++cnt] = key
	lives[key]++
	called[key] = $4
	wall[key] += $6 - $5
	on[key] += $7 - $8
	known[key] += $9 + $11 + $15
	left += $9
	covered += $12 + $13 + $14 > 0
	ends += $13
	ends_of[key] += $13
	begins += $14
	if ($5 <= start_ns && $6 >= end_ns)
		is_whole[key] = 1
}

$1 == "row" {
	row_fields()
	rows[tgid " " tid] += total_ns
}

function say(is_good, what)
{
	printf "%s %s: %s\n", is_good ? "ok" : "FAIL", name, what
}

function magnitude(x)
{
	return x < 0 ? -x : x
}

function sort_numbers(list, n,    i, k, x)
{
	for (i = 2; i <= n; i++) {
		x = list[i]
		for (k = i - 1; k > 0 && list[k] > x; k--)
			list[k + 1] = list[k]
		list[k + 1] = x
	}
}

function judge(key,    off, diff, part)
{
	if (whole && !is_whole[key])
		return
	judged++
	split(key, part, " ")
	here[part[2]] = 1
	off = wall[key] - on[key]
	diff = rows[key] + known[key] + on[key] - wall[key]
	if (loss["missed-events"] + loss["task-state"] + loss["open-rows"]) {
		excused++
		return
	}
	errors[++clean] = magnitude(diff)
	if (magnitude(diff) > worst) {
		worst = magnitude(diff)
		worst_key = key " (" called[key] ")"
		worst_off = off
	}
	if (magnitude(diff) > off / 100 + tick_ns + steal_ns) {
		outside++
		if (!example)
			example = sprintf(": %s (%s) by %d of %d us", key, called[key], diff / 1000,
					  off / 1000)
	}
}

# A command's first thread is there before the recording is: more may be hidden from it.
function judge_witness(    i, part, wrong, seen)
{
	for (i = 1; i <= cnt; i++) {
		split(order[i], part, " ")
		seen = hidden_from[part[2]] + 0
		wrong += ends_of[order[i]] > seen ||
			 (part[1] != part[2] && ends_of[order[i]] != seen)
	}
	say(!wrong, wrong + 0 " of " cnt + 0 " threads with other hidden switches than a witness counts")
}

END {
	for (i = 1; i <= cnt; i++)
		judge(order[i])
	n = split(tids, wanted, ",")
	for (i = 1; i <= n; i++)
		if (wanted[i] != "" && !(wanted[i] in here))
			missing++
	sort_numbers(errors, clean)
	say(judged && !missing, "threads that are accounted: " judged + 0 ", " missing + 0 " missing")
	say(!outside, "threads outside: " outside + 0 " of " judged + 0 example)
	say(clean && clean * 2 >= judged,
	    sprintf("%d with stated losses, %d excused, median difference %d us, worst %d us of %d us in %s",
		    covered, excused, errors[int((clean + 1) / 2)] / 1000, worst / 1000, worst_off / 1000,
		    worst ? worst_key : "any"))
	hidden = ends + begins
	lost = loss["unseen-switch"]
	say(everybody ? hidden <= lost : by_state ? hidden >= lost : hidden == lost,
	    sprintf("switches not shown: %d and %d in accounts, %d lost", ends, begins, lost))
	if (witness)
		judge_witness()
	printf "figures %d %.0f %d\n", judged, left, covered >"/dev/stderr"
}
