	.arch armv8.2-a+crc+sve
	.file	"stream_triad.c"
	.text
	.align	2
	.p2align 4,,11
	.global	stream_triad
	.type	stream_triad, %function
stream_triad:
.LFB0:
	.cfi_startproc
	cbz	x3, .L1
	mov	x4, 0
	cntd	x5
	mov	z0.d, d0
	whilelo	p0.d, xzr, x3
	ptrue	p1.b, all
	.p2align 3,,7
.L3:
	ld1d	z2.d, p0/z, [x1, x4, lsl 3]
	ld1d	z1.d, p0/z, [x2, x4, lsl 3]
	fmad	z1.d, p1/m, z0.d, z2.d
	st1d	z1.d, p0, [x0, x4, lsl 3]
	add	x4, x4, x5
	whilelo	p0.d, x4, x3
	b.any	.L3
.L1:
	ret
	.cfi_endproc
.LFE0:
	.size	stream_triad, .-stream_triad
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
