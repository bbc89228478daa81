/* SPDX-License-Identifier: Apache-2.0 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "clock.h"
#include "irqtext.h"
#include "kerneltypes.h"
#include "maphook.h"
#include "bounds.h"
#include "parse.h"
#include "session.h"
#include "sizes.h"
#include "sleepers.h"
#include "slurp.h"
#include "offwake.skel.h"

#define OWN_TEXT_MAX	  64
#define JITED_MAX	  16
#define NS_PER_MS	  1000000ull
#define WALKS_MS	  1000 /* for the user stacks of sleepers, before recording begins */
#define WALKS_GRACE_MS	  200  /* for the one that is being read then */
#define WALK_ROUNDS	  3
#define SWITCH_ARGS_STATE 5 /* context, preempt, prev, next, prev_state */

struct rec_session {
	struct offwake_bpf *bpf;
	bool b_is_active; /* which row map the programs fill */
	uint32_t row_max, ring_bytes;
	int cpu_cnt;
	enum rec_maphook maphook;
	uint64_t maphook_ns; /* when it was attached; 0: it was not */
	bool has_state_arg; /* sched_switch */
	struct rec_session_sleepers sleepers;
	struct ow_range own_text[OWN_TEXT_MAX];
	size_t own_text_cnt;
	bool reconcile;
	struct ow_account *accounts;
	size_t account_bytes, account_cap; /* what the iterator gave so far, and room for more */
};

/*
 * Kernels before 5.18 call sched_switch without prev_state, and distributions backported it:
 * the running kernel's own types decide.
 */
static int has_state_arg(const struct btf *btf, bool *out, struct owt_err *err)
{
	const struct btf_type *t;
	int id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);

	t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t))
		return owt_fail(err, -OWT_E_UNAVAILABLE,
				"the kernel's BTF does not describe sched_switch: tracing is not "
				"built into this kernel (CONFIG_TRACEPOINTS)");
	*out = btf_vlen(t) >= SWITCH_ARGS_STATE;
	return 0;
}

static int look_at_kernel(struct rec_session *s, struct owt_err *err)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int ret;

	if (!btf)
		return owt_fail(err, -OWT_E_UNAVAILABLE, "cannot read the kernel's BTF: %s",
				strerror(errno));
	ret = has_state_arg(btf, &s->has_state_arg, err);
	s->sleepers.can_walk = rec_lends_memory(btf);
	btf__free(btf);
	return ret;
}

/* How many frames a walk takes at most; the kernel bounds that, too. */
static uint32_t frames_max(void)
{
	uint64_t frames = OW_FRAMES_ASKED;
	const char *pos;
	char *text;
	size_t len;

	if (rec_slurp(-1, "/proc/sys/kernel/perf_event_max_stack", 64, &text, &len))
		return OW_FRAMES_MAX;
	pos = text;
	if (owt_take_u64(&pos, text + len, 10, &frames))
		frames = OW_FRAMES_MAX;
	else if (frames > OW_FRAMES_ASKED)
		frames = OW_FRAMES_ASKED;
	free(text);
	return (uint32_t)frames;
}

static enum ow_filter wire_filter(enum rec_filter filter)
{
	switch (filter) {
	case REC_TGIDS:
		return OW_FILTER_TGID;
	case REC_TIDS:
		return OW_FILTER_TID;
	case REC_USER:
		return OW_FILTER_USER;
	case REC_KERNEL:
		return OW_FILTER_KERNEL;
	case REC_COMMAND:
		return OW_FILTER_COMMAND;
	default:
		return OW_FILTER_NONE;
	}
}

static enum ow_stacks wire_stacks(enum rec_stacks stacks)
{
	switch (stacks) {
	case REC_STACKS_USER:
		return OW_STACKS_USER;
	case REC_STACKS_KERNEL:
		return OW_STACKS_KERNEL;
	default:
		return OW_STACKS_BOTH;
	}
}

