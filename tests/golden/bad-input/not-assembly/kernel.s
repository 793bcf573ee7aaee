	addq %rax, %rbx
	addq %rax, %rbxx
	frobnicate %rax
