# SPDX-License-Identifier: Apache-2.0
# The recorder as a guest: what it is allowed, what it hands on, what it leaves, and whether it
# gets in its own way or in that of another recorder.

# begin_recording ARG...: in the background, until it says that it records; REC_PID, and its helpers, HELPER_PID
# that names functions and STATS_PID.
begin_recording()
{
	rm -f "$T/rec.err"
	env --default-signal=INT "$RECORD" "$@" >"$T/rec.out" 2>"$T/rec.err" &
	REC_PID=$!
	wait_for_text "$T/rec.err" 'recording to' || fail "guest: the recorder does not start"
	wait_for_text "/proc/$REC_PID/status" '^NoNewPrivs:.*1'
	read -r HELPER_PID STATS_PID _ <"/proc/$REC_PID/task/$REC_PID/children"
}

# end_recording SIGNAL: RC.
end_recording()
{
	[ -z "${1:-}" ] || kill -s "$1" "$REC_PID"
	RC=0
	wait "$REC_PID" 2>/dev/null || RC=$?
}

# is_gone PID: within a second; a zombie nobody waits for is gone.
is_gone()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		case $(cat "/proc/$1/stat" 2>/dev/null) in "" | *") Z "*) return 0 ;; esac
		sleep 0.1
	done
	return 1
}

# rows_of_recorder: of $T/dump, where it is the target.
rows_of_recorder()
{
	sum_rows "tgid == $REC_PID || tgid == $HELPER_PID || tgid == $STATS_PID" 1
}

guest_self()
{
	begin_recording -o "$T/self.data" 1
	end_recording
	dump "$T/self.data"
	same "guest: rows of the recorder and its helpers" 0 "$(rows_of_recorder)"
	[ "$(sum_rows 1 1)" -gt 0 ]
	verdict "guest: rows of others" $? "$(sum_rows 1 1)"
	for which in "" "-p $$"; do
		# shellcheck disable=SC2086 # words
		begin_recording --self $which -o "$T/self.data" 1
		end_recording
		dump "$T/self.data"
		[ "$(rows_of_recorder)" -gt 1 ] &&
			[ "$(sum_rows "tgid == $REC_PID && has(tk, \"schedule\")" count)" -ge 10 ]
		verdict "guest: rows of the recorder with --self $which" $? "$(rows_of_recorder)"
	done
	begin_recording --self -o "$T/self.data" -- sleep 0.5
	end_recording
	dump "$T/self.data"
	[ "$(rows_of_recorder)" -gt 1 ] && [ "$(sum_rows 'comm == "sleep"' 1)" -ge 1 ]
	verdict "guest: rows of the recorder and of the command with --self" $? "$(rows_of_recorder)"
}

# The set that docs/security.md lists, as /proc shows it.
documented_caps()
{
	awk -F '|' '$2 ~ /^ CAP_/ && $4 ~ /always/ {
		if ($3 >= 32) high += 2 ^ ($3 - 32); else low += 2 ^ $3
	} END { printf "%08x%08x\n", high, low }' \
		"$HERE/../../docs/security.md"
}

caps_of()
{
	awk -v set="$2:" '$1 == set { print $2 }' "/proc/$1/status"
}

guest_caps()
{
	want=$(documented_caps)
	begin_recording -o "$T/caps.data" 30
	for set in CapPrm CapEff CapBnd; do
		same "guest: $set while it records is what docs/security.md lists" "$want" \
			"$(caps_of "$REC_PID" $set)"
	done
	for set in CapInh CapAmb; do
		same "guest: $set while it records" 0000000000000000 "$(caps_of "$REC_PID" $set)"
	done
	for set in CapPrm CapEff CapInh CapAmb; do
		same "guest: $set of its helper" 0000000000000000 "$(caps_of "$HELPER_PID" $set)"
	done
	same "guest: the helper's user" 65534 "$(awk '$1 == "Uid:" { print $3 }' "/proc/$HELPER_PID/status")"
	same "guest: descriptors of the helper" "2 4" \
		"$(echo $(ls "/proc/$HELPER_PID/fd"))"
	for set in CapPrm CapEff CapBnd; do
		same "guest: $set of the helper for BPF statistics" 0000000000200000 \
			"$(caps_of "$STATS_PID" $set)"
	done
	same "guest: descriptors of that" "2 3" "$(echo $(ls "/proc/$STATS_PID/fd"))"
	end_recording INT
	dump "$T/caps.data"
	is_complete "$RC"
	verdict "guest: it ends well without the others" $? "status $RC"
}

