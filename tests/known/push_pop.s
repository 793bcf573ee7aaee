# rsp is renamed away by the stack engine: no chain of 5 cycles a pop. rax is pushed, and
# rbx popped; nothing but the counter is carried.
# expect SKX,ICL,ZEN3 loop_carried=1
1:	push %rax
	pop %rbx
	dec %rcx
	jnz 1b
