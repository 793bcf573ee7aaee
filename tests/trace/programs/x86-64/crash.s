# SPDX-License-Identifier: MIT
# Three instructions complete, the fourth faults; what is behind it in the block does not run.
	.intel_syntax noprefix
	.globl _start
_start:
	lea rdi, [rip + data]
	mov rax, [rdi]
	xor esi, esi
	mov rbx, [rsi]
	mov rcx, [rdi]
	nop
	nop
	mov eax, 60
	syscall
	.data
data:	.quad 0
