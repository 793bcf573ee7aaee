jacobi:
	addsd %xmm1, %xmm0
	sub $1, %eax
	jne jacobi
