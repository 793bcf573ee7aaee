# The location is read and written each iteration. Store forwarding plus addition, as
# uops.info measured through memory: 5 on SKX (add m64, r64, memory to memory).
# expect SKX loop_carried=5
1:	add %rax, (%rdi)
	dec %rcx
	jnz 1b
