# A write of al keeps the rest of rax: the addition of 1 cycle chains through the byte,
# and bl's move merges into rbx.
# expect HSW,SKX,ICL loop_carried=2 cycles_per_iteration=2
1:	add $1, %al
	add %al, %al
	dec %rcx
	jnz 1b
