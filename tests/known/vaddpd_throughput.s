# Eight independent additions, two FP ports: 4 cycles = 0.5 each. Each register is its
# own chain of 4 cycles (3 on Zen): the ports are as slow as the chains.
# expect SKX,ICL ports=4 loop_carried=4
# expect ZEN3,ZEN4 ports=4 loop_carried=3 cycles_per_iteration=4
# HSW has one adder (p1): 8 cycles.
# expect HSW ports=8 cycles_per_iteration=8
1:	vaddpd %ymm8, %ymm0, %ymm0
	vaddpd %ymm8, %ymm1, %ymm1
	vaddpd %ymm8, %ymm2, %ymm2
	vaddpd %ymm8, %ymm3, %ymm3
	vaddpd %ymm8, %ymm4, %ymm4
	vaddpd %ymm8, %ymm5, %ymm5
	vaddpd %ymm8, %ymm6, %ymm6
	vaddpd %ymm8, %ymm7, %ymm7
	dec %rcx
	jnz 1b
