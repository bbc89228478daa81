/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a host has is gathered in one place and judged in another, so that every verdict can be
 * tested without a host that deserves it. The last finding loads the programs on trial: it
 * decides, whatever the others say.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include "hostcheck.h"
#include "irqtext.h"
#include "maphook.h"
#include "kerneltypes.h"
#include "parse.h"
#include "preflight.h"
#include "session.h"
#include "sizes.h"
#include "slurp.h"
#include "wire.h"

/* --- looking ----------------------------------------------------------------------------- */

static int64_t number_in(const char *path)
{
	const char *pos;
	uint64_t value = 0;
	bool is_negative;
	char *text;
	size_t len;
	int ret;

	if (rec_slurp(AT_FDCWD, path, 64, &text, &len))
		return -1;
	is_negative = *text == '-';
	pos = text + is_negative;
	ret = owt_take_u64(&pos, text + len, 10, &value);
	free(text);
	if (ret || value > INT32_MAX)
		return -1;
	return is_negative ? -(int64_t)value : (int64_t)value;
}

static void look_for_text(const char *path, char *out, size_t size)
{
	char *text;
	size_t len;

	if (rec_slurp(AT_FDCWD, path, 4096, &text, &len))
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(out, size, "%s", text);
	free(text);
}

static bool has_hook(const struct btf *btf, const char *name)
{
	return btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF) > 0;
}

static void look_at_types(struct rec_host *host)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf) {
		snprintf(host->btf_fault, sizeof(host->btf_fault), "%s", strerror(errno));
		return;
	}
	host->has_waking = has_hook(btf, "btf_trace_sched_waking");
	host->has_switch = has_hook(btf, "btf_trace_sched_switch");
	host->has_new_task = has_hook(btf, "btf_trace_task_newtask");
	host->has_exec = has_hook(btf, "btf_trace_sched_process_exec");
	host->has_task_storage =
		rec_has_enumerator(btf, "bpf_map_type", "BPF_MAP_TYPE_TASK_STORAGE");
	host->lends_memory = rec_lends_memory(btf);
	host->has_ring = rec_has_enumerator(btf, "bpf_map_type", "BPF_MAP_TYPE_RINGBUF");
	btf__free(btf);
}

void rec_host_try(struct rec_host *host)
{
	const struct rec_opts opts = { .max_memory = REC_MEMORY_DEFAULT, .max_us = UINT64_MAX };
	struct ow_range irq[OW_RANGES_MAX], softirq[OW_RANGES_MAX];
	struct rec_kallsyms *kallsyms = NULL;
	struct rec_session *session = NULL;
	enum rec_maphook hook;
	struct owt_err err = { 0 };

	host->has_kallsyms = !rec_kallsyms_load(&kallsyms, &err);
	host->knows_interrupts = host->has_kallsyms && rec_irqtext_find(kallsyms, irq, softirq);
	if (!host->has_kallsyms || rec_session_open(&opts, kallsyms, &session, &err))
		snprintf(host->programs_fault, sizeof(host->programs_fault), "%s", err.text);
	else
		host->lends_memory = rec_session_sleepers(session).can_walk;
	if (session) { /* else it could not be tried */
		hook = rec_maphook_find();
		host->maphook = rec_maphook_name(hook);
		host->has_maphook = hook != REC_MAPHOOK_NONE;
	}
	rec_session_free(session);
	rec_kallsyms_free(kallsyms);
}

void rec_host_look(struct rec_host *out)
{
	struct rlimit memlock = { 0 };
	struct utsname names = { 0 };

	*out = (struct rec_host){
		.has_kallsyms = true,
		.knows_interrupts = true,
		.has_maphook = true,
		.maphook = "",
		.is_initial_pidns = rec_is_namespace("/proc/self/ns/pid", REC_PID_NS_INITIAL),
		.is_initial_userns = rec_is_namespace("/proc/self/ns/user", REC_USER_NS_INITIAL),
		.kptr_restrict = number_in("/proc/sys/kernel/kptr_restrict"),
		.perf_paranoid = number_in("/proc/sys/kernel/perf_event_paranoid"),
		.max_stack = number_in("/proc/sys/kernel/perf_event_max_stack"),
		.jit = number_in("/proc/sys/net/core/bpf_jit_enable"),
	};
	uname(&names);
	snprintf(out->release, sizeof(out->release), "%s", names.release);
	look_for_text("/sys/kernel/security/lockdown", out->lockdown, sizeof(out->lockdown));
	if (rec_effective_caps(&out->caps, NULL))
		out->caps = 0;
	getrlimit(RLIMIT_MEMLOCK, &memlock);
	out->memlock_bytes = memlock.rlim_cur == RLIM_INFINITY ? UINT64_MAX : memlock.rlim_cur;
	look_at_types(out);
}

