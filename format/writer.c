/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records go into one encoder per chunk type. A full payload becomes a finished chunk that
 * waits in its section; at the end of the slice the sections are written in the order of
 * their types, each chunk getting its sequence number then. So definitions stand before what
 * names them however the calls were mixed, and nothing is written that could not be committed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec.h"
#include "intern.h"
#include "writer.h"
#include "zblock.h"

/* What the unfinished payloads of a slice and its SLICE_END may add to it at most. */
#define SLICE_SPARE (OWT_CHUNK_TYPE_CNT * 512 + 4096)
/* A section that grew beyond this gives its memory back after the slice. */
#define SECTION_KEEP (4u << 20)

struct section {
	struct owt_encoder enc;
	struct owt_buf chunks; /* finished ones, sequence and checksum missing */
	size_t booked;	       /* bytes of the encoder that slice_bytes holds */
};

struct owt_writer {
	struct owt_sink sink;
	struct owt_packer *packer; /* null: store */
	uint32_t marker;
	struct owt_counts counts;
	struct section sections[OWT_CHUNK_TYPE_CNT];
	struct owt_buf raw;
	struct owt_strings strings;
	struct owt_pairs frames, nodes, stacks, threads;
	uint64_t sequence, bytes, raw_total;
	size_t slice_bytes; /* upper bound of what the slice will take */
	int failed;	    /* the code after which nothing goes on */
	bool ended;
};

static int break_writer(struct owt_writer *w, int ret, struct owt_err *err)
{
	w->failed = ret;
	return owt_fail(err, ret, "cannot write the recording: %s", owt_strerror(ret));
}

static struct owt_encoder *encoder(struct owt_writer *w, uint32_t type)
{
	return &w->sections[type].enc;
}

static int put(struct owt_writer *w, const void *bytes, size_t n, struct owt_err *err)
{
	int ret = w->sink.write(w->sink.ctx, bytes, n);

	if (ret)
		return break_writer(w, ret, err);
	w->bytes += n;
	return 0;
}

static size_t padded(size_t n)
{
	return (n + OWT_CHK_ALIGN - 1) & ~(size_t)(OWT_CHK_ALIGN - 1);
}

/* Compression must not take the file beyond what readers let raw bytes be. */
static bool may_compress(const struct owt_writer *w, size_t raw_len)
{
	return w->packer &&
	       w->raw_total + raw_len <= OWT_RAW_BASE_MAX + OWT_RAW_RATIO_MAX * w->bytes;
}

static void fill_header(const struct owt_writer *w, uint8_t *chunk, uint32_t type, bool zstd,
			size_t stored_len)
{
	const bool optional = type == OWT_CHUNK_META || type == OWT_CHUNK_ACCOUNTS;
	const uint16_t flags = (uint16_t)((optional ? 0 : OWT_CHUNK_CRITICAL) |
					  (zstd ? OWT_CHUNK_ZSTD : 0));

	owt_store_u32(chunk + OWT_CHK_MARKER, w->marker);
	owt_store_u32(chunk + OWT_CHK_TYPE, type);
	owt_store_u16(chunk + OWT_CHK_VERSION, OWT_CHUNK_VERSION);
	owt_store_u16(chunk + OWT_CHK_FLAGS, flags);
	owt_store_u32(chunk + OWT_CHK_STORED_LEN, (uint32_t)stored_len);
	owt_store_u32(chunk + OWT_CHK_RAW_LEN, (uint32_t)w->raw.len);
	owt_store_u32(chunk + OWT_CHK_PAYLOAD_CRC,
		      owt_crc32(0, chunk + OWT_CHK_BYTES, padded(stored_len)));
}

/* Turns the payload in w->raw into a chunk at the end of the section. */
static int append_chunk(struct owt_writer *w, struct section *s)
{
	const size_t start = s->chunks.len;
	bool zstd = false;
	size_t stored_len;
	int ret;

	ret = owt_buf_add_zeros(&s->chunks, OWT_CHK_BYTES);
	if (!ret && may_compress(w, w->raw.len))
		ret = owt_pack(w->packer, w->raw.bytes, w->raw.len, &s->chunks, &zstd);
	else if (!ret)
		ret = owt_buf_add(&s->chunks, w->raw.bytes, w->raw.len);
	if (ret)
		return ret;
	stored_len = s->chunks.len - start - OWT_CHK_BYTES;
	ret = owt_buf_add_zeros(&s->chunks, padded(stored_len) - stored_len);
	if (!ret)
		fill_header(w, s->chunks.bytes + start, s->enc.type, zstd, stored_len);
	return ret;
}

