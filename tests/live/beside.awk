# SPDX-License-Identifier: Apache-2.0
# awk -F '\t' -f rows.awk -f beside.awk TRUTH DUMP: of the roles' finished time that lies
# between their marks, the percentage under the right name with the sleeper on the stack.

$1 ~ /^truth / {
	n = split($0, f, " ")
	for (i = 2; i < n; i += 2)
		t[f[i]] = f[i + 1]
	role[t["tid"]] = t["role"]
	sleeper[t["tid"]] = t["sleeper"]
}

$1 == "row" {
	row_fields()
	if (!(tid in role) || (kind != "blocked" && kind != "unobserved"))
		next
	if (has(tu, "ow_park") || has(tu, "truth_begin"))
		next
	all += total_ns
	if (comm == role[tid] && has(tu, sleeper[tid]))
		right += total_ns
}

END { if (all) printf "%.2f\n", 100 * right / all }
