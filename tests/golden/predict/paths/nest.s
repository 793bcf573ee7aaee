	.text
	.globl	nest
	.type	nest, @function
# rdi: iterations of the outer loop. The inner loop runs 8 times, as constants say; the last loop ends
# as memory says.
nest:
	testq	%rdi, %rdi
	jle	.Lend
	xorl	%eax, %eax
.Louter:
	movl	$8, %ecx
.Linner:
	addq	(%rsi), %rax
	imulq	$3, %rax, %rax
	decl	%ecx
	jne	.Linner
	addq	$8, %rsi
	decq	%rdi
	jne	.Louter
.Llist:
	movq	(%rdx), %rdx
	testq	%rdx, %rdx
	jne	.Llist
.Lend:
	ret
	.size	nest, .-nest
