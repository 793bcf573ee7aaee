	.text
	.file	"stencil_3d.c"
	.globl	stencil_3d                      // -- Begin function stencil_3d
	.p2align	4
	.type	stencil_3d,@function
stencil_3d:                             // @stencil_3d
// %bb.0:
	str	x27, [sp, #-80]!                // 8-byte Folded Spill
	cmp	x2, #3
	stp	x26, x25, [sp, #16]             // 16-byte Folded Spill
                                        // kill: def $d1 killed $d1 def $q1
                                        // kill: def $d0 killed $d0 def $q0
	stp	x24, x23, [sp, #32]             // 16-byte Folded Spill
	stp	x22, x21, [sp, #48]             // 16-byte Folded Spill
	stp	x20, x19, [sp, #64]             // 16-byte Folded Spill
	b.lo	.LBB0_12
// %bb.1:
	add	x5, x2, #1
	mul	x10, x2, x2
	mov	w17, #8
	mul	x4, x2, x5
	lsl	x12, x2, #3
	add	x18, x1, #8
	bfi	x17, x2, #4, #60
	add	x16, x12, #16
	sub	x11, x2, #2
	madd	x16, x2, x16, x18
	dup	v2.2d, v0.d[0]
	and	x13, x11, #0xfffffffffffffffe
	madd	x17, x2, x17, x18
	mov	x8, xzr
	neg	x9, x2
	add	x5, x1, x5, lsl #3
	orr	x14, x11, #0x1
	add	x15, x13, #2
	lsl	x7, x4, #3
	add	x4, x1, x10, lsl #3
	neg	x18, x10
	add	x6, x7, x0
	lsl	x3, x10, #3
	add	x7, x1, x7
	add	x4, x4, #8
	add	x6, x6, #8
	mov	w19, #1
	mov	w21, #2
	b	.LBB0_3
	.p2align	5, 0x0, 16
.LBB0_2:                                //   in Loop: Header=BB0_3 Depth=1
	add	x21, x19, #1
	add	x8, x8, x3
	cmp	x21, x2
	b.eq	.LBB0_12
.LBB0_3:                                // =>This Loop Header: Depth=1
                                        //     Child Loop BB0_5 Depth 2
                                        //       Child Loop BB0_8 Depth 3
                                        //       Child Loop BB0_11 Depth 3
	mul	x20, x19, x2
	mov	x19, x21
	mov	x21, x8
	mov	w24, #2
	mov	w23, #1
	b	.LBB0_5
	.p2align	5, 0x0, 16
.LBB0_4:                                //   in Loop: Header=BB0_5 Depth=2
	add	x24, x22, #1
	add	x21, x21, x12
	mov	x23, x22
	cmp	x24, x2
	b.eq	.LBB0_2
.LBB0_5:                                //   Parent Loop BB0_3 Depth=1
                                        // =>  This Loop Header: Depth=2
                                        //       Child Loop BB0_8 Depth 3
                                        //       Child Loop BB0_11 Depth 3
	mov	x22, x24
	cmp	x11, #2
	b.hs	.LBB0_7
// %bb.6:                               //   in Loop: Header=BB0_5 Depth=2
	mov	w24, #2
	mov	w25, #1
	b	.LBB0_10
	.p2align	5, 0x0, 16
.LBB0_7:                                //   in Loop: Header=BB0_5 Depth=2
	mov	x24, x21
	mov	x25, x13
	.p2align	5, 0x0, 16
.LBB0_8:                                //   Parent Loop BB0_3 Depth=1
                                        //     Parent Loop BB0_5 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	add	x26, x7, x24
	ldr	q3, [x4, x24]
	ldp	q4, q5, [x26]
	subs	x25, x25, #2
	fadd	v4.2d, v4.2d, v5.2d
	ldr	q5, [x16, x24]
	fadd	v3.2d, v4.2d, v3.2d
	ldr	q4, [x5, x24]
	fadd	v3.2d, v3.2d, v5.2d
	ldr	q5, [x17, x24]
	fadd	v3.2d, v3.2d, v4.2d
	ldur	q4, [x26, #8]
	fadd	v3.2d, v3.2d, v5.2d
	fmul	v3.2d, v3.2d, v1.d[0]
	fmla	v3.2d, v4.2d, v2.2d
	str	q3, [x6, x24]
	add	x24, x24, #16
	b.ne	.LBB0_8
// %bb.9:                               //   in Loop: Header=BB0_5 Depth=2
	cmp	x11, x13
	mov	x24, x15
	mov	x25, x14
	b.eq	.LBB0_4
.LBB0_10:                               //   in Loop: Header=BB0_5 Depth=2
	add	x23, x23, x20
	mul	x23, x23, x2
	add	x26, x1, x23, lsl #3
	.p2align	5, 0x0, 16
.LBB0_11:                               //   Parent Loop BB0_3 Depth=1
                                        //     Parent Loop BB0_5 Depth=2
                                        // =>    This Inner Loop Header: Depth=3
	add	x27, x26, x25, lsl #3
	add	x25, x25, x23
	ldr	d5, [x27, #8]
	ldp	d3, d4, [x27, #-8]
	fadd	d3, d3, d5
	ldr	d5, [x27, x9, lsl #3]
	fadd	d3, d3, d5
	ldr	d5, [x27, x2, lsl #3]
	fadd	d3, d3, d5
	ldr	d5, [x27, x18, lsl #3]
	fadd	d3, d3, d5
	ldr	d5, [x27, x10, lsl #3]
	fadd	d3, d3, d5
	fmul	d3, d3, d1
	fmadd	d3, d0, d4, d3
	str	d3, [x0, x25, lsl #3]
	mov	x25, x24
	add	x24, x24, #1
	cmp	x2, x24
	b.ne	.LBB0_11
	b	.LBB0_4
.LBB0_12:
	ldp	x20, x19, [sp, #64]             // 16-byte Folded Reload
	ldp	x22, x21, [sp, #48]             // 16-byte Folded Reload
	ldp	x24, x23, [sp, #32]             // 16-byte Folded Reload
	ldp	x26, x25, [sp, #16]             // 16-byte Folded Reload
	ldr	x27, [sp], #80                  // 8-byte Folded Reload
	ret
.Lfunc_end0:
	.size	stencil_3d, .Lfunc_end0-stencil_3d
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
