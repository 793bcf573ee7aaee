# Dot product with 7 accumulator(s): 7 FMA(s) with a memory operand and 7 load(s).
# Loads: 14 on p23 = 7 cycles. Each accumulator is a chain of 4 cycles on SKX, so
# the time is max(4, 7). (FMAs: 7 on p01 = 7/2.)
# expect SKX ports=7 loop_carried=4 cycles_per_iteration=7
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
	vmovupd 160(%rsi), %ymm13
	vfmadd231pd 160(%rdi), %ymm13, %ymm5
	vmovupd 192(%rsi), %ymm14
	vfmadd231pd 192(%rdi), %ymm14, %ymm6
	add $224, %rsi
	add $224, %rdi
	cmp %rsi, %rcx
	jne 1b
