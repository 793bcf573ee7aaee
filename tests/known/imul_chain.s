# imul r64, r64: latency 3 on every core here; 1 multiplier.
# expect SNB,HSW,SKX,ICL,SPR,ZEN3,ZEN4,ZEN5 loop_carried=3 cycles_per_iteration=3
1:	imul %rbx, %rax
	dec %rcx
	jnz 1b