/* --- judging ----------------------------------------------------------------------------- */

struct findings {
	struct rec_finding *at;
	size_t cnt;
};

static OWT_PRINTF(6, 7) void find(struct findings *f, bool is_ok, enum rec_verdict otherwise,
				  const char *loss, const char *cure, const char *what, ...)
{
	struct rec_finding *found = &f->at[f->cnt++];
	va_list args;

	*found = (struct rec_finding){ .verdict = is_ok ? REC_CHECK_OK : otherwise };
	if (!is_ok) {
		found->loss = loss;
		found->cure = cure;
	}
	va_start(args, what);
	vsnprintf(found->what, sizeof(found->what), what, args);
	va_end(args);
}

static void judge_kernel(struct findings *f, const struct rec_host *h)
{
	static const struct {
		size_t at;
		const char *what;
	} features[] = {
		{ offsetof(struct rec_host, has_waking), "hook tp_btf/sched_waking" },
		{ offsetof(struct rec_host, has_switch), "hook tp_btf/sched_switch" },
		{ offsetof(struct rec_host, has_new_task), "hook tp_btf/task_newtask" },
		{ offsetof(struct rec_host, has_exec), "hook tp_btf/sched_process_exec" },
		{ offsetof(struct rec_host, has_task_storage), "BPF task storage" },
		{ offsetof(struct rec_host, has_ring), "BPF ring buffer" },
	};
	bool has_btf = !*h->btf_fault, has;

	find(f, has_btf, REC_CHECK_MISSING, "the programs do not fit an unknown kernel",
	     "a kernel with CONFIG_DEBUG_INFO_BTF=y, as distributions build it",
	     "kernel %s, its type information%s%s", h->release, has_btf ? "" : ": ", h->btf_fault);
	for (size_t i = 0; has_btf && i < OWT_ARRAY_SIZE(features); i++) {
		memcpy(&has, (const char *)h + features[i].at, sizeof(has));
		find(f, has, REC_CHECK_MISSING, "recording is built on it",
		     "Linux 5.13 or newer with CONFIG_TRACEPOINTS=y", "%s", features[i].what);
	}
	find(f, !has_btf || h->lends_memory, REC_CHECK_LIMITED,
	     "threads that sleep when recording begins will have no user stack of that sleep",
	     "Linux 5.18 or newer", "memory of sleeping threads (bpf_copy_from_user_task)");
	find(f, !strstr(h->lockdown, "[confidentiality]"), REC_CHECK_MISSING,
	     "BPF programs may not read kernel memory", "boot with lockdown=integrity or less",
	     "kernel lockdown: %s", *h->lockdown ? h->lockdown : "not in this kernel");
}

static void judge_caps(struct findings *f, const struct rec_host *h)
{
	static const struct {
		unsigned cap, or_cap;
		enum rec_verdict without;
		const char *name, *loss;
	} needed[] = {
		{ CAP_BPF, CAP_SYS_ADMIN, REC_CHECK_MISSING, "CAP_BPF", "BPF may not be used" },
		{ CAP_PERFMON, CAP_SYS_ADMIN, REC_CHECK_MISSING, "CAP_PERFMON",
		  "programs may not trace" },
		{ CAP_SYS_PTRACE, CAP_SYS_PTRACE, REC_CHECK_MISSING, "CAP_SYS_PTRACE",
		  "mappings of other users' processes cannot be read" },
		{ CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE, REC_CHECK_LIMITED, "CAP_DAC_READ_SEARCH",
		  "files that only their owner may read give no names" },
		{ CAP_CHECKPOINT_RESTORE, CAP_SYS_ADMIN, REC_CHECK_LIMITED,
		  "CAP_CHECKPOINT_RESTORE",
		  "mapped files cannot be opened: no build-ids, and so no names" },
	};

	find(f, h->is_initial_userns, REC_CHECK_MISSING, "capabilities do not count in it for BPF",
	     "record on the host, or in a container without user namespace", "user namespace: %s",
	     h->is_initial_userns ? "the initial one" : "not the initial one");
	for (size_t i = 0; i < OWT_ARRAY_SIZE(needed); i++)
		find(f, (h->caps >> needed[i].cap | h->caps >> needed[i].or_cap) & 1,
		     needed[i].without, needed[i].loss,
		     "run as root, or give the program this capability (setcap)", "%s",
		     needed[i].name);
}

