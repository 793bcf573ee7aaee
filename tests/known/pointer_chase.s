# Each load waits for the one before. Load to use: 5 cycles on ICL and after; 4 on SNB to
# RKL's predecessors when the base was itself loaded and the displacement is small
# (uiCA paper, "fast pointer chasing"); 4 on Zen.
# expect HSW,SKX loop_carried=4 cycles_per_iteration=4
# expect ICL,SPR loop_carried=5 cycles_per_iteration=5
# expect ZEN+,ZEN2,ZEN3,ZEN4,ZEN5 loop_carried=4 cycles_per_iteration=4
1:	mov (%rax), %rax
	dec %rcx
	jnz 1b
