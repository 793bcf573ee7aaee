# vfmadd231pd: latency 5 on HSW, BDW, ZEN2; 4 from SKL and ZEN3 on.
# expect HSW,BDW,ZEN2 loop_carried=5 cycles_per_iteration=5
# expect SKX,CLX,ICL,SPR,ZEN3,ZEN4,ZEN5 loop_carried=4 cycles_per_iteration=4
1:	vfmadd231pd %ymm1, %ymm2, %ymm0
	dec %rcx
	jnz 1b
