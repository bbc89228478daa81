/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hotplug.h - which CPUs come online, as the kernel tells it: a uevent each.
 */
#ifndef REC_HOTPLUG_H
#define REC_HOTPLUG_H

#include "base.h"

#define REC_HOTPLUG_NONE    -1
#define REC_HOTPLUG_UNKNOWN -2 /* some were missed: any CPU may have */

/* A descriptor, the caller's to close, that tells of CPUs from now on; or -errno. */
int rec_hotplug_open(void);

/* The next CPU that came online since, or one of the above. Does not wait. */
int rec_hotplug_next(int fd);

/* What one message says; len bytes, any. */
int rec_hotplug_parse(const char *message, size_t len);

#endif
