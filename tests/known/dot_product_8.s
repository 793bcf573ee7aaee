# Dot product with 8 accumulator(s): 8 FMA(s) with a memory operand and 8 load(s).
# Loads: 16 on p23 = 8 cycles. Each accumulator is a chain of 4 cycles on SKX, so
# the time is max(4, 8). (FMAs: 8 on p01 = 8/2.)
# The block starts at byte 16 of a line: then cmp and jne touch no 32-byte boundary, where
# the JCC erratum would keep them out of the op cache.
# expect SKX align=16 ports=8 loop_carried=4 cycles_per_iteration=8
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
	vmovupd 224(%rsi), %ymm15
	vfmadd231pd 224(%rdi), %ymm15, %ymm7
	add $256, %rsi
	add $256, %rdi
	cmp %rsi, %rcx
	jne 1b
