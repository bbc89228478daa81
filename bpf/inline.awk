# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Prints bpf/offwake.bpf.c with its own headers in place of their includes, each once: the
# whole source of the programs as one text that compiles.

function put(name,    line)
{
	if (seen[name]++)
		return
	while ((getline line < ("bpf/" name)) > 0)
		if (line ~ /^#include "/)
			put(substr(line, 11, length(line) - 11))
		else
			print line
}

BEGIN {
	put("offwake.bpf.c")
}
