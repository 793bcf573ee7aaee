	movq $0, %rax
# OSACA-BEGIN
1:	addq (%rdi), %rax
	addq $8, %rdi
	cmpq %rdi, %rsi
	jne 1b
# OSACA-END
	ret
