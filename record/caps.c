/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "caps.h"
#include "preflight.h"

#define CAPS_MAX 64

/* The two words a set has in capset(). */
struct caps {
	struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
};

static int get(struct caps *out)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return (int)syscall(SYS_capget, &head, out->words);
}

static int set(const struct caps *caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return (int)syscall(SYS_capset, &head, caps->words);
}

static uint64_t permitted(const struct caps *caps)
{
	return caps->words[0].permitted | (uint64_t)caps->words[1].permitted << 32;
}

static void set_effective(struct caps *caps, uint64_t bits)
{
	caps->words[0].effective = (uint32_t)bits;
	caps->words[1].effective = (uint32_t)(bits >> 32);
}

static void set_permitted(struct caps *caps, uint64_t bits)
{
	caps->words[0].permitted = (uint32_t)bits;
	caps->words[1].permitted = (uint32_t)(bits >> 32);
}

static void clear_inheritable(struct caps *caps)
{
	caps->words[0].inheritable = 0;
	caps->words[1].inheritable = 0;
}

uint64_t rec_caps_kept(uint64_t held, bool needs_bpf)
{
	/* docs/security.md gives the reasons; what stands for one that is not held is behind it */
	static const unsigned needed[][2] = {
		{ CAP_PERFMON, CAP_SYS_ADMIN },
		{ CAP_SYS_PTRACE, CAP_SYS_PTRACE },
		{ CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE },
		{ CAP_CHECKPOINT_RESTORE, CAP_SYS_ADMIN },
		{ CAP_BPF, CAP_SYS_ADMIN },
	};
	uint64_t kept = 0;

	for (size_t i = 0; i < OWT_ARRAY_SIZE(needed); i++) {
		unsigned cap = needed[i][held >> needed[i][0] & 1 ? 0 : 1];

		if (needed[i][0] != CAP_BPF || needs_bpf)
			kept |= held & 1ull << cap;
	}
	return kept;
}

/* No exec gives them back then; allowed with CAP_SETPCAP only, and useless without an exec. */
static void bound(uint64_t bits)
{
	for (unsigned cap = 0; cap < CAPS_MAX; cap++)
		if (!(bits >> cap & 1) && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

int rec_caps_only(uint64_t bits)
{
	struct caps caps;

	if (get(&caps))
		return -1;
	bits &= permitted(&caps);
	bound(bits);
	set_permitted(&caps, bits);
	set_effective(&caps, bits);
	clear_inheritable(&caps);
	return set(&caps) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -1 : 0;
}

int rec_caps_reduce(bool (*works)(void *ctx), void *ctx, struct owt_err *err)
{
	struct caps caps;
	uint64_t kept;

	if (get(&caps))
		goto out;
	kept = rec_caps_kept(permitted(&caps), false);
	set_effective(&caps, kept);
	/* before Linux 5.19 bpf() may want CAP_BPF even for what is open */
	if (set(&caps))
		goto out;
	if (!works(ctx))
		kept = rec_caps_kept(permitted(&caps), true);
	set_effective(&caps, permitted(&caps));
	if (set(&caps) || rec_caps_only(kept))
		goto out;
	return 0;
out:
	return owt_fail(err, -errno, "cannot give up capabilities: %s", strerror(errno));
}

int rec_caps_disinherit(void)
{
	struct caps caps;

	if (get(&caps))
		return -1;
	clear_inheritable(&caps);
	/* ambient ones are among the inheritable, and go with them */
	return set(&caps);
}
