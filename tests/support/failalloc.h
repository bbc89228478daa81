/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failalloc.h - malloc, calloc and realloc of the linked objects, made to fail on demand. The
 * linker redirects them (--wrap); libraries keep theirs.
 */
#ifndef FAILALLOC_H
#define FAILALLOC_H

#include <stddef.h>
#include <stdbool.h>

/* Request number nth from now on fails (1: the next one), all later ones too when sticky. */
void failalloc_arm(unsigned nth, bool sticky);
/* Ends it; true when a request has failed. */
bool failalloc_disarm(void);

/* Starts to watch, and the largest single request since. */
void failalloc_watch(void);
size_t failalloc_largest(void);

#endif
