# SPDX-License-Identifier: Apache-2.0
# --check, with capabilities dropped one by one: what it says is so.

# without CAPS VERDICT THING [THING]: dropped (a setpriv list); THINGs, and no other but the
# programs on trial, get the verdict; recording is possible or not as the status says.
without()
{
	caps=$1 verdict=$2 thing=$3 also=${4:-$3}
	RC=0
	setpriv --bounding-set "$caps" "$RECORD" --check >"$T/out" 2>"$T/err" || RC=$?
	setpriv --bounding-set "$caps" "$RECORD" -q -o "$T/caps.data" -- true 2>"$T/err"
	case $? in 0 | 3) possible=0 ;; *) possible=1 ;; esac
	others=$(grep -v '^ok' "$T/out" |
		grep -vcE "^[a-z]+ +($thing|$also|the programs, on trial)")
	[ "$RC" -eq "$possible" ] && [ "$others" -eq 0 ] &&
		grep -qE "^$verdict +$thing.*: .*; cure: " "$T/out"
	verdict "--check with $caps" $? "status $RC, recording $possible: $(grep -m 1 -v '^ok' "$T/out")"
}

check_preflight()
{
	record --check
	[ "$RC" -eq 0 ] && [ "$(grep -c '^ok ' "$T/out")" -ge 15 ] && ! grep -q '^missing' "$T/out"
	verdict "--check as root" $? "status $RC, $(wc -l <"$T/out") lines"
	without -bpf,-sys_admin missing CAP_BPF
	without -perfmon,-sys_admin missing CAP_PERFMON kernel.perf_event_paranoid
	without -sys_ptrace missing CAP_SYS_PTRACE
	without -syslog missing /proc/kallsyms
	without -dac_read_search,-dac_override limited CAP_DAC_READ_SEARCH
	without -checkpoint_restore,-sys_admin limited CAP_CHECKPOINT_RESTORE
	RC=0
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh \
		"$RECORD" --check >"$T/out" 2>"$T/err" || RC=$?
	[ "$RC" -eq 1 ] && grep -q '^missing kernel .*CONFIG_DEBUG_INFO_BTF' "$T/out"
	verdict "--check without BTF" $? "status $RC: $(grep -m 1 '^missing' "$T/out")"
	RC=0
	unshare -p -f --mount-proc "$RECORD" --check >"$T/out" 2>"$T/err" || RC=$?
	[ "$RC" -eq 1 ] && grep -q '^missing PID namespace: not the initial one: .*; cure: ' "$T/out"
	verdict "--check in a PID namespace" $? "status $RC: $(grep -m 1 -v '^ok' "$T/out")"
	if ! unshare -U -r true 2>/dev/null; then # switched off, or in a chroot
		limit "--check in a user namespace: there can be none here"
		return
	fi
	RC=0
	unshare -U -r "$RECORD" --check >"$T/out" 2>"$T/err" || RC=$?
	[ "$RC" -eq 1 ] && grep -q '^missing user namespace: not the initial one' "$T/out"
	verdict "--check in a user namespace" $? "status $RC: $(grep -m 1 -v '^ok' "$T/out")"
}
