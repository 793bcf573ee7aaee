# adcx carries in CF, adox in OF: two chains of two, side by side, each 1 cycle a link.
# lea and jrcxz-free loop control must not touch CF or OF: lea and a jump on rcx.
# expect SKX,ICL,ZEN3 loop_carried=2
1:	adcx %rbx, %rax
	adox %rbx, %rsi
	adcx %rbx, %rdi
	adox %rbx, %r8
	lea -1(%rcx), %rcx
	jrcxz 2f
	jmp 1b
2:
