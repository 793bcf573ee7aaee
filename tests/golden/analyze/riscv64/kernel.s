# LLVM-MCA-BEGIN axpy
.L1:
	fld	fa5, 0(a0)
	fld	fa4, 0(a1)
	fmadd.d	fa4, fa0, fa5, fa4
	fsd	fa4, 0(a1)
	addi	a0, a0, 8
	addi	a1, a1, 8
	bne	a0, a2, .L1
# LLVM-MCA-END
