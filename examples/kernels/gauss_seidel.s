	.file	"gauss_seidel.f90"
	.text
	.p2align 4
	.globl	gauss_seidel_
	.type	gauss_seidel_, @function
gauss_seidel_:
	pushq	%r13
	movq	%rdx, %rcx
	pushq	%r12
	pushq	%rbp
	pushq	%rbx
	movslq	(%rsi), %r8
	movl	(%rcx), %r12d
	movq	%r8, %rdx
	movl	$0, %esi
	incq	%r8
	cmovs	%rsi, %r8
	cmpl	$1, %r12d
	jle	.L44
	cmpl	$1, %edx
	jle	.L44
	subl	$2, %edx
	leaq	0(,%r8,8), %rbp
	addq	%r8, %rdx
	vmovsd	.LC0(%rip), %xmm1
	leaq	8(%rdi,%rbp), %rsi
	leaq	(%r8,%r8), %rbx
	leaq	16(%rdi,%rdx,8), %rdi
	movq	%r8, %r9
	xorl	%r11d, %r11d
	movl	$1, %r10d
	.p2align 4,,10
	.p2align 3
.L6:
	movq	%rdi, %r13
	subq	%rsi, %r13
	subq	$8, %r13
	shrq	$3, %r13
	movq	%r11, %rcx
	movq	%rbx, %rdx
	incq	%r13
	vmovsd	-8(%rsi), %xmm15
	incl	%r10d
	movq	%rsi, %rax
	subq	%r9, %rcx
	subq	%r9, %rdx
	andl	$7, %r13d
	je	.L4
	cmpq	$1, %r13
	je	.L29
	cmpq	$2, %r13
	je	.L30
	cmpq	$3, %r13
	je	.L31
	cmpq	$4, %r13
	je	.L32
	cmpq	$5, %r13
	je	.L33
	cmpq	$6, %r13
	je	.L34
	vmovsd	(%rsi,%rcx,8), %xmm2
	vaddsd	(%rsi,%rdx,8), %xmm15, %xmm0
	vaddsd	8(%rsi), %xmm2, %xmm3
	leaq	8(%rsi), %rax
	vaddsd	%xmm0, %xmm3, %xmm4
	vmulsd	%xmm1, %xmm4, %xmm15
	vmovsd	%xmm15, (%rsi)
.L34:
	vmovsd	(%rax,%rcx,8), %xmm5
	vaddsd	(%rax,%rdx,8), %xmm15, %xmm7
	vaddsd	8(%rax), %xmm5, %xmm6
	addq	$8, %rax
	vaddsd	%xmm7, %xmm6, %xmm8
	vmulsd	%xmm1, %xmm8, %xmm15
	vmovsd	%xmm15, -8(%rax)
.L33:
	vmovsd	(%rax,%rcx,8), %xmm9
	vaddsd	(%rax,%rdx,8), %xmm15, %xmm11
	vaddsd	8(%rax), %xmm9, %xmm10
	addq	$8, %rax
	vaddsd	%xmm11, %xmm10, %xmm12
	vmulsd	%xmm1, %xmm12, %xmm15
	vmovsd	%xmm15, -8(%rax)
.L32:
	vmovsd	(%rax,%rcx,8), %xmm13
	vaddsd	(%rax,%rdx,8), %xmm15, %xmm15
	vaddsd	8(%rax), %xmm13, %xmm14
	addq	$8, %rax
	vaddsd	%xmm15, %xmm14, %xmm2
	vmulsd	%xmm1, %xmm2, %xmm15
	vmovsd	%xmm15, -8(%rax)
.L31:
	vmovsd	(%rax,%rcx,8), %xmm3
	vaddsd	(%rax,%rdx,8), %xmm15, %xmm0
	vaddsd	8(%rax), %xmm3, %xmm4
	addq	$8, %rax
	vaddsd	%xmm0, %xmm4, %xmm5
	vmulsd	%xmm1, %xmm5, %xmm15
	vmovsd	%xmm15, -8(%rax)
.L30:
	vmovsd	(%rax,%rcx,8), %xmm6
	vaddsd	(%rax,%rdx,8), %xmm15, %xmm8
	vaddsd	8(%rax), %xmm6, %xmm7
	addq	$8, %rax
	vaddsd	%xmm8, %xmm7, %xmm9
	vmulsd	%xmm1, %xmm9, %xmm15
	vmovsd	%xmm15, -8(%rax)
