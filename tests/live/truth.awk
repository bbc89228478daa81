# SPDX-License-Identifier: Apache-2.0
# Compares the rows of a dump with the truth of a workload that was recorded as a whole.
# awk -F '\t' -v name=... -v steal_ns=... -f rows.awk -f truth.awk TRUTH DUMP
# Prints one line per check, "ok", "FAIL" or "limit", with figures.
#
# Time is held to two measures. The role's own clock around each sleep encloses what can be
# recorded, and where a sleep is long it is matched within 2%. The thread's wall time less its
# CPU time is matched within 2% from below; from above each sleep may add 60 us, because the
# kernel charges a woken thread with its CPU's way out of idle. Counts are exact: the
# voluntary switches within the sleeping function, and the whole life's voluntary and
# involuntary ones; but a switch to the thread that the kernel did not show (the truth's
# "hidden" lines) may be missing.
#
# Where the CPUs are emulated (OFFWAKE_SLOW times slower than real ones), the way into a sleep and
# out of it takes so much longer, by both measures: 120 us times that for each sleep; and threads that
# are begun together wait for a CPU long before their first mark. What the kernel counts and who
# woke whom stays exact.
#
# What has ow_park on its stack or exits came after the marks; truth_begin and truth_pin come
# before the first. Where a role sleeps through the C library and that has no frame pointers,
# a stack may lack the role's function: then its sleeps are told by their kernel stack, and
# the check of the stack is a limit, not passed.

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
	role_tids[truth[r, "tid"]] = 1
}

function parse_hidden(    f)
{
	split($0, f, " ")
	hidden[f[2]] += f[3]
	hidden_sum += f[3]
}

function outside_marks()
{
	return has(tu, "ow_park") || has(tu, "truth_begin") || has(tu, "truth_pin")
}

# A thread may also sleep while the C library starts or ends it, where none of its functions is
# on the stack, and in a page fault.
function in_own_code()
{
	return (";" tu) ~ /;(ow_|truth_)/ && !has(tk, "do_exit") && tk !~ /;(exc_page_fault|do_mem_abort);/
}

function sleeps_in_libc(r)
{
	return truth[r, "via"] == "libc" && kind != "preempted" && !outside_marks() &&
	       tk ~ /;(futex_do_wait|futex_wait_queue|futex_wait_queue_me);/
}

# The role that a row's sleep belongs to, 0 when none. A row of the sleeper itself comes first.
function role_of_row(    r)
{
	for (r = 1; r <= roles; r++)
		if (truth[r, "tid"] == tid && has(tu, truth[r, "sleeper"]))
			return r
	for (r = 1; r <= roles; r++)
		if (truth[r, "tid"] == tid && sleeps_in_libc(r))
			return r
	return 0
}

function take_wrong_waker(r)
{
	wrong_waker[r] += count
	example[r] = context " " waker_comm " " wu
}

# A function of the kernel that only the waking has on its stack, not the sleep it ends.
function kernel_path(r)
{
	if (truth[r, "softirq"])
		return truth[r, "waker"] == "-" ? "run_timer(s|_softirq|_base)|tmigr_handle_remote" : "net_rx_action"
	if (truth[r, "sleeper"] == "ow_disk_block")
		return ";(blk|bio|iomap)_"
	if (truth[r, "waker"] == "kworker")
		return ";process_one_work;(.*;)?kthread"
	if (context == "hardirq")
		return "hrtimer_(interrupt|run_queues)"
	if (truth[r, "waker"] == "ow_pipe_wake")
		return "pipe_write"
	if (truth[r, "waker"] == "ow_tg_kill")
		return "_sys_tgkill"
	if (truth[r, "waker"] == "ow_fault_wake")
		return "userfaultfd_ioctl"
	if (truth[r, "waker"] == "ow_fault_block")
		return "handle_userfault"
	return "futex_wake"
}

