# max(): cmp 1 + cmovl 1 = 2 cycles a step (cmovl reads SF and OF, one µop from BDW on).
# The destination of cmov is also a source.
# expect BDW,SKX,ICL,ZEN3,ZEN4 loop_carried=2 cycles_per_iteration=2
# HSW: cmov takes 2 cycles; ZEN2: 2 from flags that hold more than the carry (uops.info).
# expect HSW,ZEN2 loop_carried=3 cycles_per_iteration=3
1:	cmp %rbx, %rax
	cmovl %rbx, %rax
	dec %rcx
	jnz 1b
