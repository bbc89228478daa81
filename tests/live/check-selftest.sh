# SPDX-License-Identifier: Apache-2.0
# The checks themselves: a dump that is right passes, and each kind of wrong one is caught by
# the check that is meant to catch it. Needs neither root nor BPF.

truth_verdicts()
{
	awk -F '\t' -v name=selftest -v steal_ns=0 -f "$HERE/rows.awk" -f "$HERE/truth.awk" \
		"$HERE/selftest/truth.txt" "$1"
}

# caught CHECK AWK-PROGRAM: the program spoils the dump.
caught()
{
	awk -F '\t' -v OFS='\t' "$2 { print }" "$HERE/selftest/dump.txt" >"$T/spoilt"
	if cmp -s "$HERE/selftest/dump.txt" "$T/spoilt"; then
		fail "selftest: $1: the dump is not spoilt"
		return
	fi
	truth_verdicts "$T/spoilt" | grep -q "^FAIL selftest: $1:"
	verdict "selftest: a fault is caught by '$1'" $? "$2"
}

account_verdicts()
{
	awk -F '\t' -v name=selftest -v steal_ns=1000000 -v tick_ns=4000000 -v whole=1 \
		-v tids=,101,102, -f "$HERE/rows.awk" -f "$HERE/reconcile.awk" "$1" 2>"$T/figures"
}

# caught_account CHECK AWK-PROGRAM: likewise, for the check of accounts.
caught_account()
{
	awk -F '\t' -v OFS='\t' "$2 { print }" "$HERE/selftest/accounts.txt" >"$T/spoilt"
	if cmp -s "$HERE/selftest/accounts.txt" "$T/spoilt"; then
		fail "selftest: $1: the accounts are not spoilt"
		return
	fi
	account_verdicts "$T/spoilt" | grep -q "^FAIL selftest: $1"
	verdict "selftest: a fault is caught by '$1'" $? "$2"
}

selftest_accounts()
{
	same "selftest: faults found in accounts that are right" 0 \
		"$(account_verdicts "$HERE/selftest/accounts.txt" | grep -c '^FAIL')"
	caught_account "threads outside" '$1 == "row" && $6 == 101 { $13 -= 20000000 }'
	caught_account "threads outside" '$1 == "row" && $6 == 102 { $13 += 16000000 }'
	caught_account "threads outside" '$1 == "row" && $6 == 101 { $7 = 102 }'
	caught_account "threads outside" '$1 == "row" && $2 == "preempted" { next }'
	caught_account "threads outside" '$1 == "account" && $2 == 101 { $7 += 20000000; $12 = 0 }'
	caught_account "threads outside" '$1 == "account" && $2 == 101 { $8 = -10000000; $12 = 0 }'
	caught_account "threads outside" '$1 == "account" && $2 == 101 { $9 = 0; $12 = 0 }'
	caught_account "threads outside" '$1 == "account" && $2 == 101 { $11 = 0; $12 = 0 }'
	caught_account "threads outside" '$1 == "account" && $2 == 104 { $15 = 0 }'
	caught_account "threads outside" '$1 == "account" && $2 == 104 { $15 -= 20000000 }'
	caught_account "threads that are accounted" '$1 == "account" && $2 == 102 { next }'
	caught_account "threads that are accounted" '$1 == "account" && $2 == 102 { $6 -= 1 }'
	caught_account "switches not shown" '$1 == "loss" { $3 = 0 }'
	caught_account "switches not shown" '$1 == "loss" { $3 = 2 }'
}

# The same for check-wakers.sh. passes FILE FUNCTION [ARG], waker_caught FILE AWK-PROGRAM
# FUNCTION [ARG]: what the function says of a dump that is right, and of a spoilt one.
passes()
{
	cp "$HERE/selftest/$1" "$T/dump"
	shift
	! ("$@") | grep -q '^FAIL'
	verdict "selftest: a dump that is right passes $*" $? "no FAIL"
}

waker_caught()
{
	file=$1 program=$2
	shift 2
	awk -F '\t' -v OFS='\t' "$program { print }" "$HERE/selftest/$file" >"$T/dump"
	! cmp -s "$HERE/selftest/$file" "$T/dump" && ("$@") | grep -q '^FAIL'
	verdict "selftest: a fault is caught by $*" $? "$program"
}

