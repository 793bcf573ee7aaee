.L2:
	ld a5,0(a0)
	add a4,a4,a5
	addi a0,a0,8
	bne a0,a3,.L2
