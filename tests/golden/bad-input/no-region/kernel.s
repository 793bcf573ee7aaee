.globl f
f:
1:	addq %rax, %rbx
	decl %ecx
	jnz 1b
	ret
