# SPDX-License-Identifier: Apache-2.0
# The lines of offwake-report --info that a soak is about, indented.
/^(blocked|unobserved|preempted|open):/ { split($0, w, " "); intervals += w[2] }
/^start:/ { start_ns = $2 }
/^end:/ { end_ns = $2 }
/^(reconciled[ ,].*[^)]|rows|stacks|threads|processes|modules|slices):/ && !/^reconciled process/ { print "  " $0 }
/^(note:|cost,)/ { print "  " $0 }
END {
	seconds = (end_ns - start_ns) / 1e9
	if (seconds > 0)
		printf "  intervals: %d, %.0f a second\n", intervals, intervals / seconds
}
