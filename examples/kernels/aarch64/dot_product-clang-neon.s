	.text
	.file	"dot_product.c"
	.globl	dot_product                     // -- Begin function dot_product
	.p2align	4
	.type	dot_product,@function
dot_product:                            // @dot_product
// %bb.0:
	cbz	x2, .LBB0_3
// %bb.1:
	cmp	x2, #4
	b.hs	.LBB0_4
// %bb.2:
	mov	x8, xzr
	movi	d0, #0000000000000000
	b	.LBB0_7
.LBB0_3:
	movi	d0, #0000000000000000
	ret
.LBB0_4:
	movi	v0.2d, #0000000000000000
	movi	v1.2d, #0000000000000000
	and	x8, x2, #0xfffffffffffffffc
	add	x9, x0, #16
	add	x10, x1, #16
	mov	x11, x8
	.p2align	5, 0x0, 16
.LBB0_5:                                // =>This Inner Loop Header: Depth=1
	ldp	q2, q3, [x9, #-16]
	add	x9, x9, #32
	subs	x11, x11, #4
	ldp	q4, q5, [x10, #-16]
	add	x10, x10, #32
	fmla	v1.2d, v5.2d, v3.2d
	fmla	v0.2d, v4.2d, v2.2d
	b.ne	.LBB0_5
// %bb.6:
	fadd	v0.2d, v1.2d, v0.2d
	cmp	x8, x2
	faddp	d0, v0.2d
	b.eq	.LBB0_9
.LBB0_7:
	lsl	x10, x8, #3
	sub	x9, x2, x8
	add	x8, x1, x10
	add	x10, x0, x10
	.p2align	5, 0x0, 16
.LBB0_8:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x10], #8
	subs	x9, x9, #1
	ldr	d2, [x8], #8
	fmadd	d0, d2, d1, d0
	b.ne	.LBB0_8
.LBB0_9:
	ret
.Lfunc_end0:
	.size	dot_product, .Lfunc_end0-dot_product
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
