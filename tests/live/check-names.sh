# SPDX-License-Identifier: Apache-2.0
# The names of functions and threads where it is hard to know them: an address means one thing
# now and another later, here and there; a name may be chosen to deceive.

# images NAME COMMAND...: the command becomes image a, then image b, each of which blocks once.
images()
{
	name=$1
	shift
	newborn_record -q -o "$T/images.data" -- "$@"
	dump "$T/images.data"
	a='comm ~ /^image-.*-a$/' b='comm ~ /^image-.*-b$/'
	right=$(sum_rows "$a && has(tu, \"ow_image_a_block\") || $b && has(tu, \"ow_image_b_block\")" count)
	wrong=$(sum_rows "$a && has(tu, \"ow_image_b_block\") || $b && has(tu, \"ow_image_a_block\")" count)
	[ "$right" -le 2 ] && [ "$right" -ge $((2 - NEWBORN_HIDDEN)) ] && [ "$wrong" -eq 0 ]
	verdict "$name: a sleep in each of two programs" $? \
		"$right right, $wrong by the other's name ($NEWBORN_HIDDEN hidden)"
}

# Both sleep at the same address.
exec_keeps_names_apart()
{
	i=$B/tests/live/image
	images exec-static "$i-static-a" 30 "$i-static-b" 400
	images exec-static-late "$i-static-a" 400 "$i-static-b" 30
	images exec-pie setarch -R "$i-pie-a" 30 "$i-pie-b" 400
	images exec-pie-late setarch -R "$i-pie-a" 400 "$i-pie-b" 30
}

# No frame, and no instruction before the loop.
leaf_is_exact()
{
	record -q -o "$T/leaf.data" -- "$WORKLOAD" leaf 1000
	dump "$T/leaf.data"
	mine='kind == "preempted" && comm ~ /^ow-leaf-/ && tk ~ /irqentry_exit|el0_irq|el0t_64_irq/'
	right=$(sum_rows "$mine && leaf_is(tu, \"ow_leaf_spin\")" count)
	wrong=$(sum_rows "$mine && !leaf_is(tu, \"ow_leaf_spin\")" count)
	before=$(sum_rows 'has(tu, "ow_before_leaf")' count)
	# A thread that is just entering or leaving its start code.
	[ "$right" -ge 50 ] && [ "$before" -eq 0 ] && [ "$wrong" -le 4 ]
	verdict "leaf: preempted in its first instruction, named by it" $? \
		"$right right, $wrong wrong, $before by the function before"
}

# Blocked by a page fault in the first instruction, and waking another by it.
fault_is_exact()
{
	if ! "$WORKLOAD" fault 1 >"$T/truth" 2>"$T/wl.err"; then
		skip "fault: $(first_line "$T/wl.err")"
		return
	fi
	known_answer fault "" fault
	same "fault: sleeps and wakes named by the function before" 0 \
		"$(sum_rows 'has(tu, "ow_before_fault") || has(wu, "ow_before_fault")' count)"
}

# A system call's address is behind it, in the next function.
tail_is_found()
{
	known_answer tail "" tail
	same "tail: sleeps named by the function behind" 0 \
		"$(sum_rows 'has(tu, "ow_behind_tail")' count)"
}

# named_or_lost NAME EXPECTED CONDITION: sleeps of which each has its names, or is counted.
named_or_lost()
{
	named=$(sum_rows "$3" count)
	lost=$(awk -F '\t' '$1 == "loss" && $2 == "process-maps" { print $3 }' "$T/dump")
	[ "$named" -le "$2" ] && [ $((named + ${lost:-0} + NEWBORN_HIDDEN)) -ge "$2" ]
	verdict "$1" $? \
		"$named of $2 are named, ${lost:-no} processes counted as lost ($NEWBORN_HIDDEN hidden)"
}

siblings_are_named()
{
	newborn_record -q -o "$T/siblings.data" -- "$WORKLOAD" siblings 8 100
	dump "$T/siblings.data"
	named_or_lost "siblings: sleeps of forked children" 8 \
		'comm ~ /^ow-child-/ && has(tu, "ow_child_block")'
	newborn_record -q -o "$T/siblings.data" -- "$WORKLOAD" siblings 5 70 1
	dump "$T/siblings.data"
	named_or_lost "siblings: sleeps of forked children that execute something" 5 \
		'comm ~ /^ow-child-/ && has(tu, "ow_child_block")'
	# shellcheck disable=SC2016 # for the inner shell
	newborn_record -q -o "$T/siblings.data" -- sh -c 'for i in 1 2 3 4 5; do "$0" 70; done' \
		"$B/tests/live/image-pie-a"
	dump "$T/siblings.data"
	named_or_lost "siblings: sleeps of small programs" 5 'has(tu, "ow_image_a_block")'
}