static int size_maps(struct rec_session *s, const struct rec_opts *opts, struct owt_err *err)
{
	struct rec_sizes sizes = rec_sizes_of(opts->max_memory, opts->stack_storage);
	int ret;

	s->row_max = sizes.rows;
	s->ring_bytes = sizes.ring_bytes;
	s->bpf->rodata->knob_ring_half = sizes.ring_bytes / 2;
	s->bpf->rodata->knob_rows_half = sizes.rows / 2;
	ret = bpf_map__set_max_entries(s->bpf->maps.stacks_sent, sizes.stacks);

	if (!ret)
		ret = bpf_map__set_max_entries(s->bpf->maps.stack_ring, sizes.ring_bytes);
	if (!ret)
		ret = bpf_map__set_max_entries(s->bpf->maps.rows_a, sizes.rows);
	if (!ret)
		ret = bpf_map__set_max_entries(s->bpf->maps.rows_b, sizes.rows);
	if (!ret && !opts->reconcile)
		ret = bpf_map__set_max_entries(s->bpf->maps.account_ring,
					       (uint32_t)sysconf(_SC_PAGESIZE));
	if (!ret && opts->id_cnt)
		ret = bpf_map__set_max_entries(s->bpf->maps.filter_ids, (uint32_t)opts->id_cnt);
	if (!ret && opts->comms.cnt)
		ret = bpf_map__set_max_entries(s->bpf->maps.filter_names,
					       (uint32_t)opts->comms.cnt);
	return ret ? owt_fail(err, ret, "cannot size the kernel maps: %s", owt_strerror(ret)) : 0;
}

static int configure(struct rec_session *s, const struct rec_opts *opts,
		     const struct rec_kallsyms *kallsyms, struct owt_err *err)
{
	struct offwake_bpf__rodata *knobs = s->bpf->rodata;
	uint64_t secret[2];

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return owt_fail(err, -errno, "getrandom: %s", strerror(errno));
	knobs->knob_state_arg = s->has_state_arg;
	knobs->knob_raw_wakers = opts->raw_wakers;
	knobs->knob_filter = wire_filter(opts->filter);
	knobs->knob_self = opts->self;
	knobs->knob_follow = opts->follow_children || opts->filter == REC_COMMAND;
	knobs->knob_by_name = opts->comms.cnt;
	knobs->knob_cgroup = opts->cgroup.id;
	knobs->knob_cgroup_level = opts->cgroup.level;
	knobs->knob_stacks = wire_stacks(opts->stacks);
	knobs->knob_by_state = opts->by_state;
	knobs->knob_state = (uint32_t)opts->state;
	knobs->knob_min_ns = ow_shortest_ns(opts->min_us);
	knobs->knob_max_ns = ow_longest_ns(opts->max_us);
	knobs->knob_frames = frames_max();
	knobs->knob_reconcile = s->reconcile = opts->reconcile;
	knobs->knob_walks = s->sleepers.can_walk;
	knobs->knob_seed = secret[0];
	knobs->knob_salt = secret[1];
	if (!rec_irqtext_find(kallsyms, knobs->knob_irq, knobs->knob_softirq))
		return owt_fail(
			err, -OWT_E_UNAVAILABLE,
			"interrupt entries are not known for this kernel: waker names would "
			"be wrong");
	return size_maps(s, opts, err);
}

static int ask_for(struct rec_session *s, uint32_t id)
{
	const uint8_t yes = 1;

	return bpf_map__update_elem(s->bpf->maps.filter_ids, &id, sizeof(id), &yes, sizeof(yes),
				    BPF_ANY);
}

static int ask_for_name(struct rec_session *s, const struct rec_comm *comm)
{
	struct ow_name name = { .bits = 8 * (comm->is_prefix ? comm->len : OW_COMM_LEN) };
	const uint8_t yes = 1;

	memcpy(name.comm, comm->name, OW_COMM_LEN);
	return bpf_map__update_elem(s->bpf->maps.filter_names, &name, sizeof(name), &yes,
				    sizeof(yes), BPF_ANY);
}

static int fill_filter(struct rec_session *s, const struct rec_opts *opts, struct owt_err *err)
{
	int ret = 0;

	for (size_t i = 0; i < opts->id_cnt && !ret; i++)
		ret = ask_for(s, opts->ids[i]);
	for (size_t i = 0; i < opts->comms.cnt && !ret; i++)
		ret = ask_for_name(s, &opts->comms.items[i]);
	return ret ? owt_fail(err, ret, "cannot set the filter: %s", owt_strerror(ret)) : 0;
}

