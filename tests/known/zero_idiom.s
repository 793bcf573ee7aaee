# xor cuts the chain through rax: what remains is the counter, 1 cycle. The idiom takes
# an issue slot but no port.
# SKX: add on p0156, dec+jnz fused on p6: 2 µops on 4 ports = 0.5, p6 alone 1.
# ICL: the fused branch may use p0 and p6: 2 µops on 4 ports = 0.5.
# expect SKX loop_carried=1 ports=1
# expect ICL loop_carried=1 ports=0.5
# expect ZEN3 loop_carried=1
1:	xor %eax, %eax
	add %rbx, %rax
	dec %rcx
	jnz 1b
