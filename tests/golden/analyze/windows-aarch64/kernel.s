	.text
	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
.set @feat.00, 0
	.file	"kernel.c"
	.def	dot;
	.scl	2;
	.type	32;
	.endef
	.globl	dot                             // -- Begin function dot
	.p2align	2
dot:                                    // @dot
// %bb.0:
	cmp	w2, #1
	b.lt	.LBB0_4
// %bb.1:
	movi	d0, #0000000000000000
	adrp	x10, weights
	mov	x8, xzr
	mov	w9, w2
	add	x10, x10, :lo12:weights
.LBB0_2:                                // =>This Inner Loop Header: Depth=1
	lsl	x11, x8, #3
	ldr	d1, [x0, x11]
	ldr	d2, [x1, x11]
	and	x11, x8, #0x3
	add	x8, x8, #1
	cmp	x9, x8
	fmul	d1, d1, d2
	ldr	d2, [x10, x11, lsl #3]
	fmadd	d0, d1, d2, d0
	b.ne	.LBB0_2
// %bb.3:
	ret
.LBB0_4:
	movi	d0, #0000000000000000
	ret
                                        // -- End function
	.def	scaled;
	.scl	2;
	.type	32;
	.endef
	.globl	scaled                          // -- Begin function scaled
	.p2align	2
scaled:                                 // @scaled
.seh_proc scaled
// %bb.0:
	stp	x19, x20, [sp, #-32]!           // 16-byte Folded Spill
	.seh_save_regp_x	x19, 32
	str	x30, [sp, #16]                  // 8-byte Folded Spill
	.seh_save_reg	x30, 16
	str	d8, [sp, #24]                   // 8-byte Folded Spill
	.seh_save_freg	d8, 24
	.seh_endprologue
	cmp	w1, #1
	b.lt	.LBB1_3
// %bb.1:
	movi	d8, #0000000000000000
	mov	x19, x0
	mov	w20, w1
.LBB1_2:                                // =>This Inner Loop Header: Depth=1
	ldr	d0, [x19], #8
	bl	scale
	fadd	d8, d8, d0
	subs	x20, x20, #1
	b.ne	.LBB1_2
	b	.LBB1_4
.LBB1_3:
	movi	d8, #0000000000000000
.LBB1_4:
	fmov	d0, d8
	.seh_startepilogue
	ldr	d8, [sp, #24]                   // 8-byte Folded Reload
	.seh_save_freg	d8, 24
	ldr	x30, [sp, #16]                  // 8-byte Folded Reload
	.seh_save_reg	x30, 16
	ldp	x19, x20, [sp], #32             // 16-byte Folded Reload
	.seh_save_regp_x	x19, 32
	.seh_endepilogue
	ret
	.seh_endfunclet
	.seh_endproc
                                        // -- End function
	.bss
	.globl	weights                         // @weights
	.p2align	3
weights:
	.zero	32

	.addrsig
