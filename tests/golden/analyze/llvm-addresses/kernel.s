.L1:
	movq (%rdi), %rax
	addq $1, %rax
	movq %rax, (%rdi)
	decq %rcx
	jne .L1
