# SPDX-License-Identifier: MIT
# Regions whose counts are known. Between the markers of each region: its instructions, and
# three of the marker that ends it (mov, syscall; and the mov before the region's stop).
	.intel_syntax noprefix
	.bss
	.balign 64
data:	.skip 4096
	.text
	.globl _start

	.macro mark operation, value
	mov eax, 0x5a000000 + (\operation << 16) + \value
	syscall
	.endm

	.macro region number, letter
	mark 0, \letter
	mark 1, \number
	mark 2, \number
	.endm

_start:
	lea rdi, data[rip]
	mov rbx, rdi

	region 1, 'a'		# scalar and packed, single and double
	addss xmm0, xmm1
	vaddsd xmm0, xmm1, xmm2
	mulps xmm0, xmm1
	vsubpd xmm0, xmm1, [rbx]
	vfmadd231ps ymm0, ymm1, ymm2
	vfnmsub132sd xmm0, xmm1, xmm2
	divpd xmm0, xmm1
	vsqrtss xmm0, xmm1, xmm2
	haddps xmm0, xmm1
	cvtdq2ps xmm0, xmm1
	vmovaps ymm0, [rbx]
	paddd xmm0, xmm1
	vinsertf128 ymm0, ymm1, xmm2, 1
	vfmadd132ss xmm0, xmm1, [rbx]	# 4 bytes, though qemu reads 16
	mark 3, 1

	region 2, 'b'		# memory
	mov ecx, 100
	mov rsi, rbx
	lea rdi, [rbx + 1024]
	rep movsb		# 100 loads, 100 stores, one instruction
	xor ecx, ecx
	rep stosq		# none
	add qword ptr [rbx], 1	# a load, a store
	lock add qword ptr [rbx], 1
	xchg [rbx], rax
	movnti [rbx], rax
	vmovntps [rbx], ymm0
	push qword ptr [rbx]
	pop rax
	prefetcht0 [rbx]
	lea rax, [rbx + 8]
	mark 3, 2

	region 3, 'c'		# branches: 10 turns
	mov ecx, 10
1:	call 2f
	dec ecx
	jnz 1b
	jmp 3f
2:	pause
	ret
3:	mark 3, 3

	region 4, 'd'		# a gather of four, integer divisions
	xor edx, edx
	mov eax, 7
	mov ecx, 3
	div ecx
	idiv ecx
	vpcmpeqd xmm3, xmm3, xmm3
	vpxor xmm1, xmm1, xmm1
	vgatherdps xmm0, [rbx + xmm1 * 4], xmm3
	fld1
	fadd st, st
	fstp st(0)
	mark 3, 4

	mark 2, 1		# the first region once more, and the second in it
	mark 2, 2
	addsd xmm0, xmm1
	mark 3, 2
	mark 3, 1

	mov eax, 60
	xor edi, edi
	syscall
