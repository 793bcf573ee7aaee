main:
 sub    rsp,0x208
 movd   xmm5,edi
 movdqa xmm1,XMMWORD PTR [rip+0xfad]        # 2010 <_IO_stdin_used+0x10>
 movdqa xmm4,XMMWORD PTR [rip+0xfb5]        # 2020 <_IO_stdin_used+0x20>
 mov    rdi,rsp
 pshufd xmm3,xmm5,0x0
 lea    rdx,[rsp+0x200]
 mov    rax,rdi
 xchg   ax,ax
 movdqa xmm0,xmm1
 add    rax,0x20
 paddd  xmm1,xmm4
 paddd  xmm0,xmm3
 cvtdq2pd xmm2,xmm0
 pshufd xmm0,xmm0,0xee
 movaps XMMWORD PTR [rax-0x20],xmm2
 cvtdq2pd xmm0,xmm0
 movaps XMMWORD PTR [rax-0x10],xmm0
 cmp    rdx,rax
 jne    1080 <main+0x30>
 mov    esi,0x40
 call   1210 <roots(double*, int)>
 cvttsd2si eax,QWORD PTR [rsp+0x28]
 add    rsp,0x208
 ret
 cs nop WORD PTR [rax+rax*1+0x0]
 nop    DWORD PTR [rax+0x0]

dot(double const*, double const*, int):
 test   edx,edx
 jle    11f8 <dot(double const*, double const*, int)+0x38>
 movsxd rdx,edx
 xor    eax,eax
 pxor   xmm1,xmm1
 shl    rdx,0x3
 nop    DWORD PTR [rax+0x0]
 movsd  xmm0,QWORD PTR [rdi+rax*1]
 mulsd  xmm0,QWORD PTR [rsi+rax*1]
 add    rax,0x8
 addsd  xmm1,xmm0
 cmp    rdx,rax
 jne    11d8 <dot(double const*, double const*, int)+0x18>
 movapd xmm0,xmm1
 ret
 nop    DWORD PTR [rax+0x0]
 pxor   xmm1,xmm1
 movapd xmm0,xmm1
 ret
 data16 cs nop WORD PTR [rax+rax*1+0x0]
 nop    DWORD PTR [rax+0x0]

roots(double*, int):
 test   esi,esi
 jle    1281 <roots(double*, int)+0x71>
 push   rbp
 movsxd rsi,esi
 pxor   xmm3,xmm3
 push   rbx
 lea    rbp,[rdi+rsi*8]
 mov    rbx,rdi
 sub    rsp,0x18
 nop    DWORD PTR [rax+rax*1+0x0]
 movsd  xmm0,QWORD PTR [rbx]
 ucomisd xmm3,xmm0
 ja     1282 <roots(double*, int)+0x72>
 sqrtsd xmm0,xmm0
 movsd  xmm1,QWORD PTR [rdi]
 add    rbx,0x8
 mulsd  xmm1,xmm1
 movapd xmm2,xmm1
 movsd  xmm1,QWORD PTR [rdi+0x8]
 addsd  xmm2,xmm3
 mulsd  xmm1,xmm1
 addsd  xmm2,xmm1
 movsd  xmm1,QWORD PTR [rdi+0x10]
 mulsd  xmm1,xmm1
 addsd  xmm1,xmm2
 addsd  xmm1,xmm0
 movsd  QWORD PTR [rbx-0x8],xmm1
 cmp    rbp,rbx
 jne    1230 <roots(double*, int)+0x20>
 add    rsp,0x18
 pop    rbx
 pop    rbp
 ret
 ret
 mov    QWORD PTR [rsp+0x8],rdi
 call   1030 <sqrt@plt>
 mov    rdi,QWORD PTR [rsp+0x8]
 pxor   xmm3,xmm3
 jmp    123e <roots(double*, int)+0x2e>

