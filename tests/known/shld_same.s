# shld with one register twice is a rotate: latency 1 from SKL on (uops.info paper, 7.3.2).
# expect SKX loop_carried=1
1:	shld $3, %rax, %rax
	dec %rcx
	jnz 1b
