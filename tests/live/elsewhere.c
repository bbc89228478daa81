/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elsewhere FILE COMMAND [ARG...]: runs the command; writes "elsewhere TID COUNT" to FILE for
 * each thread whose wake-ups another thread carried out than asked for them. The status is the
 * command's.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "elsewhere.skel.h"
#include "runcmd.h"

static void print_counts(FILE *out, int fd)
{
	__u32 tid, *prev = NULL;
	__u64 cnt;

	while (!bpf_map_get_next_key(fd, prev, &tid)) {
		prev = &tid;
		if (!bpf_map_lookup_elem(fd, &tid, &cnt))
			fprintf(out, "elsewhere %u %llu\n", tid, (unsigned long long)cnt);
	}
}

int main(int argc, char **argv)
{
	struct elsewhere_bpf *skel = NULL;
	FILE *out = NULL;
	int ret = 125, status;

	if (argc < 3) {
		fprintf(stderr, "usage: elsewhere FILE COMMAND [ARG...]\n");
		return 2;
	}
	out = fopen(argv[1], "we");
	skel = elsewhere_bpf__open_and_load();
	if (!out || !skel || elsewhere_bpf__attach(skel)) {
		fprintf(stderr, "elsewhere: cannot load, attach or write\n");
		goto out;
	}
	status = run_command(argv + 2);
	elsewhere_bpf__detach(skel);
	if (status < 0)
		goto out;
	print_counts(out, bpf_map__fd(skel->maps.elsewhere));
	ret = WIFEXITED(status) ? WEXITSTATUS(status) : 126;
out:
	elsewhere_bpf__destroy(skel);
	if (out && fclose(out))
		ret = 125;
	return ret;
}
