#!/usr/bin/env bash
# run.sh [--update] BUILD... - for each case and build: makes the recording from CASE/trace,
# runs offwake-report with the options of CASE/cmd beside it, and compares stdout, stderr and
# the exit status byte for byte with CASE/{out,err,exit}. --update rewrites these instead.
# The recording is offwake.data in the directory of the run, and also stdin; symfs/ there
# holds the files that the traces speak of. Then come the checks of agree.sh.
set -u
export LC_ALL=C
unset POSIXLY_CORRECT ARGP_HELP_FMT COLUMNS
here=$(cd "$(dirname "$0")" && pwd)
update=
if [ "${1-}" = --update ]; then
	update=1
	shift
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

# link_at_401000 SOURCE NAME
link_at_401000() {
	"${CC:-cc}" -nostdlib -static -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 \
		-Wl,-Ttext=0x401000 -Wl,-e,main -o "$tmp/symfs/opt/$2" "$here/$1"
}

make_symfs() {
	mkdir -p "$tmp/symfs/opt" "$tmp/symfs/dev"
	link_at_401000 app.s app && link_at_401000 mangled.s mangled || return 1
	printf 'no ELF file\n' > "$tmp/symfs/opt/text"
	mkfifo "$tmp/symfs/opt/fifo"
	ln -s /opt/app "$tmp/symfs/opt/link"
	ln -s ../../../../../../opt/app "$tmp/symfs/opt/outside"
}

fail() {
	echo "FAILED: $1" >&2
	failed=$((failed + 1))
}

compare() {
	diff -u --label "expected $2" --label "$2" "$1/$2" "$2" >&2
}

run_case() {
	local dir=$1 build=$2 name
	name=$(basename "$dir")
	"$build/tests/support/mkrec" < "$dir/trace" > offwake.data || { fail "$name: mkrec"; return; }
	eval "set -- $(cat "$dir/cmd")"
	PATH=$build:$PATH offwake-report "$@" < offwake.data > out 2> err
	echo $? > exit
	if [ "$update" ]; then
		cp out err exit "$dir"
	elif compare "$dir" exit && compare "$dir" err && compare "$dir" out; then
		passed=$((passed + 1))
	else
		fail "$name ($build)"
	fi
}

# shellcheck source=tests/golden/agree.sh
. "$here/agree.sh"

[ $# -gt 0 ] || { echo "usage: $0 [--update] BUILD..." >&2; exit 2; }
builds=()
for build; do
	builds+=("$(cd "$build" && pwd)") || exit 1
done
make_symfs || exit 1
cd "$tmp" || exit 1
for build in "${builds[@]}"; do
	for cmd in "$here"/*/cmd; do
		run_case "$(dirname "$cmd")" "$build"
	done
	[ -z "$update" ] || continue
	check_sums "$build"
	check_schema "$build"
	check_hostile "$build"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
