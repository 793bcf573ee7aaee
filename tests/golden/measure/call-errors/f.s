	.globl add_up, needs
	.type add_up, @function
	.type needs, @function
add_up:	lea (%rdi,%rsi), %rax
	ret
needs:	call nobody_has_this@PLT
	mov counter@gottpoff(%rip), %rax
	ret
