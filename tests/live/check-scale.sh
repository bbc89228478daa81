# SPDX-License-Identifier: Apache-2.0
# Many stacks, rows, threads and slices: what is counted is counted once, what is lost is said.
# OFFWAKE_SCALE=full (make scale) takes the sizes that are promised and prints figures.

is_full()
{
	[ "${OFFWAKE_SCALE:-}" = full ]
}

# size SMALL FULL
size()
{
	if is_full; then echo "$2"; else echo "$1"; fi
}

figure()
{
	is_full && printf '     %s\n' "$*"
}

# crowd_says FILE: its rows beside the truth in $T/truth, as KEY VALUE lines in $T/crowd.
crowd_says()
{
	dump "$1"
	awk -F '\t' -f "$HERE/rows.awk" -f "$HERE/crowd.awk" FS=' ' "$T/truth" "$T/hidden" FS='\t' \
		"$T/dump" >"$T/crowd"
}

# said KEY
said()
{
	awk -v key="$1" '$1 == key { print $2 }' "$T/crowd"
}

# Each sleep is there once, below its own path, but for what the host hid. Lost names of other
# processes, on a host that starts many, are no matter here.
all_are_there()
{
	[ "$(said unexplained)" = 0 ] && [ "$(said extra)" = 0 ] && [ "$(said torn)" = 0 ] &&
		[ "$(said nameless)" = 0 ] && [ "$(said slept)" -gt 0 ] &&
		[ "$(said unordered)" = 0 ] && [ "$(said ended)" = 1 ] && [ "$(said other_lost)" = 0 ]
	verdict "$1" $? "$(said slept) sleeps of $(said members) threads in $(said rows) rows and\
 $(said slices) slices: $(said missing) missing, $(said unexplained) of them not hidden by the host,\
 $(said extra) twice, $(said nameless) without a stack; $(said rows_lost) intervals and\
 $(said stacks_lost) stacks lost"
}

# crowd_alive ARG...: in the background; CROWD_PID, and in CROWD_TGIDS its processes.
crowd_alive()
{
	rm -f "$T/truth"
	"$CROWD" -w "$@" >"$T/truth" 2>"$T/crowd.err" &
	CROWD_PID=$!
	tries=0
	while ! grep -q ^ready "$T/truth" 2>/dev/null; do
		if [ $tries -ge 1200 ] || ! kill -0 "$CROWD_PID" 2>/dev/null; then
			fail "crowd $*: $(first_line "$T/crowd.err")"
			kill -KILL "$CROWD_PID" 2>/dev/null
			return 1
		fi
		sleep 0.05
		tries=$((tries + 1))
	done
	CROWD_TGIDS=$(awk '$1 == "ready" { print $2 }' "$T/truth")
}

# record_crowd ARG...: records it in the background, beside a witness; REC_PID once it has begun.
record_crowd()
{
	rm -f "$T/err"
	"$WITNESS" "$T/hidden" "$RECORD" -o "$T/crowd.data" -p "$CROWD_TGIDS" "$@" \
		>"$T/out" 2>"$T/err" &
	WITNESS_PID=$!
	if ! wait_for_text "$T/err" 'recording to'; then
		fail "the crowd's recorder did not start: $(first_line "$T/err")"
		kill -KILL "$CROWD_PID"
		return 1
	fi
	REC_PID=$(pgrep -P "$WITNESS_PID")
}

