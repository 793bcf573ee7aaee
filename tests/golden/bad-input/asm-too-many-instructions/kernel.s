1:	decq %rcx
	.rept 100000000
	nop
	.endr
	jnz 1b
