# Dot product with 6 accumulator(s): 6 FMA(s) with a memory operand and 6 load(s).
# Loads: 12 on p23 = 6 cycles. Each accumulator is a chain of 4 cycles on SKX, so
# the time is max(4, 6). (FMAs: 6 on p01 = 6/2.)
# expect SKX ports=6 loop_carried=4 cycles_per_iteration=6
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
	add $192, %rsi
	add $192, %rdi
	cmp %rsi, %rcx
	jne 1b
