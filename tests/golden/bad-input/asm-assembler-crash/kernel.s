.intel_syntax noprefix
1:	mov eax, dword ptr [rax+1/0]
	jnz 1b
