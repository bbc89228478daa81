/* SPDX-License-Identifier: Apache-2.0 */
/* A 32-bit program without a C library: it sleeps for good, below functions that are known. */

#ifdef __clang__
#define OW_NOINLINE __attribute__((noinline))
#else
#define OW_NOINLINE __attribute__((noinline, noclone))
#endif

static OW_NOINLINE void ow_small_block(int *word)
{
	int ret;

	/* futex(word, FUTEX_WAIT, 0, NULL) */
	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "0"(240), "b"(word), "c"(0), "d"(0), "S"(0)
			 : "memory");
}

static OW_NOINLINE void ow_small_again(int *word)
{
	for (;;) {
		ow_small_block(word);
		__asm__ volatile("" ::: "memory");
	}
}

void ow_small_start(void);
void ow_small_start(void)
{
	int word = 0;

	__asm__ volatile("" ::"r"(__builtin_frame_address(0)) : "memory");
	ow_small_again(&word);
}
