	.file	"stream_triad.c"
	.text
	.p2align 4
	.globl	stream_triad
	.type	stream_triad, @function
stream_triad:
	testq	%rcx, %rcx
	je	.L23
	leaq	-1(%rcx), %rax
	cmpq	$2, %rax
	jbe	.L8
	movq	%rcx, %r8
	shrq	$2, %r8
	vbroadcastsd	%xmm0, %ymm2
	salq	$5, %r8
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L4:
	vmovupd	(%rdx,%rax), %ymm1
	vfmadd213pd	(%rsi,%rax), %ymm2, %ymm1
	vmovupd	%ymm1, (%rdi,%rax)
	addq	$32, %rax
	cmpq	%r8, %rax
	jne	.L4
	testb	$3, %cl
	je	.L22
	movq	%rcx, %rax
	andq	$-4, %rax
	vzeroupper
.L3:
	subq	%rax, %rcx
	cmpq	$1, %rcx
	je	.L6
	vmovupd	(%rsi,%rax,8), %xmm4
	vmovddup	%xmm0, %xmm1
	vfmadd132pd	(%rdx,%rax,8), %xmm4, %xmm1
	vmovupd	%xmm1, (%rdi,%rax,8)
	testb	$1, %cl
	je	.L23
	andq	$-2, %rcx
	addq	%rcx, %rax
.L6:
	vmovsd	(%rsi,%rax,8), %xmm3
	vfmadd132sd	(%rdx,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, (%rdi,%rax,8)
	ret
	.p2align 4,,10
	.p2align 3
.L22:
	vzeroupper
.L23:
	ret
.L8:
	xorl	%eax, %eax
	jmp	.L3
	.size	stream_triad, .-stream_triad
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
