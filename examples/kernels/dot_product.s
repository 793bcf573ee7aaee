	.file	"dot_product.c"
	.text
	.p2align 4
	.globl	dot_product
	.type	dot_product, @function
dot_product:
	movq	%rdi, %rcx
	testq	%rdx, %rdx
	je	.L9
	leaq	-1(%rdx), %rax
	cmpq	$2, %rax
	jbe	.L10
	movq	%rdx, %rdi
	shrq	$2, %rdi
	salq	$5, %rdi
	xorl	%eax, %eax
	vxorpd	%xmm1, %xmm1, %xmm1
	.p2align 4,,10
	.p2align 3
.L4:
	vmovupd	(%rcx,%rax), %ymm4
	vfmadd231pd	(%rsi,%rax), %ymm4, %ymm1
	addq	$32, %rax
	cmpq	%rax, %rdi
	jne	.L4
	vextractf64x2	$0x1, %ymm1, %xmm3
	vaddpd	%xmm1, %xmm3, %xmm2
	vunpckhpd	%xmm2, %xmm2, %xmm0
	vaddpd	%xmm2, %xmm0, %xmm0
	testb	$3, %dl
	je	.L21
	movq	%rdx, %rax
	andq	$-4, %rax
	vaddpd	%xmm3, %xmm1, %xmm1
	vzeroupper
.L3:
	subq	%rax, %rdx
	cmpq	$1, %rdx
	je	.L7
	vmovupd	(%rcx,%rax,8), %xmm6
	vfmadd231pd	(%rsi,%rax,8), %xmm6, %xmm1
	vunpckhpd	%xmm1, %xmm1, %xmm0
	vaddpd	%xmm1, %xmm0, %xmm0
	testb	$1, %dl
	je	.L1
	andq	$-2, %rdx
	addq	%rdx, %rax
.L7:
	vmovsd	(%rcx,%rax,8), %xmm5
	vfmadd231sd	(%rsi,%rax,8), %xmm5, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L21:
	vzeroupper
.L1:
	ret
	.p2align 4,,10
	.p2align 3
.L9:
	vxorpd	%xmm0, %xmm0, %xmm0
	ret
.L10:
	vxorpd	%xmm1, %xmm1, %xmm1
	xorl	%eax, %eax
	vxorpd	%xmm0, %xmm0, %xmm0
	jmp	.L3
	.size	dot_product, .-dot_product
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
