/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "comms.h"

/* len is not 0. */
static struct rec_comm comm_of(const char *name, size_t len)
{
	struct rec_comm comm = { .is_prefix = name[len - 1] == '*' };

	if (comm.is_prefix)
		len--;
	if (len > REC_COMM_MAX) {
		/* what begins with so much is that much */
		comm.is_prefix = false;
		comm.is_cut = true;
		len = REC_COMM_MAX;
	}
	comm.len = (uint8_t)len;
	memcpy(comm.name, name, len);
	return comm;
}

static int add_comm(struct rec_comms *comms, const char *name, size_t len)
{
	struct rec_comm *more;

	if (!len)
		return -EINVAL;
	more = reallocarray(comms->items, comms->cnt + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	comms->items = more;
	comms->items[comms->cnt++] = comm_of(name, len);
	return 0;
}

int rec_comms_add(struct rec_comms *comms, const char *list)
{
	const char *end;
	int ret;

	do {
		end = strchrnul(list, ',');
		ret = add_comm(comms, list, (size_t)(end - list));
		list = end + 1;
	} while (!ret && *end);
	return ret;
}

int rec_comms_text(const struct rec_comms *comms, char **out_text)
{
	char *text = NULL;
	size_t size;
	FILE *list = open_memstream(&text, &size);

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < comms->cnt; i++)
		fprintf(list, "%s%s%s", i ? "," : "", comms->items[i].name,
			comms->items[i].is_prefix ? "*" : "");
	if (fclose(list)) {
		free(text);
		return -ENOMEM;
	}
	*out_text = text;
	return 0;
}

void rec_comms_done(struct rec_comms *comms)
{
	free(comms->items);
	*comms = (struct rec_comms){ 0 };
}
