/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness FILE COMMAND [ARG...]: runs the command; writes "hidden TID COUNT" to FILE for each
 * thread that was switched to without a sched_switch event. The status is the command's.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "runcmd.h"
#include "witness.skel.h"

static void print_hidden(FILE *out, int hidden_fd)
{
	__u32 tid, *prev = NULL;
	__u64 cnt;

	while (!bpf_map_get_next_key(hidden_fd, prev, &tid)) {
		prev = &tid;
		if (!bpf_map_lookup_elem(hidden_fd, &tid, &cnt))
			fprintf(out, "hidden %u %llu\n", tid, (unsigned long long)cnt);
	}
}

int main(int argc, char **argv)
{
	struct witness_bpf *skel = NULL;
	FILE *out = NULL;
	int ret = 125, status;

	if (argc < 3) {
		fprintf(stderr, "usage: witness FILE COMMAND [ARG...]\n");
		return 2;
	}
	out = fopen(argv[1], "we");
	skel = witness_bpf__open_and_load();
	if (!out || !skel || witness_bpf__attach(skel)) {
		fprintf(stderr, "witness: cannot load, attach or write\n");
		goto out;
	}
	status = run_command(argv + 2);
	witness_bpf__detach(skel);
	if (status < 0)
		goto out;
	print_hidden(out, bpf_map__fd(skel->maps.hidden));
	ret = WIFEXITED(status) ? WEXITSTATUS(status) : 126;
out:
	witness_bpf__destroy(skel);
	if (out && fclose(out))
		ret = 125;
	return ret;
}
