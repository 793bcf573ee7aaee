# shld with different registers: latency 3 on HSW to CLX (p1); 1 on SNB.
# expect SNB loop_carried=1
# expect HSW,SKX loop_carried=3 cycles_per_iteration=3
1:	shld $3, %rbx, %rax
	dec %rcx
	jnz 1b
