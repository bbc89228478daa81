# SPDX-License-Identifier: Apache-2.0
# Names travel in the recording: it is read where none of the files are, after they are gone.

# elsewhere FILE: its dump as an empty root shows it.
elsewhere()
{
	rm -rf "$T/nowhere" && mkdir "$T/nowhere"
	"$REPORT" --symfs="$T/nowhere" --dump "$1" >"$T/dump" 2>"$T/dump.err"
}

binary_is_gone()
{
	cp "$(command -v sleep)" "$T/gone"
	"$RECORD" -q -o "$T/gone.data" -- sh -c \
		'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" 0.01; done' "$T/gone" >"$T/out" 2>"$T/err"
	rm -f "$T/gone"
	elsewhere "$T/gone.data"
	found=$(sum_rows 'comm == "gone" && kind == "blocked" && has(tu, "clock_nanosleep")' count)
	[ "$found" -ge 8 ]
	verdict "gone: the C library's functions are named without it" $? "$found of 10 sleeps"
	cp "$WORKLOAD" "$T/gone"
	"$RECORD" -q -o "$T/own.data" -- "$T/gone" pipe 300 >"$T/out" 2>"$T/err"
	rm -f "$T/gone"
	elsewhere "$T/own.data"
	all=$(sum_rows 'comm ~ /^ow-p/ && kind == "blocked" && tu ~ /ow_/' count)
	[ "$all" -ge 500 ]
	verdict "gone: a program's own functions are named without it" $? "$all sleeps"
	"$RECORD" -q --symbols=none -o "$T/nosyms.data" -- "$WORKLOAD" pipe 300 >"$T/out" 2>"$T/err"
	elsewhere "$T/nosyms.data"
	same "--symbols=none: names that travelled" 0 "$(sum_rows 'tu ~ /ow_/' count)"
}

kernel_names_can_be_few()
{
	"$RECORD" -q -o "$T/all.data" -- "$WORKLOAD" nanosleep 50 1000 >"$T/out" 2>"$T/err"
	"$RECORD" -q --kallsyms=used -o "$T/used.data" -- "$WORKLOAD" nanosleep 50 1000 \
		>"$T/out" 2>"$T/err"
	big=$(wc -c <"$T/all.data") small=$(wc -c <"$T/used.data")
	dump "$T/used.data"
	named=$(sum_rows 'comm ~ /^ow-timer/ && has(tk, "do_nanosleep") && wk ~ /hrtimer_interrupt/' count)
	unnamed=$(sum_rows 'tk ~ /\[kernel\]|\[unknown\]/' count)
	[ "$small" -lt $((big / 10)) ] && [ "$named" -gt 0 ] && [ "$unnamed" -eq 0 ]
	verdict "--kallsyms=used" $? "$small bytes of $big, $named sleeps named, $unnamed unnamed"
}

# Each that blocks is there with its name and its mappings, however short it lived.
short_lives()
{
	"$RECORD" -q -o "$T/true.data" -- sh -c \
		'i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i + 1)); done' >"$T/out" 2>"$T/err"
	dump "$T/true.data"
	found=$(awk -F '\t' '
		$1 == "process" { comm[$3] = comm[$3] " " $4 }
		$1 == "loss" && $2 == "process-maps" { lost = $3 }
		$1 == "row" && $8 == "true" { rows++
			if (comm[$7] !~ /true/) nameless++
			if ($18 ~ /^\[unknown\](;\[unknown\])*$/) unmapped++ }
		END { print rows + 0, nameless + 0, unmapped + 0, lost + 0 }' "$T/dump")
	set -- $found
	[ "$1" -ge 10 ] && [ "$2" -eq 0 ] && [ "$3" -eq 0 ] && [ "$4" -eq 0 ]
	verdict "1,000 short lives" $? "$1 rows, $2 without a process, $3 without a mapping, $4 lost"
}

code_made_at_run_time()
{
	"$RECORD" -q --slice=0.1 -o "$T/jit.data" -- "$WORKLOAD" jit 100 5000 >"$T/out" 2>"$T/err"
	if grep -q 'no code for this machine' "$T/err"; then
		skip "jit: no code for this machine"
		return
	fi
	elsewhere "$T/jit.data"
	found=$(sum_rows 'has(tu, "ow_jit_sleeps in script.x:3")' count)
	anon=$(sum_rows 'tu ~ /\[anon\]/' count)
	[ "$found" -ge 90 ] && [ "$anon" -eq 0 ]
	verdict "jit: named by the process's own map" $? "$found of 100 sleeps, $anon unnamed"
}

check_travel()
{
	binary_is_gone
	kernel_names_can_be_few
	short_lives
	code_made_at_run_time
}
