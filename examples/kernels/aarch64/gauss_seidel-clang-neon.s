	.text
	.file	"gauss_seidel.c"
	.globl	gauss_seidel                    // -- Begin function gauss_seidel
	.p2align	4
	.type	gauss_seidel,@function
gauss_seidel:                           // @gauss_seidel
// %bb.0:
	cmp	x2, #3
	b.lo	.LBB0_10
// %bb.1:
	cmp	x1, #3
	b.lo	.LBB0_10
// %bb.2:
	sub	x11, x1, #2
	fmov	d0, #0.25000000
	mov	x8, xzr
	and	x11, x11, #0xfffffffffffffffe
	add	x9, x0, #16
	lsl	x10, x1, #3
	neg	x11, x11
	lsl	x12, x1, #4
	mov	w14, #1
	mov	w15, #2
	b	.LBB0_4
	.p2align	5, 0x0, 16
.LBB0_3:                                //   in Loop: Header=BB0_4 Depth=1
	add	x15, x13, #1
	add	x8, x8, #1
	add	x9, x9, x10
	cmp	x15, x2
	mov	x14, x13
	b.eq	.LBB0_10
.LBB0_4:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_7 Depth 2
	mov	x13, x15
	madd	x15, x8, x1, x1
	cmp	x1, #3
	ldr	d1, [x0, x15, lsl #3]
	b.ne	.LBB0_6
// %bb.5:                               //   in Loop: Header=BB0_4 Depth=1
	mov	w16, #2
	mov	w15, #1
	tbz	w1, #0, .LBB0_3
	b	.LBB0_9
	.p2align	5, 0x0, 16
.LBB0_6:                                //   in Loop: Header=BB0_4 Depth=1
	mov	x16, x9
	mov	w15, #1
	.p2align	5, 0x0, 16
.LBB0_7:                                //   Parent Loop BB0_4 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	ldur	d2, [x16, #-8]
	add	x17, x16, x10
	add	x18, x16, x12
	ldur	d3, [x18, #-8]
	add	x15, x15, #2
	fadd	d1, d1, d2
	ldp	d2, d4, [x17]
	fadd	d2, d2, d3
	fadd	d1, d1, d2
	fmul	d1, d1, d0
	stur	d1, [x17, #-8]
	ldr	d2, [x16], #16
	ldr	d3, [x18]
	fadd	d2, d4, d2
	fadd	d2, d2, d3
	fadd	d1, d1, d2
	fmul	d1, d1, d0
	str	d1, [x17]
	add	x17, x11, x15
	cmp	x17, #1
	b.ne	.LBB0_7
// %bb.8:                               //   in Loop: Header=BB0_4 Depth=1
	add	x16, x15, #1
	tbz	w1, #0, .LBB0_3
.LBB0_9:                                //   in Loop: Header=BB0_4 Depth=1
	mul	x14, x14, x1
	add	x14, x0, x14, lsl #3
	ldr	d2, [x14, x16, lsl #3]
	sub	x16, x15, x1
	fadd	d1, d2, d1
	ldr	d2, [x14, x16, lsl #3]
	add	x16, x15, x1
	ldr	d3, [x14, x16, lsl #3]
	fadd	d2, d2, d3
	fadd	d1, d1, d2
	fmul	d1, d1, d0
	str	d1, [x14, x15, lsl #3]
	b	.LBB0_3
.LBB0_10:
	ret
.Lfunc_end0:
	.size	gauss_seidel, .Lfunc_end0-gauss_seidel
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
