# SPDX-License-Identifier: Apache-2.0
# Targets that change under the recorder's hands: what lies at an address, who has an id.

# Two libraries take turns at one address: sleeps, wakes and their times belong to the right one,
# within one slice as well as across slices.
address_changes_hands()
{
	known_answer dlclose "" remap 50 5000
	known_answer dlclose-one-slice --slice=60 remap 50 5000
	known_answer dlclose-many-slices --slice=0.1 remap 50 5000
	known_answer mapped-over --slice=60 remap 50 5000 1
	known_answer memfd-over --slice=60 remap 50 5000 2
	processes=$(awk -F '\t' '$1 == "process" && $4 == "workload"' "$T/dump" | wc -l)
	[ "$processes" -ge 2 ] && [ "$processes" -le 6 ]
	verdict "memfd-over: 50 times mapped, so many images described" $? "$processes"
}

check_targets()
{
	address_changes_hands
}
