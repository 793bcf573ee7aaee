f:
	ld a0, 0(a1)
	addi a1, a1, 8
	add a2, a2, a0
	bne a1, a3, f