# The first thread of the process has ended; the others have the mappings still.
leaderless_is_named()
{
	start_workload leaderless 100000 10000 || return
	tgid=$(awk '$1 == "ready" { print $4 }' "$T/truth")
	record -q -p "$tgid" -o "$T/leaderless.data" 1
	dump "$T/leaderless.data"
	end_workload
	named=$(sum_rows 'comm == "ow-orphan" && has(tu, "ow_child_block")' count)
	other=$(sum_rows 'comm == "ow-orphan" && kind == "blocked" && flags == "-" &&
		!has(tu, "ow_child_block")' count)
	[ "$named" -ge 40 ] && [ "$other" -eq 0 ]
	verdict "leaderless: sleeps are named" $? "$named, $other without the name"
	same "leaderless: the thread that has ended is not off CPU" 0 \
		"$(sum_rows "tid == $tgid" count)"
}

# What is known of a stack ends somewhere: that is said, where it ends, and is no failure.
deep_is_marked()
{
	witness_record -q -o "$T/deep.data" -- "$WORKLOAD" deep 20 300
	dump "$T/deep.data"
	is_complete "$RC"
	verdict "deep: recorder status" $? "$RC"
	all=$(sum_rows 'has(tu, "ow_deep_block")' count)
	[ "$all" -ge 15 ]
	verdict "deep: sleeps below 300 frames" $? "$all of 20"
	same "deep: all are marked as cut" "$all" \
		"$(sum_rows 'has(tu, "ow_deep_block") && tu ~ /;\[truncated\]$/' count)"
	"$REPORT" -f "$T/deep.data" >"$T/folded" 2>"$T/said"
	[ "$(grep -c 'ow_deep_call' "$T/folded")" -gt 0 ]
	verdict "deep: folded lines" $? "$(grep -c 'ow_deep_call' "$T/folded")"
	same "deep: folded lines whose stack does not begin with the mark" 0 \
		"$(grep 'ow_deep_call' "$T/folded" | grep -vc '^ow-deep;\[truncated\];ow_deep_call;')"
	"$REPORT" "$T/deep.data" >"$T/text" 2>"$T/said"
	same "deep: in the text the mark stands at the root" ok "$(awk '
		$1 == "target:" && last == "ow_deep_call" { bad = 1 }
		$1 == "target:" && last == "[truncated]" && before == "ow_deep_call" { good = 1 }
		{ before = last; last = $1 }
		END { print good && !bad ? "ok" : "not" }' "$T/text")"
}

# A thread named like a marker does not read like one. By default no preempted thread is shown.
posed_is_escaped()
{
	record -q -o "$T/posed.data" -- "$WORKLOAD" posed 300 500
	"$REPORT" "$T/posed.data" >"$T/text" 2>"$T/said"
	"$REPORT" -f "$T/posed.data" >"$T/folded" 2>"$T/said"
	same "posed: marks of preemption, and of interrupts as targets, in the text" 0 \
		"$(grep -cE '\[preempted\]|target: *\[hardirq\]' "$T/text")"
	same "posed: marks of preemption, and of interrupts as targets, in folded lines" 0 \
		"$(grep -cE '\[preempted\]|^\[hardirq\];' "$T/folded")"
	for name in hardirq preempted; do
		for role in waker target; do
			found=$(grep -cE "^ *$role: +\\\\x5b$name\]( [0-9]+)?\$" "$T/text")
			[ "$found" -gt 0 ]
			verdict "posed: $role $name in the text" $? "$found"
		done
		found=$(grep -cE "^\\\\x5b$name\];" "$T/folded")
		[ "$found" -gt 0 ]
		verdict "posed: target $name in folded lines" $? "$found"
		found=$(grep -cE ";\\\\x5b$name\] [0-9]+\$" "$T/folded")
		[ "$found" -gt 0 ]
		verdict "posed: waker $name in folded lines" $? "$found"
	done
}

# recorded_name NAME: of the file in $T/dump that ends in tim; the dump doubles a backslash.
recorded_name()
{
	same "$1" 'vic\\101tim' \
		"$(awk -F '\t' '$1 == "module" && $4 ~ /tim$/ { sub(/.*\//, "", $4); print $4 }' "$T/dump")"
}

# A file's name may look like an escape of the kernel's, which knows the newline's only there.
file_names_are_kept()
{
	cp "$B/tests/live/image-pie-a" "$T/vic\\101tim"
	record -q -o "$T/file.data" -- "$T/vic\\101tim" 50
	dump "$T/file.data"
	recorded_name 'a file named vic\101tim'
	cp "$WORKLOAD" "$T/vic\\101tim"
	"$T/vic\\101tim" nanosleep 200 10000 >"$T/truth" &
	pid=$!
	wait_for_text "$T/truth" '^ready'
	record -q -p "$pid" -o "$T/file.data" 1
	wait "$pid"
	dump "$T/file.data"
	recorded_name 'a file named vic\101tim, of a process that ran before'
}

check_names()
{
	exec_keeps_names_apart
	leaf_is_exact
	fault_is_exact
	tail_is_found
	siblings_are_named
	leaderless_is_named
	deep_is_marked
	posed_is_escaped
	file_names_are_kept
}
