# Four independent divsd: the divider is busy 4 cycles for each on SKX: 16 cycles. The ports
# bound has the divider as a port.
# expect SKX ports=16 cycles_per_iteration=16
1:	vdivsd %xmm8, %xmm9, %xmm0
	vdivsd %xmm8, %xmm9, %xmm1
	vdivsd %xmm8, %xmm9, %xmm2
	vdivsd %xmm8, %xmm9, %xmm3
	dec %rcx
	jnz 1b
