/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mkrec - makes a recording from a text description: mkrec < trace > recording
 *
 * The same description gives the same bytes on every machine. One statement a line, in the
 * order in which they go into the recording; empty lines and lines that begin with # count
 * for nothing. Numbers are decimal or 0x hex. NAME is a word that later lines refer to. In
 * words and texts \xNN is a byte; TEXT is the rest of the line. "-" stands for none.
 *
 *   file-id HEX32			default 01020304...10; before all others
 *   arch NUMBER			ELF machine, default 62; before all others
 *   meta KEY TEXT
 *   thread NAME TID TGID TEXT		TEXT is the comm; may be missing (an empty one)
 *   stack NAME [STATUS [ERRNO]] [: ADDR...]	leaf first; STATUS as in --dump: complete,
 *					truncated, walk-failed, stack-table-full, stack-not-sent
 *   module NAME BUILDID SEGMENTS TEXT	BUILDID in hex; SEGMENTS: OFFSET:VADDR:SIZE[,...]; TEXT
 *					is the path, may be missing
 *   process NAME TGID TEXT		TEXT is the comm
 *   map PROCESS MODULE START END OFFSET
 *   ksym ADDR TYPE NAME [MODULE]	ascending
 *   symbol module|process ID ADDR SIZE NAME
 *   account THREAD BEGIN END CPU [KEY=VALUE...]
 *					KEY: early left leftcnt lost lostcnt ends begins unseen
 *   row KIND CONTEXT TARGET WAKER [KEY=VALUE...]
 *					KEY: tk tu wk wu (stacks), int (a thread), tp wp (processes),
 *					wait runq
 *					count max maxend state; flags=before, overflow or
 *					before+overflow; count is 1 and max is wait + runq if
 *					not given
 *   slice START END [LOSS=COUNT[/NS]...]	ends a slice; LOSS as in --dump
 *   end START END [LOSS=COUNT[/NS]...]	without it the recording is cut short
 *   chop BYTES				drops that many bytes from the end of the output
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "writer.h"

#define WORDS_MAX 1200
#define NAMES_MAX 20000

struct name {
	char *name;
	char type; /* first letter of the statement that defined it */
	uint32_t id;
};

struct output {
	char *bytes;
	size_t len;
};

struct mkrec {
	struct owt_writer *writer;
	struct owt_writer_opts opts;
	struct owt_err err;
	struct output output;
	struct name names[NAMES_MAX];
	size_t name_cnt;
	unsigned long line;
	char *words[WORDS_MAX];
	size_t word_cnt;
};

static void OWT_NORETURN die(const struct mkrec *m, const char *what, const char *word)
{
	fprintf(stderr, "mkrec: line %lu: %s: %s\n", m->line, what, word ? word : "");
	exit(1);
}

static int keep_output(void *ctx, const void *bytes, size_t n)
{
	struct output *o = ctx;
	char *more = realloc(o->bytes, o->len + n + 1);

	if (!more)
		return -ENOMEM;
	memcpy(more + o->len, bytes, n);
	o->bytes = more;
	o->len += n;
	return 0;
}

static void check(struct mkrec *m, int rc)
{
	if (rc)
		die(m, m->err.text[0] ? m->err.text : owt_strerror(rc), m->words[0]);
}

static uint64_t number(const struct mkrec *m, const char *word)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(word ? word : "", &end, 0);
	if (!word || end == word || *end || errno)
		die(m, "not a number", word);
	return value;
}

static char *need(const struct mkrec *m, size_t i)
{
	if (i >= m->word_cnt)
		die(m, "too few words after", m->words[0]);
	return m->words[i];
}