static void add_own(struct rec_session *s, uint64_t start, uint64_t end)
{
	if (s->own_text_cnt < OWN_TEXT_MAX)
		s->own_text[s->own_text_cnt++] = (struct ow_range){ start, end };
}

static void add_own_program(struct rec_session *s, const struct bpf_program *prog)
{
	uint64_t starts[JITED_MAX];
	uint32_t lens[JITED_MAX];
	struct bpf_prog_info info = {
		.jited_ksyms = (uint64_t)(uintptr_t)starts,
		.nr_jited_ksyms = JITED_MAX,
		.jited_func_lens = (uint64_t)(uintptr_t)lens,
		.nr_jited_func_lens = JITED_MAX,
	};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return;
	for (uint32_t i = 0;
	     i < info.nr_jited_ksyms && i < info.nr_jited_func_lens && i < JITED_MAX; i++)
		add_own(s, starts[i], starts[i] + lens[i]);
}

static bool is_tracing_entry(const char *name)
{
	static const char *const entries[] = { "__bpf_trace_sched_switch",
					       "__bpf_trace_sched_waking",
					       "__traceiter_sched_switch",
					       "__traceiter_sched_waking" };
	static const char run[] = "bpf_trace_run"; /* bpf_trace_run1 to bpf_trace_run12 */

	if (!strncmp(name, run, strlen(run)))
		return true;
	for (size_t i = 0; i < OWT_ARRAY_SIZE(entries); i++)
		if (!strcmp(name, entries[i]))
			return true;
	return false;
}

/* What stands between __schedule or try_to_wake_up and the helper that takes the stack. */
static void find_own_text(struct rec_session *s, const struct rec_kallsyms *k)
{
	const struct rec_ksym *sym;
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, s->bpf->obj) add_own_program(s, prog);
	for (size_t i = 0; i + 1 < rec_kallsyms_cnt(k); i++) {
		sym = rec_kallsyms_at(k, i);
		if (!*sym->module && is_tracing_entry(sym->name))
			add_own(s, sym->addr, rec_kallsyms_at(k, i + 1)->addr);
	}
}

/* Of the programs that note changes of code, the one that this kernel takes. */
static int load_programs(struct rec_session *s)
{
	s->maphook = rec_maphook_find();
	bpf_program__set_autoload(s->bpf->progs.on_map, s->maphook == REC_MAPHOOK_EXIT);
	bpf_program__set_autoload(s->bpf->progs.on_unlock, s->maphook == REC_MAPHOOK_UNLOCK);
	return offwake_bpf__load(s->bpf);
}

static int load(struct rec_session *s, struct owt_err *err)
{
	int ret = load_programs(s);

	if (ret == -EPERM)
		return owt_fail(err, ret,
				"the kernel does not allow BPF here: record as root, outside a "
				"container, with kernel lockdown below \"confidentiality\"");
	if (ret == -ENOMEM)
		return owt_fail(err, ret,
				"the kernel has no memory for the tables: give less with "
				"--max-memory or --stack-storage-size");
	if (ret)
		return owt_fail(err, ret,
				"the kernel refused the BPF programs (%s): Linux 5.13 or "
				"newer with BTF is needed",
				owt_strerror(ret));
	return 0;
}

/* Only whom the iterators may find asleep has a stack to be read. */
static bool wants_sleepers(const struct rec_session *s)
{
	const struct offwake_bpf__rodata *knobs = s->bpf->rodata;

	return s->sleepers.can_walk && knobs->knob_stacks != OW_STACKS_KERNEL &&
	       knobs->knob_filter != OW_FILTER_KERNEL && knobs->knob_filter != OW_FILTER_COMMAND;
}

static int open_and_load(struct rec_session *s, const struct rec_opts *opts,
			 const struct rec_kallsyms *kallsyms, struct owt_err *err)
{
	int ret;

	s->bpf = offwake_bpf__open();
	if (!s->bpf)
		return owt_fail(err, -errno, "cannot open the BPF programs: %s", strerror(errno));
	ret = configure(s, opts, kallsyms, err);
	if (ret)
		return ret;
	/* the verifier takes its time for each */
	bpf_program__set_autoload(s->bpf->progs.walk_task, wants_sleepers(s));
	bpf_program__set_autoload(s->bpf->progs.begin_account, s->reconcile);
	bpf_program__set_autoload(s->bpf->progs.end_account, s->reconcile);
	return load(s, err);
}

