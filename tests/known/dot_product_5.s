# Dot product with 5 accumulator(s): 5 FMA(s) with a memory operand and 5 load(s).
# Loads: 10 on p23 = 5 cycles. Each accumulator is a chain of 4 cycles on SKX, so
# the time is max(4, 5). (FMAs: 5 on p01 = 5/2.)
# expect SKX ports=5 loop_carried=4 cycles_per_iteration=5
1:
	vmovupd 0(%rsi), %ymm8
	vfmadd231pd 0(%rdi), %ymm8, %ymm0
	vmovupd 32(%rsi), %ymm9
	vfmadd231pd 32(%rdi), %ymm9, %ymm1
	vmovupd 64(%rsi), %ymm10
	vfmadd231pd 64(%rdi), %ymm10, %ymm2
	vmovupd 96(%rsi), %ymm11
	vfmadd231pd 96(%rdi), %ymm11, %ymm3
	vmovupd 128(%rsi), %ymm12
	vfmadd231pd 128(%rdi), %ymm12, %ymm4
	add $160, %rsi
	add $160, %rdi
	cmp %rsi, %rcx
	jne 1b
