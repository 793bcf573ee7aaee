# Dot product with 1 accumulator(s): 1 FMA(s) with a memory operand and 1 load(s).
# Loads: 2 on p23 = 1 cycles. Each accumulator is a chain of 4 cycles on SKX, so
# the time is max(4, 1). (FMAs: 1 on p01 = 1/2.)
# expect SKX ports=1 loop_carried=4 cycles_per_iteration=4
1:
	vmovupd 0(%rsi), %ymm8
	vfmadd231pd 0(%rdi), %ymm8, %ymm0
	add $32, %rsi
	add $32, %rdi
	cmp %rsi, %rcx
	jne 1b
