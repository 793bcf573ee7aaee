# Four dependent additions of one cycle each; the counter is a chain of its own.
# The loop branch fuses with dec on Intel: 5 slots.
# expect SKX,HSW,ICL,ZEN3 loop_carried=4 cycles_per_iteration=4
# expect SKX issue=1.25 ports=1.25
1:	add %rax, %rax
	add %rax, %rax
	add %rax, %rax
	add %rax, %rax
	dec %rcx
	jnz 1b
