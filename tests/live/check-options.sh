# SPDX-License-Identifier: Apache-2.0
# Each capture option has its effect, on workloads whose answer is known.

# kernel_tids FILE: of all kernel threads there are now (PF_KTHREAD, include/linux/sched.h).
kernel_tids()
{
	cat /proc/[0-9]*/task/[0-9]*/stat 2>/dev/null | awk '{
		tid = $1
		sub(/^.*\) /, "")
		if (int($7 / 2097152) % 2) print tid }' | sort -u >"$1"
}

# rows_of FILE: of $T/dump: those of the threads in FILE, and others.
rows_of()
{
	awk -F '\t' 'FNR == NR { kernel[$1] = 1; next }
		$1 == "row" { if ($6 in kernel) k++; else o++ }
		END { print k + 0, o + 0 }' "$1" "$T/dump"
}

threads_by_kind()
{
	start_workload pipe 100000 500 || return
	kernel_tids "$T/kernel"
	record -q -u -o "$T/user.data" 1
	dump "$T/user.data"
	set -- $(rows_of "$T/kernel")
	mine=$(sum_rows 'comm ~ /^ow-p[io]ng$/ && has(tu, "ow_pipe_block")' count)
	[ "$1" -eq 0 ] && [ "$mine" -ge 100 ]
	verdict "-u: no kernel threads" $? "$1 rows of theirs, $2 of others, $mine sleeps of the workload"
	record -q -k -o "$T/kernel.data" 1
	dump "$T/kernel.data"
	end_workload
	kernel_tids "$T/kernel.after"
	sort -u "$T/kernel" "$T/kernel.after" >"$T/kernel.all"
	set -- $(rows_of "$T/kernel.all")
	[ "$1" -gt 0 ] && [ "$2" -eq 0 ] && [ "$(sum_rows 'tu != "-"' 1)" -eq 0 ]
	verdict "-k: kernel threads only" $? "$1 rows of theirs, $2 of others"
}

