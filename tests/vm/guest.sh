#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs in the guest, in the directory that holds live/ and build/: groups of the live tests, one
# after the other, then a look at what the kernel had to say. Prints for each
#   RESULT NAME PASSED FAILED SKIPPED SECONDS
# and leaves its output in /out/NAME.log.
# usage: guest.sh SECONDS-FOR-A-GROUP GROUP...
bound=$1
shift
here=$(pwd)
OFFWAKE_BUILD=$here/build OFFWAKE_LIVE=must
export OFFWAKE_BUILD OFFWAKE_LIVE

seconds()
{
	cut -d . -f 1 /proc/uptime
}

# What only a kernel in trouble says: bugs and warnings, lockups, stalls, hung tasks, lockdep.
trouble()
{
	dmesg | grep -E 'BUG:|WARNING:|Oops|Call Trace:|lockup|[Ss]tall|blocked for more than|INFO: (rcu|task)|possible (circular|recursive)|inconsistent lock|scheduling while atomic|unchecked MSR|Kernel panic'
}

# group NAME COMMAND...: its last line is its sum.
group()
{
	name=$1
	shift
	begin=$(seconds)
	timeout -k 5 "$bound" "$@" >"/out/$name.log" 2>&1 </dev/null
	status=$?
	sum=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' \
		"/out/$name.log" | tail -n 1)
	if [ -z "$sum" ]; then
		echo "FAIL $name: did not run to its end in $bound s (status $status)" >>"/out/$name.log"
		sum="0 1 0"
	fi
	echo "RESULT $name $sum $(($(seconds) - begin))"
}

# Detectors that are awake, and a search that finds what they would say.
kernel_log()
{
	passed=0 failed=0
	for knob in watchdog soft_watchdog hung_task_timeout_secs; do
		if [ "$(cat /proc/sys/kernel/$knob)" -gt 0 ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAIL kernel-log: kernel.$knob is off"
		fi
	done
	if trouble; then
		failed=$((failed + 1))
		echo "FAIL kernel-log: the kernel complains: $(trouble | head -n 1)"
	else
		passed=$((passed + 1))
	fi
	echo 'watchdog: BUG: soft lockup - a test of this search' >/dev/kmsg
	if trouble >/dev/null; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo 'FAIL kernel-log: a complaint is not found'
	fi
	echo "$passed passed, $failed failed, 0 skipped"
}

# Each change of it patches the kernel's code on all CPUs. Emulated, many do not survive that under
# load; two mostly do, so that measuring by samples is tested there.
[ "$(nproc)" -le 2 ] || sysctl -q -w kernel.bpf_stats_enabled=1
sysctl -q -w kernel.watchdog=1 kernel.hung_task_timeout_secs=30
echo 10 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
dmesg -c >/out/boot.dmesg
for name; do
	group "$name" live/run.sh "$name"
done
dmesg >/out/dmesg
begin=$(seconds)
kernel_log >/out/kernel-log.log
echo "RESULT kernel-log $(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' /out/kernel-log.log) 0"