/* Without the user stacks of sleepers, where that is what the kernel refuses. */
static int open_programs(struct rec_session *s, const struct rec_opts *opts,
			 const struct rec_kallsyms *kallsyms, struct owt_err *err)
{
	struct owt_err first = { 0 };
	int ret = open_and_load(s, opts, kallsyms, &first);

	if (ret && s->sleepers.can_walk) {
		offwake_bpf__destroy(s->bpf);
		s->sleepers.can_walk = false;
		ret = open_and_load(s, opts, kallsyms, &first);
	}
	if (ret && err)
		*err = first;
	return ret;
}

int rec_session_open(const struct rec_opts *opts, const struct rec_kallsyms *kallsyms,
		     struct rec_session **out, struct owt_err *err)
{
	struct rec_session *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return owt_fail(err, -ENOMEM, "out of memory");
	s->cpu_cnt = libbpf_num_possible_cpus();
	if (s->cpu_cnt < 1)
		ret = owt_fail(err, s->cpu_cnt, "cannot count the CPUs: %s",
			       owt_strerror(s->cpu_cnt));
	else
		ret = look_at_kernel(s, err);
	if (!ret)
		ret = open_programs(s, opts, kallsyms, err);
	if (!ret)
		ret = fill_filter(s, opts, err);
	if (ret) {
		rec_session_free(s);
		return ret;
	}
	find_own_text(s, kallsyms);
	*out = s;
	return 0;
}

static int attach(struct bpf_program *prog, struct bpf_link **out_link, struct owt_err *err)
{
	struct bpf_link *link = bpf_program__attach(prog);

	if (!link)
		return owt_fail(err, -errno, "cannot attach to %s: %s",
				bpf_program__section_name(prog), strerror(errno));
	*out_link = link;
	return 0;
}

/* A descriptor that runs the task iterator as it is read. The link may go at once. */
static int open_iterator(struct bpf_program *prog, int *out_fd, struct owt_err *err)
{
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -errno;

	bpf_link__destroy(link);
	if (fd < 0)
		return owt_fail(err, fd, "cannot iterate over the tasks: %s", owt_strerror(fd));
	*out_fd = fd;
	return 0;
}

