/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "clock.h"
#include "hostinfo.h"
#include "layout.h"
#include "sizes.h"

uint16_t rec_host_arch(void)
{
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__i386__)
	return EM_386;
#elif defined(__aarch64__)
	return EM_AARCH64;
#elif defined(__riscv)
	return EM_RISCV;
#elif defined(__powerpc64__)
	return EM_PPC64;
#elif defined(__s390x__)
	return EM_S390;
#else
	return EM_NONE;
#endif
}

int rec_meta_u64(struct owt_writer *w, const char *key, uint64_t value, struct owt_err *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return owt_writer_meta(w, key, text, err);
}

static int write_host(struct owt_writer *w, struct owt_err *err)
{
	struct owt_clock now = rec_clock_now();
	struct utsname host;
	int ret;

	if (uname(&host))
		memset(&host, 0, sizeof(host));
	ret = owt_writer_meta(w, "producer", "offwake-record " OWT_VERSION, err);
	if (!ret)
		ret = owt_writer_meta(w, "host", host.nodename, err);
	if (!ret)
		ret = owt_writer_meta(w, "kernel", host.release, err);
	if (!ret)
		ret = owt_writer_meta(w, "machine", host.machine, err);
	if (!ret)
		ret = rec_meta_u64(w, "cpus_online", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN), err);
	if (!ret)
		ret = rec_meta_u64(w, "created_realtime_ns", now.realtime_ns, err);
	return ret;
}

static const char *filter_name(enum rec_filter filter)
{
	static const char *const names[] = {
		[REC_ALL] = "all",
		[REC_TGIDS] = "processes",
		[REC_TIDS] = "threads",
		[REC_USER] = "user-threads",
		[REC_KERNEL] = "kernel-threads",
		[REC_COMMAND] = "command",
	};

	return names[filter];
}

/* The ids as they were asked for, separated by commas. */
static int write_ids(struct owt_writer *w, const struct rec_opts *opts, struct owt_err *err)
{
	char *text = NULL;
	size_t size;
	FILE *list = open_memstream(&text, &size);
	int ret;

	if (!list)
		return owt_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < opts->id_cnt; i++)
		fprintf(list, "%s%" PRIu32, i ? "," : "", opts->ids[i]);
	ret = fclose(list) ? owt_fail(err, -ENOMEM, "out of memory") : 0;
	if (!ret && size <= OWT_META_VALUE_MAX)
		ret = owt_writer_meta(w, "filter_ids", text, err);
	else if (!ret)
		ret = rec_meta_u64(w, "filter_id_cnt", opts->id_cnt, err);
	free(text);
	return ret;
}

static int write_comms(struct owt_writer *w, const struct rec_comms *comms, struct owt_err *err)
{
	char *text;
	int ret = rec_comms_text(comms, &text);

	if (ret)
		return owt_fail(err, ret, "out of memory");
	if (strlen(text) <= OWT_META_VALUE_MAX)
		ret = owt_writer_meta(w, "filter_comm", text, err);
	else
		ret = rec_meta_u64(w, "filter_comm_cnt", comms->cnt, err);
	free(text);
	return ret;
}

static int write_options(struct owt_writer *w, const struct rec_opts *opts, struct owt_err *err)
{
	int ret = owt_writer_meta(w, "filter", filter_name(opts->filter), err);

	if (!ret && opts->id_cnt)
		ret = write_ids(w, opts, err);
	if (!ret && opts->follow_children)
		ret = owt_writer_meta(w, "follow_children", "yes", err);
	if (!ret && opts->comms.cnt)
		ret = write_comms(w, &opts->comms, err);
	if (!ret && opts->cgroup.path)
		ret = owt_writer_meta(w, "filter_cgroup", opts->cgroup.path, err);
	if (!ret && opts->command)
		ret = owt_writer_meta(w, "command", opts->command[0], err);
	if (!ret && opts->duration_s)
		ret = rec_meta_u64(w, "duration_asked_s", opts->duration_s, err);
	if (!ret && opts->min_us)
		ret = rec_meta_u64(w, "min_block_us", opts->min_us, err);
	if (!ret && opts->max_us != UINT64_MAX)
		ret = rec_meta_u64(w, "max_block_us", opts->max_us, err);
	if (!ret && opts->stacks != REC_STACKS_BOTH)
		ret = owt_writer_meta(w, "stacks",
				      opts->stacks == REC_STACKS_USER ? "user" : "kernel", err);
	if (!ret && opts->by_state)
		ret = rec_meta_u64(w, "state_mask", opts->state, err);
	if (!ret && opts->raw_wakers)
		ret = owt_writer_meta(w, "wakers", "raw", err);
	if (!ret)
		ret = rec_meta_u64(w, "max_memory", opts->max_memory, err);
	if (!ret)
		ret = rec_meta_u64(w, "stack_storage_size",
				   rec_sizes_of(opts->max_memory, opts->stack_storage).stacks, err);
	return ret;
}

int rec_hostinfo_write(struct owt_writer *w, const struct rec_opts *opts, struct owt_err *err)
{
	int ret = write_host(w, err);

	return ret ? ret : write_options(w, opts, err);
}
