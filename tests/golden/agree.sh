# agree.sh - sourced by run.sh: what outputs of one recording have in common.
# shellcheck shell=bash

# The sum of the values that each output shows, read the way its readers do.
sum_text() { awk '/^        [0-9]/ { s += $1 } END { print s + 0 }'; }
sum_folded() { awk '{ n = split($0, f, " "); s += f[n] } END { print s + 0 }'; }
sum_summary() { awk -F'\t' 'NF == 9 && $2 + 0 { s += $2 } END { print s + 0 }'; }
sum_json() { # KEY UNIT
	sed -nE "/^(\{\"kind\"|\"rest\")/s/^[^{]*\{[^{]*\"$1\":([0-9]+).*/\1/p" |
		awk -v unit="$2" '{ s += $1 / unit } END { print s + 0 }'
}

# agree BUILD OPTION... - text, folded lines, summary and JSON of one selection add up alike.
agree() {
	local report=$1/offwake-report key unit sums
	shift
	case $* in *--value=count*) key=count unit=1 ;; *) key=total_ns unit=1000 ;; esac
	sums="$("$report" "$@" 2> /dev/null | sum_text)
$("$report" -f "$@" 2> /dev/null | sum_folded)
$("$report" --summary "$@" 2> /dev/null | sum_summary)
$("$report" --json "$@" 2> /dev/null | sum_json $key $unit)"
	if [ "$(echo "$sums" | sort -u | wc -l)" = 1 ] && [ "${sums%%[!0-9]*}" != 0 ]; then
		passed=$((passed + 1))
	else
		fail "sums of text, folded, summary and JSON of $*: $(echo $sums)"
	fi
}

selections='-p=100
--tid=101,201
--comm=pool
--state=D
--state=S,I -K
--from=1 --to=2
--min=500
--min=100 --top=1 -U
--top=2 -K'

check_sums() {
	local build=$1 by value selection
	"$build/tests/support/mkrec" < "$here/traces/select.trace" > offwake.data || return 1
	while read -r selection; do
		for by in tid tgid comm; do
			for value in total count; do
				# shellcheck disable=SC2086 # words are wanted
				agree "$build" ${selection/-p=/-p } --by=$by --value=$value \
					--kinds=blocked,unobserved,preempted,open --symfs=symfs
			done
		done
	done <<< "$selections"
}

# JSON of every recording there is, for every grouping, keeps to the schema.
check_schema() {
	local build=$1 trace by
	mkdir -p json && rm -f json/*
	for trace in "$here"/traces/*.trace; do
		"$build/tests/support/mkrec" < "$trace" > offwake.data || continue
		for by in tid tgid comm; do
			"$build/offwake-report" --json --by=$by --symfs=symfs \
				> "json/$(basename "$trace" .trace)-$by" 2> /dev/null
		done
	done
	if "$here/json_check.py" "$here/../../docs/offwake-report.schema.json" json/*; then
		passed=$((passed + 1))
	else
		fail "JSON against its schema ($build)"
	fi
}

# No output of hostile names holds a control byte; folded lines and the summary keep their form.
check_hostile() {
	local build=$1 options
	"$build/tests/support/mkrec" < "$here/traces/hostile.trace" > offwake.data || return 1
	for options in '' -f --summary --json --dump --info; do
		# shellcheck disable=SC2086 # none is wanted, too
		"$build/offwake-report" $options --symfs=symfs > hostile 2>&1
		if [ -s hostile ] && ! tr -d '\11\12' < hostile | grep -q '[[:cntrl:]]' &&
			iconv -f UTF-8 -t UTF-8 hostile > /dev/null && ! grep -q $'\xe2\x80\xae' hostile; then
			passed=$((passed + 1))
		else
			fail "hostile names: $options ($build)"
		fi
	done
	# Target, frames, --, waker: nothing but these, whatever the names hold.
	if "$build/offwake-report" -f --symfs=symfs 2> /dev/null |
		awk '!/^[^;]+(;[^;]+)*;--;([^;]+;)*[^;]+ [0-9]+$/ || gsub(/;--;/, "") != 1 { exit 1 }' &&
		"$build/offwake-report" --summary --symfs=symfs |
		awk -F'\t' 'NR > 3 && NF != 9 { exit 1 }'; then
		passed=$((passed + 1))
	else
		fail "form of lines with hostile names ($build)"
	fi
}
