# SPDX-License-Identifier: Apache-2.0
# The file, the pipe, what is said on stderr, and that all outputs tell the same sums.

output_file()
{
	rm -f "$T/own.data" "$T/own.data.old"
	(umask 000 && "$RECORD" -q -o "$T/own.data" -- true >/dev/null 2>&1)
	same "the recording is its owner's only" 600 "$(stat -c %a "$T/own.data")"
	sum=$(cksum <"$T/own.data")
	record -q -o "$T/own.data" -- true
	same "an existing recording becomes FILE.old" "$sum" "$(cksum <"$T/own.data.old")"
	cmp -s "$T/own.data" "$T/own.data.old"
	[ $? -eq 1 ]
	verdict "and the new one is new" $? "$(stat -c %s "$T/own.data") bytes"
	(cd "$T" && "$RECORD" -q -- true >/dev/null 2>&1)
	[ -s "$T/offwake.data" ]
	verdict "the default file is offwake.data" $? "$(stat -c %s "$T/offwake.data" 2>&1) bytes"
}

output_pipe()
{
	start_workload pipe 100000 500 || return
	"$RECORD" -q -o - -p "$(ready_tids)" 1 2>"$T/err" | tee "$T/through.data" |
		"$REPORT" -f - >"$T/piped" 2>"$T/piped.err"
	end_workload
	"$REPORT" -f "$T/through.data" >"$T/filed" 2>"$T/filed.err"
	[ -s "$T/piped" ] && cmp -s "$T/piped" "$T/filed"
	verdict "-o - | offwake-report -f - : the same as through a file" $? \
		"$(wc -l <"$T/piped") lines"
	dump "$T/through.data"
	is_complete "$DUMP_RC"
	verdict "-o - : complete" $? "status $DUMP_RC"
	"$RECORD" -q -o - -- sh -c 'echo "from the command"' 2>"$T/err" >"$T/mixed"
	dump "$T/mixed"
	is_complete "$DUMP_RC"
	verdict "-o - -- COMMAND: the command's own output does not spoil it" $? \
		"status $DUMP_RC $(first_line "$T/dump.err")"
}

quiet()
{
	record -q -o "$T/quiet.data" -- true
	same "-q prints nothing" "0 0" "$(stat -c %s "$T/out") $(stat -c %s "$T/err")"
	record -o "$T/loud.data" -- true
	same "without -q: nothing on stdout, two lines or more on stderr" "0 yes" \
		"$(stat -c %s "$T/out") $([ "$(wc -l <"$T/err")" -ge 2 ] && echo yes)"
}

# folded_sum ARG...: of the last fields; text_sum ARG...: of the lines that hold a number only.
folded_sum()
{
	"$REPORT" -f "$@" 2>/dev/null | awk '{ n += $NF; if ($NF !~ /^[0-9]+$/) bad = 1 }
		END { if (bad) print "malformed"; else printf "%.0f\n", n }'
}

text_sum()
{
	"$REPORT" "$@" 2>/dev/null |
		awk '/^[ \t]+[0-9]+$/ { n += $1 } END { printf "%.0f\n", n }'
}

sums_agree()
{
	file=$T/sums.data
	kinds='(kind == "blocked" || kind == "unobserved" || kind == "open")'
	record -q -o "$file" -- "$WORKLOAD" pipe 500 200
	dump "$file"
	want=$(sum_rows "$kinds" count)
	same "sums: count of folded and dump" "$want" "$(folded_sum --value=count "$file")"
	same "sums: count of text and dump" "$want" "$(text_sum --value=count "$file")"
	want=$(sum_rows "$kinds" total_ns)
	rows=$(sum_rows "$kinds" 1)
	for form in folded text; do
		us=$("${form}_sum" "$file")
		awk -v us="$us" -v ns="$want" -v rows="$rows" \
			'BEGIN { d = ns / 1000 - us; exit !(ns > 0 && d <= rows && d >= -rows) }'
		verdict "sums: time of $form and dump" $? "$us us of $want ns in $rows rows"
	done
	"$REPORT" "$file" >"$T/text" 2>&1
	"$REPORT" -f "$file" >>"$T/text" 2>&1
	same "no frames of our own in any output" 0 \
		"$(grep -cE 'bpf_prog_|bpf_trace_run|__traceiter_' "$T/text")"
}

# closed NAME STREAMS: the recorder without these; a file it opens must not become one of them.
closed()
{
	name=$1
	rm -f "$T/closed.data"
	RC=0
	sh -c "exec \"\$@\" $2" sh "$RECORD" -o "$T/closed.data" -- "$WORKLOAD" nanosleep 20 \
		>"$T/out" 2>"$T/err" || RC=$?
	dump "$T/closed.data"
	slept=$(sum_rows 'has(tu, "ow_timer_block")' count)
	is_complete "$RC" && is_complete "$DUMP_RC" && [ "$slept" -ge 15 ]
	verdict "without $name: a complete recording" $? \
		"status $RC, report $DUMP_RC, $slept sleeps $(first_line "$T/dump.err")"
	same "without $name: nothing in it that is not its own" 0 \
		"$(grep -c -a -e 'offwake-record: ' -e '^truth role' "$T/closed.data")"
}

closed_streams()
{
	closed "stdin" "<&-"
	closed "stdout" ">&-"
	closed "stderr" "2>&-"
	closed "stdout and stderr" ">&- 2>&-"
	closed "stdin and stderr" "<&- 2>&-"
	closed "stdin, stdout and stderr" "<&- >&- 2>&-"
}

check_output()
{
	closed_streams
	output_file
	output_pipe
	quiet
	sums_agree
}
