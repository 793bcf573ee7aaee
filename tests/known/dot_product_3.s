# Dot product with 3 accumulator(s): 3 FMA(s) with a memory operand and 3 load(s).
# Loads: 6 on p23 = 3 cycles. Each accumulator is a chain of 4 cycles on SKX, so
# the time is max(4, 3). (FMAs: 3 on p01 = 3/2.)
# expect SKX ports=3 loop_carried=4 cycles_per_iteration=4
1:
	vmovupd 0(%rsi), %ymm8
	vfmadd231pd 0(%rdi), %ymm8, %ymm0
	vmovupd 32(%rsi), %ymm9
	vfmadd231pd 32(%rdi), %ymm9, %ymm1
	vmovupd 64(%rsi), %ymm10
	vfmadd231pd 64(%rdi), %ymm10, %ymm2
	add $96, %rsi
	add $96, %rdi
	cmp %rsi, %rcx
	jne 1b
