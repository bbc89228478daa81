#!/usr/bin/env bash
# run.sh BUILD... - recordings that are none, or damaged, and outputs that cannot be written:
# each has its exact message on stderr and its exit status.
set -u
export LC_ALL=C
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 n=0

# le WIDTH NUMBER: that many bytes, little-endian, as escapes for printf.
le() {
	local i n=$2
	for ((i = 0; i < $1; i++)); do
		printf '\\x%02x' $((n & 255))
		n=$((n >> 8))
	done
}

# patch FILE OFFSET ESCAPES: overwrites bytes.
patch() {
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# The last four bytes of the 64-byte header are the checksum of those before. gzip ends its
# output with that very checksum and the length.
seal_header() {
	head -c 60 "$1" | gzip -c | tail -c 8 | head -c 4 |
		dd of="$1" bs=1 seek=60 conv=notrunc status=none
}

flip() {
	local byte
	byte=$(dd if="$1" bs=1 skip="$2" count=1 status=none | od -An -tu1)
	patch "$1" "$2" "$(le 1 $((byte ^ ${3:-1})))"
}

copy() {
	cp whole "$1"
}

# check NAME STATUS ROWS ERR [COMMAND...]: runs the command (default: a report of the file
# NAME) and compares its status, stderr and the number of rows on stdout.
check() {
	local name=$1 status=$2 rows=$3 err=$4 got_status got_err got_rows
	shift 4
	[ $# -gt 0 ] || set -- offwake-report "$name"
	got_err=$("$@" 2>&1 > out)
	got_status=$?
	got_rows=$(grep -c '^    target:' out)
	if [ "$got_status" = "$status" ] && [ "$got_rows" = "$rows" ] && [ "$got_err" = "$err" ]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	printf 'FAILED: %s: status %s, expected %s; %s rows, expected %s\n%s\nexpected:\n%s\n' \
		"$name" "$got_status" "$status" "$got_rows" "$rows" "$got_err" "$err" >&2
}

make_whole() {
	mkrec > whole <<- E
		meta producer test
		ksym 0xffffffff81000000 T schedule
		thread a 1 1 alpha
		stack k : 0xffffffff81000010
		row unobserved none a - tk=k wait=1000000 state=1
		slice 1000000000 2000000000
		thread b 2 2 beta
		row unobserved none b - tk=k wait=2000000 state=1
		slice 2000000000 3000000000
		end 1000000000 3000000000
	E
	size=$(stat -c %s whole)
}

check_no_recordings() {
	: > empty
	check empty 1 0 'offwake-report: empty: the recording is empty'
	echo 'some text that is no recording' > text
	check text 1 0 'offwake-report: text: not an offwake recording: its first bytes are not those of one'
	check /dev/zero 1 0 'offwake-report: /dev/zero: not an offwake recording: its first bytes are not those of one'
	check missing 1 0 'offwake-report: missing: No such file or directory'
	mkdir -p dir
	check dir 1 0 'offwake-report: dir: is a directory'
	check $'evil\x1b[2J' 1 0 'offwake-report: evil\x1b[2J: No such file or directory'
	check default 1 0 'offwake-report: offwake.data: No such file or directory' offwake-report
	check closed-stdin 1 0 'offwake-report: -: cannot read the recording: Bad file descriptor' \
		sh -c 'exec offwake-report - <&-'
}

check_headers() {
	sed 's/\r$//' whole > unixed
	check unixed 1 0 'offwake-report: unixed: the recording was transferred in text mode, which destroys it: transfer it again in binary mode'
	sed 's/$/\r/' whole > dosed
	check dosed 1 0 'offwake-report: dosed: the recording was transferred in text mode, which destroys it: transfer it again in binary mode'
	copy newer && patch newer 8 "$(le 2 7)" && seal_header newer
	check newer 1 0 "offwake-report: newer: the recording is of format version 7.$minor, this program ($version) reads up to $major.x: a newer offwake-report is needed"
	copy incompat && patch incompat 12 "$(le 4 16)" && seal_header incompat
	check incompat 1 0 "offwake-report: incompat: the recording (format version $major.$minor) uses feature bit 4, which this program ($version) does not know: a newer offwake-report is needed"
	copy compat && patch compat 16 "$(le 4 16)" && seal_header compat
	check compat 0 2 ''
	copy minor && patch minor 10 "$(le 2 999)" && seal_header minor
	check minor 0 2 ''
	head -c 30 whole > short-header
	check short-header 1 0 'offwake-report: short-header: the recording is cut short: it ends at byte 30, inside its header'
	copy bad-header && flip bad-header 40
	check bad-header 1 0 'offwake-report: bad-header: the header is damaged: its checksum is wrong'
}

check_bodies() {
	head -c 64 whole > only-header
	check only-header 1 0 'offwake-report: only-header: the recording was cut short: it ends without an END chunk at byte 64; no slice is complete'
	head -c 100 whole > in-first-chunk
	check in-first-chunk 1 0 'offwake-report: in-first-chunk: the recording was cut short: it ends inside chunk 0 at byte 100; no slice is complete'
	head -c $((size - 3)) whole > in-end
	check in-end 3 2 ''
	copy bad-end && flip bad-end $((size - 60))
	check bad-end 3 2 ''
	copy bad-first && flip bad-first 120
	check bad-first 1 0 'offwake-report: bad-first: the payload checksum of chunk 0 (META) at byte 64 is wrong; no slice is complete'
	cat whole whole > twice
	check twice 3 2 ''
}

# A damaged tail costs the slices from there on, and the report says so at its top.
check_notes() {
	check note-in-end 0 0 '' grep -q '^note: the recording was cut short: it ends inside chunk' <(offwake-report in-end)
	check note-twice 0 0 '' grep -q '^note: ' <(offwake-report twice)
	check note-bad-end 0 0 '' grep -q '^note: .*checksum' <(offwake-report bad-end)
}

check_streams() {
	check full 1 0 'offwake-report: cannot write the report: No space left on device' \
		sh -c 'offwake-report whole > /dev/full'
	check full-folded 1 0 'offwake-report: cannot write the report: No space left on device' \
		sh -c 'offwake-report -f whole > /dev/full'
	check full-dump 1 0 'offwake-report: cannot write the report: No space left on device' \
		sh -c 'offwake-report --dump whole > /dev/full'
	check closed-stdout 1 0 'offwake-report: cannot write the report: Bad file descriptor' \
		sh -c 'exec offwake-report whole >&-'
	mkfifo gone-fifo
	check reader-gone 1 0 '' sh -c \
		'exec 3<> gone-fifo 4> gone-fifo 3>&-; exec offwake-report whole >&4 4>&-'
	[ -e fifo ] || mkfifo fifo
	cat whole > fifo &
	check fifo 0 2 ''
	wait
	check stdin 0 2 '' sh -c 'cat whole | offwake-report -'
	check stdin-in-bits 0 2 '' sh -c 'dd if=whole bs=7 status=none | offwake-report -'
}

[ $# -gt 0 ] || { echo "usage: $0 BUILD..." >&2; exit 2; }
for build; do
	dir=$(cd "$build" && pwd) || exit 1
	mkdir "$tmp/$((++n))" && cd "$tmp/$n" || exit 1
	PATH=$dir:$dir/tests/support:$PATH
	make_whole
	version=$(offwake-report --version | cut -d' ' -f2)
	major=$(od -An -tu2 -j8 -N2 whole | tr -d ' ') minor=$(od -An -tu2 -j10 -N2 whole | tr -d ' ')
	check whole 0 2 ''
	check_no_recordings
	check_headers
	check_bodies
	check_notes
	check_streams
	cd - > /dev/null || exit 1
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
