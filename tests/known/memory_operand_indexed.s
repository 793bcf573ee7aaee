# SPDX-License-Identifier: MIT
# A product in memory at a base and an index. Zen 4 gives the stored register to the multiplication at
# rename, which leaves its 3 cycles (measured: 3.0; at a base alone 9.6).
# expect ZEN4 cycles_per_iteration=3
1:	imul (%rdi,%rax,8), %rdx
	mov %rdx, (%rdi,%rax,8)
	dec %rcx
	jnz 1b
