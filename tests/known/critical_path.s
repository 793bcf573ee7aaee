# One iteration from start to end on SKX: load 5 (rax), imul 3, then the store: data to
# forwardable value 4. 5 + 3 + 4 = 12. The counter is off the path.
# expect SKX critical_path=12 loop_carried=1
1:	mov (%rsi), %rax
	imul %rbx, %rax
	mov %rax, (%rdi)
	dec %rcx
	jnz 1b
