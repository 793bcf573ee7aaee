	addq %rax, %rbx
	imulq %rbx, %rcx
	addq %rcx, %rdx
	nop
	imulq %rdx, %rax