selftest_wakers()
{
	. "$HERE/check-wakers.sh"
	cp "$HERE/selftest/wakers-truth.txt" "$T/out"
	: >"$T/hidden"
	JOURNAL=217 BEFORE=2 AFTER=2
	for check in window_is_hit given_up killer_is_named gone_is_named births_are_none kthread_birth_is_none \
		"state_wakers ow_gone_block 207 tid!=99" \
		"bystander_is_named cut" "softirq_is_whole cut"; do
		# shellcheck disable=SC2086 # words
		passes wakers-dump.txt $check
	done
	passes wakers-raw.txt bystander_is_named raw
	passes wakers-raw.txt softirq_is_whole raw
	while IFS=: read -r file check program; do
		# shellcheck disable=SC2086 # words
		waker_caught "wakers-$file.txt" "$program" $check
	done <<-'FAULTS'
		dump:window_is_hit:$6 == 201 && $13 == 0 { $13 = 1 }
		dump:window_is_hit:$6 == 201 && $13 == 0 { $9 = 9 }
		dump:given_up:{ sub(/ow_signal_block/, "ow_stale_block") }
		dump:killer_is_named:$6 == 205 { $9 = 204 }
		dump:killer_is_named:$6 == 205 { $3 = "hardirq" }
		dump:killer_is_named:$6 == 204 { sub(/ow_kill;/, "", $20) }
		dump:killer_is_named:$6 == 204 { $15 = 2 }
		dump:killer_is_named:$6 == 204 { next }
		dump:gone_is_named:$6 == 207 { $9 = 208; $15 = 2 }
		dump:gone_is_named:$9 == 209 { $20 = "[unknown]" }
		dump:gone_is_named:$9 == 209 { $9 = 0 }
		dump:births_are_none:$6 == 210 { $15 = 2 }
		dump:births_are_none:$6 == 211 { $6 = 212 }
		dump:births_are_none:$6 == 211 { $17 = "-" }
		dump:kthread_birth_is_none:$6 == 217 { $15 = 2 }
		dump:kthread_birth_is_none:$6 == 217 && $2 == "open" { next }
		dump:kthread_birth_is_none:$6 == 217 { $17 = "-" }
		dump:state_wakers ow_gone_block 207 tid!=99:$6 == 207 { $3 = "none" }
		dump:state_wakers ow_gone_block 207 tid!=99:$6 == 207 { $15 = 2 }
		dump:state_wakers ow_gone_block 207 tid!=99:$6 == 210 { $6 = 99 }
		dump:bystander_is_named cut:$12 == 214 { $9 = 214 }
		dump:bystander_is_named cut:$12 == 214 { $12 = 0 }
		dump:bystander_is_named cut:$6 == 213 { $19 = $19 ";do_syscall_64" }
		dump:bystander_is_named cut:$6 == 213 { $3 = "task" }
		raw:bystander_is_named raw:$6 == 213 { $11 = "" }
		raw:bystander_is_named raw:$9 == 214 { $12 = 214 }
		raw:bystander_is_named raw:$6 == 213 { sub(/;do_syscall_64.*/, "", $19) }
		raw:bystander_is_named raw:$9 == 214 { $20 = "-" }
		dump:softirq_is_whole cut:$6 == 215 { $9 = 216 }
		dump:softirq_is_whole cut:$6 == 215 { $12 = 9 }
		dump:softirq_is_whole cut:$6 == 215 { sub(/;entry_.*/, "", $19) }
		raw:softirq_is_whole raw:$6 == 216 { $20 = "-" }
		raw:softirq_is_whole raw:$6 == 216 { $9 = 0 }
	FAULTS
}

# What ran together is told in its order and counted; what did not end is a failure.
at_once_is_heard()
{
	at_once 'sleep 0.1; ok one' 'fail "two words"' 'exit 3' 'skip four' >"$T/heard"
	echo "$PASSED $FAILED $SKIPPED" >>"$T/heard"
}

selftest_at_once()
{
	(
		PASSED=0 FAILED=0 SKIPPED=0
		at_once_is_heard
	)
	same "selftest: what runs at once is told and counted" \
		"ok one, FAIL two words, FAIL exit 3: did not run to its end, skip four, 1 2 1" \
		"$(tr -s ' ' <"$T/heard" | paste -sd , | sed 's/,/, /g')"
}

