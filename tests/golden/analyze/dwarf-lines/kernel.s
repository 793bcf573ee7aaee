	.file 1 "kernel.c"
	.loc 1 3
l:	add %rax, %rax
	.loc 1 4
	dec %rcx
	jne l
