/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps that end in every way but by a thread of the same CPU: who woke is the known answer. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>

#include "wl.h"

/* What most of these need: a sleeper, and somebody who lets it go. */
struct pair {
	struct truth_board *board;
	struct truth_role *role, *waker_role;
	uint64_t rounds;
	int fd, other_fd;
	_Atomic int word, seen; /* the round that may begin, and the one that was seen */
	_Atomic int burn, burning, stop;
};

static struct pair *pair_new(struct wl *wl, uint64_t rounds)
{
	struct pair *p = wl_shared(sizeof(*p));

	p->board = wl->board;
	p->rounds = wl_arg(wl, 0, rounds);
	return p;
}

static int last_cpu(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* pty: what is written to one end, a thread of the kernel hands to the other. */

static OW_NOINLINE void ow_pty_block(int fd)
{
	char c;

	OW_FRAME();
	if (ow_sys4(SYS_read, fd, (long)&c, 1, 0) != 1)
		_exit(1);
	OW_KEEP();
}

static OW_NOINLINE void ow_pty_write(int fd)
{
	char c = 'x';

	OW_FRAME();
	if (ow_sys4(SYS_write, fd, (long)&c, 1, 0) != 1)
		_exit(1);
	OW_KEEP();
}

static OW_NOINLINE void *ow_pty_main(void *arg)
{
	struct pair *p = arg;
	struct truth_probe probe;

	truth_begin(p->board, p->role);
	for (uint64_t i = 0; i < p->rounds; i++) {
		atomic_store(&p->word, (int)i + 1);
		truth_before(p->role, &probe);
		ow_pty_block(p->fd);
		truth_after(p->role, &probe);
	}
	truth_park(p->role);
}

static OW_NOINLINE void *ow_pty_writer(void *arg)
{
	struct pair *p = arg;

	truth_begin(p->board, p->waker_role);
	for (uint64_t i = 0; i < p->rounds; i++) {
		while (atomic_load(&p->word) != (int)i + 1)
			truth_pause_role(p->waker_role, 100);
		truth_pause_role(p->waker_role, 1000);
		ow_pty_write(p->other_fd);
	}
	truth_park(p->waker_role);
}

void wl_pty(struct wl *wl)
{
	struct pair *p = pair_new(wl, 100);
	struct termios raw;
	const char *name;

	p->other_fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (p->other_fd < 0 || grantpt(p->other_fd) || unlockpt(p->other_fd))
		die("pty");
	name = ptsname(p->other_fd);
	p->fd = name ? open(name, O_RDWR | O_NOCTTY) : -1;
	if (p->fd < 0 || tcgetattr(p->fd, &raw))
		die("pty");
	cfmakeraw(&raw);
	if (tcsetattr(p->fd, TCSANOW, &raw))
		die("pty");
	p->role = truth_role_add(wl->board, "ow-pty", "ow_pty_block", "kworker", "-");
	p->waker_role = truth_role_add(wl->board, "ow-pty-w", "truth_pause_us", "-", "-");
	wl_thread(ow_pty_main, p);
	wl_thread(ow_pty_writer, p);
}

/* disk: reads past the page cache. */

#define DISK_BLOCK  4096
#define DISK_BLOCKS 256

static OW_NOINLINE void ow_disk_block(int fd, char *to, uint64_t block)
{
	OW_FRAME();
	if (ow_sys4(SYS_pread64, fd, (long)to, DISK_BLOCK, (long)(block * DISK_BLOCK)) !=
	    DISK_BLOCK)
		_exit(1);
	OW_KEEP();
}

static OW_NOINLINE void *ow_disk_main(void *arg)
{
	struct pair *p = arg;
	struct truth_probe probe;
	char *to = aligned_alloc(DISK_BLOCK, DISK_BLOCK);

	if (!to)
		exit(1);
	truth_begin(p->board, p->role);
	for (uint64_t i = 0; i < p->rounds; i++) {
		truth_before(p->role, &probe);
		ow_disk_block(p->fd, to, i * 37 % DISK_BLOCKS);
		truth_after(p->role, &probe);
	}
	truth_park(p->role);
}

void wl_disk(struct wl *wl)
{
	struct pair *p = pair_new(wl, 100);
	const char *dir = getenv("TMPDIR");
	char *block = aligned_alloc(DISK_BLOCK, DISK_BLOCK);

	p->fd = open(dir ? dir : "/var/tmp", O_TMPFILE | O_RDWR | O_DIRECT, 0600);
	if (p->fd < 0 || !block)
		die("disk");
	for (int i = 0; i < DISK_BLOCK; i++)
		block[i] = (char)i;
	for (int i = 0; i < DISK_BLOCKS; i++)
		if (write(p->fd, block, DISK_BLOCK) != DISK_BLOCK)
			die("disk");
	if (fsync(p->fd))
		die("disk");
	p->role = truth_role_add(wl->board, "ow-disk", "ow_disk_block", "-", "-");
	wl_thread(ow_disk_main, p);
}

/* ipi: two CPUs, one thread bound to each. */

static OW_NOINLINE void ow_far_block(_Atomic int *word, int seen)
{
	OW_FRAME();
	ow_futex_wait(word, seen);
	OW_KEEP();
}

static OW_NOINLINE void ow_far_wake(_Atomic int *word, int round)
{
	OW_FRAME();
	atomic_store(word, round);
	ow_futex_wake(word, 1);
	OW_KEEP();
}

static OW_NOINLINE void ow_far_burn(_Atomic int *stop)
{
	OW_FRAME();
	while (!atomic_load(stop))
		OW_KEEP();
}

static OW_NOINLINE void *ow_far_main(void *arg)
{
	struct pair *p = arg;
	struct truth_probe probe;

	truth_pin(last_cpu());
	truth_begin(p->board, p->role);
	for (int i = 1; i <= (int)p->rounds; i++) {
		while (atomic_load(&p->word) != i) {
			truth_before(p->role, &probe);
			ow_far_block(&p->word, i - 1);
			truth_after(p->role, &probe);
		}
		atomic_store(&p->seen, i);
	}
	truth_park(p->role);
}

static OW_NOINLINE void *ow_far_waker(void *arg)
{
	struct pair *p = arg;

	truth_pin(0);
	truth_begin(p->board, p->waker_role);
	for (int i = 1; i <= (int)p->rounds; i++) {
		truth_pause_role(p->waker_role, 300);
		ow_far_wake(&p->word, i);
		while (atomic_load(&p->seen) != i)
			truth_pause_role(p->waker_role, 100);
	}
	atomic_store(&p->stop, 1);
	truth_park(p->waker_role);
}

static void *far_burner(void *arg)
{
	struct pair *p = arg;

	truth_pin(last_cpu());
	ow_far_burn(&p->stop);
	return NULL;
}

void wl_far(struct wl *wl)
{
	struct pair *p = pair_new(wl, 300);

	p->role = truth_role_add(wl->board, "ow-far", "ow_far_block", "ow_far_wake", "ow-far-w");
	p->waker_role = truth_role_add(wl->board, "ow-far-w", "truth_pause_us", "-", "-");
	wl_thread(ow_far_main, p);
	wl_thread(ow_far_waker, p);
	if (wl_arg(wl, 1, 0))
		wl_thread(far_burner, p);
}

/* bystander: a timer's interrupt hits who runs on its CPU, in user code or in the kernel. */

static OW_NOINLINE void ow_hit_block(void)
{
	OW_FRAME();
	ow_sleep_ns(2000000);
	OW_KEEP();
}

static OW_NOINLINE void ow_hit_burn(_Atomic int *stop)
{
	OW_FRAME();
	while (!atomic_load(stop))
		ow_sys4(SYS_getppid, 0, 0, 0, 0);
}

static OW_NOINLINE void *ow_hit_main(void *arg)
{
	struct pair *p = arg;
	struct truth_probe probe;

	truth_pin(last_cpu());
	truth_begin(p->board, p->role);
	for (uint64_t i = 0; i < p->rounds; i++) {
		truth_before(p->role, &probe);
		ow_hit_block();
		truth_after(p->role, &probe);
	}
	atomic_store(&p->stop, 1);
	truth_park(p->role);
}

static OW_NOINLINE void *ow_hit_bystander(void *arg)
{
	struct pair *p = arg;

	truth_pin(last_cpu());
	truth_begin(p->board, p->waker_role);
	ow_hit_burn(&p->stop);
	truth_park(p->waker_role);
}

void wl_bystander(struct wl *wl)
{
	struct pair *p = pair_new(wl, 200);

	p->role = truth_role_add(wl->board, "ow-hit", "ow_hit_block", "-", "-");
	p->waker_role = truth_role_add(wl->board, "ow-hit-by", "ow_hit_burn", "-", "-");
	wl_thread(ow_hit_main, p);
	wl_thread(ow_hit_bystander, p);
}

/* gone: the waker is a process that has ended before the thread that it woke gets a CPU. */

static OW_NOINLINE void ow_gone_block(int fd)
{
	char c;

	OW_FRAME();
	if (ow_sys4(SYS_read, fd, (long)&c, 1, 0) != 1)
		_exit(1);
	OW_KEEP();
}

static OW_NOINLINE void *ow_gone_main(void *arg)
{
	struct pair *p = arg;
	struct truth_probe probe;

	truth_pin(last_cpu());
	truth_begin(p->board, p->role);
	for (int i = 1; i <= (int)p->rounds; i++) {
		atomic_store(&p->word, i);
		truth_before(p->role, &probe);
		ow_gone_block(p->fd);
		truth_after(p->role, &probe);
		atomic_store(&p->seen, i);
	}
	truth_park(p->role);
}

/* Keeps the CPU from the sleeper: only a real-time thread can. */
static void *gone_burner(void *arg)
{
	struct pair *p = arg;
	struct sched_param param = { .sched_priority = 1 };

	truth_pin(last_cpu());
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("sched_setscheduler");
	while (!atomic_load(&p->stop)) {
		while (!atomic_load(&p->burn) && !atomic_load(&p->stop))
			truth_pause_us(200);
		atomic_store(&p->burning, 1);
		while (atomic_load(&p->burn))
			OW_KEEP();
		atomic_store(&p->burning, 0);
	}
	return NULL;
}

/* A process of its own image, which writes a byte to stdout and ends. */
static void run_poker(const struct pair *p)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (dup2(p->other_fd, 1) == 1)
			execl("/proc/self/exe", "workload", "poke", (char *)NULL);
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		die("poker");
	dprintf(1, "poker %d\n", (int)pid);
}

