# SPDX-License-Identifier: Apache-2.0
# Who woke, in every context that can. The plain ones are in check-truth.sh: a thread of the
# same process (futex), another process (pipe), softirqs of a sender and of a timer (udp,
# timeout), a timer's interrupt (nanosleep); the idle loop is in check-hotplug.sh.

# truth_of ROLE KEY: of the workload in $T/out; of its first role of that name.
truth_of()
{
	awk -v role="$1" -v key="$2" '$1 == "truth" && $3 == role {
		for (i = 2; i < NF; i += 2) if ($i == key) { print $(i + 1); exit } }' "$T/out"
}

hidden_all()
{
	awk '$1 == "hidden" { n += $3 } END { print n + 0 }' "$T/out"
}

# slept SLEEPER TIDS: a condition for rows of sleeps there, TIDS being joined with commas.
slept()
{
	echo "(kind == \"blocked\" || kind == \"unobserved\") && has(tu, \"$1\") && index(\",$2,\", \",\" tid \",\")"
}

# plain NAME RECORDER-ARG...: a recording beside a witness, dumped; false when it is no good.
plain()
{
	name=$1
	shift
	witness_record -q -o "$T/$name.data" "$@"
	dump "$T/$name.data"
	is_complete "$RC" && is_complete "$DUMP_RC" && return 0
	fail "$name: statuses $RC and $DUMP_RC: $(tail -n 1 "$T/err") $(first_line "$T/dump.err")"
	return 1
}

# A sleep may be woken after it is taken off the run queue and before it has left the CPU.
window_is_hit()
{
	a=$(truth_of ow-a tid)
	mine="$(slept ow_cut_block "$(truth_of ow-racer tid)") && wait_ns == 0"
	hits=$(sum_rows "$mine" count)
	wrong=$(sum_rows "$mine && !(context == \"hardirq\" || context == \"task\" && waker_tid == $a && has(wu, \"ow_cut_wake\"))" count)
	[ "$hits" -ge 1 ] && [ "$wrong" -eq 0 ]
	verdict "window: sleeps whose waking came before they left the CPU" $? "$hits, $wrong of them by another waker"
}

given_up()
{
	hits=$(truth_of ow-prey hits)
	stale=$(sum_rows 'kind != "preempted" && has(tu, "ow_stale_block")' count)
	[ "$hits" -ge 1 ] && [ "$stale" -eq 0 ]
	verdict "signals: sleeps given up are none" $? \
		"$hits cut off by a signal before the switch, $stale counted of those for a stale word"
}

# $T/elsewhere: wakings that were carried out by another than the waker.
carried_out_elsewhere()
{
	far=$(truth_of ow-far tid)
	n=$(awk -v tid="$far" '$1 == "elsewhere" && $2 == tid { print $3 }' "$T/elsewhere")
	if [ "${n:-0}" -gt 0 ]; then
		ok "$1: wakings that the woken thread's CPU carried out: $n of $(truth_of ow-far sleeps)"
	else
		limit "$1: no waking was carried out by another CPU than the waker's"
	fi
}

far()
{
	known_answer "$@"
	"$ELSEWHERE" "$T/elsewhere" "$WORKLOAD" far >"$T/out" 2>"$T/err"
	carried_out_elsewhere "$1"
}

# Both threads of each victim are woken by whoever killed their process.
killer_is_named()
{
	killer=$(truth_of ow-killer tid)
	victims=$(awk '$1 == "truth" && /ow_kill_block/ { printf "%s%s", n++ ? "," : "", $5 }' "$T/out")
	cnt=$(awk '$1 == "truth" && /ow_kill_block/ { n++ } END { print n + 0 }' "$T/out")
	mine=$(slept ow_kill_block "$victims")
	found=$(sum_rows "$mine" count)
	right=$(sum_rows "$mine && context == \"task\" && waker_tid == $killer && waker_comm == \"ow-killer\" && has(wu, \"ow_kill\") && wk ~ /_sys_kill/" count)
	# a thread that is killed before it runs on may be off CPU again before it dies
	[ "$right" -eq "$found" ] && [ "$found" -le "$cnt" ] && [ $((found + $(hidden_all))) -ge "$cnt" ] && [ "$cnt" -gt 0 ]
	verdict "killed: the killer is named with its stack" $? "$right of $found sleeps of $cnt threads"
}

