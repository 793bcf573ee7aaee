	.arch armv8.2-a+crc+fp16+rcpc+dotprod+profile
	.file	"stencil_2d.c"
	.text
	.align	2
	.p2align 5,,15
	.global	stencil_2d
	.type	stencil_2d, %function
stencil_2d:
.LFB0:
	.cfi_startproc
	cmp	x3, 2
	bls	.L1
	neg	x5, x2, lsl 3
	lsl	x8, x2, 3
	cmp	x2, 2
	bls	.L1
	sub	x15, x2, #2
	mov	x16, 8
	fmov	d5, 2.5e-1
	fmov	v6.2d, 2.5e-1
	lsr	x11, x15, 1
	sub	x16, x16, x5
	orr	x18, x15, 1
	sub	x14, x3, #2
	add	x7, x0, x16
	lsl	x11, x11, 4
	and	x15, x15, 1
	add	x12, x1, x8
	mov	x6, x2
	mov	x13, 0
	add	x17, x5, 8
	.p2align 5,,15
.L3:
	cmp	x2, 3
	beq	.L15
	ldr	q2, [x12]
	add	x10, x12, 16
	add	x9, x17, x12
	add	x4, x12, x16
	mov	x3, 0
	.p2align 5,,15
.L4:
	ldr	q1, [x10, x3]
	ldr	q0, [x9, x3]
	ldr	q3, [x4, x3]
	fadd	v4.2d, v2.2d, v1.2d
	mov	v2.16b, v1.16b
	fadd	v0.2d, v0.2d, v4.2d
	fadd	v0.2d, v0.2d, v3.2d
	fmul	v0.2d, v0.2d, v6.2d
	str	q0, [x7, x3]
	add	x3, x3, 16
	cmp	x11, x3
	bne	.L4
	mov	x4, x18
	cbz	x15, .L5
.L6:
	add	x4, x6, x4
	add	x3, x1, x4, lsl 3
	ldr	d3, [x3, -8]
	ldr	d0, [x3, 8]
	ldr	d2, [x3, x5]
	ldr	d1, [x3, x8]
	fadd	d0, d0, d3
	fadd	d0, d0, d2
	fadd	d0, d0, d1
	fmul	d0, d0, d5
	str	d0, [x0, x4, lsl 3]
.L5:
	add	x13, x13, 1
	add	x6, x6, x2
	sub	x12, x12, x5
	sub	x7, x7, x5
	cmp	x13, x14
	bne	.L3
.L1:
	ret
.L15:
	mov	x4, 1
	b	.L6
	.cfi_endproc
.LFE0:
	.size	stencil_2d, .-stencil_2d
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
