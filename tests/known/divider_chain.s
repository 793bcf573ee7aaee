# vdivsd chain: latency 13 on SKX and ICL (uops.info, dividend to quotient).
# expect SKX,ICL loop_carried=13 cycles_per_iteration=13
1:	vdivsd %xmm1, %xmm0, %xmm0
	dec %rcx
	jnz 1b
