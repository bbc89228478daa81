# SPDX-License-Identifier: Apache-2.0
# Targets that change under the recorder's hands: what lies at an address, who has an id.

# Two libraries take turns at one address: sleeps, wakes and their times belong to the right one,
# within one slice as well as across slices.
address_changes_hands()
{
	known_answer dlclose-one-slice --slice=60 remap 50 5000
	known_answer dlclose-many-slices --slice=0.1 remap 50 5000
	known_answer mapped-over --slice=60 remap 50 5000 1
	known_answer memfd-over --slice=60 remap 50 5000 2
	processes=$(awk -F '\t' '$1 == "process" && $4 == "workload"' "$T/dump" | wc -l)
	[ "$processes" -ge 2 ] && [ "$processes" -le 6 ]
	verdict "memfd-over: 50 times mapped, so many images described" $? "$processes"
}

# It began before the recording: what lay there first is known if it is a target that was named.
address_changes_hands_of_old()
{
	start_workload remap 400 5000 || return
	record -q -p "$WL_PID" -o "$T/old.data" 1
	end_workload
	dump "$T/old.data"
	for i in a b; do
		right=$(sum_rows "kind == \"blocked\" && comm == \"ow-remap\" && has(tu, \"ow_remap_${i}_block\")" count)
		woken=$(sum_rows "comm == \"ow-victim-$i\" && has(wu, \"ow_remap_${i}_wake\")" count)
		wrong=$(sum_rows "comm == \"ow-victim-$i\" && waker_comm == \"ow-remap\" &&
			!has(wu, \"ow_remap_${i}_wake\")" count)
		[ "$right" -ge 20 ] && [ "$woken" -ge 20 ] && [ "$wrong" -eq 0 ]
		verdict "dlclose of a process that ran before: $i" $? \
			"$right sleeps, $woken wakes, $wrong wakes by another name"
	done
}

# The name at the switch-out counts, whoever gave it and whatever it is when the sleep ends.
name_changes()
{
	known_answer rename --slice=60 rename 30 5000
	newborn_record -q -o "$T/rename.data" -- "$WORKLOAD" rename 30 5000 1
	dump "$T/rename.data"
	own='kind != "preempted" && (has(tu, "ow_first_block") && comm == "ow-first" ||
		has(tu, "ow_second_block") && comm == "ow-second")'
	all='kind != "preempted" && tu ~ /ow_(first|second)_block/'
	found=$(sum_rows "$all" count) right=$(sum_rows "$own" count)
	[ "$found" -le 60 ] && [ $((found + NEWBORN_HIDDEN)) -ge 60 ] && [ "$right" -ge $((found - 2)) ]
	verdict "rename: sleeps by the name they began with" $? \
		"$right of $found ($NEWBORN_HIDDEN hidden)"
}

# exec_under NAME ARG: two threads sleep until a third of their process executes a program.
exec_under()
{
	newborn_record -q -o "$T/under.data" -- "$WORKLOAD" exec-under 100 "$2"
	dump "$T/under.data"
	mine='kind != "preempted" && comm == "ow-under" && has(tu, "ow_under_main") && max_ns > 50e6'
	found=$(sum_rows "$mine" count) ns=$(sum_rows "$mine" total_ns)
	wrong=$(sum_rows 'comm == "ow-under" && tu ~ /ow_image/ || comm == "image-pie-a" && tu ~ /ow_under/' count)
	image=$(sum_rows 'kind != "preempted" && comm == "image-pie-a" && has(tu, "ow_image_a_block")' count)
	[ "$found" -le 2 ] && [ $((found + NEWBORN_HIDDEN)) -ge 2 ] &&
		[ "$ns" -ge $((found * 90000000)) ] && [ "$ns" -le $((found * 400000000)) ] &&
		[ "$wrong" -eq 0 ] && [ "$image" -le 1 ] && [ $((image + NEWBORN_HIDDEN)) -ge 1 ]
	verdict "$1" $? "$found of 2 sleeps, $ns ns, $wrong by names of the other program; \
$image of 1 after it ($NEWBORN_HIDDEN hidden)"
}

# Two programs, alike address by address, under one id; all within one slice.
id_is_used_again()
{
	newborn_record -q --slice=60 -o "$T/retid.data" -- "$WORKLOAD" retid 20 5
	if ! grep -q '^retid' "$T/out" || grep -q clone3 "$T/err"; then
		limit "retid: $(first_line "$T/err")"
		return
	fi
	dump "$T/retid.data"
	mine="kind != \"preempted\" && tgid == $(awk '$1 == "retid" { print $2 }' "$T/out")"
	for i in a b; do
		right=$(sum_rows "$mine && comm ~ /^image-static-$i/ && has(tu, \"ow_image_${i}_block\")" count)
		[ "$right" -le 10 ] && [ $((right + NEWBORN_HIDDEN)) -ge 10 ]
		verdict "retid: sleeps of program $i" $? "$right of 10 ($NEWBORN_HIDDEN hidden)"
	done
	same "retid: sleeps by the other's name" 0 "$(sum_rows "$mine && (comm ~ /-a\$/ &&
		tu ~ /image_b/ || comm ~ /-b\$/ && tu ~ /image_a/)" count)"
}

