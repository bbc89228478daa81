/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limited.c - linked with the recorder in front of the format's own checks: the limits of the
 * format, lowered to the numbers in LIMIT_THREADS, LIMIT_MAPPINGS,
 * LIMIT_STACKS, LIMIT_MODULES and LIMIT_SYMBOLS.
 */
#include <stdlib.h>
#include "codec.h"

int __real_owt_check_thread(const struct owt_counts *c, const struct owt_thread *t,
			    struct owt_err *err);
int __real_owt_check_mapping(const struct owt_counts *c, const struct owt_mapping *m,
			     struct owt_err *err);
int __real_owt_check_stack(const struct owt_counts *c, const struct owt_stack *s,
			   struct owt_err *err);
int __real_owt_check_module(const struct owt_counts *c, const struct owt_module *m,
			    struct owt_err *err);
int __real_owt_check_symbol(const struct owt_counts *c, const struct owt_symbol *s,
			    struct owt_err *err);
int __wrap_owt_check_thread(const struct owt_counts *c, const struct owt_thread *t,
			    struct owt_err *err);
int __wrap_owt_check_mapping(const struct owt_counts *c, const struct owt_mapping *m,
			     struct owt_err *err);
int __wrap_owt_check_stack(const struct owt_counts *c, const struct owt_stack *s,
			   struct owt_err *err);
int __wrap_owt_check_module(const struct owt_counts *c, const struct owt_module *m,
			    struct owt_err *err);
int __wrap_owt_check_symbol(const struct owt_counts *c, const struct owt_symbol *s,
			    struct owt_err *err);

static int check(const char *name, uint64_t cnt, struct owt_err *err)
{
	const char *limit = getenv(name);

	if (!limit || cnt < strtoull(limit, NULL, 10))
		return 0;
	return owt_fail(err, -OWT_E_LIMIT, "%s is %s", name, limit);
}

int __wrap_owt_check_thread(const struct owt_counts *c, const struct owt_thread *t,
			    struct owt_err *err)
{
	int ret = check("LIMIT_THREADS", c->threads, err);

	return ret ? ret : __real_owt_check_thread(c, t, err);
}

int __wrap_owt_check_mapping(const struct owt_counts *c, const struct owt_mapping *m,
			     struct owt_err *err)
{
	int ret = check("LIMIT_MAPPINGS", c->mappings, err);

	return ret ? ret : __real_owt_check_mapping(c, m, err);
}

int __wrap_owt_check_stack(const struct owt_counts *c, const struct owt_stack *s,
			   struct owt_err *err)
{
	int ret = check("LIMIT_STACKS", c->stacks, err);

	return ret ? ret : __real_owt_check_stack(c, s, err);
}

int __wrap_owt_check_module(const struct owt_counts *c, const struct owt_module *m,
			    struct owt_err *err)
{
	int ret = check("LIMIT_MODULES", c->modules, err);

	return ret ? ret : __real_owt_check_module(c, m, err);
}

int __wrap_owt_check_symbol(const struct owt_counts *c, const struct owt_symbol *s,
			    struct owt_err *err)
{
	int ret = check("LIMIT_SYMBOLS", c->symbols, err);

	return ret ? ret : __real_owt_check_symbol(c, s, err);
}
