# SPDX-License-Identifier: Apache-2.0
# Who is recorded: children, thread names, cgroups; and what is said when nobody was. Sourced by
# check-filters.sh.

# --- children ---------------------------------------------------------------------------------

# kin_run TID-OPTION ARG...: both families grow while kin-a is recorded with these options.
kin_run()
{
	start_workload kin 10 10000 || return
	kin_a=$(awk '$2 == "kin-a" { print $3 }' "$T/truth")
	kin_b=$(awk '$2 == "kin-b" { print $3 }' "$T/truth")
	option=$1
	shift
	: >"$T/err"
	newborn_record "$option" "$kin_a" "$@" -o "$T/kin.data" 1 &
	recorder=$!
	wait_for_text "$T/err" 'recording to'
	kill -USR1 "$kin_a" "$kin_b"
	wait "$recorder"
	dump "$T/kin.data"
	end_workload
	hidden=$(awk '{ n += $3 } END { print n + 0 }' "$T/hidden")
	born="$(naps_of new) $(naps_of newer) $(naps_of thread)"
	strangers=$(sum_rows 'comm !~ /^kin-a/' 1)
}

# naps_of NAME: sleeps of the threads of this name in kin-a's family.
naps_of()
{
	sum_rows "kind != \"preempted\" && comm == \"kin-a-$1\" && has(tu, \"ow_kin_block\")" count
}

# all_born: ten of each, or what the host hid of them.
all_born()
{
	set -- $born
	[ "$1" -le 10 ] && [ "$2" -le 10 ] && [ "$3" -le 10 ] && [ $((30 - $1 - $2 - $3)) -le "$hidden" ]
}

elders()
{
	old="$(naps_of old) $(naps_of older)"
	[ "${old% *}" -ge 30 ] && [ "${old#* }" -ge 30 ]
	verdict "$1: a child and a grandchild from before" $? "$old sleeps"
}

follow_children()
{
	kin_run -p --follow-children || return
	all_born && [ "$strangers" -eq 0 ]
	verdict "-p --follow-children: children, grandchildren and threads made meanwhile" $? \
		"$born sleeps of 10 each, $strangers rows of others ($hidden hidden)"
	elders "-p --follow-children"
	"$REPORT" --info "$T/kin.data" >"$T/info" 2>&1
	same "-p --follow-children: the recording says so" 'meta follow_children: yes' \
		"$(grep '^meta follow' "$T/info")"
	kin_run -p || return
	own=$(sum_rows 'comm == "kin-a"' count)
	same "-p alone: sleeps of children, and rows of others" "0 0 0 0" \
		"$born $(sum_rows "tgid != $kin_a" 1)"
	[ "$own" -ge $((10 - hidden)) ]
	verdict "-p alone: the process itself" $? "$own sleeps ($hidden hidden)"
	kin_run -t --follow-children --comm 'kin-a-new,kin-a-thr*,kin-a-old*' || return
	set -- $born
	[ "$1" -le 10 ] && [ "$3" -le 10 ] && [ $((20 - $1 - $3)) -le "$hidden" ] &&
		[ "$(sum_rows 'comm !~ /^kin-a-(new|thread|old|older)$/' 1)" -eq 0 ]
	verdict "-t --follow-children --comm: both have to be met" $? "$born sleeps ($hidden hidden)"
	elders "-t --follow-children --comm"
}

# --- names ------------------------------------------------------------------------------------

# renames_with NAMES: sleeps under the first name, under the second, and across a change.
renames_with()
{
	witness_record -q --comm "$1" -o "$T/renames.data" -- "$WORKLOAD" renames 20 5000
	mv "$T/out" "$T/truth"
	hidden=$(hidden_of "$(ready_tids)")
	dump "$T/renames.data"
	slept=
	for fn in ow_as_first ow_as_second ow_across; do
		slept="$slept $(sum_rows "kind != \"preempted\" && has(tu, \"$fn\")" count)"
	done
}

# names_verdict NAME FIRST SECOND ACROSS: at most these sleeps, and no fewer but for what was hidden.
names_verdict()
{
	name=$1 want="$2 $3 $4"
	set -- $want $slept
	[ "$4" -le "$1" ] && [ "$5" -le "$2" ] && [ "$6" -le "$3" ] &&
		[ $(($1 + $2 + $3 - $4 - $5 - $6)) -le "$hidden" ]
	verdict "$name" $? "sleeps$slept of $want ($hidden hidden)"
}

