/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image MS [COMMAND [ARG...]]: blocks for that long in a function whose name alone depends on
 * IMAGE, then becomes the command. Built twice, the two are alike, address by address.
 */
#include <stdlib.h>

#include "truth.h"

#define NAME_OF(image)	ow_image_##image##_block
#define BLOCK_IN(image) NAME_OF(image)

static OW_NOINLINE void BLOCK_IN(IMAGE)(uint64_t ms)
{
	OW_FRAME();
	ow_sleep_ns(ms * 1000000);
	OW_KEEP();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	BLOCK_IN(IMAGE)(strtoull(argv[1], NULL, 10));
	if (argc == 2)
		return 0;
	execv(argv[2], argv + 2);
	return 127;
}
