// SPDX-License-Identifier: MIT
// A program that executes exactly 4,104 instructions, 1,024 of which write to pages that nobody
// wrote to before: 8 around 1,024 turns of 4.
	.text
	.globl	_start
_start:
	adrp	x1, pages			// 1
	add	x1, x1, :lo12:pages		// 2
	mov	x0, #1024			// 3
	mov	x2, #4096			// 4
.Lturn:
	str	x0, [x1]
	add	x1, x1, x2
	subs	x0, x0, #1
	b.ne	.Lturn
	mov	x0, #0				// 5
	mov	x8, #93				// 6: exit
	nop					// 7
	svc	#0				// 8
	.bss
	.balign	4096
pages:	.skip	1024 * 4096
