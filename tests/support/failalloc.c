/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include "failalloc.h"

/* Interposed functions have no context to hand it through. */
static struct {
	unsigned countdown;
	bool sticky, hit;
	size_t largest;
} state;

void *__real_malloc(size_t n);
void *__real_calloc(size_t cnt, size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t cnt, size_t n);
void *__wrap_realloc(void *p, size_t n);

void failalloc_arm(unsigned nth, bool sticky)
{
	state.countdown = nth;
	state.sticky = sticky;
	state.hit = false;
}

bool failalloc_disarm(void)
{
	state.countdown = 0;
	return state.hit;
}

void failalloc_watch(void)
{
	state.largest = 0;
}

size_t failalloc_largest(void)
{
	return state.largest;
}

static bool fails(size_t n)
{
	if (n > state.largest)
		state.largest = n;
	if (!state.countdown || --state.countdown)
		return false;
	state.hit = true;
	state.countdown = state.sticky;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return fails(n) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t cnt, size_t n)
{
	return fails(cnt * n) ? NULL : __real_calloc(cnt, n);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails(n) ? NULL : __real_realloc(p, n);
}