static int seal_payload(struct owt_writer *w, struct section *s, struct owt_err *err)
{
	const size_t before = s->chunks.len;
	int ret;

	if (!s->enc.w.record_cnt)
		return 0;
	w->raw.len = 0;
	ret = owt_encoder_finish(&s->enc, &w->raw);
	if (!ret)
		ret = append_chunk(w, s);
	if (ret)
		return break_writer(w, ret, err);
	w->raw_total += w->raw.len;
	w->slice_bytes += s->chunks.len - before - s->booked;
	s->booked = 0;
	return 0;
}

static int usable(const struct owt_writer *w, struct owt_err *err)
{
	if (w->failed)
		return owt_fail(err, w->failed, "the recording failed before: %s",
				owt_strerror(w->failed));
	if (w->ended)
		return owt_fail(err, -EINVAL, "the recording has ended already");
	return 0;
}

/* Room for one more record of at most n bytes, in the slice and in the payload. */
static int make_room(struct owt_writer *w, uint32_t type, size_t n, struct owt_err *err)
{
	struct section *s = &w->sections[type];

	if (w->slice_bytes + n + SLICE_SPARE > OWT_SLICE_STORED_MAX)
		return owt_fail(err, -OWT_E_LIMIT,
				"the slice is full (%d bytes): it must end before the next record",
				OWT_SLICE_STORED_MAX);
	if (s->enc.w.bytes + n + OWT_COLUMNS_HEAD > OWT_CHUNK_RAW_MAX)
		return seal_payload(w, s, err);
	return 0;
}

/* What the caller gave breaks a rule of the format: its bug, or a limit. */
static int refuse(uint32_t type, const struct owt_err *fault, struct owt_err *err)
{
	return owt_fail(err, fault->code == -OWT_E_INVALID ? -EINVAL : fault->code, "%s: %s",
			owt_chunk_def(type)->record, fault->text);
}

/*
 * Before a record of at most n bytes is encoded; checked is what its rules said, with fault.
 * On failure nothing has changed.
 */
static int begin_record(struct owt_writer *w, uint32_t type, size_t n, int checked,
			const struct owt_err *fault, struct owt_err *err)
{
	int ret = usable(w, err);

	if (ret)
		return ret;
	if (checked)
		return refuse(type, fault, err);
	return make_room(w, type, n, err);
}

/* After it was encoded, or that has failed. */
static int end_record(struct owt_writer *w, uint32_t type, int ret, struct owt_err *err)
{
	struct section *s = &w->sections[type];

	if (ret)
		return break_writer(w, ret, err);
	w->slice_bytes += s->enc.w.bytes - s->booked;
	s->booked = s->enc.w.bytes;
	return 0;
}

int owt_writer_meta(struct owt_writer *w, const char *key, const char *value, struct owt_err *err)
{
	const struct owt_meta m = {.key = {key, strlen(key)}, .value = {value, strlen(value)}};
	struct owt_err fault = {.code = 0};
	int checked = owt_check_meta(&w->counts, &m, &fault);
	int ret = begin_record(w, OWT_CHUNK_META, 2 * OWT_LEB_MAX + m.key.len + m.value.len,
			       checked, &fault, err);

	if (ret)
		return ret;
	w->counts.pairs++;
	return end_record(w, OWT_CHUNK_META, owt_encode_meta(encoder(w, OWT_CHUNK_META), &m), err);
}

static int add_string(struct owt_writer *w, const struct owt_string *s, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int checked = owt_check_string(&w->counts, s, &fault);
	int ret = begin_record(w, OWT_CHUNK_STRINGS, OWT_LEB_MAX + s->len, checked, &fault, err);

	if (ret)
		return ret;
	ret = owt_strings_add(&w->strings, s->bytes, s->len);
	if (!ret)
		ret = owt_encode_string(encoder(w, OWT_CHUNK_STRINGS), s);
	w->counts.strings = w->strings.cnt;
	return end_record(w, OWT_CHUNK_STRINGS, ret, err);
}

