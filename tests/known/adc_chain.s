# Carry and value go through adc: 1 cycle each from BDW on; 2 on HSW and before, where
# adc is two µops. dec leaves the carry alone, so the chain crosses the back edge.
# expect BDW,SKX,ICL,ZEN2,ZEN3 loop_carried=4 cycles_per_iteration=4
# expect HSW loop_carried=8 cycles_per_iteration=8
1:	adc %rbx, %rax
	adc %rsi, %rax
	adc %rdi, %rax
	adc %rbx, %rax
	dec %rcx
	jnz 1b
