// SPDX-License-Identifier: MIT
// A program that executes exactly 4 * TURNS + 8 instructions: 8 around TURNS turns of 4, each
// with a load, a store and a conditional branch that is taken but for the last. TURNS is a
// symbol that the assembler is given.
	.text
	.globl	_start
_start:
	adrp	x1, cell			// 1
	add	x1, x1, :lo12:cell		// 2
	movz	x0, #(TURNS & 0xffff)		// 3
	movk	x0, #(TURNS >> 16), lsl #16	// 4: x0 = TURNS
.Lturn:
	ldr	x2, [x1]
	str	x2, [x1]
	subs	x0, x0, #1
	b.ne	.Lturn
	mov	x0, #0				// 5
	mov	x8, #93				// 6: exit
	nop					// 7
	svc	#0				// 8
	.bss
	.balign	64
cell:	.skip	64
