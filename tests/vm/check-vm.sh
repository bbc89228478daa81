#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check-vm.sh - the live tests on other kernels, emulated. One line for each kernel and test;
# the last is their sum. What a test printed is left in DIR/log/KERNEL/.
# usage: check-vm.sh BUILD DIR [KERNEL...]     kernels are listed in tests/vm/kernels
#
# OFFWAKE_VM_GROUPS names the groups of live tests to run on two CPUs instead of those of the table,
# or is "all"; OFFWAKE_VM_GROUPS_8CPUS those on eight. With one of them the other's guest is not run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { echo "usage: check-vm.sh BUILD DIR [KERNEL...]" >&2; exit 2; }
build=$(cd "$1" && pwd) && mkdir -p "$2" && dir=$(cd "$2" && pwd) || exit 1
shift 2
passed=0 failed=0 skipped=0

# Nearly all.
all_groups="truth wakers names targets attach asleep filters preflight stop ends output travel
	namespaces reconcile load hotplug"

# An emulated CPU is some fifty times slower than a real one (tests/live/lib.sh).
slow=50
group_seconds=600

# What the root image needs for our programs and tests; a change makes it anew.
root_suite=bookworm
root_packages="libelf1 libbpf1 libzstd1 liblzma5 zlib1g kmod procps"

ok() {
	passed=$((passed + 1))
	printf 'ok   %s\n' "$*"
}

fail() {
	failed=$((failed + 1))
	printf 'FAIL %s\n' "$*"
}

table() {
	grep -v '^#' "$here/kernels"
}

# fetched NAME SUITE: its directory holds it; once is enough.
fetched() {
	[ -e "$dir/kernels/$1/fetched" ] && return
	mkdir -p "$dir/kernels"
	echo "fetching kernel $1 of $2" >&2
	"$here/fetch-kernel.sh" "$2" amd64 cloud-amd64 "$dir/kernels/$1" >&2 &&
		touch "$dir/kernels/$1/fetched"
}

root_made() {
	local want="$root_suite $root_packages"
	[ -e "$dir/root.ext4" ] && [ "$(cat "$dir/root.packages" 2> /dev/null)" = "$want" ] && return
	echo "making the root image" >&2
	# shellcheck disable=SC2086 # words are wanted
	"$here/make-root.sh" "$root_suite" "$dir/root.ext4" $root_packages >&2 &&
		echo "$want" > "$dir/root.packages"
}

# The programs as they are built now, and the tests: what a guest is given.
pack_job() {
	rm -rf "$dir/job"
	mkdir -p "$dir/job/build/tests"
	cp -a "$build"/offwake-record "$build"/offwake-report "$build"/offwaketime "$dir/job/build/"
	cp -a "$build/tests/live" "$build/tests/bench" "$dir/job/build/tests/"
	cp -a "$here/../live" "$here/guest.sh" "$dir/job/"
	cp -a "$here/../../docs" "$dir/job/"
}

# take_result KERNEL NAME PASSED FAILED SKIPPED SECONDS: a line, and what failed below it.
take_result() {
	local kernel=$1 name=$2 log=$dir/log/$1/$2.log
	shift 2
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
	if [ "$2" = 0 ]; then
		printf 'ok   %s %s: %s passed, %s skipped, %s s\n' "$kernel" "$name" "$1" "$3" "$4"
	else
		printf 'FAIL %s %s: %s passed, %s failed, %s skipped, %s s\n' \
			"$kernel" "$name" "$1" "$2" "$3" "$4"
		grep '^FAIL' "$log" | cut -c 1-300 | sed 's/^/  /'
	fi
}

# emulator_fault CONSOLE: the guest died of a breakpoint that was not there any more: QEMU runs code
# that the kernel had while it patched itself, which its protocol excludes on a real CPU. The byte
# before the one in brackets would be cc.
emulator_fault() {
	awk '/int3: 0000/ { died = 1 }
		died && /Code: / { stale = $0 !~ /cc <[0-9a-f]*>/; exit }
		END { exit !stale }' "$1"
}

# run_groups KERNEL LOG CPUS GROUP...: in one guest; LOG names the kernel in what is printed.
run_groups() {
	local kernel=$1 log=$2 cpus=$3 word name rest status try
	shift 3
	for try in 1 2; do
		rm -rf "$dir/log/$log"
		mkdir -p "$dir/log/$log"
		"$here/run-in-vm.sh" -k "$dir/kernels/$kernel" -r "$dir/root.ext4" -f "$dir/job" \
			-o "$dir/log/$log" -s "$cpus" -m 2048 -t $((group_seconds * ($# + 1))) -- \
			sh -c "cd job && OFFWAKE_SLOW=$slow ./guest.sh $group_seconds $*" \
			> "$dir/log/$log.console" 2> "$dir/log/$log.err"
		status=$?
		emulator_fault "$dir/log/$log.console" || break
		echo "check-vm.sh: $log: the emulation failed (try $try)" >&2
	done
	sed -n 's/^RESULT //p' "$dir/log/$log.console" > "$dir/log/$log.results"
	while read -r name rest; do
		# shellcheck disable=SC2086 # words are wanted
		take_result "$log" "$name" $rest
	done < "$dir/log/$log.results"
	for word in "$@" kernel-log; do
		grep -q "^$word " "$dir/log/$log.results" ||
			fail "$log $word: no result (status $status): $(tail -n 1 "$dir/log/$log.err")"
	done
}

# A kernel that is too old: the recorder says which one it needs and ends with 1.
refuses() {
	local kernel=$1 said status
	said=$("$here/run-in-vm.sh" -k "$dir/kernels/$kernel" -r "$dir/root.ext4" -f "$dir/job" -- \
		sh -c 'job/build/offwake-record -o /tmp/data -- true 2>&1; echo "status $?"; ls /tmp/data
			job/build/offwake-record --check; echo "check $?"' 2> "$dir/log/$kernel.err")
	echo "$said" > "$dir/log/$kernel.console"
	status=$(sed -n 's/^status //p' <<< "$said")
	if [ "$status" = 1 ] && grep -q '^offwake-record: .*Linux 5\.13 or newer' <<< "$said" &&
		! grep -qx /tmp/data <<< "$said"; then
		ok "$kernel refused: $(grep -m 1 '^offwake-record: ' <<< "$said")"
	else
		fail "$kernel refused: status ${status:-unknown}: $(grep -m 1 '^offwake-record: ' <<< "$said")"
	fi
	if grep -qx 'check 1' <<< "$said" && grep -q '^missing .*Linux 5\.13 or newer' <<< "$said"; then
		ok "$kernel --check: $(grep -m 1 '^missing' <<< "$said")"
	else
		fail "$kernel --check: $(grep -m 1 '^missing' <<< "$said")"
	fi
}

check_kernel() {
	local name=$1 suite expected two eight
	read -r suite expected two eight <<< "$(table | awk -v name="$name" '$1 == name { $1 = ""; print }')"
	if [ -n "${OFFWAKE_VM_GROUPS:-}${OFFWAKE_VM_GROUPS_8CPUS:-}" ]; then
		two=${OFFWAKE_VM_GROUPS:-} eight=${OFFWAKE_VM_GROUPS_8CPUS:-}
		[ "$two" != all ] || two=$all_groups
	fi
	if [ -z "$suite" ]; then
		fail "$name: no such kernel in tests/vm/kernels"
	elif ! fetched "$name" "$suite"; then
		fail "$name: it cannot be fetched"
	elif [ "$expected" = refuses ]; then
		refuses "$name"
	else
		# shellcheck disable=SC2086 # words are wanted
		[ -z "$two" ] || run_groups "$name" "$name" 2 ${two//,/ }
		# shellcheck disable=SC2086 # words are wanted
		[ -z "$eight" ] || run_groups "$name" "$name-8cpus" 8 ${eight//,/ }
	fi
}

# shellcheck disable=SC2046 # words are wanted
[ $# -gt 0 ] || set -- $(table | cut -f 1)
mkdir -p "$dir/log"
if root_made && pack_job; then
	for kernel; do
		check_kernel "$kernel"
	done
else
	fail "there is no root image"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
