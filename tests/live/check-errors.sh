# SPDX-License-Identifier: Apache-2.0
# What cannot be done is said in one sentence, with the right status, and leaves no file.

# refused NAME STATUS ARG...: ARG... without -o; adds it, and looks for what is left.
refused()
{
	name=$1 want=$2
	shift 2
	rm -rf "$T/refuse" && mkdir "$T/refuse"
	record -o "$T/refuse/file" "$@"
	left=$(find "$T/refuse" -type f | wc -l)
	[ "$RC" -eq "$want" ] && [ "$left" -eq 0 ] && [ -s "$T/err" ]
	verdict "$name" $? "status $RC, $left files left: $(first_line "$T/err")"
}

dead_pid()
{
	sh -c 'echo $$'
}

not_root()
{
	rm -rf "$T/nobody" && mkdir -m 777 "$T/nobody"
	cp "$RECORD" "$T/nobody-record" && chmod 755 "$T/nobody-record"
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$T/nobody-record" -o "$T/nobody/file" 1 >"$T/out" 2>"$T/err"
	RC=$?
	left=$(find "$T/nobody" -type f | wc -l)
	[ "$RC" -eq 1 ] && [ "$left" -eq 0 ] && [ "$(wc -l <"$T/err")" -eq 1 ]
	verdict "not root" $? "status $RC, $left files left: $(first_line "$T/err")"
}

# In a mount namespace of its own, the directory of the kernel's type information is empty.
no_btf()
{
	rm -rf "$T/no-btf" && mkdir "$T/no-btf"
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh \
		"$RECORD" -o "$T/no-btf/file" 1 >"$T/out" 2>"$T/err"
	RC=$?
	left=$(find "$T/no-btf" -type f | wc -l)
	[ "$RC" -eq 1 ] && [ "$left" -eq 0 ] && [ "$(wc -l <"$T/err")" -eq 1 ] &&
		grep -q CONFIG_DEBUG_INFO_BTF "$T/err"
	verdict "no BTF" $? "status $RC, $left files left: $(first_line "$T/err")"
}

# Ids there are not the kernel's: what is asked for by id would be another process.
pid_namespace()
{
	rm -rf "$T/pidns" && mkdir "$T/pidns"
	# shellcheck disable=SC2016 # for the inner shell
	unshare -p -f --mount-proc sh -c '"$0" -o "$1" 1; exit $?' \
		"$RECORD" "$T/pidns/file" >"$T/out" 2>"$T/err"
	RC=$?
	left=$(find "$T/pidns" -type f | wc -l)
	[ "$RC" -eq 1 ] && [ "$left" -eq 0 ] && [ "$(wc -l <"$T/err")" -eq 1 ] &&
		grep -qi 'namespace' "$T/err" && grep -qE 'nsenter|host|outside|initial' "$T/err"
	verdict "in a PID namespace" $? "status $RC, $left files left: $(first_line "$T/err")"
}

# A file that is no recording is nobody's to replace, under whichever name.
other_file_as_old()
{
	rm -f "$T/kept.data"*
	record -q -o "$T/kept.data" -- true
	sum=$(cksum <"$T/kept.data")
	echo precious >"$T/kept.data.old"
	record -o "$T/kept.data" -- true
	[ "$RC" -eq 1 ] && [ "$(wc -l <"$T/err")" -eq 1 ] && grep -qF 'kept.data.old' "$T/err"
	verdict "FILE.old is no recording" $? "status $RC: $(first_line "$T/err")"
	same "FILE.old is no recording: it is left alone" precious "$(head -c 100 "$T/kept.data.old" | tr -dc '[:lower:]')"
	same "FILE.old is no recording: so is FILE" "$sum" "$(cksum <"$T/kept.data")"
}

# What was there stays there until there is something to put in its place.
failure_keeps_recording()
{
	rm -f "$T/kept.data"*
	record -q -o "$T/kept.data" -- true
	sum=$(cksum <"$T/kept.data")
	record -o "$T/kept.data" -- "$T/no-such-command"
	same "a command that does not exist: status" 1 "$RC"
	same "a command that does not exist: the recording before keeps its name" "$sum" \
		"$([ ! -e "$T/kept.data" ] || cksum <"$T/kept.data")"
	[ ! -e "$T/kept.data.old" ]
	verdict "a command that does not exist: no FILE.old" $? "$(cd "$T" && echo kept.data*)"
}

# A thread that does not lead its process is no process.
thread_as_process()
{
	start_workload nanosleep 100000 5000 || return
	refused "a thread's id given to -p" 1 -p "$(ready_tids)" 1
	end_workload
}

check_errors()
{
	not_root
	no_btf
	pid_namespace
	other_file_as_old
	failure_keeps_recording
	thread_as_process
	refused "a process that does not exist" 1 -p "$(dead_pid)" 1
	refused "a thread that does not exist" 1 -t "$(dead_pid)" 1
	refused "-p and -t together" 2 -p 1 -t 1 1
	for bad in "-p 1x" "-p 0" "-p -1" "-p 1,,2" "-t x" "-m 0" "-m 5k" "-M -1" \
		"-m 18446744073709551616" "--stack-storage-size 0" "0" "-5" "1x" "1 2" "-m 5 -M 4" \
		"-p 1 -- true" "-u -- true" "5 -- true" "-u -k" "-k -p 1" "-t 1 -u" "-U -K" "--state x" \
		"--state -1" "--state 4294967296" "--max-memory 1M" "--max-memory 5MB" "--max-memory M" \
		"--max-memory 99999999999999999999" "--slice 0" "--" "--no-such-option"; do
		# shellcheck disable=SC2086 # words
		refused "usage: $bad" 2 $bad
	done
	record -o "$T/no/such/directory/file" 1
	same "an output that cannot be written: status" 1 "$RC"
	mkdir -p "$T/directory"
	record -o "$T/directory" 1
	same "an output that is a directory: status" 1 "$RC"
}
