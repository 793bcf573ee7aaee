# The location is read and written each iteration. Store forwarding plus addition, as
# uops.info measured it from memory to memory (add m64, r64): 4 on SKX.
# expect SKX loop_carried=4
1:	add %rax, (%rdi)
	dec %rcx
	jnz 1b
