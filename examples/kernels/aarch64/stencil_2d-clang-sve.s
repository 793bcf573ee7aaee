	.text
	.file	"stencil_2d.c"
	.globl	stencil_2d                      // -- Begin function stencil_2d
	.p2align	2
	.type	stencil_2d,@function
stencil_2d:                             // @stencil_2d
// %bb.0:
	str	x29, [sp, #-96]!                // 8-byte Folded Spill
	cmp	x3, #3
	stp	x28, x27, [sp, #16]             // 16-byte Folded Spill
	stp	x26, x25, [sp, #32]             // 16-byte Folded Spill
	stp	x24, x23, [sp, #48]             // 16-byte Folded Spill
	stp	x22, x21, [sp, #64]             // 16-byte Folded Spill
	stp	x20, x19, [sp, #80]             // 16-byte Folded Spill
	b.lo	.LBB0_11
// %bb.1:
	cmp	x2, #3
	b.lo	.LBB0_11
// %bb.2:
	lsl	x11, x2, #3
	add	x10, x1, x2, lsl #4
	add	x13, x1, x11
	add	x15, x11, x0
	neg	x8, x2
	sub	x9, x2, #2
	add	x10, x10, #8
	add	x12, x1, #8
	add	x14, x13, #16
	add	x15, x15, #8
	mov	w6, #1
	mov	w7, #2
	fmov	d0, #0.25000000
	mov	x16, #2
	mov	x17, #1
	mov	x18, x1
	cntw	x4
	ptrue	p0.d
	fmov	z1.d, #0.25000000
	b	.LBB0_4
.LBB0_3:                                //   in Loop: Header=BB0_4 Depth=1
	add	x7, x5, #1
	add	x10, x10, x11
	add	x18, x18, x11
	add	x12, x12, x11
	add	x13, x13, x11
	add	x14, x14, x11
	add	x15, x15, x11
	mov	x6, x5
	cmp	x7, x3
	b.eq	.LBB0_11
.LBB0_4:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_7 Depth 2
                                        //     Child Loop BB0_10 Depth 2
	mov	x5, x7
	cmp	x9, x4
	b.hs	.LBB0_6
// %bb.5:                               //   in Loop: Header=BB0_4 Depth=1
	mov	w19, #2
	mov	w7, #1
	b	.LBB0_9
.LBB0_6:                                //   in Loop: Header=BB0_4 Depth=1
	udiv	x7, x9, x4
	cntd	x19
	and	x19, x19, #0xffffffff
	mov	x20, xzr
	lsl	x27, x19, #3
	add	x22, x10, x27
	add	x24, x12, x27
	add	x25, x14, x27
	add	x26, x13, x27
	add	x27, x15, x27
	mul	x21, x7, x4
	sub	x23, x9, x21
	add	x19, x21, #2
	add	x7, x21, #1
.LBB0_7:                                //   Parent Loop BB0_4 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	lsl	x28, x20, #3
	ld1d	{ z2.d }, p0/z, [x13, x20, lsl #3]
	add	x29, x13, x28
	add	x28, x18, x28
	ld1d	{ z3.d }, p0/z, [x26, x20, lsl #3]
	ld1d	{ z5.d }, p0/z, [x25, x20, lsl #3]
	ld1d	{ z7.d }, p0/z, [x24, x20, lsl #3]
	ld1d	{ z16.d }, p0/z, [x10, x20, lsl #3]
	ld1d	{ z4.d }, p0/z, [x29, x16, lsl #3]
	ld1d	{ z6.d }, p0/z, [x28, x17, lsl #3]
	ld1d	{ z17.d }, p0/z, [x22, x20, lsl #3]
	fadd	z3.d, z3.d, z5.d
	fadd	z3.d, z3.d, z7.d
	fadd	z2.d, z2.d, z4.d
	fadd	z2.d, z2.d, z6.d
	fadd	z3.d, z3.d, z17.d
	fadd	z2.d, z2.d, z16.d
	fmul	z3.d, z3.d, z1.d
	fmul	z2.d, z2.d, z1.d
	st1d	{ z2.d }, p0, [x15, x20, lsl #3]
	st1d	{ z3.d }, p0, [x27, x20, lsl #3]
	add	x20, x20, x4
	cmp	x20, x21
	b.ne	.LBB0_7
// %bb.8:                               //   in Loop: Header=BB0_4 Depth=1
	cbz	x23, .LBB0_3
.LBB0_9:                                //   in Loop: Header=BB0_4 Depth=1
	mul	x6, x6, x2
	add	x20, x1, x6, lsl #3
.LBB0_10:                               //   Parent Loop BB0_4 Depth=1
                                        // =>  This Inner Loop Header: Depth=2
	add	x21, x20, x7, lsl #3
	ldr	d2, [x21, x8, lsl #3]
	ldur	d3, [x21, #-8]
	ldr	d4, [x21, #8]
	fadd	d3, d3, d4
	fadd	d2, d3, d2
	ldr	d3, [x21, x2, lsl #3]
	add	x21, x7, x6
	mov	x7, x19
	add	x19, x19, #1
	cmp	x2, x19
	fadd	d2, d2, d3
	fmul	d2, d2, d0
	str	d2, [x0, x21, lsl #3]
	b.ne	.LBB0_10
	b	.LBB0_3
.LBB0_11:
	ldp	x20, x19, [sp, #80]             // 16-byte Folded Reload
	ldp	x22, x21, [sp, #64]             // 16-byte Folded Reload
	ldp	x24, x23, [sp, #48]             // 16-byte Folded Reload
	ldp	x26, x25, [sp, #32]             // 16-byte Folded Reload
	ldp	x28, x27, [sp, #16]             // 16-byte Folded Reload
	ldr	x29, [sp], #96                  // 8-byte Folded Reload
	ret
.Lfunc_end0:
	.size	stencil_2d, .Lfunc_end0-stencil_2d
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
