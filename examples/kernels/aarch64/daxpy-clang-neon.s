	.text
	.file	"daxpy.c"
	.globl	daxpy                           // -- Begin function daxpy
	.p2align	4
	.type	daxpy,@function
daxpy:                                  // @daxpy
// %bb.0:
                                        // kill: def $d0 killed $d0 def $q0
	cbz	x2, .LBB0_8
// %bb.1:
	cmp	x2, #4
	b.hs	.LBB0_3
// %bb.2:
	mov	x8, xzr
	b	.LBB0_6
.LBB0_3:
	dup	v1.2d, v0.d[0]
	and	x8, x2, #0xfffffffffffffffc
	add	x9, x1, #16
	add	x10, x0, #16
	mov	x11, x8
	.p2align	5, 0x0, 16
.LBB0_4:                                // =>This Inner Loop Header: Depth=1
	ldp	q2, q3, [x9, #-16]
	add	x9, x9, #32
	subs	x11, x11, #4
	ldp	q4, q5, [x10, #-16]
	fmla	v5.2d, v3.2d, v1.2d
	fmla	v4.2d, v2.2d, v1.2d
	stp	q4, q5, [x10, #-16]
	add	x10, x10, #32
	b.ne	.LBB0_4
// %bb.5:
	cmp	x8, x2
	b.eq	.LBB0_8
.LBB0_6:
	lsl	x10, x8, #3
	sub	x9, x2, x8
	add	x8, x0, x10
	add	x10, x1, x10
	.p2align	5, 0x0, 16
.LBB0_7:                                // =>This Inner Loop Header: Depth=1
	ldr	d1, [x8]
	subs	x9, x9, #1
	ldr	d2, [x10], #8
	fmadd	d1, d0, d2, d1
	str	d1, [x8], #8
	b.ne	.LBB0_7
.LBB0_8:
	ret
.Lfunc_end0:
	.size	daxpy, .Lfunc_end0-daxpy
                                        // -- End function
	.ident	"Debian clang version 14.0.6"
	.section	".note.GNU-stack","",@progbits
	.addrsig