.L29:
	vmovsd	(%rax,%rcx,8), %xmm10
	vaddsd	(%rax,%rdx,8), %xmm15, %xmm12
	vaddsd	8(%rax), %xmm10, %xmm11
	addq	$8, %rax
	vaddsd	%xmm12, %xmm11, %xmm13
	vmulsd	%xmm1, %xmm13, %xmm15
	vmovsd	%xmm15, -8(%rax)
	cmpq	%rax, %rdi
	je	.L43
.L4:
	vmovsd	(%rax,%rcx,8), %xmm14
	vaddsd	(%rax,%rdx,8), %xmm15, %xmm3
	vaddsd	8(%rax), %xmm14, %xmm2
	leaq	8(%rax), %r13
	vaddsd	%xmm3, %xmm2, %xmm4
	vmulsd	%xmm1, %xmm4, %xmm5
	vmovsd	%xmm5, (%rax)
	vmovsd	0(%r13,%rcx,8), %xmm0
	vaddsd	0(%r13,%rdx,8), %xmm5, %xmm7
	vaddsd	16(%rax), %xmm0, %xmm6
	leaq	16(%rax), %r13
	vaddsd	%xmm7, %xmm6, %xmm8
	vmulsd	%xmm1, %xmm8, %xmm9
	vmovsd	%xmm9, 8(%rax)
	vmovsd	0(%r13,%rcx,8), %xmm10
	vaddsd	0(%r13,%rdx,8), %xmm9, %xmm12
	vaddsd	24(%rax), %xmm10, %xmm11
	leaq	24(%rax), %r13
	vaddsd	%xmm12, %xmm11, %xmm13
	vmulsd	%xmm1, %xmm13, %xmm15
	vmovsd	%xmm15, 16(%rax)
	vmovsd	0(%r13,%rcx,8), %xmm14
	vaddsd	0(%r13,%rdx,8), %xmm15, %xmm2
	vaddsd	32(%rax), %xmm14, %xmm3
	leaq	32(%rax), %r13
	vaddsd	%xmm2, %xmm3, %xmm4
	vmulsd	%xmm1, %xmm4, %xmm5
	vmovsd	%xmm5, 24(%rax)
	vmovsd	0(%r13,%rcx,8), %xmm0
	vaddsd	0(%r13,%rdx,8), %xmm5, %xmm7
	vaddsd	40(%rax), %xmm0, %xmm6
	leaq	40(%rax), %r13
	vaddsd	%xmm7, %xmm6, %xmm8
	vmulsd	%xmm1, %xmm8, %xmm9
	vmovsd	%xmm9, 32(%rax)
	vmovsd	0(%r13,%rcx,8), %xmm10
	vaddsd	0(%r13,%rdx,8), %xmm9, %xmm12
	vaddsd	48(%rax), %xmm10, %xmm11
	leaq	48(%rax), %r13
	vaddsd	%xmm12, %xmm11, %xmm13
	vmulsd	%xmm1, %xmm13, %xmm15
	vmovsd	%xmm15, 40(%rax)
	vmovsd	0(%r13,%rcx,8), %xmm14
	vaddsd	0(%r13,%rdx,8), %xmm15, %xmm2
	vaddsd	56(%rax), %xmm14, %xmm3
	leaq	56(%rax), %r13
	addq	$64, %rax
	vaddsd	%xmm2, %xmm3, %xmm4
	vmulsd	%xmm1, %xmm4, %xmm5
	vmovsd	%xmm5, -16(%rax)
	vmovsd	0(%r13,%rcx,8), %xmm0
	vaddsd	0(%r13,%rdx,8), %xmm5, %xmm7
	vaddsd	(%rax), %xmm0, %xmm6
	vaddsd	%xmm7, %xmm6, %xmm8
	vmulsd	%xmm1, %xmm8, %xmm15
	vmovsd	%xmm15, -8(%rax)
	cmpq	%rax, %rdi
	jne	.L4
.L43:
	addq	%rbp, %rsi
	addq	%r8, %r9
	addq	%r8, %r11
	addq	%r8, %rbx
	addq	%rbp, %rdi
	cmpl	%r10d, %r12d
	jne	.L6
.L44:
	popq	%rbx
	popq	%rbp
	popq	%r12
	popq	%r13
	ret
	.size	gauss_seidel_, .-gauss_seidel_
	.section	.rodata.cst8,"aM",@progbits,8
	.align 8
.LC0:
	.long	0
	.long	1070596096
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
