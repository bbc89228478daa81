/* SPDX-License-Identifier: Apache-2.0 */
/* empty SECONDS: runs the empty program that long and prints its nanoseconds per run. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "empty.skel.h"

static int print_cost(int prog_fd)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog_fd, &info, &len) || !info.run_cnt)
		return -1;
	printf("%llu\n", (unsigned long long)(info.run_time_ns / info.run_cnt));
	return 0;
}

int main(int argc, char **argv)
{
	struct empty_bpf *skel = empty_bpf__open_and_load();
	int ret = 1;

	if (argc == 2 && skel && !empty_bpf__attach(skel)) {
		sleep((unsigned)atoi(argv[1]));
		ret = print_cost(bpf_program__fd(skel->progs.empty_switch)) ? 1 : 0;
	}
	empty_bpf__destroy(skel);
	return ret;
}
