# Two locked additions to different places: one after the other, 18 cycles each as measured by
# uops.info (throughput of lock add m64, r64 on SKX), though their ports could do with 3.
# expect SKX ports=36
1:	lock add %rax, (%rdi)
	lock add %rax, 64(%rdi)
	dec %rcx
	jnz 1b
