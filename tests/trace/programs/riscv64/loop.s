# SPDX-License-Identifier: MIT
# 2 + 4 × 100 + 6 instructions; a load and a store of 8 bytes in each turn.
	.globl _start
_start:
	addi t0, zero, 100
	addi a1, sp, -64
1:	ld t1, 0(a1)
	sd t1, 8(a1)
	addi t0, t0, -1
	bnez t0, 1b
	jal ra, 2f
	li a0, 5
	li a7, 93
	ecall
2:	beqz t0, 3f
	nop
3:	ret
