loop:
	vmovupd ymm0, [rsi+rax]
	vaddpd ymm0, ymm0, [rdi+rax]
	vmovupd [rdx+rax], ymm0
	add rax, 32
	cmp rax, rcx
	jne loop
