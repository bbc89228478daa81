/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that are hard to read. A thread that loses the CPU, or faults, in the first instruction
 * of a function stands at its very address; in a system call it stands behind the instruction.
 * Taken for a return address, the former names the function before; if the instruction is the
 * last of its function, the latter taken as it is names the one behind.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "wl.h"

#if defined(__x86_64__)
#define JUMP "jmp"
#define LOAD "movb (%rdi), %al"
#define SLEEP                                                                                      \
	"movq %rdi, %rdx\nmovl $1, %edi\nxorl %esi, %esi\nxorl %r10d, %r10d\nmovl $230, %eax\n"    \
	"syscall"
#else
#define JUMP  "b"
#define LOAD  "ldrb w0, [x0]"
#define SLEEP "mov x2, x0\nmov x0, #1\nmov x1, #0\nmov x3, #0\nmov x8, #115\nsvc #0"
#endif

#define FUNCTION(name, code)                                                                       \
	".type " name ", %function\n" name ": " code "\n.size " name ", . - " name "\n"

__asm__(".pushsection .text\n" FUNCTION("ow_before_leaf", "nop")
		FUNCTION("ow_leaf_spin", JUMP " ow_leaf_spin") FUNCTION("ow_before_fault", "nop")
			FUNCTION("ow_fault_block", LOAD "\nret") FUNCTION("ow_tail_block", SLEEP)
				FUNCTION("ow_behind_tail", "ret") ".popsection\n");
_Noreturn void ow_leaf_spin(void);
void ow_fault_block(const char *addr);
void ow_tail_block(const struct timespec *ts);

/* leaf: for good; main ends them. */

struct leaf {
	struct truth_board *board;
	struct truth_role *role;
};

static OW_NOINLINE void *ow_leaf_main(void *arg)
{
	const struct leaf *leaf = arg;

	truth_pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	truth_begin(leaf->board, leaf->role);
	ow_leaf_spin();
}

void wl_leaf(struct wl *wl)
{
	static const char *const names[2] = { "ow-leaf-a", "ow-leaf-b" };
	struct leaf *leaves = wl_shared(2 * sizeof(*leaves));

	wl->alive_ms = wl_arg(wl, 0, 1000);
	for (int i = 0; i < 2; i++) {
		leaves[i].board = wl->board;
		leaves[i].role = truth_role_add(wl->board, names[i], "ow_leaf_spin", "-", "-");
		wl_thread(ow_leaf_main, &leaves[i]);
	}
}

/* fault: each page of the memory is touched once, and filled when its fault is reported. */

struct faults {
	struct truth_board *board;
	struct truth_role *faulter, *filler, *filler_pause;
	int fd;
	char *mem;
	size_t page_bytes;
	uint64_t cnt, fill_us;
};

static OW_NOINLINE void *ow_faulter_main(void *arg)
{
	const struct faults *f = arg;
	struct truth_probe probe;

	truth_begin(f->board, f->faulter);
	for (uint64_t i = 0; i < f->cnt; i++) {
		truth_before(f->faulter, &probe);
		ow_fault_block(f->mem + i * f->page_bytes);
		truth_after(f->faulter, &probe);
		truth_burn_us(500);
	}
	truth_park(f->faulter);
}

static OW_NOINLINE uint64_t ow_filler_block(const struct faults *f)
{
	struct uffd_msg msg = { 0 };

	OW_FRAME();
	if (ow_sys4(SYS_read, f->fd, (long)&msg, sizeof(msg), 0) != sizeof(msg))
		_exit(1);
	OW_KEEP();
	return msg.arg.pagefault.address;
}

static OW_NOINLINE void ow_fault_wake(const struct faults *f, uint64_t addr)
{
	struct uffdio_zeropage fill = { .range = { addr & ~(f->page_bytes - 1), f->page_bytes } };

	OW_FRAME();
	if (ow_sys4(SYS_ioctl, f->fd, (long)UFFDIO_ZEROPAGE, (long)&fill, 0))
		_exit(1);
	OW_KEEP();
}

