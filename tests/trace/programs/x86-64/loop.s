# SPDX-License-Identifier: MIT
# 1 + 1000 × 2 + 3 instructions; the branch is taken 999 times.
	.intel_syntax noprefix
	.globl _start
_start:
	mov ecx, 1000
1:	dec ecx
	jnz 1b
	mov eax, 60
	xor edi, edi
	syscall
