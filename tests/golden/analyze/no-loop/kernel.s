f:
	addsd %xmm0, %xmm1
	mulsd %xmm1, %xmm2
