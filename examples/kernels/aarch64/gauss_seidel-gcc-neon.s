	.arch armv8.2-a+crc+fp16+rcpc+dotprod+profile
	.file	"gauss_seidel.c"
	.text
	.align	2
	.p2align 5,,15
	.global	gauss_seidel
	.type	gauss_seidel, %function
gauss_seidel:
.LFB0:
	.cfi_startproc
	cmp	x2, 2
	bls	.L1
	cmp	x1, 2
	bls	.L1
	lsl	x9, x1, 3
	add	x7, x0, x1, lsl 3
	fmov	d2, 2.5e-1
	sub	x6, x9, #8
	sub	x10, x2, #2
	add	x16, x6, x7
	neg	x3, x9
	mov	x8, 0
	.p2align 5,,15
.L4:
	mov	x0, x7
	ldr	d27, [x0], 8
	sub	x2, x16, x0
	sub	x4, x2, #8
	lsr	x5, x4, 3
	add	x11, x5, 1
	ands	x12, x11, 3
	beq	.L3
	cmp	x12, 1
	beq	.L16
	cmp	x12, 2
	beq	.L17
	ldr	d4, [x0, x3]
	ldr	d1, [x0, 8]
	ldr	d3, [x0, x1, lsl 3]
	fadd	d5, d1, d4
	fadd	d6, d5, d3
	fadd	d0, d6, d27
	fmul	d27, d0, d2
	str	d27, [x0], 8
.L17:
	ldr	d7, [x0, x3]
	ldr	d17, [x0, 8]
	ldr	d16, [x0, x1, lsl 3]
	fadd	d18, d17, d7
	fadd	d19, d18, d16
	fadd	d20, d19, d27
	fmul	d27, d20, d2
	str	d27, [x0], 8
.L16:
	ldr	d21, [x0, x3]
	ldr	d23, [x0, 8]
	ldr	d22, [x0, x1, lsl 3]
	fadd	d24, d23, d21
	fadd	d25, d24, d22
	fadd	d26, d25, d27
	fmul	d27, d26, d2
	str	d27, [x0], 8
	cmp	x16, x0
	beq	.L22
.L3:
	ldr	d28, [x0, x3]
	mov	x13, x0
	add	x14, x0, 24
	ldr	d30, [x0, 8]
	ldr	d29, [x0, x1, lsl 3]
	add	x0, x0, 32
	fadd	d31, d30, d28
	fadd	d4, d31, d29
	fadd	d3, d4, d27
	fmul	d1, d3, d2
	str	d1, [x13], 8
	add	x15, x13, 8
	ldr	d5, [x13, x3]
	ldr	d0, [x13, 8]
	ldr	d6, [x13, x1, lsl 3]
	fadd	d7, d0, d5
	fadd	d16, d7, d6
	fadd	d17, d16, d1
	fmul	d18, d17, d2
	str	d18, [x0, -24]
	ldr	d19, [x15, x3]
	ldr	d21, [x13, 16]
	ldr	d20, [x15, x1, lsl 3]
	fadd	d22, d21, d19
	fadd	d23, d22, d20
	fadd	d24, d23, d18
	fmul	d25, d24, d2
	str	d25, [x13, 8]
	ldr	d26, [x14, x3]
	ldr	d28, [x0]
	ldr	d27, [x14, x1, lsl 3]
	fadd	d29, d28, d26
	fadd	d30, d29, d27
	fadd	d31, d30, d25
	fmul	d27, d31, d2
	str	d27, [x0, -8]
	cmp	x16, x0
	bne	.L3
.L22:
	add	x8, x8, 1
	add	x7, x7, x9
	add	x16, x16, x9
	cmp	x10, x8
	bne	.L4
.L1:
	ret
	.cfi_endproc
.LFE0:
	.size	gauss_seidel, .-gauss_seidel
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
