# shld with different registers: latency 3 on Intel (p1).
# expect SNB,HSW,SKX loop_carried=3
1:	shld $3, %rbx, %rax
	dec %rcx
	jnz 1b
