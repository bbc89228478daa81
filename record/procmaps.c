/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include "parse.h"
#include "procmaps.h"

#define STAT_FIELD_START 22
#define STAT_FIELD_STATE 3

static bool take_char(const char **pos, const char *end, char c)
{
	if (*pos == end || **pos != c)
		return false;
	(*pos)++;
	return true;
}

static bool take_u32(const char **pos, const char *end, uint32_t *out)
{
	uint64_t value;

	if (owt_take_u64(pos, end, 16, &value) || value > UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

static bool take_range(const char **pos, const char *end, struct rec_map *map)
{
	return !owt_take_u64(pos, end, 16, &map->start) && take_char(pos, end, '-') &&
	       !owt_take_u64(pos, end, 16, &map->end) && take_char(pos, end, ' ') &&
	       map->start < map->end;
}

static bool take_perms(const char **pos, const char *end, struct rec_map *map)
{
	if (end - *pos < 5)
		return false;
	map->is_exec = (*pos)[2] == 'x';
	*pos += 4;
	return take_char(pos, end, ' ');
}

/* "start-end perms offset major:minor inode   path" (fs/proc/task_mmu.c) */
static bool parse_line(const char *p, const char *end, struct rec_map *map)
{
	if (!take_range(&p, end, map) || !take_perms(&p, end, map) ||
	    owt_take_u64(&p, end, 16, &map->offset) || !take_char(&p, end, ' ') ||
	    !take_u32(&p, end, &map->major) || !take_char(&p, end, ':') ||
	    !take_u32(&p, end, &map->minor) || !take_char(&p, end, ' ') ||
	    owt_take_u64(&p, end, 10, &map->inode))
		return false;
	while (p < end && *p == ' ')
		p++;
	map->path = p;
	map->path_len = (size_t)(end - p);
	return true;
}

int rec_maps_next(const char **pos, const char *end, struct rec_map *out_map)
{
	const char *line = *pos, *eol;
	struct rec_map map;

	if (line == end)
		return 0;
	eol = memchr(line, '\n', (size_t)(end - line));
	if (!eol) {
		*pos = end;
		return -EINVAL;
	}
	*pos = eol + 1;
	if (!parse_line(line, eol, &map))
		return -EINVAL;
	*out_map = map;
	return 1;
}

size_t rec_maps_unescape(const char *path, size_t len, char *out, size_t cap)
{
	static const char newline[] = "\\012";
	size_t n = 0, escape = sizeof(newline) - 1;

	for (size_t i = 0; i < len && n < cap; i++) {
		if (len - i >= escape && !memcmp(path + i, newline, escape)) {
			out[n++] = '\n';
			i += escape - 1;
		} else {
			out[n++] = path[i];
		}
	}
	return n;
}

int rec_stat_start_ticks(const char *text, size_t len, uint64_t *out_ticks)
{
	const char *end = text + len, *p = memrchr(text, ')', len);

	if (!p)
		return -EINVAL;
	p++;
	for (int field = STAT_FIELD_STATE; p < end; field++) {
		if (!take_char(&p, end, ' '))
			return -EINVAL;
		if (field == STAT_FIELD_START)
			return owt_take_u64(&p, end, 10, out_ticks);
		while (p < end && *p != ' ')
			p++;
	}
	return -EINVAL;
}
