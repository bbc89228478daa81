/* SPDX-License-Identifier: Apache-2.0 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "clock.h"
#include "drain.h"
#include "intern.h"

#define OWNERS_MAX (1u << 20)
#define BATCH_CNT  4096u
#define RING_HEAD  8u /* of each record, and its alignment */

struct known_stack {
	uint32_t id; /* in the recording */
	uint32_t frame_cnt;
	size_t first; /* in frames */
	bool is_kernel;
};

struct rec_drain {
	struct rec_session *session;
	struct owt_writer *writer;
	struct rec_procs *procs;
	struct ring_buffer *ring, *account_ring;
	int wake_fd;	  /* an epoll of the ring, edge-triggered */
	size_t ring_left; /* bytes that this round may still take */
	struct rec_mapevents *events;
	struct rec_memory *memory; /* null: no limit */
	struct owt_pairs hashes; /* (hash, 0) -> place in stacks, from 1 */
	struct known_stack *stacks;
	size_t stack_cap;
	uint64_t *frames; /* of all stacks, one after the other */
	size_t frame_cnt, frame_cap;
	struct owt_pairs owners; /* (process, place): stacks that were seen to */
	struct ow_row_key *keys; /* one batch of rows */
	struct ow_row_value *values;
	uint32_t batch_cnt;
	uint64_t slice_start_ns, last_slice_start_ns, flip_ns;
	uint64_t since_ns, until_ns; /* the row at hand lies between */
	size_t account_cnt; /* taken of those that were there at the end */
	struct rec_totals totals;
	struct owt_losses seen; /* found here, not counted by the kernel programs */
	/* intervals in rows that the file had no room for; those of them that were open */
	uint64_t not_written, open_not_written;
	uint64_t accounts_not_written; /* likewise */
	struct owt_err *ring_err; /* where the ring's callback reports; set during a poll */
};

static int no_memory(struct owt_err *err)
{
	return owt_fail(err, -ENOMEM, "out of memory");
}

/* --- stacks ------------------------------------------------------------------------------ */

