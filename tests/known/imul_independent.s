# Three independent multiplications on the one port that has a multiplier (p1).
# Each accumulator is a chain of 3 cycles.
# expect HSW,SKX,ICL ports=3 loop_carried=3
1:	imul %rsi, %rax
	imul %rsi, %rbx
	imul %rsi, %rdx
	dec %rcx
	jnz 1b