by_name()
{
	renames_with ow-first
	names_verdict "--comm: under this name only, at the start of a sleep" 20 0 1
	same "--comm: rows of other names" 0 "$(sum_rows 'comm != "ow-first"' 1)"
	"$REPORT" --info "$T/renames.data" >"$T/info" 2>&1
	same "--comm: the recording says so" 'meta filter_comm: ow-first' "$(grep '^meta filter_comm' "$T/info")"
	renames_with 'nosuch,ow-seco*'
	names_verdict "--comm NAME*: those that begin so" 0 21 0
	renames_with 'ow-firs,ow-second,ow-first1,w-first'
	names_verdict "--comm: one of four names; a part of a name is another name" 0 21 0
	# Those who are left out still wake those who are not.
	witness_record -q --comm ow-pong -o "$T/pong.data" -- "$WORKLOAD" pipe 300 200
	dump "$T/pong.data"
	mine='comm == "ow-pong" && has(tu, "ow_pipe_block")'
	woken=$(sum_rows "$mine && kind == \"blocked\" && waker_comm == \"ow-ping\" && has(wu, \"ow_pipe_wake\")" count)
	slept=$(sum_rows "$mine && kind != \"preempted\"" count)
	# The first sleep is for the start, the last may be an open one.
	[ "$woken" -ge 100 ] && [ $((slept - woken)) -le 2 ] && [ "$(sum_rows 'comm != "ow-pong"' 1)" -eq 0 ]
	verdict "--comm: wakers of other names are named" $? "$woken of $slept woken by ow-ping"
}

# --- cgroups ----------------------------------------------------------------------------------

