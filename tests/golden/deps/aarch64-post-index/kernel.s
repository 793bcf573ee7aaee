// Each sum is stored where the next iteration but one loads it.
.L1:
	ldr	x1, [x0]
	ldr	x2, [x0, 8]
	add	x1, x1, x2
	str	x1, [x0, 16]
	add	x0, x0, 8
	cmp	x0, x3
	bne	.L1
