# SPDX-License-Identifier: MIT
# One access for each operand in memory: loads 16 32 10 8 8 8 and gathered 4 × 8, stores
# 16 32 10 8 8; two loads by one instruction are two where they do not lie in a row.
	.intel_syntax noprefix
	.globl _start
_start:
	lea rdi, [rip + data]
	movups xmm0, [rdi]
	vmovups ymm1, [rdi + 4]
	fld tbyte ptr [rdi]
	fstp tbyte ptr [rdi + 64]
	movups [rdi + 128], xmm0
	vmovups [rdi + 131], ymm1
	mov eax, 1
	lock xadd [rdi + 256], rax
	push [rdi]
	pop rax
	pcmpeqd xmm2, xmm2
	vpcmpeqd ymm2, ymm2, ymm2
	vmovdqu ymm3, [rip + indices]
	vpgatherqq ymm4, [rdi + ymm3 * 8], ymm2
	mov eax, 60
	xor edi, edi
	syscall
	.data
	.balign 64
indices: .quad 0, 1, 2, 3
data:	.skip 512
