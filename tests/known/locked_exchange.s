# xchg hands its register to memory and memory to its register, each in a step: from memory to
# memory a step takes 18 (SKX) and 20 cycles (ICL), measured; what the row has from the register,
# 28 and 32, is until a load behind it has the value.
# expect SKX loop_carried=18
# expect ICL loop_carried=20
1:	xchg %eax, (%rsi)
	dec %rcx
	jnz 1b
