/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fileheader.h - the header of a recording, read and checked.
 */
#ifndef OWT_FILEHEADER_H
#define OWT_FILEHEADER_H

#include "base.h"
#include "err.h"
#include "input.h"
#include "reader.h"

/*
 * Takes the header off the input: 0 and the fields of *out that it holds (major, minor, arch,
 * file_id), or a negative code. On failure *out is untouched.
 */
int owt_header_read(struct owt_input *in, struct owt_file_info *out,
		    struct owt_err *err) OWT_MUST_CHECK;

#endif
