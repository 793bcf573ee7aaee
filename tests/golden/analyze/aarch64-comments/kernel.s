# a comment line
	mov x1, 5
	// LLVM-MCA-BEGIN foo
1:	fmla v0.2d, v1.2d, v2.2d
	subs x0, x0, 1
	bne 1b
	// LLVM-MCA-END foo
# OSACA-BEGIN
1:	fmla v0.2d, v1.2d, v2.2d
# OSACA-END