# image_sleeps NAME LETTER COUNT COMM: so many sleeps of that image in $T/image.data, named.
image_sleeps()
{
	found=$(sum_rows "kind != \"preempted\" && comm == \"$4\" && leaf_is(tu, \"ow_image_$2_block\")" count)
	[ "$found" -le "$3" ] && [ $((found + NEWBORN_HIDDEN)) -ge "$3" ]
	verdict "$1" $? "$found of $3 sleeps ($NEWBORN_HIDDEN hidden)"
}

# image_record COMMAND...
image_record()
{
	newborn_record -q -o "$T/image.data" -- "$@"
	dump "$T/image.data"
}

# A file is deleted, or another one put in its place, while it runs. Without a build-id ("bare"), too.
# shellcheck disable=SC2016 # for the inner shell
file_is_replaced()
{
	for how in pie bare; do
		cp "$B/tests/live/image-$how-a" "$T/prog"
		cp "$B/tests/live/image-$how-b" "$T/new-b"
		image_record sh -c '"$0" 200 & sleep 0.03; mv "$1" "$0"; "$0" 100 & sleep 0.03
			rm "$0"; wait' "$T/prog" "$T/new-b"
		image_sleeps "replaced, $how" a 1 prog
		image_sleeps "deleted, $how" b 1 prog
	done
	rm -f "$T/new-b" "$T/prog"
}

# Where a file may lie: nowhere, in layers, in a mount that the recorder does not see.
file_is_elsewhere()
{
	image_record "$WORKLOAD" memfd 50
	found=$(sum_rows 'kind != "preempted" && leaf_is(tu, "ow_image_a_block")' count)
	[ "$found" -le 1 ] && [ $((found + NEWBORN_HIDDEN)) -ge 1 ]
	verdict "memfd: a program in memory" $? "$found of 1 sleeps ($NEWBORN_HIDDEN hidden)"
	mkdir -p "$T/mnt" "$T/lower"
	cp "$B/tests/live/image-pie-a" "$T/lower"
	# shellcheck disable=SC2016 # for the inner shell
	image_record unshare -m sh -c 'mount -t tmpfs none "$0/mnt" && mkdir "$0/mnt/u" "$0/mnt/w" "$0/mnt/m" &&
		mount -t overlay -o "lowerdir=$0/lower,upperdir=$0/mnt/u,workdir=$0/mnt/w" none "$0/mnt/m" &&
		exec "$0/mnt/m/image-pie-a" 50' "$T"
	if grep -q '^mount: ' "$T/err"; then
		limit "overlay: $(grep -m 1 '^mount: ' "$T/err")"
	else
		image_sleeps "overlay: a program in layers" a 1 image-pie-a
	fi
}

# Ids are the host's: it says so where they would be taken for others.
ids_inside()
{
	RC=0
	unshare -p -f --mount-proc "$RECORD" -p 1 -o "$T/ns.data" 1 >"$T/out" 2>"$T/err" || RC=$?
	[ "$RC" -eq 1 ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -q -- "-p takes the host's" "$T/err"
	verdict "-p in a PID namespace" $? "status $RC: $(first_line "$T/err")"
}

# On a 64-bit kernel.
program_of_32_bits()
{
	if ! "$B/tests/live/image-32-a" 1 2>"$T/wl.err"; then
		limit "32 bits: no such program can be built or run here"
		return
	fi
	image_record "$B/tests/live/image-32-a" 50
	image_sleeps "32 bits" a 1 image-32-a
	found=$(sum_rows 'kind != "preempted" && comm == "image-32-a" && tu ~ /ow_image_a_block;main;/' count)
	[ "$found" -le 1 ] && [ $((found + NEWBORN_HIDDEN)) -ge 1 ]
	verdict "32 bits: the caller" $? "$found of 1 ($NEWBORN_HIDDEN hidden)"
}

check_targets()
{
	address_changes_hands
	address_changes_hands_of_old
	name_changes
	exec_under "exec-under: by the first thread" 0
	exec_under "exec-under: by another thread" 1
	id_is_used_again
	file_is_replaced
	file_is_elsewhere
	ids_inside
	program_of_32_bits
}
