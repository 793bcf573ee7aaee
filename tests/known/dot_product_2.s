# Dot product with 2 accumulator(s): 2 FMA(s) with a memory operand and 2 load(s).
# Loads: 4 on p23 = 2 cycles. Each accumulator is a chain of 4 cycles on SKX, so
# the time is max(4, 2). (FMAs: 2 on p01 = 2/2.)
# expect SKX ports=2 loop_carried=4 cycles_per_iteration=4
1:
	vmovupd 0(%rsi), %ymm8
	vfmadd231pd 0(%rdi), %ymm8, %ymm0
	vmovupd 32(%rsi), %ymm9
	vfmadd231pd 32(%rdi), %ymm9, %ymm1
	add $64, %rsi
	add $64, %rdi
	cmp %rsi, %rcx
	jne 1b
