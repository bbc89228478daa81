/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a function's return can be traced depends on the kernel's version, architecture,
 * configuration and security policy: only a trial tells. The tracepoint comes each time an
 * address space is unlocked; where it has more arguments than two (before 6.14) the kernel
 * writes out a cgroup's path each time, which is too slow.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <unistd.h>
#include "maphook.h"

#define FUNCTION	  "perf_event_mmap"
#define TRACEPOINT	  "btf_trace_mmap_lock_released"
#define TRACEPOINT_PARAMS 3 /* context, mm, write */

static bool can_trace_return(const struct btf *btf)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int id = btf__find_by_name_kind(btf, FUNCTION, BTF_KIND_FUNC), prog, link;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FEXIT,
		    .attach_btf_id = id > 0 ? (uint32_t)id : 0);

	if (id <= 0)
		return false;
	prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "ow_trial", "GPL", nothing,
			     OWT_ARRAY_SIZE(nothing), &opts);
	if (prog < 0)
		return false;
	link = bpf_raw_tracepoint_open(NULL, prog);
	close(prog);
	if (link < 0)
		return false;
	close(link);
	return true;
}

static bool has_cheap_tracepoint(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, TRACEPOINT, BTF_KIND_TYPEDEF);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
	return t && btf_is_func_proto(t) && btf_vlen(t) == TRACEPOINT_PARAMS;
}

enum rec_maphook rec_maphook_find(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	enum rec_maphook hook = REC_MAPHOOK_NONE;

	if (!btf)
		return hook;
	if (can_trace_return(btf))
		hook = REC_MAPHOOK_EXIT;
	else if (has_cheap_tracepoint(btf))
		hook = REC_MAPHOOK_UNLOCK;
	btf__free(btf);
	return hook;
}

const char *rec_maphook_name(enum rec_maphook hook)
{
	switch (hook) {
	case REC_MAPHOOK_EXIT:
		return "fexit/" FUNCTION;
	case REC_MAPHOOK_UNLOCK:
		return "tp_btf/mmap_lock_released";
	default:
		return "none";
	}
}