static int make_room(struct rec_session *s)
{
	size_t cap = s->account_cap ? s->account_cap * 2 : 1024;
	struct ow_account *more;

	if (s->account_bytes < s->account_cap * sizeof(*more))
		return 0;
	more = reallocarray(s->accounts, cap, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->accounts = more;
	s->account_cap = cap;
	return 0;
}

/* Runs a task iterator over all tasks. Only end_account writes: accounts, to be kept. */
static int iterate(struct rec_session *s, struct bpf_program *prog, struct owt_err *err)
{
	int fd, ret = open_iterator(prog, &fd, err);
	ssize_t n;

	if (ret)
		return ret;
	do {
		if (make_room(s)) {
			ret = owt_fail(err, -ENOMEM, "out of memory");
			break;
		}
		n = read(fd, (char *)s->accounts + s->account_bytes,
			 s->account_cap * sizeof(*s->accounts) - s->account_bytes);
		if (n > 0)
			s->account_bytes += (size_t)n;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			ret = owt_fail(err, -errno, "cannot read the tasks: %s", strerror(errno));
	} while (!ret && n);
	close(fd);
	return ret;
}

static int attach_maphook(struct rec_session *s, struct owt_err *err)
{
	int ret;

	if (s->maphook == REC_MAPHOOK_NONE)
		return 0;
	if (s->maphook == REC_MAPHOOK_EXIT)
		ret = attach(s->bpf->progs.on_map, &s->bpf->links.on_map, err);
	else
		ret = attach(s->bpf->progs.on_unlock, &s->bpf->links.on_unlock, err);
	s->maphook_ns = rec_monotonic_ns();
	return ret;
}

/*
 * What could not be read in time, or not at all, the rows say. An address space that was being
 * changed is tried again.
 */
static void walk_sleepers(struct rec_session *s)
{
	struct offwake_bpf__bss *bss = s->bpf->bss;
	uint64_t begin_ns = rec_monotonic_ns(), end_ns = begin_ns + WALKS_MS * NS_PER_MS, now_ns;
	int fd, ret = 0;

	s->bpf->data->walks_end_ns = end_ns;
	for (int i = 0; i < WALK_ROUNDS && !ret && (!i || bss->busy_cnt); i++) {
		now_ns = rec_monotonic_ns();
		bss->busy_cnt = 0;
		if (now_ns >= end_ns || open_iterator(s->bpf->progs.walk_task, &fd, NULL))
			break;
		ret = rec_sleepers_read(fd, (int)((end_ns - now_ns) / NS_PER_MS) + WALKS_GRACE_MS,
					NULL);
		close(fd);
	}
	s->sleepers.took_ns = rec_monotonic_ns() - begin_ns;
	s->sleepers.walked = bss->walked_cnt;
}

int rec_session_start(struct rec_session *s, uint32_t command_tgid,
		      const uint32_t helper_tgids[OW_HELPERS], uint64_t duration_ns,
		      uint64_t *out_start_ns, struct owt_err *err)
{
	int ret = command_tgid ? ask_for(s, command_tgid) : 0;

	if (ret)
		return owt_fail(err, ret, "cannot set the filter: %s", owt_strerror(ret));
	for (size_t i = 0; i < OW_HELPERS; i++)
		s->bpf->bss->helper_tgids[i] = helper_tgids[i];
	ret = attach(s->bpf->progs.on_new_task, &s->bpf->links.on_new_task, err);
	if (!ret)
		ret = attach(s->bpf->progs.on_exec, &s->bpf->links.on_exec, err);
	if (!ret)
		ret = attach_maphook(s, err);
	if (!ret)
		ret = attach(s->bpf->progs.on_waking, &s->bpf->links.on_waking, err);
	if (!ret)
		ret = attach(s->bpf->progs.on_switch, &s->bpf->links.on_switch, err);
	if (!ret)
		ret = iterate(s, s->bpf->progs.seed_task, err);
	if (ret)
		return ret;
	if (wants_sleepers(s))
		walk_sleepers(s);
	*out_start_ns = rec_monotonic_ns();
	if (duration_ns)
		__atomic_store_n(&s->bpf->data->stop_ns, *out_start_ns + duration_ns,
				 __ATOMIC_RELEASE);
	__atomic_store_n(&s->bpf->data->start_ns, *out_start_ns, __ATOMIC_RELEASE);
	return s->reconcile ? iterate(s, s->bpf->progs.begin_account, err) : 0;
}

struct rec_session_sleepers rec_session_sleepers(const struct rec_session *s)
{
	return s->sleepers;
}

static int row_map(const struct rec_session *s, bool b)
{
	return bpf_map__fd(b ? s->bpf->maps.rows_b : s->bpf->maps.rows_a);
}

/* Setting an element of an array of maps, here to what it is, waits for a grace period. */
static int set_active_rows(struct rec_session *s, int fd, struct owt_err *err)
{
	const uint32_t zero = 0;

	if (bpf_map_update_elem(bpf_map__fd(s->bpf->maps.active_rows), &zero, &fd, BPF_ANY))
		return owt_fail(err, -errno, "cannot change the row map: %s", strerror(errno));
	return 0;
}

int rec_session_stop(struct rec_session *s, uint64_t *out_stop_ns, struct owt_err *err)
{
	uint64_t begin_ns;
	int ret;

	*out_stop_ns = rec_monotonic_ns();
	if (*out_stop_ns < s->bpf->data->stop_ns)
		__atomic_store_n(&s->bpf->data->stop_ns, *out_stop_ns, __ATOMIC_RELEASE);
	else
		*out_stop_ns = s->bpf->data->stop_ns;
	/* programs that have not seen it end before a grace period does */
	ret = set_active_rows(s, row_map(s, s->b_is_active), err);
	begin_ns = rec_monotonic_ns();
	if (!ret)
		ret = iterate(s, s->bpf->progs.open_task, err);
	s->sleepers.open_ns = rec_monotonic_ns() - begin_ns;
	if (!ret && s->reconcile)
		ret = iterate(s, s->bpf->progs.end_account, err);
	offwake_bpf__detach(s->bpf);
	return ret;
}

int rec_session_flip(struct rec_session *s, int *out_fd, struct owt_err *err)
{
	int quiet = row_map(s, s->b_is_active), ret;

	__atomic_store_n(&s->bpf->bss->rows_used, 0, __ATOMIC_RELAXED);
	ret = set_active_rows(s, row_map(s, !s->b_is_active), err);
	if (ret)
		return ret;
	s->b_is_active = !s->b_is_active;
	*out_fd = quiet;
	return 0;
}

bool rec_session_rows_press(const struct rec_session *s)
{
	return __atomic_load_n(&s->bpf->bss->rows_used, __ATOMIC_RELAXED) > s->row_max / 2;
}

int rec_session_ring_fd(const struct rec_session *s)
{
	return bpf_map__fd(s->bpf->maps.stack_ring);
}

uint32_t rec_session_ring_bytes(const struct rec_session *s)
{
	return s->ring_bytes;
}

void rec_session_ring_read(struct rec_session *s)
{
	__atomic_store_n(&s->bpf->bss->ring_woken, false, __ATOMIC_RELAXED);
}

int rec_session_account_ring_fd(const struct rec_session *s)
{
	return bpf_map__fd(s->bpf->maps.account_ring);
}

size_t rec_session_accounts(const struct rec_session *s, const struct ow_account **out)
{
	*out = s->accounts;
	return s->account_bytes / sizeof(*s->accounts);
}

static uint64_t memlock_of(int fd)
{
	static const char tag[] = "\nmemlock:\t";
	uint64_t bytes = 0;
	char path[48], *text;
	const char *at;
	size_t len;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (rec_slurp(AT_FDCWD, path, 4096, &text, &len))
		return 0;
	at = strstr(text, tag);
	if (at) {
		at += strlen(tag);
		if (owt_take_u64(&at, text + len, 10, &bytes))
			bytes = 0;
	}
	free(text);
	return bytes;
}

uint64_t rec_session_kernel_bytes(const struct rec_session *s)
{
	const struct bpf_map *map;
	uint64_t bytes = 0;

	bpf_object__for_each_map(map, s->bpf->obj) bytes += memlock_of(bpf_map__fd(map));
	return bytes;
}

int rec_session_counters(const struct rec_session *s, struct ow_count out[OW_CNT_CNT],
			 struct owt_err *err)
{
	struct ow_count *cpus = calloc((size_t)s->cpu_cnt, sizeof(*cpus));
	int ret = 0;

	if (!cpus)
		return owt_fail(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < OW_CNT_CNT && !ret; i++) {
		if (bpf_map_lookup_elem(bpf_map__fd(s->bpf->maps.counters), &i, cpus))
			ret = owt_fail(err, -errno, "cannot read the counters: %s",
				       strerror(errno));
		out[i] = (struct ow_count){ 0 };
		for (int cpu = 0; cpu < s->cpu_cnt; cpu++) {
			out[i].count += cpus[cpu].count;
			out[i].time_ns += cpus[cpu].time_ns;
		}
	}
	free(cpus);
	return ret;
}

uint64_t rec_session_missed(const struct rec_session *s)
{
	struct bpf_program *prog;
	uint64_t missed = 0;

	bpf_object__for_each_program(prog, s->bpf->obj)
	{
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
			missed += info.recursion_misses;
	}
	return missed;
}

uint64_t rec_session_notes_since(const struct rec_session *s)
{
	return s->maphook_ns;
}

size_t rec_session_programs(const struct rec_session *s, struct rec_program out[REC_PROGRAMS_MAX])
{
	struct bpf_program *prog;
	size_t cnt = 0;

	bpf_object__for_each_program(prog, s->bpf->obj)
	{
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (cnt == REC_PROGRAMS_MAX ||
		    bpf_program__expected_attach_type(prog) == BPF_TRACE_ITER ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
			continue;
		out[cnt++] = (struct rec_program){ bpf_program__name(prog), info.run_cnt,
						   info.run_time_ns };
	}
	return cnt;
}

bool rec_session_is_own_text(const struct rec_session *s, uint64_t addr)
{
	for (size_t i = 0; i < s->own_text_cnt; i++)
		if (addr >= s->own_text[i].start && addr < s->own_text[i].end)
			return true;
	return false;
}

void rec_session_free(struct rec_session *s)
{
	if (!s)
		return;
	offwake_bpf__destroy(s->bpf);
	free(s->accounts);
	free(s);
}
