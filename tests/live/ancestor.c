/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ancestor FILE COMMAND [ARG...]: runs the command under the ancestor's method and writes its
 * rows to FILE, tab separated: target tid, target comm as stored, waker tid, waker comm,
 * microseconds, the target's user frames as stored (hex, leaf first, joined with ';'). What it
 * lost goes to stderr.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "ancestor.h"
#include "ancestor.skel.h"
#include "runcmd.h"

static void print_frames(FILE *out, int stacks_fd, __s64 id)
{
	__u64 frames[ANCESTOR_DEPTH] = { 0 };
	__u32 key = (__u32)id;

	if (id < 0 || bpf_map_lookup_elem(stacks_fd, &key, frames) || !frames[0]) {
		fputs("-", out);
		return;
	}
	for (int i = 0; i < ANCESTOR_DEPTH && frames[i]; i++)
		fprintf(out, "%s%llx", i ? ";" : "", (unsigned long long)frames[i]);
}

static void print_rows(FILE *out, const struct ancestor_bpf *skel)
{
	int counts_fd = bpf_map__fd(skel->maps.counts);
	int stacks_fd = bpf_map__fd(skel->maps.stacks);
	struct ancestor_key key, *prev = NULL;
	__u64 us;

	while (!bpf_map_get_next_key(counts_fd, prev, &key)) {
		prev = &key;
		if (bpf_map_lookup_elem(counts_fd, &key, &us))
			continue;
		fprintf(out, "%u\t%.16s\t%u\t%.16s\t%llu\t", key.target_tid, key.target,
			key.waker_tid, key.waker, (unsigned long long)us);
		print_frames(out, stacks_fd, key.target_ustack);
		fputc('\n', out);
	}
}

int main(int argc, char **argv)
{
	struct ancestor_bpf *skel = NULL;
	FILE *out = NULL;
	int ret = 1;

	if (argc < 3) {
		fprintf(stderr, "usage: ancestor FILE COMMAND [ARG...]\n");
		return 2;
	}
	out = fopen(argv[1], "we");
	if (!out) {
		perror(argv[1]);
		goto out;
	}
	skel = ancestor_bpf__open_and_load();
	if (!skel || ancestor_bpf__attach(skel)) {
		fprintf(stderr, "ancestor: cannot load or attach\n");
		goto out;
	}
	if (run_command(argv + 2) < 0)
		goto out;
	ancestor_bpf__detach(skel);
	print_rows(out, skel);
	fprintf(stderr, "ancestor: %llu stacks taken, %llu lost, %llu intervals without a row\n",
		(unsigned long long)skel->bss->tallies[ANCESTOR_TAKEN],
		(unsigned long long)skel->bss->tallies[ANCESTOR_COLLIDED],
		(unsigned long long)skel->bss->tallies[ANCESTOR_NO_ROW]);
	ret = 0;
out:
	ancestor_bpf__destroy(skel);
	if (out && fclose(out))
		ret = 1;
	return ret;
}