int owt_writer_string(struct owt_writer *w, const char *bytes, size_t len, uint32_t *out_id,
		      struct owt_err *err)
{
	const struct owt_string s = {bytes, len};
	uint32_t id = len ? owt_strings_find(&w->strings, bytes, len) : 0;
	int ret = usable(w, err);

	if (!ret && len && !id) {
		ret = add_string(w, &s, err);
		id = w->counts.strings;
	}
	if (!ret)
		*out_id = id;
	return ret;
}

static int frame_id(struct owt_writer *w, uint64_t addr, uint32_t *out_id, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret;

	*out_id = owt_pairs_find(&w->frames, addr, 0);
	if (*out_id)
		return 0;
	ret = begin_record(w, OWT_CHUNK_FRAMES, 8, owt_check_frame(&w->counts, &fault), &fault,
			   err);
	if (ret)
		return ret;
	ret = owt_pairs_add(&w->frames, addr, 0);
	if (!ret)
		ret = owt_encode_frame(encoder(w, OWT_CHUNK_FRAMES), addr);
	*out_id = w->counts.frames = w->frames.cnt;
	return end_record(w, OWT_CHUNK_FRAMES, ret, err);
}

static int node_id(struct owt_writer *w, uint32_t parent, uint32_t frame, uint32_t *out_id,
		   struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret;

	*out_id = owt_pairs_find(&w->nodes, parent, frame);
	if (*out_id)
		return 0;
	ret = begin_record(w, OWT_CHUNK_NODES, 2 * OWT_LEB_MAX,
			   owt_check_node(&w->counts, parent, frame, &fault), &fault, err);
	if (ret)
		return ret;
	ret = owt_pairs_add(&w->nodes, parent, frame);
	if (!ret)
		ret = owt_encode_node(encoder(w, OWT_CHUNK_NODES),
				      parent ? w->counts.nodes + 1 - parent : 0, frame);
	*out_id = w->counts.nodes = w->nodes.cnt;
	return end_record(w, OWT_CHUNK_NODES, ret, err);
}

/* The node of the leaf, all nodes from the root on defined. */
static int leaf_id(struct owt_writer *w, const uint64_t *addrs, size_t cnt, uint32_t *out_leaf,
		   struct owt_err *err)
{
	uint32_t node = 0, frame;
	int ret = 0;

	if (cnt > OWT_STACK_DEPTH_MAX)
		return owt_fail(err, -EINVAL, "stack: expected at most %d frames, found %zu",
				OWT_STACK_DEPTH_MAX, cnt);
	while (!ret && cnt--) {
		ret = frame_id(w, addrs[cnt], &frame, err);
		if (!ret)
			ret = node_id(w, node, frame, &node, err);
	}
	*out_leaf = node;
	return ret;
}

static int add_stack(struct owt_writer *w, const struct owt_stack *s, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret = begin_record(w, OWT_CHUNK_STACKS, 3 * OWT_LEB_MAX,
			       owt_check_stack(&w->counts, s, &fault), &fault, err);

	if (ret)
		return ret;
	ret = owt_pairs_add(&w->stacks, s->leaf, (uint64_t)s->status << 16 | s->error);
	if (!ret)
		ret = owt_encode_stack(encoder(w, OWT_CHUNK_STACKS), s);
	w->counts.stacks = w->stacks.cnt;
	return end_record(w, OWT_CHUNK_STACKS, ret, err);
}

int owt_writer_stack(struct owt_writer *w, const uint64_t *addrs, size_t cnt, unsigned status,
		     unsigned error, uint32_t *out_id, struct owt_err *err)
{
	struct owt_stack s = {.status = (uint8_t)status, .error = (uint16_t)error};
	int ret = usable(w, err);
	uint32_t id;

	if (!ret && (status >= OWT_STACK_STATUS_CNT || error > OWT_STACK_ERROR_MAX))
		ret = owt_fail(err, -EINVAL, "stack: status %u or error %u is out of range", status,
			       error);
	if (!ret)
		ret = leaf_id(w, addrs, cnt, &s.leaf, err);
	if (ret)
		return ret;
	id = owt_pairs_find(&w->stacks, s.leaf, (uint64_t)s.status << 16 | s.error);
	if (!id && (cnt || status || error)) {
		ret = add_stack(w, &s, err);
		id = w->counts.stacks;
	}
	if (!ret)
		*out_id = id;
	return ret;
}

