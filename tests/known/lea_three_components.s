# lea with base, index and displacement: 3 cycles on SNB to CLX (p1 only), address to result.
# expect SNB,HSW,SKX loop_carried=3 cycles_per_iteration=3
1:	lea 5(%rax,%rbx,2), %rax
	dec %rcx
	jnz 1b
