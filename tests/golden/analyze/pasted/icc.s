# mark_description "Intel(R) C Intel(R) 64 Compiler for applications running on Intel(R) 64, Version 2021.10.0 Build 20230609_00";
# mark_description "0000";
# mark_description "-O3 -xCORE-AVX2 -S -masm=intel";
	.intel_syntax noprefix
	.file "dot.c"
	.text
..TXTST0:
.L_2__routine_start_dot_0:
# -- Begin  dot
	.text
# mark_begin;
       .align    16,0x90
	.globl dot
# --- dot(const double *, const double *, int)
dot:
# parameter 1(a): rdi
# parameter 2(b): rsi
# parameter 3(n): edx
..B1.1:                         # Preds ..B1.0
                                # Execution count [1.00e+00]
	.cfi_startproc
..___tag_value_dot.1:
..L2:
                                                          #1.65
        vxorpd    xmm0, xmm0, xmm0                              #1.76
        movsxd    rdx, edx                                      #1.65
        test      edx, edx                                      #1.98
        jle       ..B1.5        # Prob 10%                      #1.98
                                # LOE rdx rbx rbp rsi rdi r12 r13 r14 r15 xmm0
..B1.2:                         # Preds ..B1.1
        xor       eax, eax                                      #1.82
        mov       ecx, offset flat: .L_2__STRING.0              #1.82
        vmovsd    xmm3, QWORD PTR .L_2il0floatpacket.0[rip]     #1.100
                                # LOE rax rdx rbx rbp rsi rdi r12 r13 r14 r15 xmm0
..B1.3:                         # Preds ..B1.3 ..B1.2
                                # Execution count [5.00e+00]
        vmovsd    xmm1, QWORD PTR [rdi+rax*8]                   #1.113
        vmulsd    xmm2, xmm1, QWORD PTR [rsi+rax*8]             #1.118
        vaddsd    xmm0, xmm0, xmm2                              #1.108
        inc       rax                                           #1.98
        cmp       rax, rdx                                      #1.98
        jl        ..B1.3        # Prob 82%                      #1.98
                                # LOE rax rdx rbx rbp rsi rdi r12 r13 r14 r15 xmm0
..B1.5:                         # Preds ..B1.3 ..B1.1
        ret                                                     #1.130
        .align    16,0x90
                                # LOE
	.cfi_endproc
# mark_end;
	.type	dot,@function
	.size	dot,.-dot
..LNdot.0:
	.section .rodata, "a"
	.align 8
.L_2il0floatpacket.0:
	.long	0x00000000,0x3ff00000
	.type	.L_2il0floatpacket.0,@object
	.size	.L_2il0floatpacket.0,8
	.data
# -- End  dot
	.section .note.GNU-stack, ""
# End
