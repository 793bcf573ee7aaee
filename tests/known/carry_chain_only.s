# The registers are independent; only the carry chains the four adc: 1 cycle each.
# Flags count always.
# expect SKX,ICL,ZEN3 loop_carried=4 cycles_per_iteration=4
1:	adc %rbx, %rax
	adc %rbx, %rsi
	adc %rbx, %rdi
	adc %rbx, %r8
	dec %rcx
	jnz 1b