# What a process can tell of what it was given.
given()
{
	cat <<-'PROGRAM'
		grep -E '^(Sig(Blk|Ign)|Shd|Cap|NoNewPrivs|Seccomp:|Groups|Uid)' /proc/self/status
		for fd in /proc/$$/fd/*; do case $(readlink $fd) in *given) ;; *) echo ${fd##*/};; esac; done
		ulimit -n; ulimit -c; ulimit -f; umask
	PROGRAM
}

guest_command()
{
	given >"$T/given"
	sh "$T/given" </dev/null >"$T/without" 2>"$T/err"
	record -q -o "$T/command.data" -- sh "$T/given" </dev/null
	diff "$T/without" "$T/out" >"$T/differ"
	verdict "guest: a command has what it has without a recorder" $? \
		"$(wc -l <"$T/out") lines $(tr "\n" " " <"$T/differ")"
	RC=0
	setpriv --inh-caps +bpf,+perfmon --ambient-caps +bpf,+perfmon \
		"$RECORD" -q -o "$T/command.data" -- grep -E 'CapInh|CapAmb' /proc/self/status \
		>"$T/out" 2>"$T/err" || RC=$?
	[ "$(grep -c 0000000000000000 "$T/out")" -eq 2 ]
	verdict "guest: capabilities that the recorder inherited end with it" $? \
		"$(tr '\n\t' '  ' <"$T/out")"
}

# Without root: the capabilities come from the file, and go no further.
guest_without_root()
{
	if ! command -v setcap >/dev/null; then
		limit "guest: no setcap here, recording without root is not tried"
		return
	fi
	rm -rf "$T/user" && mkdir -m 777 "$T/user"
	cp "$RECORD" "$T/user/record"
	caps=$(awk -F '|' '$2 ~ /^ CAP_/ && $5 ~ /yes/ { gsub(" ", "", $2); printf "%s%s", n++ ? "," : "", tolower($2) }' \
		"$HERE/../../docs/security.md")
	if ! setcap "$caps=ep" "$T/user/record" 2>"$T/err"; then
		limit "guest: no file capabilities here: $(first_line "$T/err")"
		return
	fi
	as_user="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"
	RC=0
	$as_user "$T/user/record" -o "$T/user/data" -- cat /proc/self/status >"$T/out" 2>"$T/err" || RC=$?
	dump "$T/user/data"
	is_complete "$RC"
	verdict "guest: recording without root, with $caps" $? "status $RC: $(first_line "$T/err")"
	for set in CapPrm CapEff CapInh CapAmb; do
		same "guest: $set of the command then" 0000000000000000 \
			"$(awk -v set=$set: '$1 == set { print $2 }' "$T/out")"
	done
	start_workload nanosleep 100000 5000 || return
	RC=0
	$as_user "$T/user/record" -q -p "$WL_PID" -o "$T/user/data" 2 2>"$T/err" || RC=$?
	end_workload
	dump "$T/user/data"
	named=$(sum_rows 'has(tu, "ow_timer_block")' count)
	[ "$named" -ge 50 ]
	verdict "guest: it names the functions of root's processes" $? "status $RC, $named sleeps"
	RC=0
	$as_user "$T/user/record" --check >"$T/out" 2>"$T/err" || RC=$?
	[ "$RC" -eq 0 ] && ! grep -qv '^ok' "$T/out"
	verdict "guest: --check then" $? "status $RC: $(grep -m 1 -v '^ok' "$T/out")"
}

