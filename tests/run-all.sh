#!/usr/bin/env bash
# run-all.sh - every kind of test, one after the other, even when one fails. Each prints what
# failed and ends with "N passed, N failed[, N skipped]"; the last line here is their sum.
set -u
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0

# Adds a closing line to the sums; a kind of test that has none has failed as a whole.
add() {
	local name=$1 status=$2 line=$3
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
		[ "$status" = 0 ] || [ "${BASH_REMATCH[2]}" != 0 ] || failed=$((failed + 1))
		echo "$name: $line"
	else
		failed=$((failed + 1))
		echo "$name: did not run to its end (status $status)"
	fi
}

for name in lint unit golden corrupt live; do
	[ "$name" != live ] || [ -x tests/live/run.sh ] || continue
	echo "== check-$name"
	"${MAKE:-make}" --no-print-directory "check-$name" 2>&1 | tee "$tmp/log"
	add "check-$name" "${PIPESTATUS[0]}" \
		"$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$tmp/log" | tail -n 1)"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
