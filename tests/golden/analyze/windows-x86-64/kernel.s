	.text
	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 0
	.intel_syntax noprefix
	.file	"kernel.c"
	.def	dot;
	.scl	2;
	.type	32;
	.endef
	.globl	dot                             # -- Begin function dot
	.p2align	4, 0x90
dot:                                    # @dot
# %bb.0:
	test	r8d, r8d
	jle	.LBB0_1
# %bb.3:
	mov	r8d, r8d
	xorpd	xmm0, xmm0
	xor	r10d, r10d
	lea	r9, [rip + weights]
	.p2align	4, 0x90
.LBB0_4:                                # =>This Inner Loop Header: Depth=1
	movsd	xmm1, qword ptr [rcx + 8*r10]   # xmm1 = mem[0],zero
	mulsd	xmm1, qword ptr [rdx + 8*r10]
	mov	eax, r10d
	and	eax, 3
	mulsd	xmm1, qword ptr [r9 + 8*rax]
	addsd	xmm0, xmm1
	add	r10, 1
	cmp	r8, r10
	jne	.LBB0_4
# %bb.2:
	ret
.LBB0_1:
	xorps	xmm0, xmm0
	ret
                                        # -- End function
	.def	scaled;
	.scl	2;
	.type	32;
	.endef
	.globl	scaled                          # -- Begin function scaled
	.p2align	4, 0x90
scaled:                                 # @scaled
.seh_proc scaled
# %bb.0:
	push	rsi
	.seh_pushreg rsi
	push	rdi
	.seh_pushreg rdi
	push	rbx
	.seh_pushreg rbx
	sub	rsp, 48
	.seh_stackalloc 48
	movapd	xmmword ptr [rsp + 32], xmm6    # 16-byte Spill
	.seh_savexmm xmm6, 32
	.seh_endprologue
	test	edx, edx
	jle	.LBB1_1
# %bb.3:
	mov	rsi, rcx
	mov	edi, edx
	xorpd	xmm6, xmm6
	xor	ebx, ebx
	.p2align	4, 0x90
.LBB1_4:                                # =>This Inner Loop Header: Depth=1
	movsd	xmm0, qword ptr [rsi + 8*rbx]   # xmm0 = mem[0],zero
	call	scale
	addsd	xmm6, xmm0
	add	rbx, 1
	cmp	rdi, rbx
	jne	.LBB1_4
	jmp	.LBB1_2
.LBB1_1:
	xorpd	xmm6, xmm6
.LBB1_2:
	movapd	xmm0, xmm6
	movaps	xmm6, xmmword ptr [rsp + 32]    # 16-byte Reload
	add	rsp, 48
	pop	rbx
	pop	rdi
	pop	rsi
	ret
	.seh_endproc
                                        # -- End function
	.bss
	.globl	weights                         # @weights
	.p2align	4
weights:
	.zero	32

	.addrsig
	.globl	_fltused
