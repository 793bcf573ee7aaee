	.arch armv8.2-a+crc+fp16+rcpc+dotprod+profile
	.file	"dot_product.c"
	.text
	.align	2
	.p2align 5,,15
	.global	dot_product
	.type	dot_product, %function
dot_product:
.LFB0:
	.cfi_startproc
	cbz	x2, .L7
	sub	x3, x2, #1
	cmp	x3, 4
	bls	.L8
	movi	v0.2d, 0
	lsr	x4, x2, 1
	mov	x3, 0
	lsl	x4, x4, 4
	.p2align 5,,15
.L4:
	ldr	q2, [x0, x3]
	ldr	q1, [x1, x3]
	add	x3, x3, 16
	fmla	v0.2d, v2.2d, v1.2d
	cmp	x4, x3
	bne	.L4
	and	x4, x2, -2
	faddp	d0, v0.2d
	tbz	x2, 0, .L1
.L3:
	lsl	x3, x4, 3
	add	x5, x4, 1
	ldr	d2, [x0, x3]
	ldr	d1, [x1, x3]
	fmadd	d0, d2, d1, d0
	cmp	x2, x5
	bls	.L1
	add	x5, x3, 8
	add	x6, x4, 2
	ldr	d2, [x0, x5]
	ldr	d1, [x1, x5]
	fmadd	d0, d2, d1, d0
	cmp	x2, x6
	bls	.L1
	add	x5, x3, 16
	add	x6, x4, 3
	ldr	d2, [x0, x5]
	ldr	d1, [x1, x5]
	fmadd	d0, d2, d1, d0
	cmp	x2, x6
	bls	.L1
	add	x5, x3, 24
	add	x4, x4, 4
	ldr	d2, [x0, x5]
	ldr	d1, [x1, x5]
	fmadd	d0, d2, d1, d0
	cmp	x2, x4
	bls	.L1
	add	x3, x3, 32
	ldr	d2, [x1, x3]
	ldr	d1, [x0, x3]
	fmadd	d0, d2, d1, d0
.L1:
	ret
	.p2align 2,,3
.L7:
	movi	d0, #0
	ret
.L8:
	movi	d0, #0
	mov	x4, 0
	b	.L3
	.cfi_endproc
.LFE0:
	.size	dot_product, .-dot_product
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