# bpf_ids PID: "prog 12", "map 13", "link 14" for each that the process holds.
bpf_ids()
{
	cat "/proc/$1/fdinfo/"* 2>/dev/null |
		awk '$1 ~ /^(prog|map|link)_id:$/ { sub("_id:", "", $1); print $1, $2 }' | sort -u
}

# left_of FILE: how many of the ids in it are still in the kernel.
left_of()
{
	left=0
	while read -r kind id; do
		bpftool "$kind" show id "$id" >/dev/null 2>&1 && left=$((left + 1))
	done <"$1"
	echo $left
}

# nothing_is_left FILE: within seconds; the kernel frees them when it finds the time.
nothing_is_left()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(left_of "$1")" -eq 0 ] && return 0
		sleep 0.3
	done
	return 1
}

guest_kill()
{
	find /sys/fs/bpf | sort >"$T/pins"
	begin_recording -o "$T/kill.data" -- sleep 60
	command=$(pgrep -P "$REC_PID" -x sleep)
	sleep 1.2 # beyond its first slice
	bpf_ids "$REC_PID" >"$T/ids"
	[ "$(grep -c prog "$T/ids")" -ge 6 ] && [ "$(grep -c map "$T/ids")" -ge 8 ] &&
		[ "$(grep -c link "$T/ids")" -ge 4 ] && [ "$(left_of "$T/ids")" -eq "$(wc -l <"$T/ids")" ]
	verdict "guest: BPF programs, maps and links while it records" $? "$(wc -l <"$T/ids")"
	end_recording KILL
	is_gone "$HELPER_PID" && is_gone "$STATS_PID"
	verdict "guest: its helpers end with it" $? "processes $HELPER_PID and $STATS_PID"
	nothing_is_left "$T/ids"
	same "guest: of them after SIGKILL" 0 "$(left_of "$T/ids")"
	same "guest: pins after SIGKILL" "" "$(find /sys/fs/bpf | sort | comm -13 "$T/pins" -)"
	kill -0 "$command"
	verdict "guest: the command goes on" $? "process $command"
	sleep 60 &
	same "guest: the command's descriptors are those of any" "$(echo $(ls "/proc/$!/fd"))" \
		"$(echo $(ls "/proc/$command/fd"))"
	kill $!
	kill "$command"
	dump "$T/kill.data"
	same "guest: the recording is readable as one cut short" 3 "$DUMP_RC"
}

# Where the helper is stopped, no answer ever comes, as from a file on a dead server.
guest_naming()
{
	begin_recording --naming-seconds=1 -o "$T/naming.data" 30
	kill -STOP "$HELPER_PID"
	before=$(now_ms)
	end_recording INT
	took=$(($(now_ms) - before))
	dump "$T/naming.data"
	is_complete "$RC" && is_complete "$DUMP_RC" && [ "$took" -ge 950 ] && [ "$took" -le 5000 ] &&
		grep -q 'no time to read.* the function names' "$T/rec.err"
	verdict "guest: naming that hangs is given up" $? \
		"status $RC, $took ms: $(grep -o 'no time.*files' "$T/rec.err")"
	"$REPORT" --info "$T/naming.data" >"$T/out" 2>/dev/null
	grep -q 'unnamed_files' "$T/out"
	verdict "guest: the recording says so" $? "$(grep -m 1 unnamed "$T/out")"
	kill -CONT "$HELPER_PID"
	is_gone "$HELPER_PID"
	verdict "guest: a helper that was stopped ends when it goes on" $? "process $HELPER_PID"

	begin_recording -o "$T/naming.data" 30
	kill -STOP "$HELPER_PID"
	kill -INT "$REC_PID"
	sleep 1
	kill -0 "$REC_PID"
	verdict "guest: after one Ctrl-C it waits for names" $? "a second later"
	before=$(now_ms)
	end_recording INT
	took=$(($(now_ms) - before))
	dump "$T/naming.data"
	is_complete "$RC" && is_complete "$DUMP_RC" && [ "$took" -le 2000 ]
	verdict "guest: a second Ctrl-C ends it at once" $? "status $RC, $took ms"
	kill -CONT "$HELPER_PID"
}

