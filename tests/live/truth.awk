# SPDX-License-Identifier: Apache-2.0
# Compares the rows of a dump with the truth of a workload that was recorded as a whole.
# awk -F '\t' -v name=... -v steal_ns=... -f rows.awk -f truth.awk TRUTH DUMP
# Prints one line per check, "ok" or "FAIL", with figures.
#
# Time is held to two measures: the role's own clock around each sleep where a sleep is long
# enough for the system call's own cost to vanish in 2%, and the thread's wall time less its
# CPU time. Counts are exact: the kernel's voluntary switches within the sleeping function,
# and its whole-life voluntary and involuntary ones. What has ow_park on its stack came after
# the marks; truth_begin and truth_pin come before the first.

function note(check, good, text)
{
	if (!(check in seen)) {
		order[++checks] = check
		seen[check] = 1
	}
	if (!good)
		bad[check] = 1
	said[check] = said[check] (said[check] == "" ? "" : ", ") text
}

function parse_truth(    n, f, i, r)
{
	n = split($0, f, " ")
	r = ++roles
	for (i = 2; i < n; i += 2)
		truth[r, f[i]] = f[i + 1]
	tid_of[truth[r, "role"]] = truth[r, "tid"]
	role_of_tid[truth[r, "tid"]] = truth[r, "tid"]
	own[truth[r, "tid"], truth[r, "sleeper"]] = 1
}

function role_of_row(    r)
{
	for (r = 1; r <= roles; r++)
		if (truth[r, "tid"] == tid && has(tu, truth[r, "sleeper"]))
			return r
	return 0
}

function outside_marks()
{
	return has(tu, "ow_park") || has(tu, "truth_begin") || has(tu, "truth_pin")
}

function check_waker(r)
{
	if (truth[r, "waker"] == "-") {
		if (context != "hardirq" && context != "softirq")
			wrong_waker[r] += count
		else
			right_waker[r] += count
	} else if (context == "task" && waker_tid == tid_of[truth[r, "waker_role"]] &&
		   has(wu, truth[r, "waker"])) {
		right_waker[r] += count
	} else if (truth[r, "sleeper"] == "ow_cut_block" && context == "hardirq") {
		right_waker[r] += count		# its own timeout
	} else {
		wrong_waker[r] += count
		example[r] = context " " waker_comm " " wu
	}
}

function take_role_row(r)
{
	role_ns[r] += total_ns
	if (kind == "blocked" || kind == "unobserved") {
		blocked[r] += count
		if (comm != truth[r, "role"])
			wrong_comm[r] += count
		if (leaf_is(tu, truth[r, "sleeper"]))
			leaf[r] += count
	}
	if (kind == "blocked")
		check_waker(r)
	if (kind == "unobserved")
		unobserved[r] += count
}

function take_row(    r)
{
	if (has_own_frames())
		own_frames += count
	if (kind == "preempted" && (wait_ns != 0 || context != "none" || waker_tid != 0))
		preempted_wrong += count
	if (!(tid in role_of_tid) || kind == "open")
		return
	r = role_of_row()
	if (r)
		take_role_row(r)
	else if (kind != "preempted" && !outside_marks()) {
		stray[tid] += count
		stray_example[tid] = tu " | " tk
	}
	if (has(tu, "ow_park"))
		return
	if (kind == "preempted")
		life_preempted[tid] += count
	else
		life_blocked[tid] += count
	if (!outside_marks())
		off_ns[tid] += total_ns
}

function has_own_frames(    all)
{
	all = ";" tk ";" tu ";" wk ";" wu
	return all ~ /;(bpf_prog_|bpf_trace_run|__traceiter_|__bpf_trace_)/
}

function percent(part, whole)
{
	return whole ? sprintf("%.2f%%", 100 * part / whole) : part " of 0"
}

function near(found, expected, slack)
{
	return found <= expected * 1.02 + slack && found >= expected * 0.98 - slack
}

function judge_time(r,    who, calls)
{
	who = truth[r, "role"]
	calls = truth[r, "calls"]
	if (calls && truth[r, "sleeps"] && truth[r, "asleep_ns"] / truth[r, "sleeps"] > 400000)
		note("time by own clock", near(role_ns[r], truth[r, "asleep_ns"], steal_ns),
		     who " " percent(role_ns[r], truth[r, "asleep_ns"]))
	if (truth[r, "off_ns"] > 0 && !judged[truth[r, "tid"]]++)
		note("time by wall less CPU",
		     near(off_ns[truth[r, "tid"]], truth[r, "off_ns"], steal_ns),
		     who " " percent(off_ns[truth[r, "tid"]], truth[r, "off_ns"]))
}

function judge_counts(r,    who, t)
{
	who = truth[r, "role"]
	t = truth[r, "tid"]
	note("sleeps counted", blocked[r] + 0 == truth[r, "sleeps"],
	     who " " blocked[r] + 0 " of " truth[r, "sleeps"])
	if ((r, "life_nvcsw") in truth) {
		note("switches of the whole life",
		     life_blocked[t] + 0 == truth[r, "life_nvcsw"] &&
		     life_preempted[t] + 0 == truth[r, "life_nivcsw"],
		     who " " life_blocked[t] + 0 "+" life_preempted[t] + 0 " of " \
		     truth[r, "life_nvcsw"] "+" truth[r, "life_nivcsw"])
	}
}

function judge_names(r,    who, t)
{
	who = truth[r, "role"]
	t = truth[r, "tid"]
	note("target stacks and names", !wrong_comm[r] && !stray[t],
	     who " " (stray[t] ? stray[t] " strays: " stray_example[t] : "") \
	     (wrong_comm[r] ? " wrong name " wrong_comm[r] : "") blocked[r] + 0 " right")
	if (blocked[r])
		note("wakers", !wrong_waker[r] && !unobserved[r],
		     who "/" truth[r, "sleeper"] " " right_waker[r] + 0 " right " \
		     wrong_waker[r] + 0 " wrong " unobserved[r] + 0 " unobserved" \
		     (example[r] ? " (" example[r] ")" : ""))
}

$1 ~ /^truth / { parse_truth() }
$1 == "row" { rows++; row_fields(); take_row() }

END {
	note("rows", rows > 0 && roles > 0, rows + 0 " rows, " roles + 0 " roles")
	for (r = 1; r <= roles; r++) {
		judge_time(r)
		judge_counts(r)
		judge_names(r)
	}
	note("preempted rows have no wait and no waker", !preempted_wrong, preempted_wrong + 0 " wrong")
	note("no frames of our own", !own_frames, own_frames + 0 " rows")
	for (i = 1; i <= checks; i++)
		printf "%s %s: %s: %s\n", (order[i] in bad) ? "FAIL" : "ok", name, order[i],
		       said[order[i]]
}
