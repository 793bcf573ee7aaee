	.arch armv8.2-a+crc+sve
	.file	"stencil_3d.c"
	.text
	.align	2
	.p2align 4,,11
	.global	stencil_3d
	.type	stencil_3d, %function
stencil_3d:
.LFB0:
	.cfi_startproc
	stp	x29, x30, [sp, -64]!
	.cfi_def_cfa_offset 64
	.cfi_offset 29, -64
	.cfi_offset 30, -56
	mov	x29, sp
	str	x23, [sp, 48]
	.cfi_offset 23, -16
	mul	x23, x2, x2
	cmp	x2, 2
	bls	.L1
	stp	x21, x22, [sp, 32]
	.cfi_offset 22, -24
	.cfi_offset 21, -32
	madd	x21, x2, x2, x2
	mov	x13, x1
	mov	z4.d, d0
	add	x21, x21, 1
	neg	x14, x23, lsl 3
	stp	x19, x20, [sp, 16]
	.cfi_offset 20, -40
	.cfi_offset 19, -48
	neg	x20, x2, lsl 3
	add	x18, x13, x14
	mov	z3.d, d1
	mov	x15, x0
	add	x19, x13, x20
	lsl	x21, x21, 3
	sub	x30, x13, x20
	lsl	x23, x23, 3
	sub	x14, x13, x14
	sub	x17, x13, #8
	add	x16, x13, 8
	mov	x22, 0
	cntd	x11
	sub	x1, x2, #2
	ptrue	p1.b, all
	whilelo	p2.d, xzr, x1
	.p2align 3,,7
.L3:
	mov	x3, x21
	mov	x12, 0
	.p2align 3,,7
.L6:
	add	x10, x13, x3
	add	x9, x17, x3
	add	x8, x16, x3
	add	x7, x3, x19
	add	x6, x30, x3
	add	x5, x3, x18
	add	x4, x14, x3
	add	x2, x15, x3
	mov	x0, 0
	mov	p0.b, p2.b
	.p2align 3,,7
.L4:
	ld1d	z1.d, p0/z, [x9, x0, lsl 3]
	ld1d	z2.d, p0/z, [x8, x0, lsl 3]
	ld1d	z0.d, p0/z, [x7, x0, lsl 3]
	fadd	z2.d, z2.d, z1.d
	ld1d	z1.d, p0/z, [x6, x0, lsl 3]
	fadd	z0.d, z0.d, z2.d
	fadd	z1.d, z1.d, z0.d
	ld1d	z2.d, p0/z, [x5, x0, lsl 3]
	ld1d	z0.d, p0/z, [x4, x0, lsl 3]
	fadd	z2.d, z2.d, z1.d
	ld1d	z1.d, p0/z, [x10, x0, lsl 3]
	fadd	z0.d, z0.d, z2.d
	fmul	z0.d, z0.d, z3.d
	fmla	z0.d, p1/m, z4.d, z1.d
	st1d	z0.d, p0, [x2, x0, lsl 3]
	add	x0, x0, x11
	whilelo	p0.d, x0, x1
	b.any	.L4
	add	x12, x12, 1
	sub	x3, x3, x20
	cmp	x12, x1
	bne	.L6
	add	x22, x22, 1
	add	x21, x21, x23
	cmp	x1, x22
	bne	.L3
	ldp	x19, x20, [sp, 16]
	.cfi_restore 20
	.cfi_restore 19
	ldp	x21, x22, [sp, 32]
	.cfi_restore 22
	.cfi_restore 21
.L1:
	ldr	x23, [sp, 48]
	ldp	x29, x30, [sp], 64
	.cfi_restore 30
	.cfi_restore 29
	.cfi_restore 23
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
.LFE0:
	.size	stencil_3d, .-stencil_3d
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
