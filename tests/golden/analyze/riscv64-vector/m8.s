	# LLVM-MCA-BEGIN add
	# LLVM-MCA-RISCV-LMUL M8
	# LLVM-MCA-RISCV-SEW E32 single precision
.Lloop:
	vle32.v	v8, (a0)
	vle32.v	v16, (a1)
	vadd.vv	v8, v8, v16
	vse32.v	v8, (a2)
	addi	a0, a0, 64
	addi	a1, a1, 64
	addi	a2, a2, 64
	bne	a0, a3, .Lloop
	# LLVM-MCA-END add
