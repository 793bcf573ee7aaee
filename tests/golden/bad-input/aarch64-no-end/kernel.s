	mov x1, #111
	.byte 213,3,32,31
1:	fmla v0.2d, v1.2d, v2.2d