# No limit of five: the six processes of a fork-tree, by process and by thread.
more_than_five()
{
	start_workload fork-tree 100000 || return
	for option in -p -t; do
		record -q $option "$(ready_tids)" -o "$T/six.data" 1
		dump "$T/six.data"
		six=$(awk -F '\t' '$1 == "row" && $8 ~ /^ow-tree-/ && !seen[$6]++ { n++ }
			END { print n + 0 }' "$T/dump")
		same "$option with six ids: threads recorded, and rows of others" "6 0" \
			"$six $(sum_rows 'comm !~ /^ow-tree-/' 1)"
	done
	end_workload
}

# How many of the workload's rows have each stack: target kernel, user, waker kernel, user; rows.
stacks_taken()
{
	mine='comm ~ /^ow-p[io]ng$/ && context == "task"'
	for stack in tk tu wk wu; do
		sum_rows "$mine && $stack != \"-\"" 1
	done
	sum_rows "$mine" 1
}

stacks_by_kind()
{
	for option in -U -K; do
		record -q $option -o "$T/half.data" -- "$WORKLOAD" pipe 300 200
		dump "$T/half.data"
		set -- $(stacks_taken)
		if [ $option = -U ]; then
			[ "$1 $3" = "0 0" ] && [ "$2 $4" = "$5 $5" ] && [ "$5" -gt 0 ]
		else
			[ "$2 $4" = "0 0" ] && [ "$1 $3" = "$5 $5" ] && [ "$5" -gt 0 ]
		fi
		verdict "$option: the other kind of stack is not taken" $? \
			"target kernel, user, waker kernel, user: $1 $2 $3 $4 of $5 rows"
		kind=$([ $option = -U ] && echo user || echo kernel)
		"$REPORT" --info "$T/half.data" >"$T/info" 2>&1
		[ "$(grep -c "^meta stacks.*$kind" "$T/info")" -eq 1 ]
		verdict "$option: the recording says so" $? "$(grep '^meta stacks' "$T/info")"
		record -q $option -o "$T/half.data" -- "$WORKLOAD" nanosleep 100 2000
		dump "$T/half.data"
		slept=$(sum_rows 'comm == "ow-timer" && context ~ /irq/' count)
		by_task=$(sum_rows 'comm == "ow-timer" && context == "task" && max_ns < 20000000 && count > 20' count)
		[ "$slept" -ge 95 ] && [ "$by_task" -eq 0 ]
		verdict "$option: timers are told from tasks all the same" $? \
			"$slept by interrupt, $by_task by a task"
	done
}

# by_state MASK WORKLOAD ARG...: SLEPT, the sleeps the workload counted itself; HIDDEN of its
# switches the kernel hid.
by_state()
{
	mask=$1
	shift
	witness_record -q --state "$mask" -o "$T/state.data" -- "$WORKLOAD" "$@"
	dump "$T/state.data"
	SLEPT=$(awk '$1 == "truth" { for (i = 2; i < NF; i += 2) if ($i == "sleeps") n += $(i + 1) }
		END { print n + 0 }' "$T/out")
	HIDDEN=$(awk '$1 == "hidden" { n += $3 } END { print n + 0 }' "$T/out")
}

# Bit 0 of a state, as rows show it.
state_is_odd='state ~ /[13579bdf]$/'

states()
{
	mine='(kind == "blocked" || kind == "unobserved") && has(tu, "ow_pipe_block")'
	for mask in 1 3; do
		by_state $mask pipe 500 200
		found=$(sum_rows "$mine" count)
		woken=$(sum_rows "$mine && context == \"task\" && has(wu, \"ow_pipe_wake\") && waker_tid != tid" count)
		other=$(sum_rows "!($state_is_odd)" count)
		[ "$SLEPT" -gt 0 ] && [ "$found" -le "$SLEPT" ] && [ "$found" -ge $((SLEPT - HIDDEN)) ] &&
			[ "$woken" -ge $((found - HIDDEN)) ] && [ "$other" -eq 0 ]
		verdict "--state $mask: interruptible sleeps, each with its waker" $? \
			"$found of $SLEPT sleeps, $woken with their waker, $other in other states ($HIDDEN hidden)"
	done
	by_state 2 pipe 500 200
	found=$(sum_rows "$mine || $state_is_odd" count)
	[ "$SLEPT" -gt 0 ] && [ "$found" -eq 0 ]
	verdict "--state 2: no interruptible sleeps" $? "$found of $SLEPT"
	by_state 0 spinner 500
	spun=$(sum_rows 'kind == "preempted" && has(tu, "ow_spin")' count)
	other=$(sum_rows 'kind != "preempted" || state != "0x0"' count)
	[ "$spun" -gt 0 ] && [ "$other" -eq 0 ]
	verdict "--state 0: preempted threads only" $? "$spun times, $other others"
}

# memory_of PID: what the kernel keeps for the BPF maps the process holds, in bytes.
memory_of()
{
	cat /proc/"$1"/fdinfo/* 2>/dev/null | awk '$1 == "map_id:" { id = $2 }
		$1 == "memlock:" { bytes = $2 }
		$1 == "map_id:" && !seen[id]++ { sum += bytes }
		END { printf "%d\n", sum }'
}

# 20,000 stacks in one slice need more rows than 16 MiB hold: the slice ends sooner.
max_memory()
{
	for size in 16M 256M; do
		record -q --slice=60 --max-memory $size -o "$T/memory.data" -- \
			"$WORKLOAD" paths 10000
		dump "$T/memory.data"
		lost=$(awk -F '\t' '$1 == "loss" && $2 == "rows-full" { print $3 }' "$T/dump")
		rows=$(sum_rows 1 1)
		slices=$(grep -c ^slice "$T/dump")
		is_complete "$RC" && [ "${lost:-0}" -eq 0 ] && [ "$rows" -gt 2048 ] &&
			if [ $size = 16M ]; then [ "$slices" -ge 4 ]; else [ "$slices" -le 3 ]; fi
		verdict "--max-memory $size: rows, slices, and intervals lost for want of room" $? \
			"status $RC, $rows rows in $slices slices, ${lost:-0} intervals lost"
	done
}

kernel_memory()
{
	for size in 16M 256M; do
		rm -f "$T/err"
		"$RECORD" --max-memory $size -o "$T/memory.data" 60 2>"$T/err" &
		rec=$!
		wait_for_text "$T/err" 'recording to' || fail "--max-memory $size: the recorder does not start"
		sleep 0.5 # what is allocated at need
		kernel=$(memory_of $rec)
		kill $rec
		wait $rec
		[ "$kernel" -gt 0 ] && [ "$kernel" -le $((${size%M} * 1048576)) ]
		verdict "--max-memory $size: the kernel's tables" $? "$kernel bytes"
	done
}

# An explicit number of stacks is a hard bound.
stack_bound()
{
	record -q --stack-storage-size 8 -o "$T/bound.data" -- "$WORKLOAD" fork-tree 20
	dump "$T/bound.data"
	found=$(awk -F '\t' '$1 == "row" { for (i = 17; i <= 20; i++)
		if ($i != "-" && $i !~ /^\[/ && !seen[$i]++) n++ } END { print n + 0 }' "$T/dump")
	lost=$(awk -F '\t' '$1 == "loss" && $2 == "stack-table" { print $3 }' "$T/dump")
	[ "$found" -le 8 ] && [ "$found" -ge 4 ] && [ "${lost:-0}" -gt 0 ]
	verdict "--stack-storage-size 8: stacks kept, and lost" $? "$found, ${lost:-0}"
}

# programs OBJECT: its instructions.
programs()
{
	llvm-objdump -d "$1" | sed 1,2d
}

# What --ebpf prints compiles to the very programs that were built in.
source_printed()
{
	record --ebpf
	cp "$T/out" "$T/printed.bpf.c"
	arch=$(uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
	clang -std=gnu11 -O2 -g -target bpf "-D__TARGET_ARCH_$arch" -idirafter \
		"/usr/include/$(cc -print-multiarch)" -c -o "$T/printed.bpf.o" "$T/printed.bpf.c" 2>"$T/err" &&
		programs "$T/printed.bpf.o" >"$T/printed" && programs "$B/bpf/offwake.bpf.o" >"$T/built" &&
		[ "$(wc -l <"$T/built")" -gt 1000 ] && cmp -s "$T/printed" "$T/built"
	verdict "--ebpf: the source of the programs built in" $? \
		"status $RC, $(wc -l <"$T/printed.bpf.c") lines $(first_line "$T/err")"
}

# Nice value, real-time priority and policy of a process (proc(5), stat, 19, 40 and 41).
priority_of()
{
	awk '{ sub(/^.*\) /, ""); print $17, $38, $39 }' "/proc/$1/stat"
}

# The recorder runs when it has to; what it starts runs as it would without it.
priorities()
{
	usual=$(priority_of self)
	for given in '' --realtime=3; do
		# shellcheck disable=SC2086 # none or one option
		record -q $given -o "$T/priority.data" -- sh -c '
			sed "s/^.*) //" /proc/self/stat | cut -d " " -f 17,38,39
			sed "s/^.*) //" "/proc/$PPID/stat" | cut -d " " -f 17,38,39'
		same "priority of a command${given:+ with $given}" "$usual" "$(sed -n 1p "$T/out")"
		expected="-20 0 0"
		[ -z "$given" ] || expected="${usual%% *} 3 1"
		same "priority of the recorder${given:+ with $given}" "$expected" "$(sed -n 2p "$T/out")"
	done
	chrt -f 7 "$RECORD" -q -o "$T/priority.data" -- sh -c '
		sed "s/^.*) //" "/proc/$PPID/stat" | cut -d " " -f 17,38,39' >"$T/out"
	same "priority of a recorder that was given one by chrt" "${usual%% *} 7 1" "$(cat "$T/out")"
}

check_options()
{
	at_once priorities source_printed threads_by_kind more_than_five stacks_by_kind states \
		kernel_memory stack_bound
	max_memory
}
