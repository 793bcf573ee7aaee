; y[i] += a * x[i], eight floats a turn
bits 64
default rel
section .rodata
align 32
factor: times 8 dd 1.5
step    equ 32

section .text
global saxpy
saxpy:                          ; rdi: y, rsi: x, rdx: bytes
        vmovaps ymm2, yword [rel factor]
        xor     eax, eax
align 16
.next:
        vmovups ymm0, yword [rsi+rax]
        vfmadd213ps ymm0, ymm2, [rdi + rax] ; no size is needed
        vmovups yword [rdi+rax], ymm0
        add     rax, step
        inc     dword [rsp-8]
        cmp     rax, rdx
        jb      .next
        vzeroupper
        ret
