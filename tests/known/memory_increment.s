# The location is read and written each iteration: load from the store 3 + addition 1 +
# store 1 on SKX. HSW: a cycle more for the way through the store.
# expect SKX loop_carried=5 cycles_per_iteration=5
# expect HSW loop_carried=6 cycles_per_iteration=6
1:	add %rax, (%rdi)
	dec %rcx
	jnz 1b