int owt_writer_thread(struct owt_writer *w, const struct owt_thread *thread, uint32_t *out_id,
		      struct owt_err *err)
{
	const uint64_t key = (uint64_t)thread->tid << 32 | thread->tgid;
	uint32_t id = owt_pairs_find(&w->threads, key, thread->comm);
	struct owt_err fault = {.code = 0};
	int ret = usable(w, err);

	if (!ret && id)
		*out_id = id;
	if (ret || id)
		return ret;
	ret = begin_record(w, OWT_CHUNK_THREADS, 3 * OWT_LEB_MAX,
			   owt_check_thread(&w->counts, thread, &fault), &fault, err);
	if (ret)
		return ret;
	ret = owt_pairs_add(&w->threads, key, thread->comm);
	if (!ret)
		ret = owt_encode_thread(encoder(w, OWT_CHUNK_THREADS), thread);
	w->counts.threads = w->threads.cnt;
	ret = end_record(w, OWT_CHUNK_THREADS, ret, err);
	if (!ret)
		*out_id = w->counts.threads;
	return ret;
}

int owt_writer_module(struct owt_writer *w, const struct owt_module *module, uint32_t *out_id,
		      struct owt_err *err)
{
	const size_t size = OWT_BUILD_ID_MAX + (3 + 3 * OWT_SEGMENTS_MAX) * OWT_LEB_MAX;
	struct owt_err fault = {.code = 0};
	int ret = begin_record(w, OWT_CHUNK_MODULES, size,
			       owt_check_module(&w->counts, module, &fault), &fault, err);

	if (!ret)
		ret = end_record(w, OWT_CHUNK_MODULES,
				 owt_encode_module(encoder(w, OWT_CHUNK_MODULES), module), err);
	if (!ret)
		*out_id = ++w->counts.modules;
	return ret;
}

int owt_writer_process(struct owt_writer *w, const struct owt_process *process, uint32_t *out_id,
		       struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret = begin_record(w, OWT_CHUNK_PROCESSES, 4 * OWT_LEB_MAX,
			       owt_check_process(&w->counts, process, &fault), &fault, err);

	if (!ret)
		ret = end_record(w, OWT_CHUNK_PROCESSES,
				 owt_encode_process(encoder(w, OWT_CHUNK_PROCESSES), process), err);
	if (!ret)
		*out_id = ++w->counts.processes;
	return ret;
}

int owt_writer_mapping(struct owt_writer *w, const struct owt_mapping *mapping, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret = begin_record(w, OWT_CHUNK_MAPPINGS, 5 * OWT_LEB_MAX,
			       owt_check_mapping(&w->counts, mapping, &fault), &fault, err);

	if (!ret)
		ret = end_record(w, OWT_CHUNK_MAPPINGS,
				 owt_encode_mapping(encoder(w, OWT_CHUNK_MAPPINGS), mapping), err);
	if (!ret)
		w->counts.mappings++;
	return ret;
}

int owt_writer_ksym(struct owt_writer *w, const struct owt_ksym *ksym, struct owt_err *err)
{
	const size_t size = 5 * OWT_LEB_MAX + ksym->name.len + ksym->module.len;
	struct owt_err fault = {.code = 0};
	int ret = begin_record(w, OWT_CHUNK_KSYMS, size, owt_check_ksym(&w->counts, ksym, &fault),
			       &fault, err);

	if (!ret)
		ret = end_record(w, OWT_CHUNK_KSYMS,
				 owt_encode_ksym(encoder(w, OWT_CHUNK_KSYMS), ksym), err);
	if (ret)
		return ret;
	w->counts.ksyms++;
	w->counts.last_ksym = ksym->addr;
	return 0;
}

int owt_writer_symbol(struct owt_writer *w, const struct owt_symbol *symbol, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret = begin_record(w, OWT_CHUNK_SYMBOLS, 5 * OWT_LEB_MAX + symbol->name.len,
			       owt_check_symbol(&w->counts, symbol, &fault), &fault, err);

	if (!ret)
		ret = end_record(w, OWT_CHUNK_SYMBOLS,
				 owt_encode_symbol(encoder(w, OWT_CHUNK_SYMBOLS), symbol), err);
	if (!ret)
		w->counts.symbols++;
	return ret;
}