/* Undoes \xNN in place; the length, as a byte may be zero. */
static size_t unescape(char *text)
{
	char *to = text, *from, hex[3] = {0};

	for (from = text; *from; to++) {
		if (from[0] == '\\' && from[1] == 'x' && from[2] && from[3]) {
			memcpy(hex, from + 2, 2);
			*to = (char)strtoul(hex, NULL, 16);
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = 0;
	return (size_t)(to - text);
}

static uint32_t string_id(struct mkrec *m, char *text)
{
	uint32_t id = 0;
	size_t len = text ? unescape(text) : 0;

	if (len)
		check(m, owt_writer_string(m->writer, text, len, &id, &m->err));
	return id;
}

static void define(struct mkrec *m, const char *name, uint32_t id)
{
	if (m->name_cnt == NAMES_MAX)
		die(m, "too many names", name);
	m->names[m->name_cnt++] = (struct name){strdup(name), m->words[0][0], id};
}

static uint32_t lookup(const struct mkrec *m, char type, const char *name)
{
	size_t i;

	if (strcmp(name, "-") == 0)
		return 0;
	for (i = m->name_cnt; i-- > 0;)
		if (m->names[i].type == type && strcmp(m->names[i].name, name) == 0)
			return m->names[i].id;
	die(m, "not defined", name);
}

static unsigned code_of(const struct mkrec *m, const char *word, unsigned cnt,
			const char *(*name_of)(unsigned))
{
	unsigned i;

	for (i = 0; i < cnt; i++)
		if (strcmp(name_of(i), word) == 0)
			return i;
	die(m, "unknown word", word);
}

static size_t parse_hex(const struct mkrec *m, const char *word, uint8_t *out, size_t max)
{
	size_t n = 0;
	unsigned byte;

	if (strcmp(word, "-") == 0)
		return 0;
	for (; word[0]; word += 2) {
		if (n == max || sscanf(word, "%2x", &byte) != 1 || !word[1])
			die(m, "not hex, or too long", word);
		out[n++] = (uint8_t)byte;
	}
	return n;
}

static void do_file_id(struct mkrec *m)
{
	parse_hex(m, need(m, 1), m->opts.file_id, sizeof(m->opts.file_id));
}

static void do_arch(struct mkrec *m)
{
	m->opts.arch = (uint16_t)number(m, need(m, 1));
}

static void do_meta(struct mkrec *m)
{
	char *value = m->word_cnt > 2 ? m->words[2] : m->words[0] + strlen(m->words[0]);

	unescape(value);
	unescape(need(m, 1));
	check(m, owt_writer_meta(m->writer, need(m, 1), value, &m->err));
}

static void do_thread(struct mkrec *m)
{
	struct owt_thread t = {(uint32_t)number(m, need(m, 2)), (uint32_t)number(m, need(m, 3)),
			       string_id(m, m->word_cnt > 4 ? m->words[4] : NULL)};
	uint32_t id;

	check(m, owt_writer_thread(m->writer, &t, &id, &m->err));
	define(m, m->words[1], id);
}

static void do_stack(struct mkrec *m)
{
	uint64_t addrs[WORDS_MAX];
	unsigned status = OWT_STACK_COMPLETE, error = 0;
	size_t i = 2, cnt = 0;
	uint32_t id;

	if (i < m->word_cnt && strcmp(m->words[i], ":") != 0)
		status = code_of(m, m->words[i++], OWT_STACK_STATUS_CNT, owt_stack_status_name);
	if (i < m->word_cnt && strcmp(m->words[i], ":") != 0)
		error = (unsigned)number(m, m->words[i++]);
	for (i++; i < m->word_cnt; i++)
		addrs[cnt++] = number(m, m->words[i]);
	check(m, owt_writer_stack(m->writer, addrs, cnt, status, error, &id, &m->err));
	define(m, need(m, 1), id);
}

static void do_module(struct mkrec *m)
{
	struct owt_module module = {0};
	unsigned long long offset, vaddr, size;
	const char *p = need(m, 3);
	int used;
	uint32_t id;

	module.build_id_len = (uint8_t)parse_hex(m, need(m, 2), module.build_id, OWT_BUILD_ID_MAX);
	while (sscanf(p, "%lli:%lli:%lli%n", (long long *)&offset, (long long *)&vaddr,
		      (long long *)&size, &used) == 3) {
		if (module.segment_cnt == OWT_SEGMENTS_MAX)
			die(m, "too many segments", p);
		module.segments[module.segment_cnt++] = (struct owt_segment){offset, vaddr, size};
		p += used + (p[used] == ',');
	}
	module.path = string_id(m, m->word_cnt > 4 ? m->words[4] : NULL);
	check(m, owt_writer_module(m->writer, &module, &id, &m->err));
	define(m, m->words[1], id);
}

static void do_process(struct mkrec *m)
{
	struct owt_process p = {.tgid = (uint32_t)number(m, need(m, 2))};
	uint32_t id;

	p.comm = string_id(m, m->word_cnt > 3 ? m->words[3] : NULL);
	check(m, owt_writer_process(m->writer, &p, &id, &m->err));
	define(m, m->words[1], id);
}

static void do_map(struct mkrec *m)
{
	struct owt_mapping map = {.process = lookup(m, 'p', need(m, 1)),
				  .module = lookup(m, 'm', need(m, 2)),
				  .start = number(m, need(m, 3)),
				  .end = number(m, need(m, 4)),
				  .offset = number(m, need(m, 5))};

	check(m, owt_writer_mapping(m->writer, &map, &m->err));
}

static void do_ksym(struct mkrec *m)
{
	struct owt_ksym sym = {.addr = number(m, need(m, 1)), .type = need(m, 2)[0]};
	char *module = m->word_cnt > 4 ? m->words[4] : NULL;

	sym.name.len = unescape(need(m, 3));
	sym.name.bytes = m->words[3];
	sym.module.len = module ? unescape(module) : 0;
	sym.module.bytes = module ? module : "";
	check(m, owt_writer_ksym(m->writer, &sym, &m->err));
}

static void do_symbol(struct mkrec *m)
{
	bool of_module = !strcmp(need(m, 1), "module");
	uint32_t owner = lookup(m, of_module ? 'm' : 'p', need(m, 2));
	struct owt_symbol sym = {.module = of_module ? owner : 0,
				 .process = of_module ? 0 : owner,
				 .addr = number(m, need(m, 3)),
				 .size = number(m, need(m, 4))};

	sym.name.len = unescape(need(m, 5));
	sym.name.bytes = m->words[5];
	check(m, owt_writer_symbol(m->writer, &sym, &m->err));
}

static void set_account(struct mkrec *m, struct owt_account *a, char *word)
{
	char *value = strchr(word, '=');
	uint64_t early = 0;
	const struct {
		const char *key;
		uint64_t *number;
	} keys[] = {
		{"early", &early},	  {"left", &a->left_ns},       {"leftcnt", &a->left_cnt},
		{"lost", &a->lost_ns},	  {"lostcnt", &a->lost_cnt},   {"ends", &a->unseen_ends},
		{"begins", &a->unseen_begins}, {"unseen", &a->unseen_ns},
	};
	size_t i;

	if (!value)
		die(m, "not KEY=VALUE", word);
	*value++ = 0;
	for (i = 0; i < OWT_ARRAY_SIZE(keys) && strcmp(keys[i].key, word) != 0; i++)
		;
	if (i == OWT_ARRAY_SIZE(keys))
		die(m, "unknown key", word);
	*keys[i].number = number(m, value);
	a->early_ns += (int64_t)early;
}

static void do_account(struct mkrec *m)
{
	struct owt_account a = {.thread = lookup(m, 't', need(m, 1)),
				.begin_ns = number(m, need(m, 2)),
				.end_ns = number(m, need(m, 3)),
				.cpu_ns = number(m, need(m, 4))};
	size_t i;

	for (i = 5; i < m->word_cnt; i++)
		set_account(m, &a, m->words[i]);
	check(m, owt_writer_account(m->writer, &a, &m->err));
}

static void set_row(struct mkrec *m, struct owt_row *row, bool *max_given, char *word)
{
	char *value = strchr(word, '=');
	struct {
		const char *key;
		uint32_t *stack;
		uint64_t *number;
	} keys[] = {
		{"tk", &row->target_kstack, NULL},  {"tu", &row->target_ustack, NULL},
		{"wk", &row->waker_kstack, NULL},   {"wu", &row->waker_ustack, NULL},
		{"wait", NULL, &row->wait_ns},	    {"runq", NULL, &row->runq_ns},
		{"count", NULL, &row->count},	    {"max", NULL, &row->max_ns},
		{"maxend", NULL, &row->max_end_ns},
	};
	size_t i;

	if (!value)
		die(m, "not KEY=VALUE", word);
	*value++ = 0;
	*max_given |= strcmp(word, "max") == 0;
	if (strcmp(word, "flags") == 0) {
		row->flags |= strstr(value, "before") ? OWT_ROW_BEGAN_BEFORE : 0;
		row->flags |= strstr(value, "overflow") ? OWT_ROW_OVERFLOW : 0;
		return;
	}
	if (strcmp(word, "state") == 0) {
		row->state = (uint32_t)number(m, value);
		return;
	}
	if (strcmp(word, "int") == 0) {
		row->interrupted = lookup(m, 't', value);
		return;
	}
	if (strcmp(word, "tp") == 0 || strcmp(word, "wp") == 0) {
		*(word[0] == 't' ? &row->target_process : &row->waker_process) =
			lookup(m, 'p', value);
		return;
	}
	for (i = 0; i < OWT_ARRAY_SIZE(keys) && strcmp(keys[i].key, word) != 0; i++)
		;
	if (i == OWT_ARRAY_SIZE(keys))
		die(m, "unknown key", word);
	if (keys[i].stack)
		*keys[i].stack = lookup(m, 's', value);
	else
		*keys[i].number = number(m, value);
}

static void do_row(struct mkrec *m)
{
	struct owt_row row = {
		.kind = (uint8_t)code_of(m, need(m, 1), OWT_KIND_CNT, owt_kind_name),
		.context = (uint8_t)code_of(m, need(m, 2), OWT_CTX_CNT, owt_context_name),
		.target = lookup(m, 't', need(m, 3)),
		.waker = lookup(m, 't', need(m, 4)),
		.count = 1,
	};
	bool max_given = false;
	size_t i;

	for (i = 5; i < m->word_cnt; i++)
		set_row(m, &row, &max_given, m->words[i]);
	if (!max_given)
		row.max_ns = owt_sat_add(row.wait_ns, row.runq_ns);
	check(m, owt_writer_row(m->writer, &row, &m->err));
}

static void parse_losses(struct mkrec *m, struct owt_losses *losses)
{
	size_t i;

	for (i = 3; i < m->word_cnt; i++) {
		char *count = strchr(m->words[i], '='), *ns;
		unsigned cause;

		if (!count)
			die(m, "not LOSS=COUNT", m->words[i]);
		*count++ = 0;
		cause = code_of(m, m->words[i], OWT_LOSS_CNT, owt_loss_name);
		ns = strchr(count, '/');
		if (ns)
			*ns++ = 0;
		losses->count[cause] = number(m, count);
		losses->time_ns[cause] = ns ? number(m, ns) : 0;
	}
}

static void do_slice(struct mkrec *m)
{
	struct owt_slice s = {.start_ns = number(m, need(m, 1)), .end_ns = number(m, need(m, 2))};

	s.clock = (struct owt_clock){s.end_ns, 1700000000000000000 + s.end_ns, s.end_ns};
	parse_losses(m, &s.losses);
	check(m, owt_writer_end_slice(m->writer, &s, &m->err));
}

static void do_end(struct mkrec *m)
{
	struct owt_end e = {.start_ns = number(m, need(m, 1)), .end_ns = number(m, need(m, 2))};

	e.clock = (struct owt_clock){e.end_ns, 1700000000000000000 + e.end_ns, e.end_ns};
	parse_losses(m, &e.losses);
	check(m, owt_writer_end(m->writer, &e, &m->err));
}

static void do_chop(struct mkrec *m)
{
	uint64_t n = number(m, need(m, 1));

	if (n > m->output.len)
		die(m, "more than there is", m->words[1]);
	m->output.len -= n;
}

struct statement {
	const char *word;
	void (*run)(struct mkrec *m);
	size_t rest; /* index of the word that takes the rest of the line */
	bool before; /* the header is written */
};

static const struct statement statements[] = {
	{"file-id", do_file_id, 0, true},  {"arch", do_arch, 0, true},
	{"meta", do_meta, 2, false},	   {"thread", do_thread, 4, false},
	{"stack", do_stack, 0, false},	   {"module", do_module, 4, false},
	{"process", do_process, 3, false}, {"map", do_map, 0, false},
	{"ksym", do_ksym, 0, false},	   {"row", do_row, 0, false},
	{"slice", do_slice, 0, false},	   {"end", do_end, 0, false},
	{"chop", do_chop, 0, false},	   {"symbol", do_symbol, 5, false},
	{"account", do_account, 0, false},
};

static const struct statement *statement_of(const struct mkrec *m, const char *line)
{
	size_t i, len = strcspn(line, " \t");

	for (i = 0; i < OWT_ARRAY_SIZE(statements); i++)
		if (strlen(statements[i].word) == len && memcmp(statements[i].word, line, len) == 0)
			return &statements[i];
	die(m, "unknown statement", line);
}

static void split(struct mkrec *m, char *line, size_t rest)
{
	m->word_cnt = 0;
	for (line += strspn(line, " \t"); *line; line += strspn(line, " \t")) {
		if (m->word_cnt == WORDS_MAX)
			die(m, "too many words", NULL);
		m->words[m->word_cnt++] = line;
		if (rest && m->word_cnt == rest + 1)
			return;
		line += strcspn(line, " \t");
		if (*line)
			*line++ = 0;
	}
}

static void run_line(struct mkrec *m, char *line)
{
	const struct owt_sink sink = {keep_output, &m->output};
	const struct statement *s;

	line[strcspn(line, "\n")] = 0;
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return;
	s = statement_of(m, line);
	split(m, line, s->rest);
	if (s->before && m->writer)
		die(m, "must come before all others", s->word);
	if (!s->before && !m->writer)
		check(m, owt_writer_open(&m->writer, &m->opts, &sink, &m->err));
	s->run(m);
}

static void done(struct mkrec *m)
{
	owt_writer_free(m->writer);
	while (m->name_cnt)
		free(m->names[--m->name_cnt].name);
	free(m->output.bytes);
	free(m);
}

int main(void)
{
	struct mkrec *m = calloc(1, sizeof(*m));
	char *line = NULL;
	size_t cap = 0, i;
	int rc = 0;

	if (!m)
		return 1;
	m->opts = (struct owt_writer_opts){.arch = 62, .store = true};
	for (i = 0; i < sizeof(m->opts.file_id); i++)
		m->opts.file_id[i] = (uint8_t)(i + 1);
	while (getline(&line, &cap, stdin) > 0) {
		m->line++;
		run_line(m, line);
	}
	if (fwrite(m->output.bytes, 1, m->output.len, stdout) != m->output.len || fflush(stdout))
		rc = 1;
	free(line);
	done(m);
	return rc;
}