static void *gone_main(void *arg)
{
	struct pair *p = arg;

	while (!atomic_load(&p->board->go))
		truth_pause_us(1000);
	for (int i = 1; i <= (int)p->rounds; i++) {
		while (atomic_load(&p->word) != i)
			truth_pause_us(200);
		truth_wait_asleep(p->role);
		atomic_store(&p->burn, 1);
		while (!atomic_load(&p->burning))
			truth_pause_us(200);
		run_poker(p);
		p->role->hits += atomic_load(&p->seen) != i;
		atomic_store(&p->burn, 0);
		while (atomic_load(&p->seen) != i)
			truth_pause_us(200);
	}
	atomic_store(&p->stop, 1);
	return NULL;
}

void wl_gone(struct wl *wl)
{
	struct pair *p = pair_new(wl, 10);
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		die("pipe");
	p->fd = fds[0];
	p->other_fd = fds[1];
	p->role = truth_role_add(wl->board, "ow-gone", "ow_gone_block", "ow_poke", "ow-poker");
	wl_thread(ow_gone_main, p);
	wl_thread(gone_burner, p);
	wl_thread(gone_main, p);
}

static OW_NOINLINE void ow_poke(void)
{
	char c = 'x';

	OW_FRAME();
	if (ow_sys4(SYS_write, 1, (long)&c, 1, 0) != 1)
		_exit(1);
	OW_KEEP();
}

int wl_poke(void)
{
	prctl(PR_SET_NAME, "ow-poker");
	ow_poke();
	_exit(0);
}
