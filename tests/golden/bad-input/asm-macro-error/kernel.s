.macro load r
	movv (%rsi), \r
.endm
	nop
	load %eax
