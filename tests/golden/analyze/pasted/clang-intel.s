	.text
	.intel_syntax noprefix
	.section	.rodata.cst8,"aM",@progbits,8
	.p2align	3                               # -- Begin function scale
.LCPI0_0:
	.quad	0x3ff4000000000000              # double 1.25
.LCPI0_1:
	.quad	0x3fe0000000000000              # double 0.5
	.text
	.globl	scale
	.p2align	4, 0x90
	.type	scale,@function
scale:                                  # @scale
	.cfi_startproc
# %bb.0:
	test	rsi, rsi
	jle	.LBB0_3
# %bb.1:
	xor	eax, eax
	movsd	xmm0, qword ptr [rip + .LCPI0_0] # xmm0 = mem[0],zero
	movsd	xmm1, qword ptr [rip + .LCPI0_1] # xmm1 = mem[0],zero
	.p2align	4, 0x90
.LBB0_2:                                # =>This Inner Loop Header: Depth=1
	movsd	xmm2, qword ptr [rdi + 8*rax]   # xmm2 = mem[0],zero
	mulsd	xmm2, xmm0
	addsd	xmm2, xmm1
	movsd	qword ptr [rdi + 8*rax], xmm2
	addsd	xmm2, qword ptr [rip + total]
	movsd	qword ptr [rip + total], xmm2
	add	rax, 1
	cmp	rsi, rax
	jne	.LBB0_2
.LBB0_3:
	ret
.Lfunc_end0:
	.size	scale, .Lfunc_end0-scale
	.cfi_endproc
                                        # -- End function
	.type	total,@object                   # @total
	.bss
	.globl	total
	.p2align	3
total:
	.quad	0x0000000000000000              # double 0
	.size	total, 8

