	.globl other
other:
	frobnicate %rax
	ret
	.globl sum
sum:
	xorl %eax, %eax
	notyet %zmm40, %xmm1
.L2:
	futureop (%rdi), %xmm1
	vaddsd (%rdi,%rax,8), %xmm0, %xmm0
	bogus
	incq %rax
	cmpq %rax, %rsi
	jne .L2
	ret
	# LLVM-MCA-BEGIN pair
	addq %rax, %rbx
	addq %rbx, %rcx
	# LLVM-MCA-END pair
	worse
