# vaddpd: latency 3 up to BDW and on all Zen up to 4, 4 on SKL to RKL; ZEN5: 3.
# expect SNB,HSW,BDW,ZEN+,ZEN2,ZEN3,ZEN4 loop_carried=3 cycles_per_iteration=3
# expect SKX,ICL loop_carried=4 cycles_per_iteration=4
1:	vaddpd %ymm1, %ymm0, %ymm0
	dec %rcx
	jnz 1b
