# SPDX-License-Identifier: Apache-2.0
# The length of each function, from its opening to its closing brace, both counted, where both
# stand in the first column (as .clang-format has it). Prints "LINES FILE:FUNCTION".

FNR == 1 { open = 0; head = "" }
/^[A-Za-z_].*\(/ && !/;/ { head = $0 }
/^{/ && head != "" { open = FNR }
/^}/ && open {
	name = head
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	printf "%d %s:%s\n", FNR - open + 1, FILENAME, name
	open = 0
	head = ""
}
/^}/ { head = "" }
