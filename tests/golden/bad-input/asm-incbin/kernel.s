	addq %rax, %rbx
f:	nop; .INCBIN "/etc/passwd"
