	.text
	.file	"stencil_3d.c"
	.globl	stencil_3d                      // -- Begin function stencil_3d
	.p2align	2
	.type	stencil_3d,@function
stencil_3d:                             // @stencil_3d
// %bb.0:
	sub	sp, sp, #128
	cmp	x2, #3
	stp	x29, x30, [sp, #32]             // 16-byte Folded Spill
	stp	x28, x27, [sp, #48]             // 16-byte Folded Spill
                                        // kill: def $d1 killed $d1 def $z1
                                        // kill: def $d0 killed $d0 def $z0
	stp	x26, x25, [sp, #64]             // 16-byte Folded Spill
	stp	x24, x23, [sp, #80]             // 16-byte Folded Spill
	stp	x22, x21, [sp, #96]             // 16-byte Folded Spill
	stp	x20, x19, [sp, #112]            // 16-byte Folded Spill
	b.lo	.LBB0_12
// %bb.1:
	add	x14, x2, #1
	mul	x8, x2, x2
	lsl	x11, x2, #3
	mov	w15, #8
	mul	x13, x2, x14
	bfi	x15, x2, #4, #60
	add	x3, x11, #16
	add	x17, x1, #8
	lsl	x18, x13, #3
	madd	x15, x2, x15, x17
	add	x16, x1, x14, lsl #3
	madd	x17, x2, x3, x17
	add	x14, x1, x8, lsl #3
	add	x3, x18, x0
	neg	x9, x2
	sub	x10, x2, #2
	neg	x12, x8
	add	x25, x1, x18
	lsl	x13, x8, #3
	add	x18, x14, #8
	add	x3, x3, #8
	mov	w14, #1
	mov	w23, #2
	mov	x4, #1
	mov	x5, #2
	cntd	x6
	mov	z2.d, d1
	mov	z3.d, d0
	ptrue	p0.d
	str	x13, [sp, #8]                   // 8-byte Folded Spill
	b	.LBB0_3
.LBB0_2:                                //   in Loop: Header=BB0_3 Depth=1
	ldp	x14, x25, [sp, #16]             // 16-byte Folded Reload
	ldr	x13, [sp, #8]                   // 8-byte Folded Reload
	add	x23, x14, #1
	add	x25, x25, x13
	add	x15, x15, x13
	add	x16, x16, x13
	add	x17, x17, x13
	add	x18, x18, x13
	add	x3, x3, x13
	cmp	x23, x2
	b.eq	.LBB0_12
.LBB0_3:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_5 Depth 2
                                        //       Child Loop BB0_8 Depth 3
                                        //       Child Loop BB0_11 Depth 3
	mul	x22, x14, x2
	mov	x19, x3
	mov	x20, x18
	mov	x21, x17
	stp	x23, x25, [sp, #16]             // 16-byte Folded Spill
	mov	x23, x16
	mov	x24, x15
	mov	w14, #2
	mov	w28, #1
	b	.LBB0_5
.LBB0_4:                                //   in Loop: Header=BB0_5 Depth=2
	add	x14, x26, #1
	add	x25, x25, x11
	add	x24, x24, x11
	add	x23, x23, x11
	add	x21, x21, x11
	add	x20, x20, x11
	add	x19, x19, x11
	mov	x28, x26
	cmp	x14, x2
	b.eq	.LBB0_2
.LBB0_5:                                //   Parent Loop BB0_3 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_8 Depth 3
                                        //       Child Loop BB0_11 Depth 3
	mov	x26, x14
	cmp	x10, x6
	b.hs	.LBB0_7
// %bb.6:                               //   in Loop: Header=BB0_5 Depth=2
	mov	w27, #2
	mov	w29, #1
	b	.LBB0_10
.LBB0_7:                                //   in Loop: Header=BB0_5 Depth=2
	udiv	x14, x10, x6
	mov	x7, xzr
	mul	x14, x14, x6
	sub	x30, x10, x14
	add	x27, x14, #2
	add	x29, x14, #1
.LBB0_8:                                //   Parent Loop BB0_3 Depth=1
                                        //     Parent Loop BB0_5 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	add	x13, x25, x7, lsl #3
	ld1d	{ z4.d }, p0/z, [x25, x7, lsl #3]
	ld1d	{ z6.d }, p0/z, [x20, x7, lsl #3]
	ld1d	{ z7.d }, p0/z, [x21, x7, lsl #3]
	ld1d	{ z16.d }, p0/z, [x23, x7, lsl #3]
	ld1d	{ z5.d }, p0/z, [x13, x5, lsl #3]
	fadd	z4.d, z4.d, z5.d
	ld1d	{ z5.d }, p0/z, [x24, x7, lsl #3]
	fadd	z4.d, z4.d, z6.d
	ld1d	{ z6.d }, p0/z, [x13, x4, lsl #3]
	fadd	z4.d, z4.d, z7.d
	fadd	z4.d, z4.d, z16.d
	fadd	z4.d, z4.d, z5.d
	fmul	z4.d, z4.d, z2.d
	fmla	z4.d, p0/m, z3.d, z6.d
	st1d	{ z4.d }, p0, [x19, x7, lsl #3]
	add	x7, x7, x6
	cmp	x7, x14
	b.ne	.LBB0_8
// %bb.9:                               //   in Loop: Header=BB0_5 Depth=2
	cbz	x30, .LBB0_4
.LBB0_10:                               //   in Loop: Header=BB0_5 Depth=2
	add	x13, x28, x22
	mul	x14, x13, x2
	add	x7, x1, x14, lsl #3
.LBB0_11:                               //   Parent Loop BB0_3 Depth=1
                                        //     Parent Loop BB0_5 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	add	x13, x7, x29, lsl #3
	ldr	d4, [x13, x9, lsl #3]
	ldur	d5, [x13, #-8]
	ldr	d6, [x13, #8]
	fadd	d5, d5, d6
	fadd	d4, d5, d4
	ldr	d5, [x13, x2, lsl #3]
	fadd	d4, d4, d5
	ldr	d5, [x13, x12, lsl #3]
	fadd	d4, d4, d5
	ldr	d5, [x13, x8, lsl #3]
	fadd	d4, d4, d5
	ldr	d5, [x13]
	add	x13, x29, x14
	mov	x29, x27
	add	x27, x27, #1
	cmp	x2, x27
	fmul	d4, d4, d1
	fmadd	d4, d0, d5, d4
	str	d4, [x0, x13, lsl #3]
	b.ne	.LBB0_11
	b	.LBB0_4
.LBB0_12:
	ldp	x20, x19, [sp, #112]            // 16-byte Folded Reload
	ldp	x22, x21, [sp, #96]             // 16-byte Folded Reload
	ldp	x24, x23, [sp, #80]             // 16-byte Folded Reload
	ldp	x26, x25, [sp, #64]             // 16-byte Folded Reload
	ldp	x28, x27, [sp, #48]             // 16-byte Folded Reload
	ldp	x29, x30, [sp, #32]             // 16-byte Folded Reload
	add	sp, sp, #128
	ret
.Lfunc_end0:
	.size	stencil_3d, .Lfunc_end0-stencil_3d
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
