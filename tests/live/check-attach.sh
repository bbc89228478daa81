# SPDX-License-Identifier: Apache-2.0
# Recording what already runs: sleeps that began before, and sleeps that never end.

# attach NAME OPTION IDS SECONDS: dump of a running workload; WINDOW_NS, and HIDDEN, the switches to its roles
# that the kernel hid.
attach()
{
	witness_record -q "$2" "$3" -o "$T/$1.data" "$4"
	dump "$T/$1.data"
	if ! is_complete "$RC"; then
		fail "$1: recorder status $RC: $(tail -n 1 "$T/err")"
		return 1
	fi
	HIDDEN=$(hidden_of "$(ready_tids)")
	WINDOW_NS=$(awk -F '\t' '$1 == "end" { printf "%.0f\n", $3 - $2 }' "$T/dump")
	[ -n "$WINDOW_NS" ] && return 0
	fail "$1: the dump has no end line"
	return 1
}

# share_is NAME FOUND-NS LOW HIGH: of the window, in percent; a hidden switch may cost 1% of it.
share_is()
{
	share=$(awk -v found="$2" -v window="$WINDOW_NS" 'BEGIN { printf "%.2f", 100 * found / window }')
	awk -v s="$share" -v low=$(($3 - HIDDEN)) -v high="$4" 'BEGIN { exit !(s >= low && s <= high) }'
	verdict "$1" $? "$share% of the window ($HIDDEN hidden)"
}

attach_nanosleep()
{
	start_workload nanosleep 100000 20000 || return
	if attach attach-nanosleep -p "$WL_PID" 2; then
		share_is "attach-nanosleep: the sleeper's time, finished and open" \
			"$(sum_rows 'has(tu, "ow_timer_block")' total_ns)" 96 100.1
		same "attach-nanosleep: no thread woke it" 0 \
			"$(sum_rows 'has(tu, "ow_timer_block") && context == "task"' count)"
		same "attach-nanosleep: rows of other processes" 0 "$(sum_rows "tgid != $WL_PID" 1)"
	fi
	end_workload
}

# sample_cpu TID,TID: the CPU time that the kernel counts for both, every 50 ms, with the time.
sample_cpu()
{
	while read -r a _ <"/proc/${1%,*}/schedstat" && read -r b _ <"/proc/${1#*,}/schedstat" &&
		read -r now _ <"/proc/uptime"; do
		echo "$now $((a + b))"
		sleep 0.05
	done >"$T/cpu" 2>/dev/null
}

# off_cpu THREADS: of so many threads, in ns of the window: its length less their CPU time.
off_cpu()
{
	awk -v threads="$1" '
		function cpu_at(s,    i) {
			i = 2
			while (i < n && at[i] < s)
				i++
			return cpu[i - 1] + (cpu[i] - cpu[i - 1]) * (s - at[i - 1]) / (at[i] - at[i - 1])
		}
		FILENAME ~ /cpu$/ && (!n || $1 > at[n]) { at[++n] = $1; cpu[n] = $2 }
		$1 == "end" { begin_ns = $2; end_ns = $3 }
		END {
			ran_ns = cpu_at(end_ns / 1e9) - cpu_at(begin_ns / 1e9)
			printf "%.0f\n", threads * (end_ns - begin_ns) - ran_ns
		}' "$T/cpu" "$T/dump"
}

# On two CPUs both sides run for a moment at each hand-over, how long depends on the host: so the
# kernel's count of their CPU time is what the rows are held against.
attach_pipe()
{
	start_workload pipe 1000000 500 || return
	sample_cpu "$(ready_tids)" &
	sampler=$!
	steal=$(steal_ns)
	if attach attach-pipe -p "$(ready_tids)" 2; then
		sleep 0.1
		steal=$(($(steal_ns) - steal))
		found=$(sum_rows 'comm ~ /^ow-p[io]ng$/' total_ns)
		wanted=$(off_cpu 2)
		awk -v found="$found" -v wanted="$wanted" -v steal="$steal" -v hidden="$HIDDEN" '
			BEGIN { exit !(found <= 1.01 * wanted &&
				found >= (0.985 - 0.01 * hidden) * wanted - steal) }'
		verdict "attach-pipe: both sides' time off CPU" $? \
			"$found ns, $wanted by the kernel's count ($HIDDEN hidden, $steal ns stolen)"
		same "attach-pipe: finished sleeps not ended by the other side" 0 \
			"$(sum_rows 'kind == "blocked" && has(tu, "ow_pipe_block") &&
				!(context == "task" && has(wu, "ow_pipe_wake") && waker_tid != tid)' count)"
	fi
	kill "$sampler" 2>/dev/null
	end_workload
}

# Whether the kernel lends another thread's memory to a program: only then do sleeps that began
# before have user stacks.
lends_memory()
{
	"$RECORD" --check | grep -q '^ok *memory of sleeping threads'
}

