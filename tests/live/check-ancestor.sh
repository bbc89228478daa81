# SPDX-License-Identifier: Apache-2.0
# What the ancestor's method says of a workload, next to what offwake says.

# Of the time stored for the sleeper's tid: the share under its own name and its own stack.
ancestor_share()
{
	"$ANCESTOR" "$T/ancestor" "$WORKLOAD" "$@" >"$T/truth" 2>"$T/err" || return 1
	nm --defined-only -S "$WORKLOAD" >"$T/nm"
	awk -f "$HERE/ancestor.awk" "$T/nm" "$T/truth" "$T/ancestor"
}

offwake_share()
{
	record -q -o "$T/beside.data" -- "$WORKLOAD" "$@"
	dump "$T/beside.data"
	awk -F '\t' -f "$HERE/rows.awk" -f "$HERE/beside.awk" "$T/out" "$T/dump"
}

beside()
{
	name=$1
	shift
	theirs=$(ancestor_share "$@" || echo none)
	ours=$(offwake_share "$@")
	awk -v t="${theirs%% *}" -v o="${ours:-none}" \
		'BEGIN { exit !(t ~ /^[0-9]/ && o ~ /^[0-9]/ && t < 50 && o > 98) }'
	verdict "beside the ancestor, $name" $? \
		"right, idle's, another's % of the time: it ${theirs:-none}; we ${ours:-none} right"
}

check_ancestor()
{
	beside nanosleep nanosleep
	beside pipe pipe 500
}
