# Dot product with 4 accumulator(s): 4 FMA(s) with a memory operand and 4 load(s).
# Loads: 8 on p23 = 4 cycles. Each accumulator is a chain of 4 cycles on SKX, so
# the time is max(4, 4). (FMAs: 4 on p01 = 4/2.)
# expect SKX ports=4 loop_carried=4 cycles_per_iteration=4
1:
	vmovupd 0(%rsi), %ymm8
	vfmadd231pd 0(%rdi), %ymm8, %ymm0
	vmovupd 32(%rsi), %ymm9
	vfmadd231pd 32(%rdi), %ymm9, %ymm1
	vmovupd 64(%rsi), %ymm10
	vfmadd231pd 64(%rdi), %ymm10, %ymm2
	vmovupd 96(%rsi), %ymm11
	vfmadd231pd 96(%rdi), %ymm11, %ymm3
	add $128, %rsi
	add $128, %rdi
	cmp %rsi, %rcx
	jne 1b
