	.arch armv8.2-a+crc+sve
	.file	"stencil_2d.c"
	.text
	.align	2
	.p2align 4,,11
	.global	stencil_2d
	.type	stencil_2d, %function
stencil_2d:
.LFB0:
	.cfi_startproc
	cmp	x3, 2
	bls	.L1
	neg	x9, x2, lsl 3
	cmp	x2, 2
	bls	.L1
	mov	x11, 8
	sub	x11, x11, x9
	sub	x4, x1, x9
	sub	x10, x3, #2
	add	x1, x0, x11
	add	x12, x9, 8
	mov	x8, 0
	cntd	x7
	sub	x2, x2, #2
	fmov	z3.d, #2.5e-1
	whilelo	p2.d, xzr, x2
	.p2align 3,,7
.L3:
	add	x6, x4, 16
	add	x5, x12, x4
	add	x3, x4, x11
	mov	x0, 0
	mov	p0.b, p2.b
	.p2align 3,,7
.L4:
	ld1d	z0.d, p0/z, [x4, x0, lsl 3]
	ld1d	z2.d, p0/z, [x6, x0, lsl 3]
	ld1d	z1.d, p0/z, [x5, x0, lsl 3]
	fadd	z2.d, z2.d, z0.d
	ld1d	z0.d, p0/z, [x3, x0, lsl 3]
	fadd	z1.d, z1.d, z2.d
	fadd	z0.d, z0.d, z1.d
	fmul	z0.d, z0.d, z3.d
	st1d	z0.d, p0, [x1, x0, lsl 3]
	add	x0, x0, x7
	whilelo	p0.d, x0, x2
	b.any	.L4
	add	x8, x8, 1
	sub	x4, x4, x9
	sub	x1, x1, x9
	cmp	x8, x10
	bne	.L3
.L1:
	ret
	.cfi_endproc
.LFE0:
	.size	stencil_2d, .-stencil_2d
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
