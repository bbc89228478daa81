/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf.h"

static const char source[] =
#include "offwake.text.h"
	;

const char *rec_ebpf_source(void)
{
	return source;
}
