	.text
	.file	"daxpy.c"
	.globl	daxpy                           // -- Begin function daxpy
	.p2align	2
	.type	daxpy,@function
daxpy:                                  // @daxpy
// %bb.0:
                                        // kill: def $d0 killed $d0 def $z0
	cbz	x2, .LBB0_8
// %bb.1:
	cntw	x8
	cmp	x8, x2
	b.ls	.LBB0_3
// %bb.2:
	mov	x9, xzr
	b	.LBB0_6
.LBB0_3:
	udiv	x9, x2, x8
	rdvl	x11, #1
	lsr	x11, x11, #4
	mov	x10, xzr
	and	x11, x11, #0xffffffff
	mov	z1.d, d0
	lsl	x13, x11, #4
	ptrue	p0.d
	add	x12, x1, x13
	add	x13, x0, x13
	mul	x9, x9, x8
	sub	x11, x2, x9
.LBB0_4:                                // =>This Inner Loop Header: Depth=1
	ld1d	{ z2.d }, p0/z, [x1, x10, lsl #3]
	ld1d	{ z3.d }, p0/z, [x0, x10, lsl #3]
	ld1d	{ z4.d }, p0/z, [x12, x10, lsl #3]
	ld1d	{ z5.d }, p0/z, [x13, x10, lsl #3]
	fmad	z2.d, p0/m, z1.d, z3.d
	movprfx	z3, z5
	fmla	z3.d, p0/m, z1.d, z4.d
	st1d	{ z2.d }, p0, [x0, x10, lsl #3]
	st1d	{ z3.d }, p0, [x13, x10, lsl #3]
	add	x10, x10, x8
	cmp	x10, x9
	b.ne	.LBB0_4
// %bb.5:
	cbz	x11, .LBB0_8
.LBB0_6:
	lsl	x10, x9, #3
	sub	x8, x2, x9
	add	x9, x0, x10
	add	x10, x1, x10
.LBB0_7:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x10], #8
	ldr	d2, [x9]
	subs	x8, x8, #1
	fmadd	d1, d0, d1, d2
	str	d1, [x9], #8
	b.ne	.LBB0_7
.LBB0_8:
	ret
.Lfunc_end0:
	.size	daxpy, .Lfunc_end0-daxpy
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
