/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <linux/capability.h>
#include <string.h>
#include "hostcheck.h"

/* A host that lacks nothing. */
static struct rec_host good_host(void)
{
	return (struct rec_host){
		.release = "6.1",
		.lockdown = "none [integrity] confidentiality",
		.has_waking = true,
		.has_switch = true,
		.has_new_task = true,
		.has_exec = true,
		.has_task_storage = true,
		.has_ring = true,
		.lends_memory = true,
		.has_kallsyms = true,
		.knows_interrupts = true,
		.is_initial_pidns = true,
		.is_initial_userns = true,
		.caps = ~0ull,
		.kptr_restrict = 1,
		.perf_paranoid = 3,
		.max_stack = 127,
		.jit = 1,
		.memlock_bytes = 65536,
	};
}

/* Exactly one finding is not ok: this verdict on what. */
static void expect_only(const struct rec_host *host, enum rec_verdict verdict, const char *what)
{
	struct rec_finding found[REC_FINDINGS_MAX];
	size_t cnt = rec_host_judge(host, found), bad = 0;

	cr_assert_leq(cnt, REC_FINDINGS_MAX);
	for (size_t i = 0; i < cnt; i++) {
		if (found[i].verdict == REC_CHECK_OK)
			continue;
		bad++;
		cr_expect_eq(found[i].verdict, verdict, "%s", found[i].what);
		cr_expect(strstr(found[i].what, what), "%s", found[i].what);
		cr_expect(found[i].loss && found[i].cure);
	}
	cr_expect_eq(bad, 1);
}

static void expect_good(const struct rec_host *host)
{
	struct rec_finding found[REC_FINDINGS_MAX];
	size_t cnt = rec_host_judge(host, found);

	cr_expect_geq(cnt, 15);
	for (size_t i = 0; i < cnt; i++)
		cr_expect_eq(found[i].verdict, REC_CHECK_OK, "%s", found[i].what);
}

Test(hostcheck, nothing_is_missing_where_all_is_there)
{
	struct rec_host host = good_host();

	expect_good(&host);
	host.caps = 1ull << CAP_SYS_ADMIN | 1ull << CAP_SYS_PTRACE | 1ull << CAP_SYSLOG |
		    1ull << CAP_DAC_OVERRIDE | 1ull << CAP_IPC_LOCK;
	expect_good(&host);
	host.jit = host.max_stack = -1; /* a container may hide these */
	host.lockdown[0] = '\0';
	expect_good(&host);
}

#define EXPECT_WITHOUT(change, verdict, what)                                                      \
	do {                                                                                       \
		struct rec_host host = good_host();                                                \
		change;                                                                            \
		expect_only(&host, verdict, what);                                                 \
	} while (0)

Test(hostcheck, names_what_prevents_a_recording)
{
	EXPECT_WITHOUT(strcpy(host.btf_fault, "gone"), REC_CHECK_MISSING, "gone");
	EXPECT_WITHOUT(host.has_waking = false, REC_CHECK_MISSING, "sched_waking");
	EXPECT_WITHOUT(host.has_switch = false, REC_CHECK_MISSING, "sched_switch");
	EXPECT_WITHOUT(host.has_new_task = false, REC_CHECK_MISSING, "task_newtask");
	EXPECT_WITHOUT(host.has_exec = false, REC_CHECK_MISSING, "process_exec");
	EXPECT_WITHOUT(host.has_task_storage = false, REC_CHECK_MISSING, "task storage");
	EXPECT_WITHOUT(host.has_ring = false, REC_CHECK_MISSING, "ring buffer");
	EXPECT_WITHOUT(strcpy(host.lockdown, "none integrity [confidentiality]"),
		       REC_CHECK_MISSING, "lockdown");
	EXPECT_WITHOUT(host.is_initial_userns = false, REC_CHECK_MISSING, "user namespace");
	EXPECT_WITHOUT(host.caps &= ~(1ull << CAP_SYS_PTRACE), REC_CHECK_MISSING, "SYS_PTRACE");
	EXPECT_WITHOUT(host.is_initial_pidns = false, REC_CHECK_MISSING, "PID namespace");
	EXPECT_WITHOUT(host.has_kallsyms = false, REC_CHECK_MISSING, "kptr_restrict is 1");
	EXPECT_WITHOUT(host.knows_interrupts = false, REC_CHECK_MISSING, "interrupt");
	EXPECT_WITHOUT(strcpy(host.programs_fault, "no, thanks"), REC_CHECK_MISSING, "no, thanks");
}

Test(hostcheck, names_what_makes_a_recording_poorer)
{
	EXPECT_WITHOUT(host.max_stack = 64, REC_CHECK_LIMITED, "perf_event_max_stack is 64");
	EXPECT_WITHOUT(host.jit = 0, REC_CHECK_LIMITED, "bpf_jit_enable is 0");
	EXPECT_WITHOUT(host.caps &= ~(1ull << CAP_IPC_LOCK), REC_CHECK_LIMITED, "locked");
	EXPECT_WITHOUT(host.caps &= ~(1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_DAC_OVERRIDE),
		       REC_CHECK_LIMITED, "CAP_DAC_READ_SEARCH");
}
