# OSACA-BEGIN
	addq %rax, %rbx
