# A copy with 64 bytes at a time: on Zen 4 a store of 512 bits takes two cycles, a load one, and the load
# takes no port of the store's data: 4 and 4 took 8.0 cycles on an EPYC 9004 (family 25, model 17).
# expect ZEN4 ports=8 cycles_per_iteration=8
1:	vmovupd (%rsi), %zmm0
	vmovupd %zmm0, 1024(%rdi)
	vmovupd 64(%rsi), %zmm1
	vmovupd %zmm1, 1088(%rdi)
	vmovupd 128(%rsi), %zmm2
	vmovupd %zmm2, 1152(%rdi)
	vmovupd 192(%rsi), %zmm3
	vmovupd %zmm3, 1216(%rdi)
	dec %rcx
	jnz 1b
