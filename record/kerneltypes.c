/* SPDX-License-Identifier: Apache-2.0 */
#include <bpf/btf.h>
#include <string.h>
#include "kerneltypes.h"

bool rec_has_enumerator(const struct btf *btf, const char *type, const char *name)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	const struct btf_enum *e = t ? btf_enum(t) : NULL;

	for (unsigned i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, e[i].name_off), name))
			return true;
	return false;
}

bool rec_lends_memory(const struct btf *btf)
{
	return rec_has_enumerator(btf, "bpf_func_id", "BPF_FUNC_copy_from_user_task") &&
	       rec_has_enumerator(btf, "bpf_func_id", "BPF_FUNC_find_vma");
}
