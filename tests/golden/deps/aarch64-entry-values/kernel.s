.L1:
	ldr	q0, [x0], 16
	fadd	v0.2d, v0.2d, v1.2d
	str	q0, [x1], 16
	subs	x2, x2, 1
	bne	.L1
