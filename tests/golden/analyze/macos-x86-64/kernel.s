	.section	__TEXT,__text,regular,pure_instructions
	.build_version macos, 11, 0
	.globl	_dot                            ## -- Begin function dot
	.p2align	4, 0x90
_dot:                                   ## @dot
	.cfi_startproc
## %bb.0:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	testl	%edx, %edx
	jle	LBB0_1
## %bb.3:
	movl	%edx, %eax
	xorpd	%xmm0, %xmm0
	xorl	%edx, %edx
	leaq	_weights(%rip), %r8
	.p2align	4, 0x90
LBB0_4:                                 ## =>This Inner Loop Header: Depth=1
	movsd	(%rdi,%rdx,8), %xmm1            ## xmm1 = mem[0],zero
	mulsd	(%rsi,%rdx,8), %xmm1
	movl	%edx, %ecx
	andl	$3, %ecx
	mulsd	(%r8,%rcx,8), %xmm1
	addsd	%xmm1, %xmm0
	addq	$1, %rdx
	cmpq	%rdx, %rax
	jne	LBB0_4
## %bb.2:
	popq	%rbp
	retq
LBB0_1:
	xorps	%xmm0, %xmm0
	popq	%rbp
	retq
	.cfi_endproc
                                        ## -- End function
	.globl	_scaled                         ## -- Begin function scaled
	.p2align	4, 0x90
_scaled:                                ## @scaled
	.cfi_startproc
## %bb.0:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r15
	pushq	%r14
	pushq	%rbx
	pushq	%rax
	.cfi_offset %rbx, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	testl	%esi, %esi
	jle	LBB1_1
## %bb.3:
	movq	%rdi, %r14
	movl	%esi, %r15d
	xorps	%xmm0, %xmm0
	xorl	%ebx, %ebx
	.p2align	4, 0x90
LBB1_4:                                 ## =>This Inner Loop Header: Depth=1
	movsd	%xmm0, -32(%rbp)                ## 8-byte Spill
	movsd	(%r14,%rbx,8), %xmm0            ## xmm0 = mem[0],zero
	callq	_scale
	movsd	-32(%rbp), %xmm1                ## 8-byte Reload
                                        ## xmm1 = mem[0],zero
	addsd	%xmm0, %xmm1
	movsd	%xmm1, -32(%rbp)                ## 8-byte Spill
	movsd	-32(%rbp), %xmm0                ## 8-byte Reload
                                        ## xmm0 = mem[0],zero
	addq	$1, %rbx
	cmpq	%rbx, %r15
	jne	LBB1_4
	jmp	LBB1_2
LBB1_1:
	xorps	%xmm0, %xmm0
LBB1_2:
	addq	$8, %rsp
	popq	%rbx
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
	.cfi_endproc
                                        ## -- End function
	.globl	_weights                        ## @weights
.zerofill __DATA,__common,_weights,32,4
.subsections_via_symbols
