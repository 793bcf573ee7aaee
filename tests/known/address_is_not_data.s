# The pointer (1 cycle) and the accumulator (1 cycle) are separate chains: the load waits
# for the pointer, but nothing carried waits for the load. On an instruction-level graph
# the post-increment would join them.
# expect SKX,ICL,ZEN3 loop_carried=1
1:	mov (%rdi), %rax
	add $8, %rdi
	add %rax, %rbx
	dec %rcx
	jnz 1b
