# SPDX-License-Identifier: Apache-2.0
# Open sleeps that began within the recording: from the truth's block_ns to the end line.
# awk -F '\t' -f rows.awk -f deadlock.awk TRUTH DUMP

$1 ~ /^truth / {
	n = split($0, f, " ")
	for (i = 2; i < n; i += 2)
		t[f[i]] = f[i + 1]
	name[t["tid"]] = t["role"]
	block_ns[t["tid"]] = t["block_ns"]
}

$1 == "row" {
	row_fields()
	if (kind == "open" && (tid in name) && has(tu, "ow_deadlock_block")) {
		open_ns[tid] += total_ns
		cnt[tid] += count
		before[tid] += flags ~ /began-before/
		waker[tid] += waker_tid
		runq[tid] += runq_ns
	}
}

$1 == "end" { end_ns = $3 }

END {
	for (tid in name) {
		want = end_ns - block_ns[tid]
		# It was woken before, from other sleeps: that must be forgotten.
		good = cnt[tid] == 1 && !before[tid] && !waker[tid] && !runq[tid] &&
		       open_ns[tid] <= want && open_ns[tid] >= want - 2000000
		printf "%s deadlock-within: %s is open once, %.3f ms of %.3f ms, %.3f ms of it woken\n",
		       good ? "ok" : "FAIL", name[tid], open_ns[tid] / 1e6, want / 1e6, runq[tid] / 1e6
		found++
	}
	printf "%s deadlock-within: %d threads\n", found == 2 ? "ok" : "FAIL", found
}
