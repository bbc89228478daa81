# The program of the traces' user frames: only its symbols matter. run.sh links its text to
# 0x401000 and gives it the build-id that the traces name.
	.section .note.GNU-stack, "", %progbits
	.text
	.globl main
	.type main, %function
main:	.skip 0x40
	.size main, . - main
	.type read_line, %function
read_line:
	.skip 0x40
	.size read_line, . - read_line
# Two names for one address: the global one that is not weak is better.
	.weak __step_alias
	.type __step_alias, %function
	.globl step
	.type step, %function
step:
__step_alias:
	.skip 0x40
	.size step, . - step
	.size __step_alias, . - __step_alias
# Without type and size: reaches to the next symbol.
asm_stub:
	.skip 0x40
# A hole that belongs to nobody lies behind this one.
	.type last, %function
last:	.skip 0x20
	.size last, . - last
	.skip 0x60
