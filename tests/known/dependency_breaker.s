# pcmpeqd of a register with itself gives all ones: executes, but waits for nothing.
# paddd after it does not chain. The counter is left: 1 cycle.
# expect SKX,ICL,ZEN3 loop_carried=1
1:	vpcmpeqd %xmm0, %xmm0, %xmm0
	vpaddd %xmm1, %xmm0, %xmm0
	dec %rcx
	jnz 1b