# Each waker is a process of one write, over before the thread that it woke ran.
gone_is_named()
{
	hits=$(truth_of ow-gone hits)
	sleeps=$(truth_of ow-gone sleeps)
	pokers=$(awk '$1 == "poker" { printf "%s%s", n++ ? "," : "", $2 }' "$T/out")
	mine=$(slept ow_gone_block "$(truth_of ow-gone tid)")
	found=$(sum_rows "$mine" count)
	right=$(sum_rows "$mine && context == \"task\" && index(\",$pokers,\", \",\" waker_tid \",\") && waker_comm == \"ow-poker\" && leaf_is(wu, \"ow_poke\") && count == 1" count)
	[ "$hits" -ge 1 ] && [ "$right" -eq "$found" ] && [ "$found" -le "$sleeps" ] &&
		[ $((found + $(hidden_all))) -ge "$sleeps" ]
	verdict "gone: wakers that have ended are named, with their functions" $? \
		"$right of $found; $hits of $sleeps were gone before the thread ran"
}

# What newborn threads are charged with is what the kernel counted after their first run.
births_are_none()
{
	for how in thread fork vfork; do
		tids=$(awk -v how=$how '$1 == "born" && $2 == how { printf "%s%s", n++ ? "," : "", $3 }' "$T/out")
		mine="index(\",$tids,\", \",\" tid \",\") && !has(tk, \"do_exit\")"
		asleep=$(awk -v how=$how '$1 == "born" && $2 == how { n += $4 } END { print n + 0 }' "$T/out")
		lost=$(awk -v how=$how '$1 == "born" && $2 == how { n += $5 } END { print n + 0 }' "$T/out")
		found=$(sum_rows "$mine && kind != \"preempted\" && kind != \"open\" && has(tu, \"ow_newborn\")" count)
		preempted=$(sum_rows "$mine && kind == \"preempted\" && has(tu, \"ow_newborn\")" count)
		[ "$found" -le "$asleep" ] && [ "$preempted" -le "$lost" ] && [ "$tids" ]
		verdict "births: first runs of ${how}s are no intervals" $? \
			"$found of $asleep sleeps, $preempted of $lost preemptions"
	done
	# such an interval would have no stack: its thread never was in the kernel before
	same "births: intervals of any thread without a kernel stack" 0 "$(sum_rows 'tk == "-"' count)"
}

# switches_of TID: what the kernel counted in its life.
switches_of()
{
	awk '/ctxt_switches/ { n += $2 } END { print n + 0 }' "/proc/$1/status"
}

# Mounting a file starts a thread of the kernel: each of its switches begins one interval, and
# nothing else does. JOURNAL, its tid; BEFORE and AFTER, its switches when recording ended.
journal_record()
{
	rm -f "$T/rec.err"
	env --default-signal=INT "$WITNESS" "$T/hidden" "$RECORD" -k -o "$T/kthread.data" \
		>"$T/rec.out" 2>"$T/rec.err" &
	parent=$!
	wait_for_text "$T/rec.err" 'recording to'
	JOURNAL=
	if mount -o loop "$T/image" "$T/mnt" 2>"$T/err"; then
		sleep 0.3
		loop=$(awk -v at="$T/mnt" '$2 == at { sub(".*/", "", $1); print $1 }' /proc/mounts)
		JOURNAL=$(awk -v name="jbd2/$loop-" 'index($0, name) == 1 { split(FILENAME, f, "/"); print f[3] }' \
			/proc/[0-9]*/comm 2>/dev/null)
	fi
	BEFORE=$(switches_of "${JOURNAL:-self}")
	read -r rec <"/proc/$parent/task/$parent/children"
	kill -INT "${rec% }"
	RC=0
	wait "$parent" || RC=$?
	AFTER=$(switches_of "${JOURNAL:-self}")
	umount "$T/mnt" 2>/dev/null
	dump "$T/kthread.data"
}

