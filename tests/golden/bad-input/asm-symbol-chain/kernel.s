1:	decq %rcx
	jnz 1b
	.set a0, a1 + a1
	.set a1, a2 + a2
	.set a2, a3 + a3
	.set a3, a4 + a4
	.set a4, a5 + a5
	.set a5, a6 + a6
	.set a6, a7 + a7
	.set a7, a8 + a8
	.set a8, a9 + a9
	.set a9, a10 + a10
	.set a10, a11 + a11
	.set a11, a12 + a12
	.set a12, a13 + a13
	.set a13, a14 + a14
	.set a14, a15 + a15
	.set a15, a16 + a16
	.set a16, a17 + a17
	.set a17, a18 + a18
	.set a18, a19 + a19
	.set a19, a20 + a20
	.set a20, a21 + a21
	.set a21, a22 + a22
	.set a22, a23 + a23
	.set a23, a24 + a24
	.set a24, a25 + a25
	.set a25, 1
