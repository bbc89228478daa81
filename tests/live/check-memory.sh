# SPDX-License-Identifier: Apache-2.0
# --max-memory bounds what the recorder and the kernel need for it together: measured all the
# while a load fills the tables. Other sizes take longer: OFFWAKE_MEMORY="64M 256M".

# taken_by PID: bytes of its BPF maps and rings, of its perf buffers, and its own anonymous ones.
taken_by()
{
	awk -v tables="$(memory_of "$1")" '
		$0 ~ /anon_inode:\[perf_event\]/ { is_perf = 1 }
		$1 == "Size:" && is_perf { perf += $2 * 1024; is_perf = 0 }
		$1 == "RssAnon:" { own = $2 * 1024 }
		END { printf "%d %d %d\n", tables, perf, own }' \
		"/proc/$1/smaps" "/proc/$1/status" 2>/dev/null
}

# fills SIZE SLEEPS: records a load that needs more than SIZE holds.
fills()
{
	bound=$((${1%M} * 1048576))
	begin_recording --max-memory "$1" -o "$T/fills.data" -- "$WORKLOAD" paths "$2"
	peak=0 peak_of="" looks=0
	while kill -0 "$REC_PID" 2>/dev/null; do
		# shellcheck disable=SC2046 # words
		set -- "$1" "$2" $(taken_by "$REC_PID")
		if [ $(($3 + $4 + $5)) -gt $peak ]; then
			peak=$(($3 + $4 + $5))
			peak_of="tables $3, perf buffers $4, its own $5"
		fi
		looks=$((looks + 1))
		[ -e "/proc/$REC_PID/task/$REC_PID/children" ] && sleep 0.1
		case $(cat "/proc/$REC_PID/stat" 2>/dev/null) in "" | *") Z "*) break ;; esac
	done
	end_recording
	dump "$T/fills.data"
	lost=$(awk -F '\t' '$1 == "loss" && ($2 == "stack-table" || $2 == "rows-full") { n += $3 }
		END { print n + 0 }' "$T/dump")
	[ "$peak" -gt $((bound / 8)) ] && [ "$peak" -le "$bound" ]
	verdict "memory: $1 hold all that is taken, on $(nproc) CPUs" $? \
		"$peak bytes at most ($peak_of) in $looks looks, $lost lost, status $RC"
	[ "$lost" -gt 0 ]
	verdict "memory: $1 were filled" $? "$lost lost"
}

check_memory()
{
	for size in ${OFFWAKE_MEMORY:-16M}; do
		fills "$size" $((${size%M} * 1100))
	done
}
