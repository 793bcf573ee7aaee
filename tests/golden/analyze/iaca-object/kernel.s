	.globl main
main:
	xorl %eax, %eax
	movl $111, %ebx
	.byte 100,103,144
1:	addq (%rdi), %rax
	addq $8, %rdi
	cmpq %rdi, %rsi
	jne 1b
	movl $222, %ebx
	.byte 100,103,144
	ret