# open_cgroups: CG, a directory of our own in the cgroups of version 2, with CG/in/deep and CG/into.
open_cgroups()
{
	CG_MOUNT=
	CG=$(awk '$4 == "/" && / - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
	if [ -z "$CG" ]; then
		CG_MOUNT=$(mktemp -d "${TMPDIR:-/tmp}/offwake-cgroup.XXXXXX") || return
		mount -t cgroup2 none "$CG_MOUNT" || return
		CG=$CG_MOUNT
	fi
	CG_ROOT=$CG
	CG=$CG/offwake-test.$$
	mkdir "$CG" "$CG/in" "$CG/in/deep" "$CG/into"
}

close_cgroups()
{
	rmdir "$CG/in/deep" "$CG/in" "$CG/into" "$CG" 2>/dev/null
	if [ "$CG_MOUNT" ]; then
		umount "$CG_MOUNT"
		rmdir "$CG_MOUNT"
	fi
}

# sleeps_of COMM FROM-MS TO-MS: that took so long.
sleeps_of()
{
	sum_rows "kind == \"blocked\" && comm == \"$1\" && max_ns >= $2 * 1000000 && max_ns < $3 * 1000000" count
}

# Three sleeps of 50 ms inside or below, three of 150 ms outside.
in_and_out='for i in 1 2 3; do
	echo $$ >"$1/cgroup.procs"
	sleep 0.05
	echo $$ >"$2/cgroup.procs"
	sleep 0.15
done'

cgroup_moves()
{
	for inside in "$CG/in" "$CG/in/deep"; do
		newborn_record -q --cgroup "$CG/in" -o "$T/moves.data" -- \
			sh -c "$in_and_out" - "$inside" "$CG/into"
		dump "$T/moves.data"
		short=$(sleeps_of sleep 40 140) long=$(sleeps_of sleep 140 10000)
		[ "$short" -le 3 ] && [ "$short" -ge $((3 - NEWBORN_HIDDEN)) ] && [ "$long" -eq 0 ]
		verdict "--cgroup: a thread that moves to and fro (${inside#"$CG"/})" $? \
			"$short of 3 sleeps inside, $long of 3 outside ($NEWBORN_HIDDEN hidden)"
	done
	# As it went off CPU, so it stays until it is back.
	# shellcheck disable=SC2016 # for the inner shell
	newborn_record -q --cgroup "${CG#"$CG_ROOT"/}/in" -o "$T/asleep.data" -- sh -c '
		echo $$ >"$1/cgroup.procs"
		sleep 0.25 & out=$!
		echo $$ >"$2/cgroup.procs"
		sleep 0.4 & in=$!
		sleep 0.1
		echo $out >"$2/cgroup.procs"
		echo $in >"$1/cgroup.procs"
		wait' - "$CG/in" "$CG/into"
	dump "$T/asleep.data"
	short=$(sleeps_of sleep 240 350) long=$(sleeps_of sleep 350 10000)
	[ "$short" -ge $((1 - NEWBORN_HIDDEN)) ] && [ "$short" -le 1 ] && [ "$long" -eq 0 ]
	verdict "--cgroup: a move in its sleep changes nothing" $? \
		"$short that moved out, $long that moved in ($NEWBORN_HIDDEN hidden)"
	"$REPORT" --info "$T/asleep.data" >"$T/info" 2>&1
	same "--cgroup: the recording says so" "meta filter_cgroup: /${CG##*/}/in" \
		"$(grep '^meta filter_cgroup' "$T/info")"
}

# Everybody in it, and with a name only some.
cgroup_members()
{
	start_workload naps 100000 100000 || return
	echo "$WL_PID" >"$CG/in/deep/cgroup.procs"
	record -q --cgroup "/${CG#"$CG_ROOT"/}/in" -o "$T/in.data" 2
	dump "$T/in.data"
	short=$(sum_rows 'comm == "ow-nap-1ms"' count) long=$(sum_rows 'comm == "ow-nap-20ms"' count)
	others=$(sum_rows "tgid != $WL_PID" 1)
	[ "$short" -ge 300 ] && [ "$long" -ge 40 ] && [ "$others" -eq 0 ]
	verdict "--cgroup: the threads in it" $? "$short short sleeps, $long long, $others rows of others"
	before=$(sum_rows 'flags ~ /began-before/' 1)
	[ "$before" -ge 1 ] && [ "$(sum_rows 'kind == "open"' 1)" -ge 1 ]
	verdict "--cgroup: sleeps from before the beginning and past the end" $? \
		"$before rows and $(sum_rows 'kind == "open"' 1)"
	record -q --cgroup "$CG/in" --comm ow-nap-20ms -p "$WL_PID" -o "$T/in.data" 2
	dump "$T/in.data"
	long=$(sum_rows 'comm == "ow-nap-20ms"' count) others=$(sum_rows 'comm != "ow-nap-20ms"' 1)
	[ "$long" -ge 40 ] && [ "$others" -eq 0 ]
	verdict "--cgroup --comm -p: all have to be met" $? "$long sleeps, $others rows of others"
	end_workload
}

# --- nothing ----------------------------------------------------------------------------------

# says_nothing NAME PATTERN ARG...: no rows, the reason on stderr and in the recording, no failure.
says_nothing()
{
	name=$1 pattern=$2
	shift 2
	record -o "$T/nothing.data" "$@"
	dump "$T/nothing.data"
	"$REPORT" --info "$T/nothing.data" >"$T/info" 2>&1
	is_complete "$RC" && [ "$(sum_rows 1 1)" -eq 0 ] &&
		[ "$(grep -c 'nothing was recorded: ' "$T/err")" -eq 1 ] &&
		grep -q "nothing was recorded: $pattern" "$T/err" &&
		grep -q "^meta why_nothing: $pattern" "$T/info"
	verdict "nothing, $name" $? "status $RC: $(grep -m 1 'nothing was' "$T/err" || first_line "$T/err")"
}

nothing_matched()
{
	left='left out [0-9]* times off CPU'
	says_nothing "by name" "--comm $left (no such thread was" --comm no-such-name-is-so-long -- sleep 0.1
	grep -q 'keeps 15 bytes.*"no-such-name-is"$' "$T/err"
	verdict "--comm: a name that is too long" $? "$(first_line "$T/err")"
	says_nothing "by state" "--state $left (none began" --state 16 -- sleep 0.1
	says_nothing "by length" "-m and -M $left (all were too" -m 3600000000 -- sleep 0.1
	says_nothing "by two of them" "--state $left, --comm $left (no such" --state 1 --comm no-such -- \
		"$WORKLOAD" spinner 100
	record -q --comm no-such -o "$T/nothing.data" -- true
	same "nothing, and --quiet" "0 " "$RC $(cat "$T/err")"
	start_workload zombie 60000 || return
	zombie=$(awk '$2 == "ow-zombie" { print $3 }' "$T/truth")
	sleep 0.1 &
	says_nothing "of a zombie and of a process that ended at once" \
		"of 2 processes, 2 ended and 0 were never seen off CPU" -p "$zombie,$!" 1
	end_workload
}

# --- what cannot be -----------------------------------------------------------------------------

ids_that_are_not()
{
	start_workload nanosleep 100000 5000 || return
	dead=$(dead_pid)
	thread=$(ready_tids)
	record -p "$dead,$WL_PID" -o "$T/some.data" 1
	dump "$T/some.data"
	is_complete "$RC" && [ "$(sum_rows 'comm == "ow-timer"' count)" -ge 50 ] &&
		grep -q "there is no process $dead: .*; recording 1 of 2" "$T/err"
	verdict "-p: one of two does not exist" $? "status $RC: $(first_line "$T/err")"
	record -p "$dead,$thread" -o "$T/none.data" 1
	[ "$RC" -eq 1 ] && [ ! -e "$T/none.data" ] && grep -q "there is no process $dead" "$T/err"
	verdict "-p: neither exists" $? "status $RC: $(first_line "$T/err")"
	record -p "$thread" -o "$T/none.data" 1
	[ "$RC" -eq 1 ] && grep -q "it is a thread of process $WL_PID: give -p $WL_PID or -t $thread" "$T/err"
	verdict "-p with a thread's id: says whose" $? "$(first_line "$T/err")"
	end_workload
}

# outer_of ID: of the process that has this id in a namespace of its own.
outer_of()
{
	cat /proc/[0-9]*/status 2>/dev/null |
		awk -v id="$1" '$1 == "NSpid:" && NF == 3 && $3 == id { print $2 }'
}

ids_of_a_container()
{
	inner=$(dead_pid)
	# shellcheck disable=SC2016 # for the inner shell
	unshare --pid --fork --mount-proc --kill-child sh -c '
		echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid; sleep 60 & wait' - "$inner" 2>"$T/unshare" &
	container=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		outer=$(outer_of "$inner")
		[ -z "$outer" ] || break
		sleep 0.1
	done
	if [ "$outer" ] && [ ! -e "/proc/$inner" ]; then
		record -p "$inner" -o "$T/none.data" 1
		[ "$RC" -eq 1 ] && grep -q "in a container one has this id, which is $outer on the host" "$T/err"
		verdict "-p with a container's id: says the host's" $? "$(first_line "$T/err")"
	else
		skip "no process with an id of its own in a PID namespace: $(first_line "$T/unshare")"
	fi
	kill -KILL "$container"
	wait "$container" 2>/dev/null || true
}

bad_filters()
{
	refused "a cgroup that is not" 1 --cgroup no/such 1
	refused "a cgroup that is a file" 1 --cgroup "$CG/in/cgroup.procs" 1
	v1=$(awk '/ - cgroup / { print $5; exit }' /proc/self/mountinfo)
	if [ "$v1" ]; then
		refused "a cgroup of version 1" 1 --cgroup "$v1" 1
		grep -q 'of version 1: --cgroup takes those of version 2' "$T/err"
		verdict "a cgroup of version 1: says so" $? "$(first_line "$T/err")"
	fi
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount sh -c '
		awk "/ - cgroup2 / { print \$5 }" /proc/self/mountinfo | xargs -r umount -l && exec "$@"' - \
		"$RECORD" -o "$T/none.data" --cgroup x 1 2>"$T/err"
	grep -q 'cgroups of version 2, and none are mounted here' "$T/err" && [ ! -e "$T/none.data" ]
	verdict "a cgroup, and none are mounted" $? "$(first_line "$T/err")"
	unshare --cgroup "$RECORD" -o "$T/none.data" --cgroup x 1 2>"$T/err"
	grep -q 'this is a cgroup namespace of its own' "$T/err" && [ ! -e "$T/none.data" ]
	verdict "a cgroup, in a namespace" $? "$(first_line "$T/err")"
	for bad in "--follow-children" "-u --follow-children" "--comm a,,b" "--comm ," "--cgroup a --cgroup b"; do
		# shellcheck disable=SC2086 # words
		refused "usage: $bad" 2 $bad 1
	done
}

by_cgroup()
{
	if open_cgroups; then
		cgroup_moves
		cgroup_members
		says_nothing "of an empty cgroup" \
			'--cgroup left out [0-9]* times off CPU (there are no processes in it' \
			--cgroup "$CG/in" -- sleep 0.1
		bad_filters
	else
		skip "no cgroups of version 2 can be had"
	fi
	close_cgroups
}

check_who()
{
	at_once by_name by_cgroup
	ids_of_a_container
}
