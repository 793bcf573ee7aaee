	.text
	.file	"dot_product.c"
	.globl	dot_product                     // -- Begin function dot_product
	.p2align	2
	.type	dot_product,@function
dot_product:                            // @dot_product
// %bb.0:
	cbz	x2, .LBB0_3
// %bb.1:
	cntw	x9
	cmp	x9, x2
	b.ls	.LBB0_4
// %bb.2:
	movi	d0, #0000000000000000
	mov	x8, xzr
	b	.LBB0_7
.LBB0_3:
	movi	d0, #0000000000000000
                                        // kill: def $d0 killed $d0 killed $z0
	ret
.LBB0_4:
	udiv	x8, x2, x9
	rdvl	x11, #1
	lsr	x11, x11, #4
	movi	d1, #0000000000000000
	and	x11, x11, #0xffffffff
	mov	x10, xzr
	lsl	x13, x11, #4
	mov	z0.d, #0                        // =0x0
	add	x12, x0, x13
	add	x13, x1, x13
	ptrue	p0.d, vl1
	sel	z1.d, p0, z1.d, z0.d
	ptrue	p0.d
	mul	x8, x8, x9
	sub	x11, x2, x8
.LBB0_5:                                // =>This Inner Loop Header: Depth=1
	ld1d	{ z2.d }, p0/z, [x0, x10, lsl #3]
	ld1d	{ z3.d }, p0/z, [x12, x10, lsl #3]
	ld1d	{ z4.d }, p0/z, [x1, x10, lsl #3]
	ld1d	{ z5.d }, p0/z, [x13, x10, lsl #3]
	add	x10, x10, x9
	cmp	x10, x8
	fmla	z1.d, p0/m, z4.d, z2.d
	fmla	z0.d, p0/m, z5.d, z3.d
	b.ne	.LBB0_5
// %bb.6:
	fadd	z0.d, z0.d, z1.d
	faddv	d0, p0, z0.d
	cbz	x11, .LBB0_9
.LBB0_7:
	lsl	x10, x8, #3
	sub	x9, x2, x8
	add	x8, x1, x10
	add	x10, x0, x10
.LBB0_8:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x10], #8
	ldr	d2, [x8], #8
	subs	x9, x9, #1
	fmadd	d0, d2, d1, d0
	b.ne	.LBB0_8
.LBB0_9:
                                        // kill: def $d0 killed $d0 killed $z0
	ret
.Lfunc_end0:
	.size	dot_product, .Lfunc_end0-dot_product
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
