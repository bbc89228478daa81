# SPDX-License-Identifier: Apache-2.0
# The fields of a row line of "offwake-report --dump", and questions about stacks.

function row_fields()
{
	kind = $2; context = $3; flags = $4; state = $5
	tid = $6; tgid = $7; comm = $8
	waker_tid = $9; waker_tgid = $10; waker_comm = $11; interrupted = $12
	wait_ns = $13; runq_ns = $14; count = $15; max_ns = $16
	tk = $17; tu = $18; wk = $19; wu = $20; slice = $21
	total_ns = wait_ns + runq_ns
}

# Is fn a frame of the stack? A frame is a name, perhaps with +offset.
function has(stack, fn)
{
	return index(";" stack ";", ";" fn ";") || index(";" stack, ";" fn "+")
}

function leaf_is(stack, fn)
{
	return stack == fn || index(stack, fn ";") == 1 || index(stack, fn "+") == 1
}