static OW_NOINLINE void *ow_filler_main(void *arg)
{
	const struct faults *f = arg;
	struct truth_probe probe;
	uint64_t addr;

	truth_also(f->filler_pause);
	truth_begin(f->board, f->filler);
	for (uint64_t i = 0; i < f->cnt; i++) {
		truth_before(f->filler, &probe);
		addr = ow_filler_block(f);
		truth_after(f->filler, &probe);
		truth_before(f->filler_pause, &probe);
		truth_pause_us(f->fill_us);
		truth_after(f->filler_pause, &probe);
		ow_fault_wake(f, addr);
	}
	truth_exit(f->filler_pause);
	truth_park(f->filler);
}

static void open_faults(struct faults *f)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	size_t bytes = f->cnt * f->page_bytes;

	f->mem = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	reg.range.start = (uint64_t)(uintptr_t)f->mem;
	reg.range.len = bytes;
	if (f->mem == MAP_FAILED || f->fd < 0 || ioctl(f->fd, UFFDIO_API, &api) ||
	    ioctl(f->fd, UFFDIO_REGISTER, &reg)) {
		perror("userfaultfd");
		exit(1);
	}
}

void wl_fault(struct wl *wl)
{
	struct faults *f = wl_shared(sizeof(*f));

	f->board = wl->board;
	f->cnt = wl_arg(wl, 0, 100);
	f->fill_us = wl_arg(wl, 1, 3000);
	f->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	open_faults(f);
	f->faulter = truth_role_add(wl->board, "ow-faulter", "ow_fault_block", "ow_fault_wake",
				    "ow-filler");
	f->filler = truth_role_add(wl->board, "ow-filler", "ow_filler_block", "ow_fault_block",
				   "ow-faulter");
	f->filler_pause = truth_role_add(wl->board, "ow-filler", "truth_pause_us", "-", "-");
	wl_thread(ow_faulter_main, f);
	wl_thread(ow_filler_main, f);
}

/* tail: a system call that goes on in the next function. */

struct tail {
	struct truth_board *board;
	struct truth_role *role;
	uint64_t sleeps;
};

static OW_NOINLINE void *ow_tail_main(void *arg)
{
	static const struct timespec ts = { .tv_nsec = 5000000 };
	const struct tail *tail = arg;
	struct truth_probe probe;

	truth_begin(tail->board, tail->role);
	for (uint64_t i = 0; i < tail->sleeps; i++) {
		truth_before(tail->role, &probe);
		ow_tail_block(&ts);
		truth_after(tail->role, &probe);
	}
	truth_park(tail->role);
}

void wl_tail(struct wl *wl)
{
	struct tail *tail = wl_shared(sizeof(*tail));

	tail->board = wl->board;
	tail->sleeps = wl_arg(wl, 0, 50);
	tail->role = truth_role_add(wl->board, "ow-tail", "ow_tail_block", "-", "-");
	wl_thread(ow_tail_main, tail);
}

/* deep: more frames than any recorder takes; each further thread has one more than the last. */

#define DEEP_MAX 3

struct deep {
	struct truth_board *board;
	struct truth_role *role;
	uint64_t sleeps, frames;
};

static OW_NOINLINE void ow_deep_block(void)
{
	OW_FRAME();
	ow_sleep_ns(5000000);
	OW_KEEP();
}

static OW_NOINLINE void ow_deep_call(uint64_t frames)
{
	OW_FRAME();
	if (frames)
		ow_deep_call(frames - 1);
	else
		ow_deep_block();
	OW_KEEP();
}

static OW_NOINLINE void *ow_deep_main(void *arg)
{
	const struct deep *deep = arg;
	struct truth_probe probe;

	truth_begin(deep->board, deep->role);
	for (uint64_t i = 0; i < deep->sleeps; i++) {
		truth_before(deep->role, &probe);
		ow_deep_call(deep->frames);
		truth_after(deep->role, &probe);
	}
	truth_park(deep->role);
}

void wl_deep(struct wl *wl)
{
	static const char *const names[DEEP_MAX] = { "ow-deep", "ow-deep-1", "ow-deep-2" };
	struct deep *deep = wl_shared(DEEP_MAX * sizeof(*deep));
	uint64_t threads = wl_arg(wl, 2, 1);

	for (uint64_t i = 0; i < threads && i < DEEP_MAX; i++) {
		deep[i].board = wl->board;
		deep[i].sleeps = wl_arg(wl, 0, 20);
		deep[i].frames = wl_arg(wl, 1, 300) + i;
		deep[i].role = truth_role_add(wl->board, names[i], "ow_deep_block", "-", "-");
		wl_thread(ow_deep_main, &deep[i]);
	}
}
