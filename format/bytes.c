/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bytes.h"

size_t owt_leb_store(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (uint8_t)(v | 0x80);
	p[n++] = (uint8_t)v;
	return n;
}

int owt_take_leb(struct owt_cursor *c, uint64_t *out)
{
	const uint8_t *p = c->pos;
	uint64_t value = 0;
	unsigned shift = 0;

	for (;; shift += 7) {
		if (p == c->end)
			return -ENODATA;
		if (shift == 63 && *p > 1)
			return -EOVERFLOW;
		value |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80))
			break;
	}
	if (shift && !p[-1])
		return -EILSEQ;
	c->pos = p;
	*out = value;
	return 0;
}

int owt_take_bytes(struct owt_cursor *c, size_t n, const uint8_t **out)
{
	if (owt_cursor_left(c) < n)
		return -ENODATA;
	*out = c->pos;
	c->pos += n;
	return 0;
}

int owt_take_fixed64(struct owt_cursor *c, uint64_t *out)
{
	const uint8_t *p;

	if (owt_take_bytes(c, 8, &p))
		return -ENODATA;
	*out = owt_load_u64(p);
	return 0;
}

int owt_buf_reserve(struct owt_buf *b, size_t n)
{
	size_t need, cap;
	uint8_t *bytes;

	if (__builtin_add_overflow(b->len, n, &need) || need > SIZE_MAX / 2)
		return -EFBIG;
	if (b->max && need > b->max)
		return -EFBIG;
	if (need <= b->cap)
		return 0;
	cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap += cap / 2;
	if (b->max && cap > b->max)
		cap = b->max;
	bytes = realloc(b->bytes, cap);
	if (!bytes)
		return -ENOMEM;
	b->bytes = bytes;
	b->cap = cap;
	return 0;
}

int owt_buf_add(struct owt_buf *b, const void *bytes, size_t n)
{
	int ret = owt_buf_reserve(b, n);

	if (ret)
		return ret;
	if (n)
		memcpy(b->bytes + b->len, bytes, n);
	b->len += n;
	return 0;
}

int owt_buf_add_zeros(struct owt_buf *b, size_t n)
{
	int ret = owt_buf_reserve(b, n);

	if (ret)
		return ret;
	if (n)
		memset(b->bytes + b->len, 0, n);
	b->len += n;
	return 0;
}

int owt_buf_add_leb(struct owt_buf *b, uint64_t v)
{
	uint8_t bytes[OWT_LEB_MAX];

	return owt_buf_add(b, bytes, owt_leb_store(bytes, v));
}

int owt_buf_add_fixed64(struct owt_buf *b, uint64_t v)
{
	uint8_t bytes[8];

	owt_store_u64(bytes, v);
	return owt_buf_add(b, bytes, sizeof(bytes));
}

void owt_buf_done(struct owt_buf *b)
{
	free(b->bytes);
	b->bytes = NULL;
	b->len = b->cap = 0;
}