# More files than descriptors, gone when the next twenty run: to be read before they are let go.
# Some are gone before they are seen at all.
guest_files()
{
	rm -rf "$T/files" && mkdir "$T/files"
	for i in $(seq 200); do
		cp "$B/tests/live/image-pie-a" "$T/files/$i"
	done
	RC=0
	# shellcheck disable=SC2016 # for the inner shells
	setpriv --bounding-set -sys_resource sh -c 'ulimit -n 480; exec "$@"' sh \
		"$RECORD" -q --slice=0.1 -o "$T/files.data" -- \
		sh -c 'for i in 0 1 2 3 4 5 6 7 8 9; do
			for file in "$0"/*"$i"; do "$file" 150 & done
			wait
			rm "$0"/*"$i"
		done' "$T/files" \
		>"$T/out" 2>"$T/err" || RC=$?
	dump "$T/files.data"
	named=$(sum_rows 'has(tu, "ow_image_a_block")' count)
	unnamed=$("$REPORT" --info "$T/files.data" 2>/dev/null | awk '$2 == "unnamed_files:" { print $3 }')
	[ "$RC" -ne 1 ] && [ "$named" -ge 120 ]
	verdict "guest: of 200 files more are named than there are descriptors, 94" $? \
		"status $RC, $named, and ${unnamed:-0} closed too early"
}

# verdicts_of NAME DUMP-OF [everybody]: the verdicts on one of two recordings of what $T/out tells.
verdicts_of()
{
	dump "$2"
	awk -F '\t' -v name="$1" -v everybody="${3:-}" -v steal_ns="$steal" -f "$HERE/rows.awk" -f "$HERE/truth.awk" \
		"$T/out" "$T/dump" >"$T/verdicts"
	tally "$T/verdicts"
}

# The witness stands beside the first, which begins earlier and ends later.
guest_two()
{
	for workload in "futex 20000"; do
		rm -f "$T/rec.err"
		env --default-signal=INT "$WITNESS" "$T/hidden" "$RECORD" -o "$T/first.data" 60 \
			>"$T/rec.out" 2>"$T/rec.err" &
		parent=$!
		wait_for_text "$T/rec.err" 'recording to' || fail "guest: the first recorder does not start"
		read -r rec _ <"/proc/$parent/task/$parent/children"
		steal=$(steal_ns)
		# shellcheck disable=SC2086 # words
		record -q -o "$T/second.data" -- "$WORKLOAD" $workload
		steal=$(($(steal_ns) - steal))
		kill -INT "$rec"
		wait "$parent"
		cat "$T/hidden" >>"$T/out"
		[ ! -s "$T/hidden" ] || HOST_HIDES=yes
		verdicts_of "guest: the second of two recorders, ${workload%% *}" "$T/second.data"
		verdicts_of "guest: the first of two recorders, ${workload%% *}" "$T/first.data" \
			everybody
	done
}

guest_one_file()
{
	begin_recording -o "$T/busy.data" 30
	record -o "$T/busy.data" 1
	[ "$RC" -eq 1 ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -q 'busy.data.*-o' "$T/err" &&
		! [ -e "$T/busy.data.old" ]
	verdict "guest: a recording that is being written is left alone" $? "status $RC: $(first_line "$T/err")"
	end_recording INT
	dump "$T/busy.data"
	is_complete "$RC" && is_complete "$DUMP_RC"
	verdict "guest: and is complete" $? "status $RC"
	record -q -o "$T/busy.data" -- true
	[ -e "$T/busy.data.old" ] && [ "$RC" -ne 1 ]
	verdict "guest: once it is ended it makes room" $? "status $RC"
}

check_guest()
{
	at_once guest_self guest_caps guest_command guest_without_root guest_kill guest_naming \
		guest_one_file
	guest_files
	guest_two
}
