	.text
	.file	"stream_triad.c"
	.globl	stream_triad                    // -- Begin function stream_triad
	.p2align	2
	.type	stream_triad,@function
stream_triad:                           // @stream_triad
// %bb.0:
                                        // kill: def $d0 killed $d0 def $z0
	cbz	x3, .LBB0_8
// %bb.1:
	cntw	x8
	cmp	x8, x3
	b.ls	.LBB0_3
// %bb.2:
	mov	x9, xzr
	b	.LBB0_6
.LBB0_3:
	udiv	x9, x3, x8
	rdvl	x11, #1
	lsr	x11, x11, #4
	mov	x10, xzr
	and	x11, x11, #0xffffffff
	mov	z1.d, d0
	lsl	x14, x11, #4
	ptrue	p0.d
	add	x12, x1, x14
	add	x13, x2, x14
	add	x14, x0, x14
	mul	x9, x9, x8
	sub	x11, x3, x9
.LBB0_4:                                // =>This Inner Loop Header: Depth=1
	ld1d	{ z2.d }, p0/z, [x1, x10, lsl #3]
	ld1d	{ z3.d }, p0/z, [x2, x10, lsl #3]
	ld1d	{ z4.d }, p0/z, [x12, x10, lsl #3]
	ld1d	{ z5.d }, p0/z, [x13, x10, lsl #3]
	fmla	z2.d, p0/m, z1.d, z3.d
	movprfx	z3, z4
	fmla	z3.d, p0/m, z1.d, z5.d
	st1d	{ z2.d }, p0, [x0, x10, lsl #3]
	st1d	{ z3.d }, p0, [x14, x10, lsl #3]
	add	x10, x10, x8
	cmp	x10, x9
	b.ne	.LBB0_4
// %bb.5:
	cbz	x11, .LBB0_8
.LBB0_6:
	lsl	x11, x9, #3
	sub	x8, x3, x9
	add	x9, x0, x11
	add	x10, x2, x11
	add	x11, x1, x11
.LBB0_7:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x11], #8
	ldr	d2, [x10], #8
	subs	x8, x8, #1
	fmadd	d1, d0, d2, d1
	str	d1, [x9], #8
	b.ne	.LBB0_7
.LBB0_8:
	ret
.Lfunc_end0:
	.size	stream_triad, .Lfunc_end0-stream_triad
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
