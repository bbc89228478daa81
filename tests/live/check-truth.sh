# SPDX-License-Identifier: Apache-2.0
# Every workload, recorded from before its first instruction to after its last.

# known_answer NAME RECORDER-OPTIONS WORKLOAD [ARG...]
known_answer()
{
	name=$1 options=$2
	shift 2
	steal=$(steal_ns)
	# shellcheck disable=SC2086 # options are words
	witness_record -q $options -o "$T/$name.data" -- "$WORKLOAD" "$@"
	steal=$(($(steal_ns) - steal))
	dump "$T/$name.data"
	if ! is_complete "$RC" || ! is_complete "$DUMP_RC" || ! grep -q '^truth' "$T/out"; then
		fail "$name: statuses $RC and $DUMP_RC: $(tail -n 1 "$T/err") $(first_line "$T/dump.err")"
		return
	fi
	awk -F '\t' -v name="$name" -v steal_ns="$steal" -f "$HERE/rows.awk" \
		-f "$HERE/truth.awk" "$T/out" "$T/dump" >"$T/verdicts"
	tally "$T/verdicts"
}

# In kind preempted lies nearly all of a spinner's time.
spinner_is_preempted()
{
	same "spinner: its time off CPU is in kind preempted only" 0 \
		"$(sum_rows 'kind != "preempted" && has(tu, "ow_spin")' total_ns)"
}

# A's wakes came first, but the sleep that B ended is B's.
aborted_names_b()
{
	a=$(awk '$1 == "ready" && $2 == "ow-a" { print $3 }' "$T/out")
	hits=$(awk '$1 == "truth" { for (i = 2; i < NF; i += 2) if ($i == "hits") n += $(i + 1) }
		END { print n + 0 }' "$T/out")
	wrong=$(sum_rows "has(tu, \"ow_real_block\") && waker_tid == $a" count)
	[ "$wrong" -eq 0 ] && [ "$hits" -ge "$(scaled 200)" ]
	verdict "aborted: A is never named for the sleep that B ended" $? \
		"$wrong wrong after $hits sleeps cut off"
}

no_losses()
{
	lost=$(awk -F '\t' '$1 == "loss" && $2 !~ /^(stack-.*|unseen-switch)$/ { n += $3 } END { print n + 0 }' "$T/dump")
	unobserved=$(sum_rows 'kind == "unobserved"' count)
	hidden=$(awk '$1 == "hidden" { n += $3 } END { print n + 0 }' "$T/out")
	[ "$lost" -eq 0 ] && [ "$unobserved" -le "$hidden" ]
	verdict "$1: losses and unobserved sleeps" $? \
		"$lost and $unobserved; the kernel hid $hidden switches"
}

# A process that is over before its mappings were read has no names; that must be said.
process_exits()
{
	witness_record -q -o "$T/gone.data" -- "$WORKLOAD" exits 4
	dump "$T/gone.data"
	named=$(sum_rows 'comm ~ /^ow-exit/ && has(tu, "ow_timer_block")' count)
	lost=$(awk -F '\t' '$1 == "loss" && $2 == "process-maps" { print $3 }' "$T/dump")
	if [ "$named" -ge 4 ]; then
		ok "process-exits: sleeps of a process that lived 10 ms are named: $named"
	elif [ "${lost:-0}" -gt 0 ]; then
		limit "process-exits: no names for a process that lived 10 ms, counted as lost: $lost"
	else
		fail "process-exits: $named of 4 sleeps are named, and no loss is counted"
	fi
}

# The option must have done what the next checks rely on.
many_slices()
{
	slices=$(awk -F '\t' '$1 == "slice" { n++ } END { print n + 0 }' "$T/dump")
	[ "$slices" -ge $((SLOW > 1 ? 5 : 20)) ]
	verdict "$1: drained often" $? "$slices slices"
}

check_truth()
{
	known_answer futex --slice=0.1 futex "$(scaled 20000)"
	at_once 'known_answer pipe "" pipe' 'known_answer udp "" udp' \
		'known_answer timeout "" timeout' 'known_answer condvar "" condvar' \
		'known_answer nanosleep "" nanosleep' 'known_answer naps "" naps' process_exits \
		'known_answer exits "" exits 40 1500'
	known_answer mutex "" mutex
	known_answer spinner "" spinner
	spinner_is_preempted
	known_answer aborted "" aborted
	aborted_names_b
	known_answer fork-tree --slice=0.1 fork-tree 40
	known_answer futex-100000 "" futex "$(scaled 100000)"
	no_losses futex-100000
	# As many drains as can be: nothing is lost or counted twice between two tables.
	known_answer pipe-short-slices --slice-us=100 pipe "$(scaled 3000)" 100
	many_slices pipe-short-slices
	known_answer futex-short-slices --slice-us=100 futex "$(scaled 50000)"
	many_slices futex-short-slices
	no_losses futex-short-slices
}
