f:
	ld1d {z0.d}, p0/z, [x0, x1, lsl #3]
	fmla z1.d, p0/m, z0.d, z0.d
	incd x1
	whilelo p0.d, x1, x2
	b.first f
