# SPDX-License-Identifier: Apache-2.0
# Targets in PID and mount namespaces of their own: they are known by the host's ids, and their
# functions by files that only they can see.

# Within the namespaces: the workload is a file of theirs alone, below a mount that hides ours.
boxed()
{
	cat >"$T/box.sh" <<-'SCRIPT'
		mount -t tmpfs none "$1" && cp "$2" "$1/boxed" && shift 2 && exec "$BOX/boxed" "$@"
	SCRIPT
	mkdir -p "$T/box"
	BOX=$T/box exec unshare -p -m -f --mount-proc sh "$T/box.sh" "$T/box" "$WORKLOAD" "$@"
}

# host_tid INNER: the host's id of a thread of the boxed workload, which knows itself as INNER.
host_tid()
{
	cat /proc/[0-9]*/task/[0-9]*/status 2>/dev/null | awk -v inner="$1" '
		$1 == "Name:" { name = $2 }
		$1 == "NSpid:" && NF == 3 && $3 == inner && name ~ /^ow-/ { print $2; exit }'
}

# judge_boxed INNER OUTER NAME AT-LEAST: of a recording of ow-timer, by its ids there and here.
judge_boxed()
{
	found=$(sum_rows "tid == $2 && has(tu, \"ow_timer_block\")" count)
	[ "$found" -ge "$4" ]
	verdict "$3: sleeps under the host's id, named" $? "$found of thread $2, which is $1 inside"
	same "$3: sleeps under another id" 0 \
		"$(sum_rows "tid != $2 && has(tu, \"ow_timer_block\")" count)"
	same "$3: sleeps without the name" 0 \
		"$(sum_rows "tid == $2 && tk ~ /do_nanosleep/ && tu !~ /ow_/" count)"
}

namespace_attach()
{
	rm -f "$T/truth"
	(boxed nanosleep 100000 5000) >"$T/truth" 2>"$T/wl.err" &
	WL_PID=$!
	if ! wait_for_text "$T/truth" '^ready'; then
		limit "namespaces: there can be none here: $(first_line "$T/wl.err")"
		kill "$WL_PID" 2>/dev/null
		return
	fi
	inner=$(awk '$1 == "ready" && $2 == "ow-timer" { print $3 }' "$T/truth")
	outer=$(host_tid "$inner")
	tgid=$(awk '$1 == "Tgid:" { print $2 }' "/proc/${outer:-0}/status")
	[ "$outer" -ne "$inner" ] && [ ! -e "$T/box/boxed" ]
	verdict "namespaces: the target's id and file are not ours" $? "$inner inside, $outer here"
	record -q -p "$tgid" -o "$T/boxed.data" 2
	dump "$T/boxed.data"
	is_complete "$RC"
	verdict "namespaces, -p: status" $? "$RC"
	judge_boxed "$inner" "$outer" "namespaces, -p" 20
	record -q -t "$outer" -o "$T/boxed.data" 2
	dump "$T/boxed.data"
	judge_boxed "$inner" "$outer" "namespaces, -t" 20
	kill -KILL "$outer"
	wait "$WL_PID" 2>/dev/null
}

# Below a command every namespace is followed.
namespace_command()
{
	newborn_record -q -o "$T/command.data" -- env BOX="$T/box" unshare -p -m -f --mount-proc \
		sh "$T/box.sh" "$T/box" "$WORKLOAD" nanosleep 50 2000
	dump "$T/command.data"
	is_complete "$RC"
	verdict "namespaces, command: status" $? "$RC"
	slept=$(awk '$1 == "truth" { for (i = 2; i < NF; i += 2) if ($i == "sleeps") print $(i + 1) }' "$T/out")
	found=$(sum_rows 'kind != "preempted" && has(tu, "ow_timer_block")' count)
	[ "${slept:-0}" -ge 50 ] && [ "$found" -le "$slept" ] &&
		[ $((found + NEWBORN_HIDDEN)) -ge "$slept" ]
	verdict "namespaces, command: its sleeps" $? "$found of ${slept:-0} ($NEWBORN_HIDDEN hidden)"
}

check_namespaces()
{
	namespace_attach
	namespace_command
}
