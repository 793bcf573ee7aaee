# SPDX-License-Identifier: MIT
# Prefix sums of two elements each time. In loops, Zen 4 gives stored registers to loads at rename
# through whatever registers the address is made of, so that 2 additions remain in the chain; 2 cycles
# for the 9 slots and for the 6 accesses to memory, of which it begins 3 a cycle, are as many.
# (Measured: 2.5; with the way through memory it would be 16.)
# expect ZEN4 cycles_per_iteration=2
1:	mov (%rsi,%rcx,8), %rax
	add -8(%rdi,%rcx,8), %rax
	mov %rax, (%rdi,%rcx,8)
	lea 1(%rcx), %r8
	mov (%rsi,%r8,8), %rax
	add -8(%rdi,%r8,8), %rax
	mov %rax, (%rdi,%r8,8)
	add $2, %rcx
	cmp %rcx, %rdx
	jne 1b
