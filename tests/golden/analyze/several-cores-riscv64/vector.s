.L2:
	vle64.v v8,(a0)
	vadd.vv v9,v9,v8
	addi a0,a0,8
	bne a0,a3,.L2
