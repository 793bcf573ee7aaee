1:
	vmovups %ymm0, (%rdi)
	add $8, %rax
	cmp %rbx, %rax
	jne 1b