# A stack that was lost is counted as such.
function check_waker_kernel(r)
{
	if (context == "task" && waker_tid != tid_of[truth[r, "waker_role"]] && \
	    truth[r, "waker"] != "kworker")
		return
	if (wk ~ kernel_path(r))
		right_path[r] += count
	else if (wk !~ /^\[missed:/) {
		wrong_path[r] += count
		path_example[r] = wk
	}
}

# In an interrupt nobody is named, but known is whom it interrupted: the sender, or the kernel's
# own thread that runs softirqs when there are many.
function check_softirq_waker(r)
{
	if (context != "softirq" || waker_tid)
		take_wrong_waker(r)
	else
		right_waker[r] += count
	if (truth[r, "waker"] != "-" && interrupted != tid_of[truth[r, "waker_role"]])
		other_interrupted[r] += count
}

function check_task_waker(r)
{
	if (waker_tid != tid_of[truth[r, "waker_role"]])
		take_wrong_waker(r)
	else if (has(wu, truth[r, "waker"]))
		right_waker[r] += count
	else if (truth[r, "via"] == "libc")
		broken_waker[r] += count
	else
		take_wrong_waker(r)
}

# ow_cut_block has a timeout besides its waker, and what ow_tg_kill cuts short is a timed sleep.
function ends_by_timer(r)
{
	return truth[r, "waker"] == "-" || truth[r, "sleeper"] == "ow_cut_block" ||
	       truth[r, "waker"] == "ow_tg_kill"
}

# A thread of the kernel has no user stack.
function check_kworker(r)
{
	if (context == "task" && waker_comm ~ /^kworker\// && wu == "-")
		right_waker[r] += count
	else
		take_wrong_waker(r)
}

# Where the disk's interrupt is served, at once or soon after; on an idle CPU also by its loop.
function check_disk_waker(r)
{
	if ((context == "hardirq" || context == "softirq" || context == "idle") && !waker_tid)
		right_waker[r] += count
	else
		take_wrong_waker(r)
}

function check_waker(r)
{
	if (truth[r, "softirq"])
		check_softirq_waker(r)
	else if (truth[r, "waker"] == "kworker")
		check_kworker(r)
	else if (truth[r, "sleeper"] == "ow_disk_block")
		check_disk_waker(r)
	else if (truth[r, "waker"] != "-" && context == "task")
		check_task_waker(r)
	else if (ends_by_timer(r) && context == "hardirq")
		right_waker[r] += count
	else
		take_wrong_waker(r)
}

# The kernel's bits: 0x1 is interruptible, 0x2 uninterruptible sleep. Who reads from a pty waits
# in either, for bytes or for the end of the work that brings them.
function state_of_role(r)
{
	if (truth[r, "sleeper"] == "ow_disk_block")
		return "^0x([0-9a-f]*0)?2$"
	return truth[r, "waker"] == "kworker" ? "^0x([0-9a-f]*0)?[12]$" : "^0x[0-9a-f]*[13579bdf]$"
}

function take_role_row(r)
{
	role_ns[r] += total_ns
	if (kind == "preempted")
		return
	slept[r] += count
	if (max_ns > longest_ns[r])
		longest_ns[r] = max_ns
	if (kind == "blocked" && state !~ state_of_role(r))
		wrong_state[r] += count
	if (comm != truth[r, "role"])
		wrong_comm[r] += count
	if (!has(tu, truth[r, "sleeper"]))
		broken[r] += count
	else if (truth[r, "via"] == "raw" && !leaf_is(tu, truth[r, "sleeper"]))
		wrong_leaf[r] += count
	if (kind == "blocked") {
		check_waker(r)
		check_waker_kernel(r)
	} else
		unobserved[r] += count
}

function has_own_frames(    all)
{
	all = ";" tk ";" tu ";" wk ";" wu
	# of bpf_prog_ functions, those that have a tag: bpf_prog_load is the kernel's
	return all ~ /;(bpf_prog_[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]|bpf_trace_run|__traceiter_|__bpf_trace_)/
}

function take_life_row()
{
	if (has(tu, "ow_park") || has(tk, "do_exit"))
		return
	if (kind == "preempted")
		life_preempted[tid] += count
	else
		life_slept[tid] += count
	if (!outside_marks())
		off_ns[tid] += total_ns
	if (!in_own_code() || kind == "preempted")
		unmarked_ns[tid] += total_ns
}

# The longest of some intervals is none longer than all together, none shorter than their mean.
function holds_together()
{
	return count >= 1 && max_ns <= total_ns && max_ns * count * 1.000000001 >= total_ns
}

function take_row(    r)
{
	if (!holds_together())
		torn++
	if (has_own_frames())
		own_frames += count
	if (kind == "preempted" && (wait_ns != 0 || context != "none" || waker_tid != 0))
		preempted_wrong += count
	if (!(tid in role_tids) || kind == "open")
		return
	r = outside_marks() ? 0 : role_of_row()
	if (r) {
		take_role_row(r)
	} else if (kind != "preempted" && !outside_marks() && in_own_code()) {
		stray[tid] += count
		stray_example[tid] = tu " | " tk
	}
	take_life_row()
}

function percent(part, whole)
{
	return whole ? sprintf("%.2f%%", 100 * part / whole) : part " of 0"
}

# Within 2%, and a millisecond in which an interrupt or the host held the CPU; there may be
# as much more and less besides.
function near(found, expected, more, less)
{
	return found <= expected * 1.02 + 1000000 + steal_ns + more &&
	       found >= expected * 0.98 - 1000000 - steal_ns - less
}

# What the switches hidden from a thread may have cost: each loses one interval, of three
# times the mean of its longest kind.
function hidden_ns(t,    r, cnt, mean)
{
	cnt = life_slept[t] + life_preempted[t]
	mean = cnt ? off_ns[t] / cnt : 0
	for (r = 1; r <= roles; r++)
		if (truth[r, "tid"] == t && truth[r, "sleeps"] > 0 &&
		    mean < truth[r, "asleep_ns"] / truth[r, "sleeps"])
			mean = truth[r, "asleep_ns"] / truth[r, "sleeps"]
	return hidden[t] * 3 * mean
}

function slow_ns(sleeps)
{
	return is_slow() ? ENVIRON["OFFWAKE_SLOW"] * 120000 * sleeps : 0
}

function is_slow()
{
	return ENVIRON["OFFWAKE_SLOW"] > 1
}

function judge_time(r,    who, t, switches)
{
	who = truth[r, "role"]
	t = truth[r, "tid"]
	if (truth[r, "asleep_ns"] > 0)
		note("time within the own clock's", role_ns[r] <= truth[r, "asleep_ns"],
		     who " " percent(role_ns[r], truth[r, "asleep_ns"]))
	if (slept[r])
		note("longest sleep", longest_ns[r] > 0 && longest_ns[r] <= truth[r, "longest_ns"],
		     who " " percent(longest_ns[r], truth[r, "longest_ns"]))
	if (truth[r, "sleeps"] && truth[r, "asleep_ns"] / truth[r, "sleeps"] > 1500000)
		note("time by own clock", near(role_ns[r], truth[r, "asleep_ns"], 0, hidden_ns(t) + slow_ns(slept[r])),
		     who " " percent(role_ns[r], truth[r, "asleep_ns"]) but(t))
	if (truth[r, "off_ns"] <= 0 || judged[t]++)
		return
	switches = life_slept[t] + life_preempted[t]
	note("time by wall less CPU",
	     near(off_ns[t], truth[r, "off_ns"], 60000 * life_slept[t] + slow_ns(switches) + \
		  (is_slow() ? unmarked_ns[t] : 0),
		  hidden_ns(t) + slow_ns(switches)),
	     who " " percent(off_ns[t], truth[r, "off_ns"]) but(t))
}

# Not one too many; too few only as far as the kernel hid switches.
function exact(found, expected, t)
{
	return found <= expected && expected - found <= hidden[t] + 0
}

function but(t)
{
	return hidden[t] ? " (" hidden[t] " hidden)" : ""
}

function judge_counts(r,    who, t)
{
	who = truth[r, "role"]
	t = truth[r, "tid"]
	note("sleeps counted", exact(slept[r] + 0, truth[r, "sleeps"], t),
	     who " " slept[r] + 0 " of " truth[r, "sleeps"] but(t))
	if (!((r, "life_nvcsw") in truth))
		return
	if (!lived[t]++)
		missing += truth[r, "life_nvcsw"] + truth[r, "life_nivcsw"] - \
			   life_slept[t] - life_preempted[t]
	note("switches of the whole life",
	     life_slept[t] + 0 <= truth[r, "life_nvcsw"] &&
	     life_preempted[t] + 0 <= truth[r, "life_nivcsw"] &&
	     exact(life_slept[t] + life_preempted[t],
		   truth[r, "life_nvcsw"] + truth[r, "life_nivcsw"], t),
	     who " " life_slept[t] + 0 "+" life_preempted[t] + 0 " of " truth[r, "life_nvcsw"] \
	     "+" truth[r, "life_nivcsw"] but(t))
}

function judge_stacks(r,    who, t)
{
	who = truth[r, "role"] "/" truth[r, "sleeper"]
	t = truth[r, "tid"]
	note("targets", !wrong_comm[r] && !stray[t] && !wrong_leaf[r],
	     who " " slept[r] - wrong_comm[r] - wrong_leaf[r] " right" \
	     (wrong_comm[r] ? ", " wrong_comm[r] " by another name" : "") \
	     (wrong_leaf[r] ? ", " wrong_leaf[r] " below a wrong leaf" : "") \
	     (stray[t] ? ", " stray[t] " elsewhere: " stray_example[t] : ""))
	if (broken[r])
		printf "limit %s: user stacks of %s: %d of %d do not reach it: %s\n", name, who,
		       broken[r], slept[r], "the C library has no frame pointers"
}

function judge_states(r)
{
	if (slept[r])
		note("states", !wrong_state[r],
		     truth[r, "role"] "/" truth[r, "sleeper"] " " wrong_state[r] + 0 " wrong")
}

# A wake by an interrupt that came while a hidden thread ran is hidden too: it is unobserved,
# or an earlier wake, of a sleep that was cut off, stands for it. A thread's wake is not.
function judge_wakers(r,    who, excused)
{
	who = truth[r, "role"] "/" truth[r, "sleeper"]
	excused = ends_by_timer(r) || truth[r, "softirq"] ? hidden_sum + 0 : 0
	if (slept[r])
		note("wakers", wrong_waker[r] + unobserved[r] <= excused,
		     who " " right_waker[r] + broken_waker[r] " right, " wrong_waker[r] + 0 \
		     " wrong, " unobserved[r] + 0 " unobserved" (example[r] ? ": " example[r] : ""))
	if (truth[r, "softirq"] && truth[r, "waker"] != "-" && right_waker[r])
		note("interrupted threads", other_interrupted[r] <= 0.05 * slept[r],
		     who " " other_interrupted[r] + 0 " not the sender")
	if (right_waker[r] + broken_waker[r])
		note("wakers' kernel stacks", right_path[r] && wrong_path[r] <= excused,
		     who " " right_path[r] + 0 " right, " wrong_path[r] + 0 " wrong" \
		     (path_example[r] ? ": " path_example[r] : ""))
	if (broken_waker[r])
		printf "limit %s: waker stacks of %s: %d of %d do not reach %s: %s\n", name, who,
		       broken_waker[r], slept[r], truth[r, "waker"],
		       "the C library has no frame pointers"
}

$1 ~ /^truth / { parse_truth() }
$1 ~ /^hidden / { parse_hidden() }
$1 == "loss" && $2 == "unseen-switch" { unseen = $3 }
$1 == "row" { rows++; row_fields(); take_row() }

END {
	note("rows", rows > 0 && roles > 0, rows + 0 " rows, " roles + 0 " roles")
	for (r = 1; r <= roles; r++) {
		judge_time(r)
		judge_counts(r)
		judge_stacks(r)
		judge_states(r)
		judge_wakers(r)
	}
	# each costs the thread it switched to an interval, and the one it switched from, whose
	# switches are hidden, if everybody is recorded
	note("intervals lost to hidden switches are counted",
	     unseen >= missing && unseen <= hidden_sum * (everybody ? 2 : 1),
	     missing + 0 " missing, " unseen + 0 " counted, " hidden_sum + 0 " hidden")
	note("counts, times and maxima hold together", !torn, torn + 0 " of " rows + 0 " rows do not")
	note("preempted rows have no wait and no waker", !preempted_wrong, preempted_wrong + 0 " wrong")
	note("no frames of our own", !own_frames, own_frames + 0 " intervals")
	for (i = 1; i <= checks; i++)
		printf "%s %s: %s: %s\n", (order[i] in bad) ? "FAIL" : "ok", name, order[i],
		       said[order[i]]
}
