	.arch armv8.2-a+crc+fp16+rcpc+dotprod+profile
	.file	"stencil_3d.c"
	.text
	.align	2
	.p2align 5,,15
	.global	stencil_3d
	.type	stencil_3d, %function
stencil_3d:
.LFB0:
	.cfi_startproc
	mul	x4, x2, x2
	cmp	x2, 2
	bls	.L17
	stp	x29, x30, [sp, -112]!
	.cfi_def_cfa_offset 112
	.cfi_offset 29, -112
	.cfi_offset 30, -104
	neg	x13, x2, lsl 3
	sub	x30, x2, #2
	mov	x14, x2
	madd	x2, x2, x2, x2
	mov	x29, sp
	neg	x16, x4, lsl 3
	fmov	d3, d0
	dup	v16.2d, v0.d[0]
	dup	v7.2d, v1.d[0]
	mov	x3, 0
	lsr	x9, x30, 1
	stp	x19, x20, [sp, 16]
	.cfi_offset 19, -96
	.cfi_offset 20, -88
	mov	x20, 8
	lsl	x17, x4, 3
	mov	x5, x4
	mov	x15, x0
	mov	x4, x3
	stp	x25, x26, [sp, 64]
	.cfi_offset 25, -48
	.cfi_offset 26, -40
	and	x26, x30, -2
	mov	x11, x1
	lsl	x9, x9, 4
	and	x25, x30, 1
	lsl	x18, x14, 3
	sub	x19, x14, #3
	mov	x3, x2
	stp	x21, x22, [sp, 32]
	.cfi_offset 21, -80
	.cfi_offset 22, -72
	add	x22, x16, 8
	add	x21, x0, 8
	stp	x23, x24, [sp, 48]
	.cfi_offset 23, -64
	.cfi_offset 24, -56
	add	x24, x13, x20
	sub	x23, x20, x13
	sub	x20, x20, x16
	stp	x27, x28, [sp, 80]
	.cfi_offset 27, -32
	.cfi_offset 28, -24
	add	x27, x26, 2
	add	x26, x26, 1
	.p2align 5,,15
.L3:
	add	x1, x11, x3, lsl 3
	mov	x12, x3
	mov	x2, 0
	stp	x5, x3, [sp, 96]
	.p2align 5,,15
.L9:
	cmp	x19, 1
	bls	.L11
	add	x6, x21, x12, lsl 3
	add	x28, x1, 8
	add	x10, x1, 16
	ldr	q2, [x1]
	add	x8, x24, x1
	add	x7, x23, x1
	add	x5, x22, x1
	add	x3, x20, x1
	mov	x0, 0
	.p2align 5,,15
.L5:
	ldr	q17, [x10, x0]
	ldr	q0, [x8, x0]
	ldr	q5, [x7, x0]
	fadd	v6.2d, v2.2d, v17.2d
	ldr	q4, [x5, x0]
	mov	v2.16b, v17.16b
	ldr	q18, [x3, x0]
	ldr	q17, [x28, x0]
	fadd	v0.2d, v0.2d, v6.2d
	fadd	v0.2d, v0.2d, v5.2d
	fadd	v0.2d, v0.2d, v4.2d
	fadd	v0.2d, v0.2d, v18.2d
	fmul	v0.2d, v0.2d, v7.2d
	fmla	v0.2d, v16.2d, v17.2d
	str	q0, [x6, x0]
	add	x0, x0, 16
	cmp	x9, x0
	bne	.L5
	cbz	x25, .L4
	mov	x3, x26
	mov	x0, x27
.L8:
	add	x3, x3, x12
	add	x6, x0, 1
	add	x5, x11, x3, lsl 3
	lsl	x3, x3, 3
	ldr	d2, [x11, x3]
	ldr	d0, [x5, -8]
	ldr	d4, [x5, 8]
	ldr	d17, [x5, x13]
	ldr	d6, [x5, x18]
	fadd	d0, d0, d4
	ldr	d5, [x5, x16]
	ldr	d4, [x5, x17]
	fadd	d0, d0, d17
	fadd	d0, d0, d6
	fadd	d0, d0, d5
	fadd	d0, d0, d4
	fmul	d0, d0, d1
	fmadd	d0, d2, d3, d0
	str	d0, [x15, x3]
	cmp	x14, x6
	bls	.L4
	add	x0, x0, x12
	add	x3, x11, x0, lsl 3
	lsl	x0, x0, 3
	ldr	d2, [x11, x0]
	ldr	d4, [x3, -8]
	ldr	d0, [x3, 8]
	ldr	d17, [x3, x13]
	ldr	d6, [x3, x18]
	fadd	d0, d0, d4
	ldr	d5, [x3, x16]
	ldr	d4, [x3, x17]
	fadd	d0, d0, d17
	fadd	d0, d0, d6
	fadd	d0, d0, d5
	fadd	d0, d0, d4
	fmul	d0, d0, d1
	fmadd	d0, d3, d2, d0
	str	d0, [x15, x0]
.L4:
	add	x2, x2, 1
	add	x12, x12, x14
	sub	x1, x1, x13
	cmp	x30, x2
	bne	.L9
	ldp	x5, x3, [sp, 96]
	add	x4, x4, 1
	add	x3, x3, x5
	cmp	x30, x4
	bne	.L3
	ldp	x19, x20, [sp, 16]
	ldp	x21, x22, [sp, 32]
	ldp	x23, x24, [sp, 48]
	ldp	x25, x26, [sp, 64]
	ldp	x27, x28, [sp, 80]
	ldp	x29, x30, [sp], 112
	.cfi_remember_state
	.cfi_restore 30
	.cfi_restore 29
	.cfi_restore 27
	.cfi_restore 28
	.cfi_restore 25
	.cfi_restore 26
	.cfi_restore 23
	.cfi_restore 24
	.cfi_restore 21
	.cfi_restore 22
	.cfi_restore 19
	.cfi_restore 20
	.cfi_def_cfa_offset 0
	ret
	.p2align 2,,3
.L11:
	.cfi_restore_state
	mov	x3, 1
	mov	x0, 2
	b	.L8
.L17:
	.cfi_def_cfa_offset 0
	.cfi_restore 19
	.cfi_restore 20
	.cfi_restore 21
	.cfi_restore 22
	.cfi_restore 23
	.cfi_restore 24
	.cfi_restore 25
	.cfi_restore 26
	.cfi_restore 27
	.cfi_restore 28
	.cfi_restore 29
	.cfi_restore 30
	ret
	.cfi_endproc
.LFE0:
	.size	stencil_3d, .-stencil_3d
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
