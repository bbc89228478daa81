# SPDX-License-Identifier: Apache-2.0
# CPUs that go and come while we record. A CPU that comes online lets go whoever waits for it in
# its idle loop: the one waking that no task and no interrupt makes. Not among the groups that run
# by themselves, because threads bound to that CPU are bound to it no more: run.sh hotplug.

# Often the CPU is there before its waiter sleeps; and a slow recorder looks at it later.
HOTPLUG_CYCLES=$((SLOW > 1 ? 10 : 3))
HOTPLUG_SETTLE=$((SLOW > 1 ? 8 : 2))

# The last CPU that can be taken down; HOT_CPU.
hot_cpu()
{
	HOT_CPU=
	for online in /sys/devices/system/cpu/cpu[0-9]*/online; do
		[ -w "$online" ] && [ "$(cat "$online")" = 1 ] || continue
		HOT_CPU=${online%/online}
		HOT_CPU=${HOT_CPU##*/cpu}
	done
	[ "$HOT_CPU" ] && [ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ]
}

# Takes the CPU down and up some times, then runs a short process there once it is looked at
# again. All of it below the recorder.
hotplug_record()
{
	cat >"$T/hot.sh" <<-'SCRIPT'
		online=/sys/devices/system/cpu/cpu$1/online
		trap 'echo 1 >"$online"' EXIT
		for _ in $(seq "$2"); do
			echo 0 >"$online" && echo down
			echo 1 >"$online" && echo up
		done
		sleep "$4"
		taskset -c "$1" "$3" exits 4
	SCRIPT
	witness_record -q "$@" -o "$T/hot.data" -- sh "$T/hot.sh" "$HOT_CPU" "$HOTPLUG_CYCLES" "$WORKLOAD" \
		"$HOTPLUG_SETTLE"
	dump "$T/hot.data"
}

# The CPU is down when recording begins.
comes_online()
{
	online=/sys/devices/system/cpu/cpu$HOT_CPU/online
	echo 0 >"$online"
	# shellcheck disable=SC2016 # for the inner shell
	witness_record -q -o "$T/hot.data" -- sh -c 'echo 1 >"$0"; sleep "$3"; taskset -c "$1" "$2" exits 4' \
		"$online" "$HOT_CPU" "$WORKLOAD" "$HOTPLUG_SETTLE"
	echo 1 >"$online"
	dump "$T/hot.data"
	named=$(sum_rows 'comm ~ /^ow-exit/ && has(tu, "ow_timer_block")' count)
	gaps=$(awk -F '\t' '$1 == "loss" && $2 == "map-events" { print $3 }' "$T/dump")
	[ "$named" -ge 4 ] && [ "$gaps" -eq 1 ]
	verdict "hotplug: a CPU that was down before is followed, too" $? \
		"$named sleeps of 4 are named, $gaps gaps, status $RC, $(sum_rows 'comm ~ /^ow-exit/' count) intervals"
}

# Rows of sleeps that the idle loop ended, in cpuhp_online_idle(), which may be inlined, as may
# wait_for_completion(); no interrupt that came into the loop did, with a softirq perhaps.
FROM_IDLE='has(tk, "cpu_up") && has(wk, "complete") && has(wk, "cpu_startup_entry") && wk !~ /irq|asm_/'

idle_is_named()
{
	ups=$(grep -c '^up' "$T/out")
	found=$(sum_rows "$FROM_IDLE && $1" count)
	wrong=$(sum_rows "$FROM_IDLE && !($1)" count)
	[ "$ups" -eq "$HOTPLUG_CYCLES" ] && [ "$found" -ge 1 ] && [ "$found" -le "$ups" ] &&
		[ "$wrong" -eq 0 ]
	verdict "hotplug: $2" $? \
		"$found wakings by the idle loop of CPU $HOT_CPU, $wrong otherwise, $ups times online"
}

hotplug_is_survived()
{
	[ "$RC" -eq 0 ] || [ "$RC" -eq 3 ]
	verdict "hotplug: the recording is whole" $? "statuses $RC and $DUMP_RC $(first_line "$T/err")"
	gaps=$(awk -F '\t' '$1 == "loss" && $2 == "map-events" { print $3 }' "$T/dump")
	[ "${gaps:-0}" -eq "$HOTPLUG_CYCLES" ]
	verdict "hotplug: that mappings may have been missed is counted" $? "${gaps:-0}"
	named=$(sum_rows 'comm ~ /^ow-exit/ && has(tu, "ow_timer_block")' count)
	[ "$named" -ge 4 ]
	verdict "hotplug: a short process on the CPU is named afterwards" $? "$named sleeps of 4"
}

check_hotplug()
{
	if ! hot_cpu; then
		limit "hotplug: no CPU can be taken down here"
		return
	fi
	hotplug_record
	hotplug_is_survived
	idle_is_named 'context == "idle" && waker_tid == 0 && waker_comm == ""' \
		"a waking by the idle loop is nobody's"
	"$REPORT" "$T/hot.data" >"$T/text" 2>/dev/null
	grep -q '^    waker:           \[idle\] 0' "$T/text"
	verdict "hotplug: the report says [idle]" $? "$(grep -c '\[idle\]' "$T/text")"
	comes_online
	hotplug_record --raw-wakers
	idle_is_named "context == \"idle\" && waker_tid == 0 && waker_comm == \"swapper/$HOT_CPU\"" \
		"with --raw-wakers the idle thread is named"
}
