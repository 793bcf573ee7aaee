	.arch armv8.2-a+crc+fp16+rcpc+dotprod+profile
	.file	"stream_triad.c"
	.text
	.align	2
	.p2align 5,,15
	.global	stream_triad
	.type	stream_triad, %function
stream_triad:
.LFB0:
	.cfi_startproc
	cbz	x3, .L1
	sub	x4, x3, #1
	cmp	x4, 1
	bls	.L6
	dup	v3.2d, v0.d[0]
	lsr	x5, x3, 1
	mov	x4, 0
	lsl	x5, x5, 4
	.p2align 5,,15
.L4:
	ldr	q2, [x2, x4]
	ldr	q1, [x1, x4]
	fmla	v1.2d, v2.2d, v3.2d
	str	q1, [x0, x4]
	add	x4, x4, 16
	cmp	x5, x4
	bne	.L4
	and	x5, x3, -2
	tbz	x3, 0, .L1
.L3:
	lsl	x4, x5, 3
	add	x5, x5, 1
	ldr	d2, [x2, x4]
	ldr	d1, [x1, x4]
	fmadd	d1, d2, d0, d1
	str	d1, [x0, x4]
	cmp	x3, x5
	bls	.L1
	add	x4, x4, 8
	ldr	d2, [x2, x4]
	ldr	d1, [x1, x4]
	fmadd	d0, d0, d2, d1
	str	d0, [x0, x4]
.L1:
	ret
.L6:
	mov	x5, 0
	b	.L3
	.cfi_endproc
.LFE0:
	.size	stream_triad, .-stream_triad
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
