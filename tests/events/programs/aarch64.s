// SPDX-License-Identifier: MIT
	.bss
	.balign 64
data:	.skip 4096
	.text
	.globl _start

	.macro mark operation, value
	ldr w8, =0x5a000000 + (\operation << 16) + \value
	svc 0
	.endm

_start:
	adrp x1, data
	add x1, x1, :lo12:data
	mark 0, 'a'
	mark 1, 1
	mark 2, 1
	fadd s0, s1, s2
	fmadd d0, d1, d2, d3
	fmla v0.2d, v1.2d, v2.2d
	fmul v0.4s, v1.4s, v2.4s
	fdiv v0.2s, v1.2s, v2.2s
	fcmp d0, d1
	fcvt d0, s0
	add v0.4s, v1.4s, v2.4s
	ldp x2, x3, [x1]
	ldr q0, [x1]
	stnp x2, x3, [x1]
	str w2, [x1]
	prfm pldl1keep, [x1]
	mov w5, 4
	udiv w4, w5, w5
1:	ldxr x2, [x1]
	stxr w3, x2, [x1]
	cbnz w3, 1b
	yield
	bl 2f
	b 3f
2:	ret
3:	mark 3, 1
	mov x8, 93
	mov x0, 0
	svc 0
