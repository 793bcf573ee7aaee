	.arch armv8.2-a+crc+sve
	.file	"dot_product.c"
	.text
	.align	2
	.p2align 4,,11
	.global	dot_product
	.type	dot_product, %function
dot_product:
.LFB0:
	.cfi_startproc
	cbz	x2, .L4
	mov	x3, 0
	cntd	x4
	whilelo	p0.d, xzr, x2
	mov	z0.d, #0
	.p2align 3,,7
.L3:
	ld1d	z2.d, p0/z, [x0, x3, lsl 3]
	ld1d	z1.d, p0/z, [x1, x3, lsl 3]
	add	x3, x3, x4
	fmla	z0.d, p0/m, z1.d, z2.d
	whilelo	p0.d, x3, x2
	b.any	.L3
	ptrue	p0.b, all
	faddv	d0, p0, z0.d
	ret
	.p2align 2,,3
.L4:
	movi	d0, #0
	ret
	.cfi_endproc
.LFE0:
	.size	dot_product, .-dot_product
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
