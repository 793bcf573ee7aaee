	.globl dot
dot:	addq %rax, %rbx
	ret
