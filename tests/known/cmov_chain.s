# max(): cmp 1 + cmovl 1 = 2 cycles a step (cmovl reads SF and OF, one µop from BDW on).
# The destination of cmov is also a source.
# expect BDW,SKX,ICL,ZEN2,ZEN3,ZEN4 loop_carried=2
# HSW: cmov takes 2 cycles.
# expect HSW loop_carried=3
1:	cmp %rbx, %rax
	cmovl %rbx, %rax
	dec %rcx
	jnz 1b