int owt_writer_account(struct owt_writer *w, const struct owt_account *account, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret = begin_record(w, OWT_CHUNK_ACCOUNTS, OWT_COLUMNS_USED * OWT_LEB_MAX,
			       owt_check_account(&w->counts, account, &fault), &fault, err);

	if (!ret)
		ret = end_record(w, OWT_CHUNK_ACCOUNTS,
				 owt_encode_account(encoder(w, OWT_CHUNK_ACCOUNTS), account), err);
	if (!ret)
		w->counts.accounts++;
	return ret;
}

int owt_writer_row(struct owt_writer *w, const struct owt_row *row, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret = begin_record(w, OWT_CHUNK_ROWS, OWT_COLUMNS_USED * OWT_LEB_MAX,
			       owt_check_row(&w->counts, row, &fault), &fault, err);

	if (!ret)
		ret = end_record(w, OWT_CHUNK_ROWS, owt_encode_row(encoder(w, OWT_CHUNK_ROWS), row),
				 err);
	if (ret)
		return ret;
	w->counts.rows++;
	w->counts.slice_rows++;
	return 0;
}

/* Gives the section's chunks their numbers and writes them; *crc goes over their headers. */
static int write_section(struct owt_writer *w, struct section *s, uint32_t *crc,
			 struct owt_err *err)
{
	size_t pos = 0;
	int ret;

	while (pos < s->chunks.len) {
		uint8_t *h = s->chunks.bytes + pos;

		owt_store_u64(h + OWT_CHK_SEQUENCE, w->sequence++);
		owt_store_u32(h + OWT_CHK_CRC, owt_crc32(0, h, OWT_CHK_CRC));
		/* Without its own checksum: over that too, the result would not depend on h. */
		*crc = owt_crc32(*crc, h, OWT_CHK_CRC);
		pos += OWT_CHK_BYTES + padded(owt_load_u32(h + OWT_CHK_STORED_LEN));
	}
	ret = pos ? put(w, s->chunks.bytes, pos, err) : 0;
	s->chunks.len = 0;
	if (s->chunks.cap > SECTION_KEEP)
		owt_buf_done(&s->chunks);
	return ret;
}

/* Closes and writes all but what ends a slice or the recording. */
static int write_records(struct owt_writer *w, uint32_t *crc, struct owt_err *err)
{
	int ret = 0;

	for (uint32_t type = OWT_CHUNK_META; !ret && type < OWT_CHUNK_TYPE_CNT; type++) {
		if (type == OWT_CHUNK_SLICE_END || type == OWT_CHUNK_END)
			continue;
		ret = seal_payload(w, &w->sections[type], err);
		if (!ret)
			ret = write_section(w, &w->sections[type], crc, err);
	}
	return ret;
}

static int write_single(struct owt_writer *w, uint32_t type, int encoded, struct owt_err *err)
{
	uint32_t crc = 0;
	int ret = encoded ? break_writer(w, encoded, err) : 0;

	if (!ret)
		ret = seal_payload(w, &w->sections[type], err);
	return ret ? ret : write_section(w, &w->sections[type], &crc, err);
}

int owt_writer_end_slice(struct owt_writer *w, const struct owt_slice *slice, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	uint32_t crc = 0;
	int ret = usable(w, err);

	if (!ret && owt_check_slice(&w->counts, slice, &fault))
		ret = refuse(OWT_CHUNK_SLICE_END, &fault, err);
	if (!ret && w->sequence + w->slice_bytes / OWT_CHK_BYTES > OWT_CHUNKS_MAX)
		ret = owt_fail(err, -OWT_E_LIMIT, "the recording holds %d chunks, the limit",
			       OWT_CHUNKS_MAX);
	if (!ret)
		ret = write_records(w, &crc, err);
	if (!ret)
		ret = write_single(
			w, OWT_CHUNK_SLICE_END,
			owt_encode_slice(encoder(w, OWT_CHUNK_SLICE_END), slice, &w->counts, crc),
			err);
	if (ret)
		return ret;
	w->counts.slices++;
	w->counts.slice_rows = 0;
	w->slice_bytes = 0;
	return 0;
}