static void judge_symbols(struct findings *f, const struct rec_host *h)
{
	bool has_syslog = h->caps >> CAP_SYSLOG & 1;

	find(f, h->has_kallsyms, REC_CHECK_MISSING,
	     "without kernel addresses no wake by an interrupt can be told from a task's",
	     has_syslog ? "sysctl kernel.kptr_restrict=1" : "run as root (CAP_SYSLOG)",
	     "/proc/kallsyms (kernel.kptr_restrict is %lld, CAP_SYSLOG %s)",
	     (long long)h->kptr_restrict, has_syslog ? "held" : "not held");
	if (h->has_kallsyms)
		find(f, h->knows_interrupts, REC_CHECK_MISSING,
		     "wakes by interrupts would be put down to whoever was interrupted",
		     "x86-64 or arm64", "interrupt entries of this architecture");
}

static void judge_maphook(struct findings *f, const struct rec_host *h)
{
	find(f, h->has_maphook, REC_CHECK_LIMITED,
	     "where a library takes another's address, stacks of that time have no names there",
	     "a kernel in which functions can be traced (CONFIG_DYNAMIC_FTRACE)",
	     "hook on changes of mappings%s%s", *h->maphook ? " " : "", h->maphook);
}

static void judge_settings(struct findings *f, const struct rec_host *h)
{
	bool may_watch = (h->caps >> CAP_PERFMON | h->caps >> CAP_SYS_ADMIN) & 1;
	bool may_lock = h->caps >> CAP_IPC_LOCK & 1;

	find(f, may_watch || h->perf_paranoid < 0, REC_CHECK_LIMITED,
	     "mappings cannot be watched as they are made",
	     "run as root, or sysctl kernel.perf_event_paranoid=-1",
	     "kernel.perf_event_paranoid is %lld", (long long)h->perf_paranoid);
	find(f, h->max_stack < 0 || h->max_stack >= OW_FRAMES_MAX, REC_CHECK_LIMITED,
	     "deeper stacks are cut", "sysctl kernel.perf_event_max_stack=127",
	     "kernel.perf_event_max_stack is %lld", (long long)h->max_stack);
	find(f, h->jit, REC_CHECK_LIMITED, "recording costs several times as much",
	     "sysctl net.core.bpf_jit_enable=1", "net.core.bpf_jit_enable is %lld",
	     (long long)h->jit);
	find(f, may_lock || h->memlock_bytes >= 1 << 20, REC_CHECK_LIMITED,
	     "buffers for mappings may be refused", "run as root, or ulimit -l unlimited",
	     "memory that may be locked: %s",
	     may_lock			   ? "as much as is wanted"
	     : h->memlock_bytes >= 1 << 20 ? "enough"
					   : "less than 1 MiB");
	find(f, h->is_initial_pidns, REC_CHECK_MISSING,
	     "process ids do not mean here what they mean to the kernel, and -p takes the host's",
	     "record on the host, or with its PID namespace (docker run --pid=host)",
	     "PID namespace: %s", h->is_initial_pidns ? "the initial one" : "not the initial one");
}

size_t rec_host_judge(const struct rec_host *host, struct rec_finding *out)
{
	struct findings f = { out, 0 };

	judge_kernel(&f, host);
	judge_caps(&f, host);
	judge_symbols(&f, host);
	judge_maphook(&f, host);
	judge_settings(&f, host);
	find(&f, !*host->programs_fault, REC_CHECK_MISSING,
	     "this is what recording would have said", "see above", "the programs, on trial%s%s",
	     *host->programs_fault ? ": " : "", host->programs_fault);
	return f.cnt;
}
