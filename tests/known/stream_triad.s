# SKX: loads 2 + store address 1, which has an index and so cannot use p7: 3 on p23
# = 1.5 cycles. p4 stores 1; FMA p01 1, add p0156 1, cmp+jne p6 1. The only
# loop-carried chain is the index, 1 cycle.
# HSW: the same ports; the time is no less.
# ICL: loads 2 on p23 = 1; store address on p78 1, data on p49 0.5; one vector µop
# each on p01 or p0: 1 cycle at most. ALU: add, cmp+jne, fma: below 1.
# expect SKX ports=1.5 loop_carried=1 cycles_per_iteration=1.5
# expect HSW ports=1.5 loop_carried=1
# expect ICL ports=1 loop_carried=1
1:	vmovupd (%rsi,%rax), %ymm0
	vfmadd213pd (%rdx,%rax), %ymm1, %ymm0
	vmovupd %ymm0, (%rdi,%rax)
	add $32, %rax
	cmp %rax, %rcx
	jne 1b
