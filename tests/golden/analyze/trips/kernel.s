# Sums of rows of 16 cells, as compiled from a loop in a loop, and a function without a loop.
	.file 1 "kernel.c"
	.text
	.globl rows
	.type rows, @function
rows:
	.loc 1 3
	testq %rsi, %rsi
	jle .Ldone
	leaq (%rdx,%rsi,8), %rsi
.Lrow:
	.loc 1 4
	xorps %xmm0, %xmm0
	leaq 128(%rdi), %rax
	.loc 1 5
	nopw (%rax,%rax)
.Lcell:
	.loc 1 6
	addsd (%rdi), %xmm0
	.loc 1 5
	addq $8, %rdi
	cmpq %rdi, %rax
	jne .Lcell
	.loc 1 7
	movsd %xmm0, (%rdx)
	addq $8, %rdx
	.loc 1 3
	cmpq %rdx, %rsi
	jne .Lrow
.Ldone:
	.loc 1 9
	ret
	.size rows, .-rows
	.globl flat
	.type flat, @function
flat:
	.loc 1 12
	mulsd %xmm1, %xmm0
	.loc 1 13
	ret
	.size flat, .-flat
