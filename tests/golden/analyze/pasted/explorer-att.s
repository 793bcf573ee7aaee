F::~F():
.LFB2122:
        ret
.LFE2122:
F::~F():
.LFB2124:
        movl $16, %esi
        jmp operator delete(void*, unsigned long)@PLT
.LFE2124:
dot(double const*, double const*, int):
.LFB2120:
        testl %edx, %edx
        jle .L7
        movslq %edx, %rdx
        xorl %eax, %eax
        pxor %xmm1, %xmm1
        salq $3, %rdx
.L6:
        movsd (%rdi,%rax), %xmm0
        mulsd (%rsi,%rax), %xmm0
        addq $8, %rax
        addsd %xmm0, %xmm1
        cmpq %rax, %rdx
        jne .L6
        movapd %xmm1, %xmm0
        ret
.L7:
        pxor %xmm1, %xmm1
        movapd %xmm1, %xmm0
        ret
.LFE2120:
F::sum(std::vector<double, std::allocator<double> > const&) const:
.LFB2125:
        pushq %rbp
        pushq %rbx
        subq $24, %rsp
        movq (%rsi), %rbx
        movq 8(%rsi), %rbp
        cmpq %rbx, %rbp
        je .L12
        movsd 24+ns::table(%rip), %xmm3
        pxor %xmm1, %xmm1
        movsd %xmm3, 8(%rsp)
.L11:
        movsd (%rbx), %xmm0
        movsd %xmm1, (%rsp)
        addq $8, %rbx
        call sin@PLT
        mulsd 8(%rsp), %xmm0
        movsd (%rsp), %xmm1
        addsd %xmm0, %xmm1
        cmpq %rbx, %rbp
        jne .L11
        addq $24, %rsp
        movapd %xmm1, %xmm0
        popq %rbx
        popq %rbp
        ret
.L12:
        addq $24, %rsp
        pxor %xmm1, %xmm1
        movapd %xmm1, %xmm0
        popq %rbx
        popq %rbp
        ret
.LFE2125:
make():
.LFB2126:
        subq $8, %rsp
        movl $16, %edi
        call operator new(unsigned long)@PLT
        leaq 16+vtable for F(%rip), %rdx
        movq $0x000000000, 8(%rax)
        movq %rdx, (%rax)
        addq $8, %rsp
        ret
.LFE2126:
typeinfo name for F:
        .string "1F"
typeinfo for F:
        .quad vtable for __cxxabiv1::__class_type_info+16
        .quad typeinfo name for F
vtable for F:
        .quad 0
        .quad typeinfo for F
        .quad F::~F()
        .quad F::~F()
ns::table:
        .zero 512
