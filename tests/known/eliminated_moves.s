# Two moves and an addition in a chain. With move elimination the moves cost nothing:
# 1 cycle. ICL cannot eliminate general moves (erratum): 3 cycles.
# expect IVB,SKX,ZEN2,ZEN3,ZEN4 loop_carried=1
# expect SNB,ICL loop_carried=3 cycles_per_iteration=3
1:	mov %rax, %rbx
	mov %rbx, %rax
	add %rdx, %rax
	dec %rcx
	jnz 1b
