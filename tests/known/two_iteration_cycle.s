# rax and rbx swap roles each iteration: the chain visits both before it closes, 2 + 3 cycles
# of latency over two iterations. rax' = rbx * k (imul 3), rbx' = rax + rax (add 1):
# 4 cycles over 2 iterations = 2 per iteration; on SKX a move in twenty finds no slot to be
# eliminated with.
# expect SKX,ZEN3 loop_carried=2
# expect ZEN3 cycles_per_iteration=2
1:	mov %rax, %rdx
	mov %rbx, %rax
	imul %rsi, %rax
	lea (%rdx,%rdx), %rbx
	dec %rcx
	jnz 1b
