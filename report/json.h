/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - writes JSON, one item after the other; commas come by themselves. Keys are ours,
 * so they need no escape; a null key is an item of an array.
 */
#ifndef REP_JSON_H
#define REP_JSON_H

#include <stdio.h>
#include "base.h"

/* Zero but for out, before the first item of anything. */
struct rep_json {
	FILE *out;
	bool follows; /* the next item needs a comma before it */
};

/* bracket is '{' or '[', or '}' or ']'. */
void rep_json_open(struct rep_json *j, const char *key, char bracket);
void rep_json_close(struct rep_json *j, char bracket);

/* The next item begins on a line of its own. */
void rep_json_line(struct rep_json *j);

void rep_json_u64(struct rep_json *j, const char *key, uint64_t value);
void rep_json_hex(struct rep_json *j, const char *key, uint64_t value);
void rep_json_bool(struct rep_json *j, const char *key, bool value);
void rep_json_null(struct rep_json *j, const char *key);
void rep_json_text(struct rep_json *j, const char *key, const char *bytes, size_t len);
/* Bytes as hex digits. */
void rep_json_bytes(struct rep_json *j, const char *key, const uint8_t *bytes, size_t len);

/* The member of an object whose key is not ours. */
void rep_json_pair(struct rep_json *j, const char *key, size_t key_len, const char *bytes,
		   size_t len);

#endif
