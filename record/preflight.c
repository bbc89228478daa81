/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "parse.h"
#include "preflight.h"
#include "slurp.h"

#define STATUS_BYTES_MAX 65536u
#define FDS_NEEDED	 256
#define FDS_WANTED	 16384
#define BTF_PATH	 "/sys/kernel/btf/vmlinux"

static bool has(uint64_t cap_eff, unsigned cap)
{
	return cap_eff >> cap & 1;
}

void rec_missing_caps(uint64_t cap_eff, char *buf, size_t size)
{
	static const struct {
		unsigned cap;
		bool by_admin; /* CAP_SYS_ADMIN stands for it */
		const char *name;
	} needed[] = {
		{ CAP_BPF, true, "CAP_BPF" },
		{ CAP_PERFMON, true, "CAP_PERFMON" },
		{ CAP_SYS_PTRACE, false, "CAP_SYS_PTRACE" },
	};
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < OWT_ARRAY_SIZE(needed); i++) {
		if (has(cap_eff, needed[i].cap) ||
		    (needed[i].by_admin && has(cap_eff, CAP_SYS_ADMIN)))
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? " " : "",
					needed[i].name);
	}
}

int rec_effective_caps(uint64_t *out, struct owt_err *err)
{
	static const char tag[] = "\nCapEff:\t";
	const char *at;
	char *text;
	size_t len;
	int ret = rec_slurp(AT_FDCWD, "/proc/self/status", STATUS_BYTES_MAX, &text, &len);

	if (ret)
		return owt_fail(err, ret, "cannot read /proc/self/status: %s; is /proc mounted?",
				owt_strerror(ret));
	at = strstr(text, tag);
	if (at) {
		at += strlen(tag);
		ret = owt_take_u64(&at, text + len, 16, out);
	}
	free(text);
	return at ? ret : -ENODATA;
}

static int check_caps(struct owt_err *err)
{
	char missing[128];
	uint64_t caps = 0;
	int ret = rec_effective_caps(&caps, err);

	if (ret)
		return owt_fail(err, ret, "cannot read the capabilities: %s", owt_strerror(ret));
	rec_missing_caps(caps, missing, sizeof(missing));
	if (*missing)
		return owt_fail(
			err, -OWT_E_UNAVAILABLE,
			"recording needs more privileges (missing: %s): run it as root, for "
			"example with sudo, or give it these (see offwake-record(1))",
			missing);
	return 0;
}

bool rec_is_namespace(const char *path, uint64_t inode)
{
	struct stat st;

	return stat(path, &st) || st.st_ino == inode;
}

/* Kernel programs see the ids of the initial namespace, /proc and fork() those of ours. */
static int check_namespace(struct owt_err *err)
{
	if (rec_is_namespace("/proc/self/ns/pid", REC_PID_NS_INITIAL))
		return 0;
	return owt_fail(
		err, -OWT_E_UNAVAILABLE,
		"this is a PID namespace of its own (a container, perhaps), where process ids "
		"do not mean what they mean to the kernel, and -p takes the host's: record "
		"outside, on the host, or give the container the host's (--pid=host)");
}

static int check_btf(struct owt_err *err)
{
	if (!access(BTF_PATH, R_OK))
		return 0;
	return owt_fail(err, -OWT_E_UNAVAILABLE,
			"this kernel offers no type information (%s: %s): it has to be built with "
			"CONFIG_DEBUG_INFO_BTF=y, as distribution kernels are",
			BTF_PATH, strerror(errno));
}

/* As execvp() will look for it, so that nothing is touched for a command that is not there. */
static bool is_command(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char full[PATH_MAX];

	if (strchr(name, '/') || !path)
		return !access(name, X_OK);
	for (; *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		snprintf(full, sizeof(full), "%.*s/%s", (int)(end - path), path, name);
		if (end != path && !access(full, X_OK))
			return true;
	}
	return false;
}

static int check_command(const struct rec_opts *opts, struct owt_err *err)
{
	if (!opts->command || is_command(opts->command[0]))
		return 0;
	return owt_fail(err, -ENOENT, "cannot run \"%s\": %s", opts->command[0],
			strerror(errno ? errno : ENOENT));
}

int rec_raise_fd_limit(struct rlimit *out_before, struct owt_err *err)
{
	struct rlimit fds, more;

	if (getrlimit(RLIMIT_NOFILE, &fds))
		return owt_fail(err, -errno, "getrlimit: %s", strerror(errno));
	*out_before = fds;
	if (fds.rlim_cur >= FDS_WANTED)
		return 0;
	more = (struct rlimit){ FDS_WANTED, fds.rlim_max > FDS_WANTED ? fds.rlim_max : FDS_WANTED };
	if (!setrlimit(RLIMIT_NOFILE, &more))
		return 0;
	more = (struct rlimit){ fds.rlim_max, fds.rlim_max };
	if (!setrlimit(RLIMIT_NOFILE, &more) && fds.rlim_max >= FDS_NEEDED)
		return 0;
	return owt_fail(err, -EMFILE,
			"%llu open files are too few for recording: raise the limit "
			"(ulimit -n %d)",
			(unsigned long long)fds.rlim_max, FDS_NEEDED);
}

int rec_preflight(const struct rec_opts *opts, struct owt_err *err)
{
	int ret = check_caps(err);

	if (!ret)
		ret = check_namespace(err);
	if (!ret)
		ret = check_btf(err);
	return ret ? ret : check_command(opts, err);
}
