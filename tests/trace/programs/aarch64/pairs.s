// SPDX-License-Identifier: MIT
// Loads 16 (ldp x) 32 (ldp q) 64 (ld1 of four) 8 1, stores 16 64 4; 8 + 3 × 3 + 2 + 3 instructions.
	.globl _start
_start:
	adr x1, data
	ldp x2, x3, [x1]
	ldp q0, q1, [x1]
	ld1 {v2.16b-v5.16b}, [x1]
	ldr x4, [x1, 8]
	ldrb w5, [x1]
	stp x2, x3, [x1, 64]
	mov x6, 3
1:	subs x6, x6, 1
	nop
	b.ne 1b
	st1 {v2.16b-v5.16b}, [x1]
	str w5, [x1]
	mov x0, 7
	mov x8, 93
	svc 0
	.data
	.balign 64
data:	.skip 256