kthread_birth()
{
	mkdir -p "$T/mnt"
	truncate -s 16M "$T/image" && mkfs.ext4 -q -F "$T/image" 2>"$T/err" && journal_record
	if [ "${JOURNAL:-}" ]; then
		kthread_birth_is_none
	else
		limit "births: no thread of the kernel could be had: $(first_line "$T/err")"
	fi
}

kthread_birth_is_none()
{
	found=$(sum_rows "tid == $JOURNAL" count)
	bare=$(sum_rows "tid == $JOURNAL && !has(tk, \"kthread\")" count)
	hidden=$(hidden_of "$JOURNAL")
	[ "$found" -le "$AFTER" ] && [ $((found + hidden)) -ge "$BEFORE" ] && [ "$bare" -eq 0 ]
	verdict "births: the first run of a thread of the kernel is no interval" $? \
		"$found intervals, $BEFORE to $AFTER switches ($hidden hidden), $bare of them not in its life"
}

# A timer hits who runs on its CPU: interrupted, or with --raw-wakers the waker. MODE: cut or raw.
bystander_is_named()
{
	by=$(truth_of ow-hit-by tid)
	mine="$(slept ow_hit_block "$(truth_of ow-hit tid)") && kind == \"blocked\""
	found=$(sum_rows "$mine" count)
	rootward='wk ~ /asm_sysvec_apic_timer_interrupt;.*do_syscall_64/'
	if [ "$1" = raw ]; then
		hit="waker_tid == $by && waker_tgid && waker_comm == \"ow-hit-by\" && has(wu, \"ow_hit_burn\") && interrupted == 0"
		wrong='context == "hardirq" && waker_comm == ""'
	else
		hit="waker_tid == 0 && waker_comm == \"\" && interrupted == $by && wu == \"-\""
		wrong="waker_tid || waker_comm != \"\" || $rootward"
	fi
	hits=$(sum_rows "$mine && context == \"hardirq\" && $hit" count)
	bad=$(sum_rows "$mine && (context != \"hardirq\" || $wrong)" count)
	# others may run there, too
	[ "$hits" -gt 0 ] && [ "$bad" -le "$(hidden_all)" ]
	verdict "bystander, $1: it is named where it belongs" $? "$hits of $found wakings hit it, $bad wrong"
	[ "$1" != raw ] || {
		[ "$(sum_rows "$mine && $rootward" count)" -gt 0 ]
		verdict "bystander, raw: kernel stacks go on below the interrupt" $? \
			"$(sum_rows "$mine && $rootward" count) of $found"
	}
}

bystander_is_shown()
{
	cut=$("$REPORT" -f "$T/cut.data" 2>/dev/null | grep '^ow-hit;.*hrtimer_wakeup')
	raw=$("$REPORT" -f "$T/raw.data" 2>"$T/err" | grep '^ow-hit;.*hrtimer_wakeup')
	! echo "$cut" | grep -qv ';\[hardirq\] [0-9]*$' && echo "$raw" | grep -q ';ow-hit-by [0-9]*$' &&
		! echo "$raw" | grep -q '\[hardirq\]' && grep -q 'raw-wakers' "$T/err"
	verdict "bystander: folded lines end in [hardirq], or in its name" $? \
		"$(echo "$cut" | wc -l) and $(echo "$raw" | wc -l) lines"
	"$REPORT" --info "$T/raw.data" 2>/dev/null | grep -q '^meta wakers: raw'
	verdict "bystander: the recording says that its wakers are raw" $? "meta wakers"
}

