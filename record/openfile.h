/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openfile.h - opens files that other users name, without doing what they may want us to.
 */
#ifndef REC_OPENFILE_H
#define REC_OPENFILE_H

#include "base.h"

/*
 * A regular file, for reading; looked at first, so that a device or FIFO is never opened.
 * The descriptor, or -1.
 */
int rec_open_regular(int dirfd, const char *path);

/*
 * The same below a directory that stands for the root, links and all, as a process of another
 * mount namespace sees it (openat2, Linux 5.6). path is absolute.
 */
int rec_open_in_root(int root_fd, const char *path);

/* The vDSO of this process as a file: all processes of one kernel and class share it. */
int rec_open_vdso(size_t bytes);

#endif
