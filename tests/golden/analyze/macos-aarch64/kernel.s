	.section	__TEXT,__text,regular,pure_instructions
	.build_version macos, 11, 0
	.globl	_dot                            ; -- Begin function dot
	.p2align	2
_dot:                                   ; @dot
	.cfi_startproc
; %bb.0:
	cmp	w2, #1
	b.lt	LBB0_4
; %bb.1:
	mov	x8, #0
	mov	w9, w2
	movi	d0, #0000000000000000
Lloh0:
	adrp	x10, _weights@PAGE
Lloh1:
	add	x10, x10, _weights@PAGEOFF
LBB0_2:                                 ; =>This Inner Loop Header: Depth=1
	lsl	x11, x8, #3
	ldr	d1, [x0, x11]
	ldr	d2, [x1, x11]
	fmul	d1, d1, d2
	and	x11, x8, #0x3
	ldr	d2, [x10, x11, lsl #3]
	fmadd	d0, d1, d2, d0
	add	x8, x8, #1
	cmp	x9, x8
	b.ne	LBB0_2
; %bb.3:
	ret
LBB0_4:
	movi	d0, #0000000000000000
	ret
	.loh AdrpAdd	Lloh0, Lloh1
	.cfi_endproc
                                        ; -- End function
	.globl	_scaled                         ; -- Begin function scaled
	.p2align	2
_scaled:                                ; @scaled
	.cfi_startproc
; %bb.0:
	stp	d9, d8, [sp, #-48]!             ; 16-byte Folded Spill
	stp	x20, x19, [sp, #16]             ; 16-byte Folded Spill
	stp	x29, x30, [sp, #32]             ; 16-byte Folded Spill
	add	x29, sp, #32
	.cfi_def_cfa w29, 16
	.cfi_offset w30, -8
	.cfi_offset w29, -16
	.cfi_offset w19, -24
	.cfi_offset w20, -32
	.cfi_offset b8, -40
	.cfi_offset b9, -48
	cmp	w1, #1
	b.lt	LBB1_3
; %bb.1:
	mov	x19, x0
	mov	w20, w1
	movi	d8, #0000000000000000
LBB1_2:                                 ; =>This Inner Loop Header: Depth=1
	ldr	d0, [x19], #8
	bl	_scale
	fadd	d8, d8, d0
	subs	x20, x20, #1
	b.ne	LBB1_2
	b	LBB1_4
LBB1_3:
	movi	d8, #0000000000000000
LBB1_4:
	fmov	d0, d8
	ldp	x29, x30, [sp, #32]             ; 16-byte Folded Reload
	ldp	x20, x19, [sp, #16]             ; 16-byte Folded Reload
	ldp	d9, d8, [sp], #48               ; 16-byte Folded Reload
	ret
	.cfi_endproc
                                        ; -- End function
	.globl	_weights                        ; @weights
.zerofill __DATA,__common,_weights,32,3
.subsections_via_symbols
