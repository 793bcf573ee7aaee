# SPDX-License-Identifier: MIT
# A store of 8 bytes at offset 60 of a 64-byte line, always the same one. The address is known by the
# value of rdi at entry. A core that writes a line a cycle needs two cycles for the two lines; Zen 4
# measures 2.00, and 1.00 for a store within a line. Nothing else takes two cycles: two ALU
# instructions, one taken branch, and one store.
# options --entry-values=rdi=4156
# expect ADL-P,SPR,ZEN3,ZEN4 cycles_per_iteration=2.00
.L1:
	mov %rax, (%rdi)
	dec %rcx
	jnz .L1
