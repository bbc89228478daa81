/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rawsys.h - system calls in line, so that the calling function is the leaf of the stack.
 *
 * A C library built without frame pointers hides its caller from a frame-pointer walk; the
 * known answer must not depend on which unwinder the profiler has.
 */
#ifndef OW_RAWSYS_H
#define OW_RAWSYS_H

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Returns the result, or -errno. */
static inline __attribute__((always_inline)) long ow_sys4(long nr, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#elif defined(__i386__)
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "0"(nr), "b"(a), "c"(b), "d"(c), "S"(d) : "memory");
	return ret;
#else
	long ret = syscall(nr, a, b, c, d);

	return ret < 0 ? -errno : ret;
#endif
}

static inline __attribute__((always_inline)) long ow_futex_wait(_Atomic int *word, int value)
{
	return ow_sys4(SYS_futex, (long)word, FUTEX_WAIT, value, 0);
}

static inline __attribute__((always_inline)) long ow_futex_wake(_Atomic int *word, int cnt)
{
	return ow_sys4(SYS_futex, (long)word, FUTEX_WAKE, cnt, 0);
}

static inline __attribute__((always_inline)) long ow_sleep_ns(uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000u),
			       .tv_nsec = (long)(ns % 1000000000u) };

	return ow_sys4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&ts, 0);
}

#endif
