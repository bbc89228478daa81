#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# offwaketime - the command line of BCC's offwaketime: records, and reports at once.
set -u

usage='usage: offwaketime [-h] [-p PIDS | -t TIDS | -u | -k] [-U | -K] [-d] [-f]
                   [--raw-wakers] [--stack-storage-size STACK_STORAGE_SIZE]
                   [-m MIN_BLOCK_TIME] [-M MAX_BLOCK_TIME] [--state STATE]
                   [duration]'
help="$usage

Summarize blocked time by kernel stack trace + waker stack

  -h, --help            show this help message and exit
  -p, --pid PIDS        trace these PIDS only (comma separated)
  -t, --tid TIDS        trace these TIDS only (comma separated)
  -u, --user-threads-only
                        user threads only (no kernel threads)
  -k, --kernel-threads-only
                        kernel threads only (no user threads)
  -U, --user-stacks-only
                        show stacks from user space only
  -K, --kernel-stacks-only
                        show stacks from kernel space only
  -d, --delimited       insert delimiter between kernel/user stacks
  -f, --folded          output folded format
  --raw-wakers          name as waker whoever was current, also in interrupts
  --stack-storage-size STACK_STORAGE_SIZE
                        the number of unique stack traces that can be stored
                        and displayed (default: what 256 MiB hold, 131072)
  -m, --min-block-time MIN_BLOCK_TIME
                        the shortest time counted, in microseconds (default 1)
  -M, --max-block-time MAX_BLOCK_TIME
                        the longest time counted, in microseconds
  --state STATE         filter on this thread state bitmask (eg, 2 ==
                        TASK_UNINTERRUPTIBLE); 0 is running
  duration              duration of trace, in seconds

Records with offwake-record and shows blocked, unobserved and preempted intervals with
offwake-report: see their pages for more than this.

Exit status: 0 complete; 1 failed; 2 usage; 3 reported, but intervals are missing."

wrong()
{
	echo "$usage" >&2
	[ $# -eq 0 ] || echo "offwaketime: error: $1" >&2
	exit 2
}

# The two programs: beside this script, or else where commands are found.
here=$(dirname -- "$0")
[ -x "$here/offwake-record" ] && PATH=$here:$PATH

args=$(getopt -n offwaketime -o hp:t:ukUKdfm:M: \
	-l help,pid:,tid:,user-threads-only,kernel-threads-only,user-stacks-only \
	-l kernel-stacks-only,raw-wakers,delimited,folded,stack-storage-size:,min-block-time: \
	-l max-block-time:,state:,ebpf -- "$@") || wrong
eval "set -- $args"

# What follows the options is appended to the list as the recorder's, and so ends up first.
folded='' delimited='' stacks='' ebpf='' min=1 left=$#
while [ "$left" -gt 0 ]; do
	word=$1
	shift
	left=$((left - 1))
	case $word in
	-h | --help)
		echo "$help"
		exit 0
		;;
	-f | --folded) folded=-f ;;
	-d | --delimited) delimited=-d ;;
	--ebpf) ebpf=1 ;;
	-U | -K | --user-stacks-only | --kernel-stacks-only)
		stacks="$stacks $word"
		set -- "$@" "$word"
		;;
	-u | -k | --user-threads-only | --kernel-threads-only | --raw-wakers) set -- "$@" "$word" ;;
	--) break ;;
	-m | --min-block-time)
		min=$1
		shift
		left=$((left - 1))
		;;
	*)
		set -- "$@" "$word" "$1"
		shift
		left=$((left - 1))
		;;
	esac
done
[ "$left" -le 1 ] || wrong "unrecognized arguments: only one duration can be given"
duration=
if [ "$left" -eq 1 ]; then
	duration=$1
	shift
	case $duration in *[!0-9]*) wrong "argument duration: must be an integer" ;; esac
fi
set -- "$@" -m "$min" ${duration:+"$duration"}

# With --ebpf the recorder looks at its arguments and prints: nothing is touched.
source=$(offwake-record --ebpf "$@") || exit
if [ "$ebpf" ]; then
	printf '%s\n' "$source"
	exit 0
fi

case $stacks in
*-U* | *--user*) context=user ;;
*-K* | *--kernel*) context=kernel ;;
*) context='user + kernel' ;;
esac
if [ ! "$folded" ]; then
	printf 'Tracing blocked time (us) by %s off-CPU and waker stack' "$context"
	if [ "$duration" ] && [ "$duration" -lt 99999999 ]; then
		echo " for $duration secs."
	else
		echo '... Hit Ctrl-C to end.'
	fi
fi

# A file, not a pipe: Ctrl-C reaches the whole process group, and must end the recorder only.
tmp=$(mktemp -d "${TMPDIR:-/tmp}/offwaketime.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
recorder=
stopped=
# TERM, because a shell starts background jobs with INT ignored.
trap 'stopped=1; [ -z "$recorder" ] || kill "$recorder" 2>/dev/null' INT TERM HUP
offwake-record -q -o "$tmp/data" "$@" &
recorder=$!
[ ! "$stopped" ] || kill "$recorder"
status=0
wait "$recorder" || status=$?
# A signal ends the wait, not the recorder.
while [ "$status" -gt 128 ] && kill -0 "$recorder" 2>/dev/null; do
	status=0
	wait "$recorder" || status=$?
done
case $status in 0 | 3) ;; *) exit "$status" ;; esac

trap '' INT
trap 'exit 1' TERM HUP
# shellcheck disable=SC2086 # none or one word
report()
{
	offwake-report --kinds=blocked,unobserved,preempted $folded $delimited $stacks "$tmp/data"
	echo $? >"$tmp/status"
}
# The reporter prints the line that was printed above, with the duration it has by now.
if [ "$folded" ]; then report; else report | sed 1d; fi
reported=$(cat "$tmp/status")
[ "$reported" -eq 0 ] || status=$reported
exit "$status"
