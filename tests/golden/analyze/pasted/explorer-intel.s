F::~F():
.LFB2122:
        ret
.LFE2122:
F::~F():
.LFB2124:
        mov esi, 16
        jmp operator delete(void*, unsigned long)@PLT
.LFE2124:
dot(double const*, double const*, int):
.LFB2120:
        test edx, edx
        jle .L7
        movsx rdx, edx
        xor eax, eax
        pxor xmm1, xmm1
        sal rdx, 3
.L6:
        movsd xmm0, QWORD PTR [rdi+rax]
        mulsd xmm0, QWORD PTR [rsi+rax]
        add rax, 8
        addsd xmm1, xmm0
        cmp rdx, rax
        jne .L6
        movapd xmm0, xmm1
        ret
.L7:
        pxor xmm1, xmm1
        movapd xmm0, xmm1
        ret
.LFE2120:
F::sum(std::vector<double, std::allocator<double> > const&) const:
.LFB2125:
        push rbp
        push rbx
        sub rsp, 24
        mov rbx, QWORD PTR [rsi]
        mov rbp, QWORD PTR 8[rsi]
        cmp rbp, rbx
        je .L12
        movsd xmm3, QWORD PTR ns::table[rip+24]
        pxor xmm1, xmm1
        movsd QWORD PTR 8[rsp], xmm3
.L11:
        movsd xmm0, QWORD PTR [rbx]
        movsd QWORD PTR [rsp], xmm1
        add rbx, 8
        call sin@PLT
        mulsd xmm0, QWORD PTR 8[rsp]
        movsd xmm1, QWORD PTR [rsp]
        addsd xmm1, xmm0
        cmp rbp, rbx
        jne .L11
        add rsp, 24
        movapd xmm0, xmm1
        pop rbx
        pop rbp
        ret
.L12:
        add rsp, 24
        pxor xmm1, xmm1
        movapd xmm0, xmm1
        pop rbx
        pop rbp
        ret
.LFE2125:
make():
.LFB2126:
        sub rsp, 8
        mov edi, 16
        call operator new(unsigned long)@PLT
        lea rdx, vtable for F[rip+16]
        mov QWORD PTR 8[rax], 0x000000000
        mov QWORD PTR [rax], rdx
        add rsp, 8
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