# With --state, sleeps of that state have their wakers, and no others are there. state_wakers
# SLEEPER TID STATE: a condition that all rows must meet.
state_wakers()
{
	mine=$(slept "$1" "$2")
	sleeps=$(awk -v sleeper="$1" '$1 == "truth" && $9 == sleeper {
		for (i = 2; i < NF; i += 2) if ($i == "sleeps") print $(i + 1) }' "$T/out")
	found=$(sum_rows "$mine && kind == \"blocked\" && context != \"none\"" count)
	others=$(sum_rows "!($3) && kind != \"open\"" count)
	[ "$found" -le "$sleeps" ] && [ $((found + $(hidden_all))) -ge "$sleeps" ] && [ "$others" -eq 0 ]
	verdict "--state: sleeps of $1 have their wakers, and nothing else is there" $? \
		"$found of $sleeps, $others others"
}

# A softirq that the sender runs itself, from its own system call: the stack is whole.
softirq_is_whole()
{
	a=$(truth_of ow-udp-a tid) b=$(truth_of ow-udp-b tid)
	mine="$(slept ow_udp_block "$a,$b") && context == \"softirq\" && has(wk, \"udp_sendmsg\")"
	whole='wk ~ /;entry_SYSCALL_64_after_hwframe$/ && has(wk, "net_rx_action")'
	found=$(sum_rows "$mine" count)
	if [ "$1" = raw ]; then
		right="$whole && (waker_tid == $a || waker_tid == $b) && has(wu, \"ow_udp_wake\")"
	else
		right="$whole && waker_tid == 0 && wu == \"-\" && (interrupted == $a || interrupted == $b)"
	fi
	hits=$(sum_rows "$mine && $right" count)
	[ "$hits" -eq "$found" ] && [ "$hits" -gt 0 ]
	verdict "softirq, $1: of a sender, with its whole kernel stack" $? "$hits of $found"
}

# possible ROLE WORKLOAD ARG...: whether this machine makes that role sleep; its truth in $T/out.
possible()
{
	role=$1
	shift
	if "$WORKLOAD" "$@" >"$T/out" 2>"$T/err" && [ "$(truth_of "$role" sleeps)" -gt 0 ]; then
		return 0
	fi
	limit "$1: no such sleep can be had here $(first_line "$T/err")"
	return 1
}

check_wakers()
{
	possible ow-pty pty 3 && known_answer pty "" pty
	possible ow-disk disk 20 && known_answer disk "" disk
	far far "" far 200
	# these need two threads that run at once
	if [ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ]; then
		known_answer signals "" signals
		given_up
		known_answer far-busy "" far 100 1
		plain window --slice-us=500 -- "$WORKLOAD" aborted 400 10 && window_is_hit
	fi
	plain killed -- "$WORKLOAD" killed && killer_is_named
	plain gone -- "$WORKLOAD" gone && gone_is_named
	plain births -- "$WORKLOAD" births && births_are_none
	kthread_birth
	plain cut -- "$WORKLOAD" bystander && bystander_is_named cut
	plain raw --raw-wakers -- "$WORKLOAD" bystander && bystander_is_named raw
	bystander_is_shown
	possible ow-disk disk 20 && plain state-2 --state=2 -- "$WORKLOAD" disk &&
		state_wakers ow_disk_block "$(truth_of ow-disk tid)" 'state ~ /[2367abef]$/'
	plain state-1 --state=1 -- "$WORKLOAD" far 200 &&
		state_wakers ow_far_block "$(truth_of ow-far tid)" 'state ~ /[13579bdf]$/'
	plain softirq -- "$WORKLOAD" udp 50 && softirq_is_whole cut
	plain raw-softirq --raw-wakers -- "$WORKLOAD" udp 50 && softirq_is_whole raw
}
