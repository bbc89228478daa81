/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include "input.h"

/* A source may not claim more than it was asked for: it would be a bug that corrupts memory. */
static int fill(struct owt_input *in)
{
	ptrdiff_t n = in->source.read(in->source.ctx, in->bytes, sizeof(in->bytes));

	if (n < 0)
		return (int)n;
	if ((size_t)n > sizeof(in->bytes))
		return -EIO;
	in->pos = 0;
	in->len = (size_t)n;
	return 0;
}

int owt_input_take(struct owt_input *in, uint8_t *to, size_t n, size_t *out_got)
{
	size_t got = 0;

	while (got < n) {
		size_t part = in->len - in->pos;
		int ret;

		if (!part) {
			ret = fill(in);
			if (ret)
				return ret;
			if (!in->len)
				break;
			continue;
		}
		if (part > n - got)
			part = n - got;
		memcpy(to + got, in->bytes + in->pos, part);
		in->pos += part;
		in->taken += part;
		got += part;
	}
	*out_got = got;
	return 0;
}

int owt_input_drain(struct owt_input *in)
{
	int ret = 0;

	do {
		in->taken += in->len - in->pos;
		in->pos = in->len;
		ret = fill(in);
	} while (!ret && in->len);
	return ret;
}
