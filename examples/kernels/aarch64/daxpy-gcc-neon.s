	.arch armv8.2-a+crc+fp16+rcpc+dotprod+profile
	.file	"daxpy.c"
	.text
	.align	2
	.p2align 5,,15
	.global	daxpy
	.type	daxpy, %function
daxpy:
.LFB0:
	.cfi_startproc
	cbz	x2, .L1
	sub	x3, x2, #1
	cmp	x3, 1
	bls	.L6
	dup	v3.2d, v0.d[0]
	lsr	x4, x2, 1
	mov	x3, 0
	lsl	x4, x4, 4
	.p2align 5,,15
.L4:
	ldr	q1, [x0, x3]
	ldr	q2, [x1, x3]
	fmla	v1.2d, v2.2d, v3.2d
	str	q1, [x0, x3]
	add	x3, x3, 16
	cmp	x4, x3
	bne	.L4
	and	x4, x2, -2
	tbz	x2, 0, .L1
.L3:
	lsl	x3, x4, 3
	add	x4, x4, 1
	ldr	d1, [x0, x3]
	ldr	d2, [x1, x3]
	fmadd	d1, d2, d0, d1
	str	d1, [x0, x3]
	cmp	x2, x4
	bls	.L1
	add	x3, x3, 8
	ldr	d1, [x0, x3]
	ldr	d2, [x1, x3]
	fmadd	d0, d0, d2, d1
	str	d0, [x0, x3]
.L1:
	ret
.L6:
	mov	x4, 0
	b	.L3
	.cfi_endproc
.LFE0:
	.size	daxpy, .-daxpy
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