int owt_writer_end(struct owt_writer *w, const struct owt_end *end, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret = usable(w, err);

	if (!ret && w->slice_bytes)
		ret = owt_fail(err, -EINVAL, "end: records are left that are in no slice");
	if (!ret && owt_check_end(end, &fault))
		ret = refuse(OWT_CHUNK_END, &fault, err);
	if (!ret)
		ret = write_single(w, OWT_CHUNK_END,
				   owt_encode_end(encoder(w, OWT_CHUNK_END), end, &w->counts), err);
	if (!ret)
		w->ended = true;
	return ret;
}

bool owt_writer_slice_is_half_full(const struct owt_writer *w)
{
	return w->slice_bytes > OWT_SLICE_STORED_MAX / 2 ||
	       w->counts.slice_rows > OWT_SLICE_ROWS_MAX / 2;
}

uint64_t owt_writer_bytes(const struct owt_writer *w)
{
	return w->bytes;
}

uint64_t owt_writer_rows(const struct owt_writer *w)
{
	return w->counts.rows;
}

uint64_t owt_writer_stacks(const struct owt_writer *w)
{
	return w->counts.stacks;
}

static int write_header(struct owt_writer *w, const struct owt_writer_opts *opts,
			struct owt_err *err)
{
	uint8_t h[OWT_HDR_BYTES] = {0};

	memcpy(h, OWT_MAGIC, OWT_MAGIC_LEN);
	owt_store_u16(h + OWT_HDR_MAJOR, OWT_MAJOR);
	owt_store_u16(h + OWT_HDR_MINOR, OWT_MINOR);
	owt_store_u32(h + OWT_HDR_LEN, OWT_HDR_BYTES);
	memcpy(h + OWT_HDR_FILE_ID, opts->file_id, OWT_FILE_ID_LEN);
	owt_store_u16(h + OWT_HDR_ARCH, opts->arch);
	owt_store_u32(h + OWT_HDR_BYTES - 4, owt_crc32(0, h, OWT_HDR_BYTES - 4));
	return put(w, h, sizeof(h), err);
}

static int init_tables(struct owt_writer *w)
{
	int ret = owt_strings_init(&w->strings);

	if (!ret)
		ret = owt_pairs_init(&w->frames);
	if (!ret)
		ret = owt_pairs_init(&w->nodes);
	if (!ret)
		ret = owt_pairs_init(&w->stacks);
	if (!ret)
		ret = owt_pairs_init(&w->threads);
	return ret;
}

int owt_writer_open(struct owt_writer **out, const struct owt_writer_opts *opts,
		    const struct owt_sink *sink, struct owt_err *err)
{
	static const uint8_t no_id[OWT_FILE_ID_LEN];
	struct owt_writer *w;
	int ret;

	if (!memcmp(opts->file_id, no_id, sizeof(no_id)))
		return owt_fail(err, -EINVAL, "the recording needs a file id");
	w = calloc(1, sizeof(*w));
	if (!w)
		return owt_fail(err, -ENOMEM, "no memory to write a recording");
	w->sink = *sink;
	w->marker = owt_load_u32(opts->file_id) ^ OWT_MARKER_XOR;
	for (uint32_t type = 0; type < OWT_CHUNK_TYPE_CNT; type++)
		w->sections[type].enc.type = type;
	ret = init_tables(w);
	if (!ret && !opts->store)
		ret = owt_packer_new(&w->packer, opts->level);
	if (ret)
		owt_fail(err, ret, "cannot write a recording: %s", owt_strerror(ret));
	else
		ret = write_header(w, opts, err);
	if (ret)
		owt_writer_free(w);
	else
		*out = w;
	return ret;
}

void owt_writer_free(struct owt_writer *w)
{
	if (!w)
		return;
	for (uint32_t type = 0; type < OWT_CHUNK_TYPE_CNT; type++) {
		owt_encoder_done(&w->sections[type].enc);
		owt_buf_done(&w->sections[type].chunks);
	}
	owt_buf_done(&w->raw);
	owt_strings_done(&w->strings);
	owt_pairs_done(&w->frames);
	owt_pairs_done(&w->nodes);
	owt_pairs_done(&w->stacks);
	owt_pairs_done(&w->threads);
	owt_packer_free(w->packer);
	free(w);
}
