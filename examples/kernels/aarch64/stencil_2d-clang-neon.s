	.text
	.file	"stencil_2d.c"
	.globl	stencil_2d                      // -- Begin function stencil_2d
	.p2align	4
	.type	stencil_2d,@function
stencil_2d:                             // @stencil_2d
// %bb.0:
	str	x19, [sp, #-16]!                // 8-byte Folded Spill
	cmp	x3, #3
	b.lo	.LBB0_11
// %bb.1:
	cmp	x2, #3
	b.lo	.LBB0_11
// %bb.2:
	sub	x10, x2, #2
	add	x14, x1, x2, lsl #4
	lsl	x15, x2, #3
	fmov	d0, #0.25000000
	fmov	v1.2d, #0.25000000
	and	x11, x10, #0xfffffffffffffffc
	add	x16, x15, x0
	mov	x8, xzr
	neg	x9, x2
	orr	x12, x11, #0x2
	orr	x13, x11, #0x1
	add	x14, x14, #24
	add	x16, x16, #24
	add	x17, x1, x15
	mov	w4, #1
	mov	w5, #2
	b	.LBB0_4
	.p2align	5, 0x0, 16
.LBB0_3:                                //   in Loop: Header=BB0_4 Depth=1
	add	x5, x18, #1
	add	x8, x8, x15
	mov	x4, x18
	cmp	x5, x3
	b.eq	.LBB0_11
.LBB0_4:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_7 Depth 2
                                        //     Child Loop BB0_10 Depth 2
	mov	x18, x5
	cmp	x10, #4
	b.hs	.LBB0_6
// %bb.5:                               //   in Loop: Header=BB0_4 Depth=1
	mov	w5, #2
	mov	w6, #1
	b	.LBB0_9
	.p2align	5, 0x0, 16
.LBB0_6:                                //   in Loop: Header=BB0_4 Depth=1
	mov	x5, x8
	mov	x6, x11
	.p2align	5, 0x0, 16
.LBB0_7:                                //   Parent Loop BB0_4 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	add	x7, x17, x5
	subs	x6, x6, #4
	ldr	q4, [x7, #32]
	ldp	q2, q3, [x7]
	add	x7, x1, x5
	fadd	v2.2d, v2.2d, v3.2d
	ldur	q5, [x7, #8]
	fadd	v3.2d, v3.2d, v4.2d
	ldur	q4, [x7, #24]
	add	x7, x14, x5
	fadd	v2.2d, v2.2d, v5.2d
	fadd	v3.2d, v3.2d, v4.2d
	ldur	q4, [x7, #-16]
	fadd	v2.2d, v2.2d, v4.2d
	ldr	q4, [x7]
	add	x7, x16, x5
	add	x5, x5, #32
	fadd	v3.2d, v3.2d, v4.2d
	fmul	v2.2d, v2.2d, v1.2d
	fmul	v3.2d, v3.2d, v1.2d
	stp	q2, q3, [x7, #-16]
	b.ne	.LBB0_7
// %bb.8:                               //   in Loop: Header=BB0_4 Depth=1
	cmp	x10, x11
	mov	x5, x12
	mov	x6, x13
	b.eq	.LBB0_3
.LBB0_9:                                //   in Loop: Header=BB0_4 Depth=1
	mul	x4, x4, x2
	add	x7, x1, x4, lsl #3
	.p2align	5, 0x0, 16
.LBB0_10:                               //   Parent Loop BB0_4 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	add	x19, x7, x6, lsl #3
	add	x6, x6, x4
	ldur	d2, [x19, #-8]
	ldr	d3, [x19, #8]
	ldr	d4, [x19, x9, lsl #3]
	fadd	d2, d2, d3
	ldr	d3, [x19, x2, lsl #3]
	fadd	d2, d2, d4
	fadd	d2, d2, d3
	fmul	d2, d2, d0
	str	d2, [x0, x6, lsl #3]
	mov	x6, x5
	add	x5, x5, #1
	cmp	x2, x5
	b.ne	.LBB0_10
	b	.LBB0_3
.LBB0_11:
	ldr	x19, [sp], #16                  // 8-byte Folded Reload
	ret
.Lfunc_end0:
	.size	stencil_2d, .Lfunc_end0-stencil_2d
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