# The two threads slept before the recording began and sleep on after it ended.
deadlock_before()
{
	start_workload deadlock 60000 || return
	sleep 0.2
	mine='kind == "open" && comm ~ /^ow-dead/ && tk ~ /;futex_/'
	if attach deadlock-before -p "$WL_PID" 1; then
		share_is "deadlock-before: two open sleeps as long as the recording" \
			"$(sum_rows "$mine" total_ns)" 199 200.01
		same "deadlock-before: both marked as begun before" 2 \
			"$(sum_rows "$mine && flags ~ /began-before/" count)"
		if ! lends_memory; then
			same "deadlock-before: their user stacks are missed" 2 \
				"$(sum_rows "$mine && tu == \"[missed:walk-failed]\"" count)"
			limit "deadlock-before: this kernel lends no memory of sleeping threads"
		else
			whole='^ow_deadlock_block;ow_deadlock_main;(start_thread|lib[a-z]*[.]so[^;]*)(;clone3?|;libc[^;]*)?$'
			same "deadlock-before: their user stacks, to where they started" 2 \
				"$(sum_rows "$mine && tu ~ /$whole/" count)"
			whole='^(__schedule;schedule;)?futex_(do_wait|wait_queue);(__)?futex_wait;(futex_wait;)?do_futex;'
			same "deadlock-before: their kernel stacks, to the system call" 2 \
				"$(sum_rows "$mine && tk ~ /$whole.*_sys_futex;/" count)"
		fi
	fi
	end_workload
}

# The two threads fall asleep while the whole system is recorded.
deadlock_within()
{
	rm -f "$T/err"
	"$RECORD" -o "$T/deadlock.data" 2 >"$T/rec.out" 2>"$T/err" &
	rec=$!
	wait_for_text "$T/err" 'recording to' || fail "deadlock-within: the recorder does not start"
	"$WORKLOAD" deadlock 4000 >"$T/truth" 2>"$T/wl.err" &
	WL_PID=$!
	RC=0
	wait "$rec" || RC=$?
	wait "$WL_PID"
	dump "$T/deadlock.data"
	is_complete "$RC"
	verdict "deadlock-within: recorder status" $? "$RC"
	awk -F '\t' -f "$HERE/rows.awk" -f "$HERE/deadlock.awk" "$T/truth" "$T/dump" >"$T/verdicts"
	tally "$T/verdicts"
}

# Everybody but the recorder; a child that has ended is not off CPU.
whole_machine()
{
	start_workload zombie 60000 || return
	zombie=$(ready_tids)
	"$RECORD" -o "$T/all.data" 1 >"$T/rec.out" 2>"$T/err" &
	rec=$!
	RC=0
	wait "$rec" || RC=$?
	end_workload
	dump "$T/all.data"
	is_complete "$RC"
	verdict "whole machine: recorder status" $? "$RC"
	rows=$(sum_rows 1 1)
	[ "$rows" -ge 20 ]
	verdict "whole machine: rows" $? "$rows"
	same "whole machine: rows of the recorder itself" 0 "$(sum_rows "tgid == $rec" 1)"
	same "whole machine: rows of a child that had ended before" 0 "$(sum_rows "tid == $zombie" 1)"
	same "whole machine: wakers that are a thread and have no id, or the reverse" 0 \
		"$(sum_rows '(context == "task") != (waker_tid > 0)' 1)"
	window=$(awk -F '\t' '$1 == "end" { printf "%.0f\n", $3 - $2 }' "$T/dump")
	before=$(sum_rows 'flags ~ /began-before/' 1)
	[ "$before" -ge 10 ] && [ "$(sum_rows "max_ns > ${window:-0}" 1)" -eq 0 ]
	verdict "whole machine: no interval is longer than the recording" $? \
		"$(sum_rows "max_ns > ${window:-0}" 1) of $rows rows, $before began before"
}

# A parent waits for a child of vfork in a sleep that signals do not end.
uninterruptible()
{
	newborn_record -q -o "$T/vfork.data" -- "$WORKLOAD" vfork 50
	dump "$T/vfork.data"
	mine='comm == "ow-vfork" && kind == "blocked" && tk ~ /_do_fork|kernel_clone/'
	found=$(sum_rows "$mine" count)
	right=$(sum_rows "$mine && state ~ /^0x.*[2367abef]\$/" count)
	[ "$found" -le 1 ] && [ $((found + NEWBORN_HIDDEN)) -ge 1 ] && [ "$right" -eq "$found" ]
	verdict "uninterruptible: the state of a vfork's parent" $? \
		"$right of $found ($NEWBORN_HIDDEN hidden)"
}

check_attach()
{
	whole_machine
	uninterruptible
	attach_nanosleep
	attach_pipe
	deadlock_before
	deadlock_within
}