static int keep_frames(struct rec_drain *d, const uint64_t *addrs, uint32_t cnt)
{
	size_t cap = d->frame_cap ? d->frame_cap * 2 : 16384;
	uint64_t *more;

	if (d->frame_cnt + cnt > d->frame_cap) {
		more = reallocarray(d->frames, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		d->frames = more;
		d->frame_cap = cap;
	}
	memcpy(d->frames + d->frame_cnt, addrs, cnt * sizeof(*addrs));
	d->frame_cnt += cnt;
	return 0;
}

static int remember(struct rec_drain *d, uint64_t hash, const struct known_stack *stack,
		    const uint64_t *addrs)
{
	size_t cap = d->stack_cap ? d->stack_cap * 2 : 1024;
	struct known_stack *more;

	if (d->hashes.cnt == d->stack_cap) {
		more = reallocarray(d->stacks, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		d->stacks = more;
		d->stack_cap = cap;
	}
	d->stacks[d->hashes.cnt] = *stack;
	d->stacks[d->hashes.cnt].first = d->frame_cnt;
	return keep_frames(d, addrs, stack->frame_cnt) ? -ENOMEM
						       : owt_pairs_add(&d->hashes, hash, 0);
}

/* Frames of our own programs and of the way to them, at the leaf of a kernel stack. */
static uint32_t own_frames(const struct rec_drain *d, const struct ow_stack *stack)
{
	uint32_t n = 0;

	while (!stack->tgid && n < stack->frame_cnt &&
	       rec_session_is_own_text(d->session, stack->frames[n]))
		n++;
	return n;
}

/* A stack without frames. At the format's limit of stacks it is none. */
static int lost_stack(struct rec_drain *d, unsigned status, unsigned error, uint32_t *out_id,
		      struct owt_err *err)
{
	int ret = owt_writer_stack(d->writer, NULL, 0, status, error, out_id, err);

	if (ret != -OWT_E_LIMIT)
		return ret;
	*err = (struct owt_err){ .code = 0 };
	*out_id = 0;
	return 0;
}

static int take_stack(struct rec_drain *d, const struct ow_stack *stack)
{
	unsigned status = stack->truncated ? OWT_STACK_TRUNCATED : OWT_STACK_COMPLETE;
	uint32_t skip = own_frames(d, stack), place;
	struct known_stack known = { .frame_cnt = stack->frame_cnt - skip,
				     .is_kernel = !stack->tgid };
	uint64_t addrs[OW_FRAMES_MAX];
	int ret;

	for (uint32_t i = 0; i < known.frame_cnt; i++)
		addrs[i] = stack->frames[skip + i];
	if (d->memory && rec_memory_is_full(d->memory))
		ret = -OWT_E_LIMIT;
	else
		ret = owt_writer_stack(d->writer, addrs, known.frame_cnt, status, 0, &known.id,
				       d->ring_err);
	/* no memory, or no room in the file: as if the table were full */
	if (ret == -OWT_E_LIMIT) {
		*d->ring_err = (struct owt_err){ .code = 0 };
		d->seen.count[OWT_LOSS_STACK_TABLE]++;
		known.frame_cnt = 0;
		ret = lost_stack(d, OWT_STACK_TABLE_FULL, 0, &known.id, d->ring_err);
	}
	if (ret)
		return ret;
	place = owt_pairs_find(&d->hashes, stack->hash, 0);
	if (place) {
		d->seen.count[OWT_LOSS_STACK_COLLISION] += d->stacks[place - 1].id != known.id;
		return 0;
	}
	if (remember(d, stack->hash, &known, addrs))
		return no_memory(d->ring_err);
	/* its process may end soon; the frames wait for the mapping events */
	return known.is_kernel ? 0 : rec_procs_meet(d->procs, stack->tgid, d->ring_err);
}

static int on_stack(void *ctx, void *data, size_t size)
{
	struct ow_stack *stack = data;
	size_t bytes = (size + RING_HEAD - 1) / RING_HEAD * RING_HEAD + RING_HEAD;
	struct rec_drain *d = ctx;
	int ret;

	if (size < offsetof(struct ow_stack, frames) || stack->frame_cnt > OW_FRAMES_MAX)
		return 0; /* our own programs sent it: cannot be */
	ret = take_stack(d, stack);
	if (ret)
		return ret;
	d->ring_left -= bytes < d->ring_left ? bytes : d->ring_left;
	return d->ring_left ? 0 : -EAGAIN; /* the record is taken all the same */
}

/*
 * All that is in the rings now. The stacks' is filled on, perhaps faster than it is read: a round
 * ends when as much was taken as the ring can hold.
 */
static int take_stacks(struct rec_drain *d, struct owt_err *err)
{
	struct epoll_event woken;
	int ret;

	(void)epoll_wait(d->wake_fd, &woken, 1, 0);
	rec_session_ring_read(d->session);
	d->ring_left = rec_session_ring_bytes(d->session);
	d->ring_err = err;
	ret = ring_buffer__consume(d->ring);
	if (ret == -EAGAIN && !d->ring_left)
		ret = 0;
	if (ret >= 0)
		ret = ring_buffer__consume(d->account_ring);
	d->ring_err = NULL;
	return ret < 0 ? owt_fail(err, ret, "cannot read the rings: %s", owt_strerror(ret)) : 0;
}

static int take_events(struct rec_drain *d, uint64_t until_ns, struct owt_err *err)
{
	int ret;

	if (!d->events)
		return 0;
	ret = rec_mapevents_read(d->events, until_ns, rec_procs_event, d->procs, err);
	if (rec_mapevents_lost(d->events))
		rec_procs_trust_events(d->procs, false);
	return ret;
}

int rec_drain_poll(struct rec_drain *d, struct owt_err *err)
{
	int ret = take_events(d, 0, err);

	return ret ? ret : take_stacks(d, err);
}

static struct rec_image_key image_key(const struct rec_drain *d, const struct ow_who *who)
{
	return (struct rec_image_key){ .tgid = who->tgid,
				       .image_ns = who->image_ns,
				       .since_ns = d->since_ns,
				       .until_ns = d->until_ns };
}

/* Sees to the names of a stack's frames, once for each process image that has it. */
static int own_stack(struct rec_drain *d, const struct ow_who *who, uint32_t process,
		     uint32_t place, struct owt_err *err)
{
	const struct rec_image_key image = image_key(d, who);
	const struct known_stack *stack = &d->stacks[place - 1];

	if (stack->is_kernel || owt_pairs_find(&d->owners, process, place))
		return 0;
	if (process && owt_pairs_add(&d->owners, process, place))
		return no_memory(err);
	return rec_procs_see(d->procs, &image, d->frames + stack->first, stack->frame_cnt, NULL,
			     err);
}

/* Whose stacks a row names: a thread, and its process in the recording. */
struct party {
	const struct ow_who *who;
	uint32_t thread, process;
};

/* The recording's id of a stack that a row names for one of its two threads. */
static int stack_of(struct rec_drain *d, uint64_t hash, const struct party *party, uint32_t *out_id,
		    struct owt_err *err)
{
	static const uint8_t lost[] = {
		[OW_LOST_WALK] = OWT_STACK_WALK_FAILED,
		[OW_LOST_TABLE] = OWT_STACK_TABLE_FULL,
	};
	unsigned status = OWT_STACK_NOT_SENT;
	uint32_t place;

	*out_id = 0;
	if (hash == OW_STACK_NONE)
		return 0;
	if (!(hash & OW_STACK_BIT)) {
		if (hash >> 16 < OWT_ARRAY_SIZE(lost))
			status = lost[hash >> 16];
		return lost_stack(d, status, hash & 0xffff, out_id, err);
	}
	place = owt_pairs_find(&d->hashes, hash, 0);
	if (!place)
		return lost_stack(d, OWT_STACK_NOT_SENT, 0, out_id, err);
	*out_id = d->stacks[place - 1].id;
	return own_stack(d, party->who, party->process, place, err);
}

/* --- rows -------------------------------------------------------------------------------- */

static int thread_of(struct rec_drain *d, const struct ow_who *who, uint32_t *out_id,
		     struct owt_err *err)
{
	struct owt_thread thread = { .tid = who->tid, .tgid = who->tgid };
	int ret;

	ret = owt_writer_string(d->writer, who->comm, strnlen(who->comm, sizeof(who->comm)),
				&thread.comm, err);
	return ret ? ret : owt_writer_thread(d->writer, &thread, out_id, err);
}

/* Idle threads have no tid, and any thread but theirs may have an empty name. */
static bool is_somebody(const struct ow_who *who)
{
	return who->tid || who->comm[0];
}

/* A thread whose process the recording describes; of who was interrupted it does not. */
static int party_of(struct rec_drain *d, struct party *party, struct owt_err *err)
{
	const struct rec_image_key image = image_key(d, party->who);
	int ret = thread_of(d, party->who, &party->thread, err);

	if (ret || !party->who->tgid)
		return ret;
	return rec_procs_see(d->procs, &image, NULL, 0, &party->process, err);
}

/* Its first interval began no earlier than this: only one can have begun before the slice. */
static uint64_t earliest_ns(const struct rec_drain *d, const struct ow_row_value *value)
{
	uint64_t from_ns = value->count == 1 ? value->max_end_ns : d->slice_start_ns;

	return from_ns > value->max_ns ? from_ns - value->max_ns : 0;
}

static int take_row(struct rec_drain *d, const struct ow_row_key *key,
		    const struct ow_row_value *value, struct owt_err *err)
{
	struct party target = { .who = &key->target }, waker = { .who = &key->waker };
	struct owt_row row = {
		.kind = key->kind,
		.context = key->context,
		.flags = key->flags & OW_BEGAN_BEFORE ? OWT_ROW_BEGAN_BEFORE : 0,
		.state = key->state,
		.wait_ns = value->wait_ns,
		.runq_ns = value->runq_ns,
		.count = value->count,
		.max_ns = value->max_ns,
		.max_end_ns = value->max_end_ns,
	};
	int ret;

	d->since_ns = earliest_ns(d, value);
	d->until_ns = value->count == 1 ? value->max_end_ns : rec_monotonic_ns();
	ret = party_of(d, &target, err);
	if (!ret && is_somebody(&key->waker))
		ret = party_of(d, &waker, err);
	if (!ret && is_somebody(&value->interrupted))
		ret = thread_of(d, &value->interrupted, &row.interrupted, err);
	if (!ret)
		ret = stack_of(d, key->target_kstack, &target, &row.target_kstack, err);
	if (!ret)
		ret = stack_of(d, key->target_ustack, &target, &row.target_ustack, err);
	if (!ret)
		ret = stack_of(d, key->waker_kstack, &waker, &row.waker_kstack, err);
	if (!ret)
		ret = stack_of(d, key->waker_ustack, &waker, &row.waker_ustack, err);
	row.target = target.thread;
	row.target_process = target.process;
	row.waker = waker.thread;
	row.waker_process = waker.process;
	return ret ? ret : owt_writer_row(d->writer, &row, err);
}

/* The file can hold no more threads, say: the others go on. */
static void lose_row(struct rec_drain *d, const struct ow_row_key *key,
		     const struct ow_row_value *value, struct owt_err *err)
{
	*err = (struct owt_err){ .code = 0 };
	d->seen.count[OWT_LOSS_ROWS_FULL] += value->count;
	d->seen.time_ns[OWT_LOSS_ROWS_FULL] += value->wait_ns + value->runq_ns;
	d->not_written += value->count;
	d->open_not_written += key->kind == OW_OPEN ? value->count : 0;
}

static int resize_batch(struct rec_drain *d, uint32_t cnt)
{
	struct ow_row_key *keys = reallocarray(d->keys, cnt, sizeof(*keys));
	struct ow_row_value *values;

	if (!keys)
		return -ENOMEM;
	d->keys = keys;
	values = reallocarray(d->values, cnt, sizeof(*values));
	if (!values)
		return -ENOMEM;
	d->values = values;
	d->batch_cnt = cnt;
	return 0;
}

/* One batch out of the quiet map: 1 when there may be more, 0 at its end. */
static int take_batch(struct rec_drain *d, int map_fd, uint32_t *position, bool *is_first,
		      struct owt_err *err)
{
	uint32_t cnt = d->batch_cnt;
	int last, ret;

	last = bpf_map_lookup_and_delete_batch(map_fd, *is_first ? NULL : position, position,
					       d->keys, d->values, &cnt, NULL);
	if (last == -ENOSPC && !cnt) /* one bucket holds more than a batch */
		return resize_batch(d, d->batch_cnt * 2) ? no_memory(err) : 1;
	if (last && last != -ENOENT)
		return owt_fail(err, last, "cannot drain the row map: %s", owt_strerror(last));
	for (uint32_t i = 0; i < cnt; i++) {
		ret = take_row(d, &d->keys[i], &d->values[i], err);
		if (ret == -OWT_E_LIMIT)
			lose_row(d, &d->keys[i], &d->values[i], err);
		else if (ret)
			return ret;
	}
	*is_first = false;
	return last != -ENOENT;
}

static int take_rows(struct rec_drain *d, struct owt_err *err)
{
	uint32_t position = 0;
	bool is_first = true;
	int map_fd, ret;

	d->flip_ns = rec_monotonic_ns();
	ret = rec_session_flip(d->session, &map_fd, err);
	/*
	 * A body is sent before its row is summed, and both a program and the writing of a
	 * mapping event end before the grace period of the flip does: all bodies are there,
	 * and all events until the flip began or, if that is later, shortly before now.
	 */
	if (!ret)
		ret = take_events(d, d->flip_ns, err);
	if (!ret)
		ret = take_events(d, 0, err);
	if (!ret)
		ret = take_stacks(d, err);
	if (ret)
		return ret;
	while ((ret = take_batch(d, map_fd, &position, &is_first, err)) > 0) {
		ret = rec_drain_poll(d, err); /* the ring does not wait for us */
		if (ret)
			break;
	}
	return ret;
}

/* --- accounts ---------------------------------------------------------------------------- */

static int take_account(struct rec_drain *d, const struct ow_account *from, struct owt_err *err)
{
	struct ow_who who = { .tid = from->tid, .tgid = from->tgid };
	struct owt_account to = {
		.begin_ns = from->begin_ns,
		.end_ns = from->end_ns > from->begin_ns ? from->end_ns : from->begin_ns,
		.cpu_ns = from->cpu_ns,
		.early_ns = from->early_ns,
		.left_ns = from->left_ns,
		.left_cnt = from->left_cnt,
		.lost_ns = from->lost_ns,
		.lost_cnt = from->lost_cnt,
		.unseen_ends = from->unseen_ends,
		.unseen_begins = from->unseen_begins,
		.unseen_ns = from->unseen_ns,
	};
	int ret;

	memcpy(who.comm, from->comm, sizeof(who.comm));
	ret = thread_of(d, &who, &to.thread, err);
	if (!ret)
		ret = owt_writer_account(d->writer, &to, err);
	if (ret != -OWT_E_LIMIT)
		return ret;
	*err = (struct owt_err){ .code = 0 };
	d->accounts_not_written++;
	return 0;
}

static int on_account(void *ctx, void *data, size_t size)
{
	struct rec_drain *d = ctx;

	return size < sizeof(struct ow_account) ? 0 : take_account(d, data, d->ring_err);
}

/* Those of the threads that were there when the recording ended. */
static int take_accounts(struct rec_drain *d, struct owt_err *err)
{
	const struct ow_account *accounts;
	size_t cnt = rec_session_accounts(d->session, &accounts);
	int ret = 0;

	while (d->account_cnt < cnt && !ret)
		ret = take_account(d, &accounts[d->account_cnt++], err);
	return ret;
}

/* --- slices ------------------------------------------------------------------------------ */

/* On top of what was found here. */
static void add_loss(struct owt_losses *losses, unsigned cause, struct ow_count c)
{
	losses->count[cause] += c.count;
	losses->time_ns[cause] += c.time_ns;
}

static int read_totals(struct rec_drain *d, struct owt_err *err)
{
	struct ow_count c[OW_CNT_CNT];
	struct rec_totals *t = &d->totals;
	int ret = rec_session_counters(d->session, c, err);

	if (ret)
		return ret;
	t->open = c[OW_CNT_OPEN].count - d->open_not_written;
	t->intervals = c[OW_CNT_INTERVALS].count - d->not_written - t->open;
	t->filtered = c[OW_CNT_FILTERED].count;
	t->filtered_ns = c[OW_CNT_FILTERED].time_ns;
	t->fallbacks = c[OW_CNT_FALLBACKS].count;
	t->accounts_lost = c[OW_CNT_ACCOUNT_RING].count + d->accounts_not_written;
	t->other_state = c[OW_CNT_OTHER_STATE].count;
	t->other_name = c[OW_CNT_OTHER_NAME].count;
	t->other_cgroup = c[OW_CNT_OTHER_CGROUP].count;
	t->losses = d->seen;
	add_loss(&t->losses, OWT_LOSS_ROWS_FULL, c[OW_CNT_ROWS_FULL]);
	add_loss(&t->losses, OWT_LOSS_TASK_STATE, c[OW_CNT_TASK_STATE]);
	add_loss(&t->losses, OWT_LOSS_STACK_WALK, c[OW_CNT_STACK_WALK]);
	add_loss(&t->losses, OWT_LOSS_STACK_TABLE, c[OW_CNT_STACK_TABLE]);
	add_loss(&t->losses, OWT_LOSS_STACK_RING, c[OW_CNT_STACK_RING]);
	add_loss(&t->losses, OWT_LOSS_UNSEEN_SWITCH, c[OW_CNT_UNSEEN_SWITCH]);
	t->losses.count[OWT_LOSS_MISSED_EVENTS] = rec_session_missed(d->session);
	t->losses.count[OWT_LOSS_PROC_MAPS] = rec_procs_lost(d->procs);
	if (d->events)
		t->losses.count[OWT_LOSS_MAP_EVENTS] = rec_mapevents_lost(d->events);
	add_loss(&t->losses, OWT_LOSS_MAP_EVENTS, c[OW_CNT_EPOCHS]);
	return 0;
}

static int end_slice(struct rec_drain *d, uint64_t end_ns, struct owt_err *err)
{
	struct owt_slice slice = { .start_ns = d->slice_start_ns,
				   .end_ns = end_ns,
				   .clock = rec_clock_now() };
	struct owt_losses before = d->totals.losses;
	int ret = read_totals(d, err);

	if (ret)
		return ret;
	for (unsigned i = 0; i < OWT_LOSS_CNT; i++) {
		slice.losses.count[i] = d->totals.losses.count[i] - before.count[i];
		slice.losses.time_ns[i] = d->totals.losses.time_ns[i] - before.time_ns[i];
	}
	if (d->owners.cnt > OWNERS_MAX) { /* what was seen to is only seen to again */
		owt_pairs_done(&d->owners);
		if (owt_pairs_init(&d->owners))
			return no_memory(err);
	}
	/* a waker may have ended in the slice before that of the row that names it */
	rec_procs_end_slice(d->procs, d->last_slice_start_ns);
	d->last_slice_start_ns = d->slice_start_ns;
	d->slice_start_ns = end_ns;
	return owt_writer_end_slice(d->writer, &slice, err);
}

int rec_drain_fd(const struct rec_drain *d)
{
	return d->wake_fd;
}

bool rec_drain_is_pressed(const struct rec_drain *d)
{
	return rec_session_rows_press(d->session) || owt_writer_slice_is_half_full(d->writer);
}

int rec_drain_slice(struct rec_drain *d, uint64_t latest_ns, struct owt_err *err)
{
	int ret = take_rows(d, err);

	if (!ret)
		ret = take_accounts(d, err);
	return ret ? ret : end_slice(d, d->flip_ns < latest_ns ? d->flip_ns : latest_ns, err);
}

void rec_drain_lost_open(struct rec_drain *d)
{
	d->seen.count[OWT_LOSS_OPEN_ROWS]++;
}

void rec_drain_limit(struct rec_drain *d, struct rec_memory *memory)
{
	d->memory = memory;
}

void rec_drain_begin(struct rec_drain *d, uint64_t start_ns)
{
	d->slice_start_ns = d->last_slice_start_ns = start_ns;
}

void rec_drain_kernel_frames(const struct rec_drain *d, void (*fn)(void *ctx, uint64_t addr),
			     void *ctx)
{
	for (size_t i = 0; i < d->hashes.cnt; i++)
		for (uint32_t k = 0; d->stacks[i].is_kernel && k < d->stacks[i].frame_cnt; k++)
			fn(ctx, d->frames[d->stacks[i].first + k]);
}

const struct rec_totals *rec_drain_totals(const struct rec_drain *d)
{
	return &d->totals;
}

/* libbpf's own epoll is level-triggered: it would stay readable while stacks come. */
static int open_ring(struct rec_drain *d, struct owt_err *err)
{
	struct epoll_event wanted = { .events = EPOLLIN | EPOLLET };
	int ring_fd = rec_session_ring_fd(d->session);

	d->ring = ring_buffer__new(ring_fd, on_stack, d, NULL);
	d->account_ring = ring_buffer__new(rec_session_account_ring_fd(d->session), on_account, d,
					   NULL);
	if (!d->ring || !d->account_ring)
		return owt_fail(err, -errno, "cannot map the ring buffer: %s", strerror(errno));
	d->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (d->wake_fd < 0 || epoll_ctl(d->wake_fd, EPOLL_CTL_ADD, ring_fd, &wanted))
		return owt_fail(err, -errno, "cannot wait for the ring: %s", strerror(errno));
	return 0;
}

int rec_drain_new(struct rec_session *session, struct owt_writer *w, struct rec_procs *procs,
		  struct rec_mapevents *events, struct rec_drain **out, struct owt_err *err)
{
	struct rec_drain *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return no_memory(err);
	d->session = session;
	d->writer = w;
	d->procs = procs;
	d->events = events;
	d->wake_fd = -1;
	ret = owt_pairs_init(&d->hashes);
	if (!ret)
		ret = owt_pairs_init(&d->owners);
	if (!ret)
		ret = resize_batch(d, BATCH_CNT);
	if (ret) {
		rec_drain_free(d);
		return no_memory(err);
	}
	ret = open_ring(d, err);
	if (ret) {
		rec_drain_free(d);
		return ret;
	}
	*out = d;
	return 0;
}

void rec_drain_free(struct rec_drain *d)
{
	if (!d)
		return;
	ring_buffer__free(d->ring);
	ring_buffer__free(d->account_ring);
	if (d->wake_fd >= 0)
		close(d->wake_fd);
	owt_pairs_done(&d->hashes);
	owt_pairs_done(&d->owners);
	free(d->stacks);
	free(d->frames);
	free(d->keys);
	free(d->values);
	free(d);
}
