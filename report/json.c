/* SPDX-License-Identifier: Apache-2.0 */
#include "escape.h"
#include "json.h"

static void begin(struct rep_json *j, const char *key)
{
	if (j->follows)
		fputc(',', j->out);
	if (key)
		fprintf(j->out, "\"%s\":", key);
	j->follows = true;
}

static void put_text(struct rep_json *j, const char *bytes, size_t len)
{
	fputc('"', j->out);
	rep_escape(j->out, REP_ESC_JSON, bytes, len);
	fputc('"', j->out);
}

void rep_json_open(struct rep_json *j, const char *key, char bracket)
{
	begin(j, key);
	fputc(bracket, j->out);
	j->follows = false;
}

void rep_json_close(struct rep_json *j, char bracket)
{
	fputc(bracket, j->out);
	j->follows = true;
}

void rep_json_line(struct rep_json *j)
{
	fputs(j->follows ? ",\n" : "\n", j->out);
	j->follows = false;
}

void rep_json_u64(struct rep_json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->out, "%llu", (unsigned long long)value);
}

void rep_json_hex(struct rep_json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->out, "\"0x%llx\"", (unsigned long long)value);
}

void rep_json_bool(struct rep_json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->out);
}

void rep_json_null(struct rep_json *j, const char *key)
{
	begin(j, key);
	fputs("null", j->out);
}

void rep_json_text(struct rep_json *j, const char *key, const char *bytes, size_t len)
{
	begin(j, key);
	put_text(j, bytes, len);
}

void rep_json_bytes(struct rep_json *j, const char *key, const uint8_t *bytes, size_t len)
{
	size_t i;

	begin(j, key);
	fputc('"', j->out);
	for (i = 0; i < len; i++)
		fprintf(j->out, "%02x", bytes[i]);
	fputc('"', j->out);
}

void rep_json_pair(struct rep_json *j, const char *key, size_t key_len, const char *bytes,
		   size_t len)
{
	begin(j, NULL);
	put_text(j, key, key_len);
	fputc(':', j->out);
	put_text(j, bytes, len);
}