# Until the crowd is through: two minutes at most.
await_crowd()
{
	tries=0
	until grep -q ^done "$T/truth" || [ $tries -ge 1200 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
}

# The recorder ends first: RC.
end_crowd()
{
	kill -TERM "$REC_PID"
	RC=0
	wait "$WITNESS_PID" || RC=$?
	kill -KILL "$CROWD_PID"
	wait "$CROWD_PID" 2>/dev/null
}

# The method that was before us runs beside us, over the same load.
distinct_stacks()
{
	n=$(size 20000 100000)
	"$WITNESS" "$T/hidden" "$ANCESTOR" "$T/ancestor" "$RECORD" -q -o "$T/crowd.data" -- \
		"$CROWD" 1 8 "$n" 1 100 split >"$T/truth" 2>"$T/err"
	crowd_says "$T/crowd.data"
	all_are_there "$n distinct stacks"
	same "$n distinct stacks: lost" 0 "$(said stacks_lost)"
	theirs=$(awk '$1 == "ancestor:" { print $5 }' "$T/err")
	[ "${theirs:-0}" -gt 0 ]
	verdict "$n distinct stacks: in 16,384 buckets some must be lost" $? \
		"$(grep ^ancestor: "$T/err")"
	figure "$n new stacks in $(said ms) ms: ours lost $(said stacks_lost) stacks;" \
		"$(grep ^ancestor: "$T/err")"
}

# How fast may new stacks come? As fast as this host makes them, below 8 to 64 threads.
stack_rates()
{
	for us in 200 50 20; do
		for threads in 8 64; do
			"$WITNESS" "$T/hidden" "$RECORD" -q -o "$T/crowd.data" -- \
				"$CROWD" 1 $threads 100000 1 $us split >"$T/truth" 2>"$T/err"
			crowd_says "$T/crowd.data"
			figure "$threads threads that sleep $us us: $(($(said slept) * 1000 / $(said ms)))\
 new stacks a second, $(said stacks_lost) lost"
		done
	done
}

# A slice ends sooner when its table is half full, however long it might last.
many_rows()
{
	n=$(size 20000 200000)
	# shellcheck disable=SC2046 # words
	"$WITNESS" "$T/hidden" "$RECORD" -q --slice 60 $(size "--max-memory 32M" "") \
		-o "$T/crowd.data" -- "$CROWD" 1 64 $((n / 64)) 1 500 >"$T/truth" 2>"$T/err"
	crowd_says "$T/crowd.data"
	all_are_there "$n distinct rows in one go"
	same "$n distinct rows in one go: intervals lost" 0 "$(said rows_lost)"
	[ "$(said rows)" -ge $((n * 99 / 100)) ] && [ "$(said slices)" -gt 3 ]
	verdict "$n distinct rows in one go: the slice of a minute ended sooner" $? \
		"$(said rows) rows in $(said slices) slices"
	figure "$(($(said rows) * 1000 / $(said ms))) new rows a second, $(said rows_lost) lost"
}

# truth: all intervals of a crowd that was recorded alive. Of each member the wait for the start, and
# what each switch since has begun; of each process its first thread, which only waits.
# found: what is there of them, and what is said to be missing.
add_up()
{
	truth=$(($(said switches) + $(said members) + $(said processes)))
	found=$(($(said all) + $(said rows_lost) + $(said unseen)))
}

# 8,192 rows have room, and nobody makes more while the recorder is stopped.
overflow()
{
	crowd_alive 1 32 600 1 300 || return
	record_crowd --max-memory 16M --slice 60 || return
	kill -STOP "$REC_PID"
	kill -USR1 "$CROWD_PID"
	sleep "$(size 1 4)"
	kill -CONT "$REC_PID"
	await_crowd
	end_crowd
	crowd_says "$T/crowd.data"
	add_up
	[ "$RC" -eq 3 ] && [ "$(said rows_lost)" -gt 1000 ] && [ "$found" -eq "$truth" ]
	verdict "a full table: what is counted and what is lost make up the whole" $? \
		"status $RC; $(said all) + $(said rows_lost) lost + $(said unseen) unseen = $found, truth $truth"
	grep -q 'let the recorder wait for .* --realtime' "$T/err"
	verdict "a full table: a recorder that could not run says so, with the cure" $? \
		"$(grep 'let the recorder' "$T/err")"
	time=$(($(said all_ms) + $(said rows_lost_ms)))
	off=$(said off_ms)
	[ "$time" -le $((off * 101 / 100 + 20)) ] && [ "$time" -ge $((off * 95 / 100)) ]
	verdict "a full table: so does their time" $? \
		"$(said all_ms) + $(said rows_lost_ms) ms lost, truth $off ms"
}

# The ring of a megabyte is full before all stacks were seen: what they name then has no stack, and
# what they name once the recorder reads again has.
lost_in_ring()
{
	crowd_alive 1 8 9000 "$(size 20 40)" 300 split || return
	record_crowd --max-memory 32M --slice 60 || return
	kill -STOP "$REC_PID"
	kill -USR1 "$CROWD_PID"
	sleep 1
	kill -CONT "$REC_PID"
	await_crowd
	end_crowd
	crowd_says "$T/crowd.data"
	add_up
	ring=$(awk -F '\t' '$1 == "loss" && $2 == "stack-ring" { print $3 }' "$T/dump")
	[ "${ring:-0}" -gt 0 ] && [ "$(said nameless)" -gt 0 ] &&
		[ "$found" -eq "$truth" ] && [ "$(said extra)" -eq 0 ] &&
		[ "$(said unexplained)" -le $(($(said nameless) + $(said rows_lost))) ]
	verdict "a full ring: intervals without their stack are marked" $? \
		"$ring times full, $(said nameless) of $found without a stack, truth $truth"
	same "a full ring: stacks that never came" 0 "$(said absent)"
}

# Five seconds without the recorder: the tables have room for so few rows.
stopped()
{
	s=$(size 1 5)
	crowd_alive 1 8 8 $((s * 125)) 1500 || return
	record_crowd || return
	kill -USR1 "$CROWD_PID"
	sleep 0.5
	kill -STOP "$REC_PID"
	sleep "$s"
	kill -CONT "$REC_PID"
	await_crowd
	end_crowd
	crowd_says "$T/crowd.data"
	all_are_there "the recorder was stopped for $s s"
	[ "$(said longest_ms)" -ge $((s * 1000 - 100)) ]
	verdict "the recorder was stopped for $s s: a slice says so" $? \
		"the longest lasts $(said longest_ms) ms"
	time=$(said blocked_ms)
	truth=$(said asleep_ms)
	[ "$time" -le "$truth" ] && [ "$time" -ge $((truth * 85 / 100)) ]
	verdict "the recorder was stopped for $s s: time asleep" $? "$time ms of $truth by its own clock"
}

# The maps are swapped under load.
many_short_slices()
{
	"$WITNESS" "$T/hidden" "$RECORD" -q --slice-us 1000 -o "$T/crowd.data" -- \
		"$CROWD" 1 8 16 "$(size 500 6000)" 50 >"$T/truth" 2>"$T/err"
	crowd_says "$T/crowd.data"
	all_are_there "slices of a millisecond"
	[ "$(said slices)" -ge "$(size 30 1000)" ]
	verdict "slices of a millisecond: there are many" $? "$(said slices) in $(said ms) ms"
}

# A recorder with the format's limits lowered: where the file can hold no more threads, mappings or
# stacks, what is new is lost and counted, and the recording goes on to its end.
format_limits()
{
	crowd_alive 1 32 20 5 500 || return
	unlimited=$RECORD
	RECORD=$LIMITED
	export LIMIT_THREADS=20 LIMIT_MAPPINGS=3 LIMIT_STACKS=10 LIMIT_MODULES=2 LIMIT_SYMBOLS=1
	record_crowd --reconcile
	began=$?
	unset LIMIT_THREADS LIMIT_MAPPINGS LIMIT_STACKS LIMIT_MODULES LIMIT_SYMBOLS
	RECORD=$unlimited
	[ $began -eq 0 ] || return
	kill -USR1 "$CROWD_PID"
	await_crowd
	end_crowd
	crowd_says "$T/crowd.data"
	add_up
	[ "$RC" -eq 3 ] && grep -q ^end "$T/dump" && [ "$(said rows_lost)" -gt 0 ] &&
		[ "$found" -eq "$truth" ]
	verdict "20 threads are all that the file can hold: the rest is counted" $? \
		"status $RC; $(said all) + $(said rows_lost) lost + $(said unseen) unseen = $found, truth $truth"
	for cause in process-maps stack-table; do
		lost=$(awk -F '\t' -v cause=$cause '$1 == "loss" && $2 == cause { print $3 }' "$T/dump")
		[ "${lost:-0}" -gt 0 ]
		verdict "3 mappings and 10 stacks are all that the file can hold: $cause" $? "$lost"
	done
	lost=$("$REPORT" --info "$T/crowd.data" 2>/dev/null |
		sed -n 's/.*accounts lost: //p')
	[ "${lost:-0}" -ge 12 ]
	verdict "20 threads are all that the file can hold: accounts of the others" $? "$lost missing"
	lost=$(awk -F '\t' '$1 == "meta" && $2 == "unnamed_files" { print $3 }' "$T/dump")
	[ "${lost:-0}" -gt 0 ]
	verdict "2 files and 1 function are all that the file can hold: files without names" $? "$lost"
}

now_cs()
{
	awk '{ printf "%d\n", $1 * 100 }' /proc/uptime
}

# Threads that are there before the recorder comes.
many_threads()
{
	n=$(size 3000 30000)
	before=$(now_cs)
	crowd_alive 8 "$n" 1 3 20000 || return
	figure "$n threads in 8 processes made in $(($(now_cs) - before))0 ms"
	before=$(now_cs)
	record_crowd || return
	figure "the recorder began $(($(now_cs) - before))0 ms after its start, all of them seen to"
	kill -USR1 "$CROWD_PID"
	await_crowd
	hwm=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$REC_PID/status")
	before=$(now_cs)
	end_crowd
	figure "it ended $(($(now_cs) - before))0 ms after it was told to; its memory was at most $hwm KiB"
	crowd_says "$T/crowd.data"
	all_are_there "$n threads"
	same "$n threads: members" "$n" "$(said members)"
	began=$(awk -F '\t' '$1 == "row" && $4 ~ /began/ && !seen[$6]++ { n++ } END { print n + 0 }' "$T/dump")
	[ "$began" -ge $((n * 99 / 100)) ]
	verdict "$n threads: were off CPU before" $? "$began"
}

allow_threads()
{
	is_full || return 0
	OLD_PID_MAX=$(cat /proc/sys/kernel/pid_max)
	OLD_THREADS_MAX=$(cat /proc/sys/kernel/threads-max)
	[ "$OLD_PID_MAX" -ge 131072 ] || echo 131072 >/proc/sys/kernel/pid_max
	[ "$OLD_THREADS_MAX" -ge 100000 ] || echo 100000 >/proc/sys/kernel/threads-max
}

restore_threads()
{
	is_full || return 0
	echo "$OLD_PID_MAX" >/proc/sys/kernel/pid_max
	echo "$OLD_THREADS_MAX" >/proc/sys/kernel/threads-max
}

# frames_of COMM: of its stack below the sleep, and + if it is marked as cut.
frames_of()
{
	awk -F '\t' -v who="$1" -f "$HERE/rows.awk" -f - "$T/dump" <<-'PROGRAM'
		$1 == "row" {
			row_fields()
			if (comm == who && has(tu, "ow_deep_block")) {
				cut = sub(/;\[truncated\]$/, "", tu)
				print split(tu, frame, ";") (cut ? "+" : "")
			}
		}
	PROGRAM
}

# The limit of 127 frames: one below, on it, and one above it.
depth_edge()
{
	where=${1:-}
	record -q -o "$T/deep.data" -- "$WORKLOAD" deep 5 10
	dump "$T/deep.data"
	few=$(frames_of ow-deep | sort -u)
	record -q -o "$T/deep.data" -- "$WORKLOAD" deep 5 $((126 - ${few:-10} + 10)) 3
	dump "$T/deep.data"
	# where the kernel walks no further than 127, nobody can tell whether that was all
	on=127+
	[ "$(cat /proc/sys/kernel/perf_event_max_stack)" -eq 127 ] || on=127
	same "a stack of 126 frames$where" 126 "$(frames_of ow-deep | sort -u)"
	same "a stack of 127 frames$where" $on "$(frames_of ow-deep-1 | sort -u)"
	same "a stack of 128 frames$where" 127+ "$(frames_of ow-deep-2 | sort -u)"
	same "a stack of 128 frames$where: in JSON, too" true "$("$REPORT" --json "$T/deep.data" 2>/dev/null |
		grep -o '"comm": *"ow-deep-2".*' | grep -o '"user_truncated": *[a-z]*' | head -n 1 |
		sed 's/.*: *//')"
}

# A kernel that walks further is wanted for a moment; others may be walking.
depth_edge_beyond()
{
	max_stack=/proc/sys/kernel/perf_event_max_stack
	old=$(cat $max_stack)
	if { echo 200 >$max_stack; } 2>/dev/null; then
		depth_edge ", where the kernel walks 200"
		{ echo "$old" >$max_stack; } 2>/dev/null ||
			fail "$max_stack cannot be set back to $old: it is in use"
	else
		skip "the kernel's own limit of frames is in use"
	fi
}

check_scale()
{
	distinct_stacks
	many_rows
	if is_full; then
		overflow
		lost_in_ring
		stopped
		format_limits
	else
		at_once overflow lost_in_ring stopped format_limits
	fi
	depth_edge
	many_short_slices
	allow_threads
	many_threads
	restore_threads
	if is_full; then
		stack_rates
		depth_edge_beyond
	fi
}
