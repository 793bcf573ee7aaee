# LLVM-MCA-BEGIN first
	addq %rax, %rbx
# LLVM-MCA-END first
	nop
# LLVM-MCA-BEGIN second
	imulq %rax, %rbx
	imulq %rcx, %rdx
# LLVM-MCA-END second