check_selftest()
{
	selftest_at_once
	selftest_accounts
	selftest_wakers
	same "selftest: faults found in a dump that is right" 0 \
		"$(truth_verdicts "$HERE/selftest/dump.txt" | grep -c '^FAIL')"
	caught "rows" '{ if ($1 == "row") next }'
	caught "time by own clock" '$6 == 101 && /ow_pipe_block/ { $13 -= 20000000 }'
	caught "time by wall less CPU" '$2 == "preempted" { $14 += 40000000 }'
	caught "time within the own clock's" '$6 == 101 && /ow_pipe_block/ { $14 += 3000000 }'
	caught "sleeps counted" '$6 == 102 && /ow_pipe_block/ { $15-- }'
	caught "targets" '$6 == 101 { sub(/ow_pipe_block/, "libc.so.6+0x1;&", $18) }'
	caught "sleeps counted" '$6 == 102 && /ow_pipe_block/ { $15++ }'
	caught "switches of the whole life" '$6 == 102 && $2 == "preempted" { $15++ }'
	caught "switches of the whole life" '$6 == 103 && /truth_begin/ { $15++ }'
	caught "targets" '$6 == 101 && /ow_pipe_block/ { $8 = "swapper/0" }'
	caught "targets" '$6 == 101 { sub(/ow_pipe_block;/, "", $18) }'
	caught "targets" '$6 == 101 { sub(/ow_pipe_block/, "ow_pipe_blocks", $18) }'
	caught "wakers" '$6 == 101 && /ow_pipe_block/ { $9 = 100 }'
	caught "wakers" '$6 == 101 && /ow_pipe_block/ { $3 = "softirq" }'
	caught "wakers" '$6 == 101 && /ow_pipe_block/ { $2 = "unobserved" }'
	caught "wakers" '$6 == 101 { sub(/ow_pipe_wake/, "swapper", $20) }'
	caught "wakers" '$6 == 103 { $3 = "task" }'
	caught "wakers" '$6 == 103 { $3 = "softirq" }'
	caught "wakers" '$6 == 104 { $3 = "hardirq" }'
	caught "wakers" '$6 == 105 { $11 = "workload" }'
	caught "wakers" '$6 == 105 { $20 = "ow_pty_write" }'
	caught "wakers" '$6 == 105 { $3 = "softirq" }'
	caught "wakers" '$6 == 106 { $3 = "task" }'
	caught "wakers" '$6 == 106 { $9 = 102 }'
	caught "wakers" '$6 == 107 && $9 { $9 = 101 }'
	caught "wakers" '$6 == 107 { sub(/ow_tg_kill/, "ow_other", $20) }'
	caught "states" '$6 == 106 { $5 = "0x1" }'
	caught "interrupted threads" '$6 == 104 { $12 = 0 }'
	caught "wakers" '$6 == 104 { $9 = 102 }'
	for tid in 101 103 104 105 106 107; do
		caught "wakers' kernel stacks" "\$6 == $tid { \$19 = \$17 }"
		caught "wakers' kernel stacks" "\$6 == $tid { \$19 = \"-\" }"
		caught "wakers' kernel stacks" "\$6 == $tid { \$19 = \"[missed:walk]\" }"
	done
	caught "states" '$6 == 103 { $5 = "0x0" }'
	caught "states" '$6 == 101 { $5 = "0x2" }'
	caught "longest sleep" '$6 == 103 && /ow_timer_block/ { $16 = 12000001 }'
	caught "longest sleep" '$6 == 103 && /ow_timer_block/ { $16 = 0 }'
	caught "counts, times and maxima hold together" '$6 == 103 { $16 = 9000000 }'
	caught "counts, times and maxima hold together" '/ow_park/ { $16++ }'
	caught "counts, times and maxima hold together" '/ow_park/ { $15 = 0 }'
	caught "intervals lost to hidden switches are counted" '$2 == "unseen-switch" { $3 = 1 }'
	caught "preempted rows have no wait and no waker" '$2 == "preempted" { $13 = 1 }'
	caught "no frames of our own" '{ sub(/__schedule/, "bpf_prog_0123456789abcdef_on_switch;&") }'
}
