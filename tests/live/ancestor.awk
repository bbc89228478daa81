# SPDX-License-Identifier: Apache-2.0
# awk -f ancestor.awk NM TRUTH ROWS: of the time stored for the roles' tids, the percentages
# that stand under the role's own name with its sleeper on the stack, under the idle thread,
# and with the stack of another role's sleeper or of the same function in another thread.
# NM: nm -S of the workload.

function hex(text,    i, n)
{
	for (i = 1; i <= length(text); i++)
		n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}

function on_stack(frames, fn,    n, f, i)
{
	n = split(frames, f, ";")
	for (i = 1; i <= n; i++)
		if (hex(f[i]) > base + low[fn] && hex(f[i]) <= base + low[fn] + size[fn])
			return 1
	return 0
}

FILENAME == ARGV[1] && NF == 4 { low[$4] = hex($1); size[$4] = hex($2) }
$1 == "base" { base = hex(substr($2, 3)) - low["__executable_start"] }
FILENAME == ARGV[1] && $NF == "__executable_start" { low[$NF] = hex($1) }

$1 == "truth" {
	for (i = 2; i < NF; i += 2)
		t[$i] = $(i + 1)
	role[t["tid"]] = t["role"]
	sleeper[t["tid"]] = t["sleeper"]
}

FILENAME == ARGV[3] {
	split($0, row, "\t")
	if (!(row[1] in role))
		next
	all += row[5]
	if (row[2] == role[row[1]] && on_stack(row[6], sleeper[row[1]]))
		right += row[5]
	if (row[2] ~ /^swapper\//)
		idle += row[5]
	else if (row[2] != role[row[1]] && on_stack(row[6], sleeper[row[1]]))
		other += row[5]
}

END {
	if (all)
		printf "%.2f %.2f %.2f\n", 100 * right / all, 100 * idle / all, 100 * other / all
}
