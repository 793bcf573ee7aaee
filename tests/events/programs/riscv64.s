# SPDX-License-Identifier: MIT
	.bss
	.balign 64
data:	.skip 4096
	.text
	.globl _start
	.attribute arch, "rv64gc"

	.macro mark operation, value
	li a7, 0x5a000000 + (\operation << 16) + \value
	ecall
	.endm

_start:
	la s0, data
	mark 0, 'a'
	mark 1, 1
	mark 2, 1
	fadd.s f0, f1, f2
	fmadd.d f0, f1, f2, f3
	fdiv.d f0, f1, f2
	feq.d a0, f0, f1
	fcvt.d.s f0, f1
	fsgnj.d f0, f1, f1
	li a1, 3
	divu a2, a1, a1
	remw a2, a1, a1
	ld a2, 0(s0)
	fsd f0, 8(s0)
	amoadd.w a2, a1, (s0)
	lr.d a2, (s0)
	sc.d a3, a2, (s0)
	jal ra, 2f
	j 3f
2:	ret
3:	mark 3, 1
	li a7, 93
	li a0, 0
	ecall
