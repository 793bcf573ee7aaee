# SPDX-License-Identifier: MIT
# 18 instructions. rep movsb: 5000 loads and stores of a byte, 5001 turns; rep stosq: 10 stores,
# 11 turns; rep movsb of none: one turn; repe cmpsb: 2 pairs, the second differs, 2 turns.
	.intel_syntax noprefix
	.globl _start
_start:
	lea rsi, [rip + from]
	lea rdi, [rip + to]
	mov ecx, 5000
	rep movsb
	lea rdi, [rip + to]
	mov ecx, 10
	rep stosq
	xor ecx, ecx
	rep movsb
	lea rsi, [rip + first]
	lea rdi, [rip + second]
	mov ecx, 8
	repe cmpsb
	movsb
	xor edi, edi
	mov eax, 60
	nop
	syscall
	.data
first:	.ascii "abcdefgh"
second:	.ascii "axcdefghijklmnop"
	.bss
from:	.skip 5000
to:	.skip 5000
