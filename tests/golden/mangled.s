# Names as C++ and Rust compilers make them, and some that only look like it, 16 bytes each.
# run.sh links the text to 0x401000 and gives it the build-id that the traces name.
	.section .note.GNU-stack, "", %progbits
	.text
	.macro function name
	.globl "\name"
	.type "\name", %function
"\name": .skip 0x10
	.size "\name", . - "\name"
	.endm
	.globl main
main:
	function "_ZN5store6Engine4readEiPKc"
	function "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"
	function "_RNvNtC7mycrate5inner4wait"
	function "_RINvC7mycrate4takeAhj4_E"
	function "_Z3runILi5EEvv.constprop.0"
	function "_Zqq"
	function "_R"
	function "_ZN5store6Engine4readEi"
