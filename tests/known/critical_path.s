# One iteration from start to end on SKX: load 5 (rax), imul 3, then the store: data to
# forwardable value 1 (the load that forwards adds the rest, docs/formats/models.md).
# 5 + 3 + 1 = 9. The counter is off the path.
# expect SKX critical_path=9 loop_carried=1
1:	mov (%rsi), %rax
	imul %rbx, %rax
	mov %rax, (%rdi)
	dec %rcx
	jnz 1b
