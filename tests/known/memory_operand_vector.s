# SPDX-License-Identifier: MIT
# A sum in memory whose addition reads it as an operand: 8 cycles from the store to the load, 3 of the
# addition, 1 of the store, as with a load apart. Zen 4 measures 12.0, and so does Zen 3 on blocks of
# this kind.
# expect ZEN3,ZEN4 loop_carried=12 cycles_per_iteration=12
1:	vaddsd (%rdi), %xmm1, %xmm0
	vmovsd %xmm0, (%rdi)
	dec %rcx
	jnz 1b
