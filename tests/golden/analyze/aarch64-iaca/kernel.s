	mov x5, 0
	mov x1, #111
	.byte 213,3,32,31
1:	fmla v0.2d, v1.2d, v2.2d
	subs x0, x0, 1
	bne 1b
	mov x1, #222
	.byte 213,3,32,31
