# A displacement of 2048 or more is outside the fast path: 5 cycles on SKX.
# expect SKX,ICL loop_carried=5 cycles_per_iteration=5
1:	mov 4096(%rax), %rax
	dec %rcx
	jnz 1b
