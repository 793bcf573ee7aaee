/* SPDX-License-Identifier: MIT */
/*
 * Who reads and writes what. An access is written location@slot:flags, where m is
 * a value in memory and the flags are r(ead) w(rite) m(erge) a(ddress) s(tack engine).
 */
#include "isa/isa.h"
#include "../tap.h"
#include "hex.h"

struct row {
	int line;
	const char *hex, *text, *accesses;
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, "89d8", "mov eax, ebx", "rax@1:w rbx@2:r"},
	{__LINE__, "6689d8", "mov ax, bx", "rax@1:rwm rbx@2:r"},
	{__LINE__, "88d8", "mov al, bl", "rax@1:rwm rbx@2:r"},
	{__LINE__, "88e0", "mov al, ah", "rax@1:rwm ah@2:r"},
	{__LINE__, "88c4", "mov ah, al", "ah@1:w rax@2:r"},
	{__LINE__, "80c401", "add ah, 0x1", "ah@1:rw cf@f:w of@f:w szap@f:w"},
	{__LINE__, "0fb6c7", "movzx eax, bh", "rax@1:w bh@2:r"},
	{__LINE__, "31c0", "xor eax, eax", "rax@1:rw rax@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "660fbec3", "movsx ax, bl", "rax@1:rwm rbx@2:r"},
	{__LINE__, "4811d8", "adc rax, rbx", "rax@1:rw rbx@2:r cf@f:rw of@f:w szap@f:w"},
	{__LINE__, "4819c0", "sbb rax, rax", "rax@1:rw rax@2:r cf@f:rw of@f:w szap@f:w"},
	{__LINE__, "66480f38f6c3", "adcx rax, rbx", "rax@1:rw rbx@2:r cf@f:rw"},
	{__LINE__, "f3480f38f6c3", "adox rax, rbx", "rax@1:rw rbx@2:r of@f:rw"},
	{__LINE__, "48ffc0", "inc rax", "rax@1:rw of@f:w szap@f:w"},
	{__LINE__, "48f7d8", "neg rax", "rax@1:rw cf@f:w of@f:w szap@f:w"},
	{__LINE__, "48f7d0", "not rax", "rax@1:rw"},
	{__LINE__, "4821d8", "and rax, rbx", "rax@1:rw rbx@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "4885c0", "test rax, rax", "rax@1:r rax@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "483b048b", "cmp rax, qword ptr [rbx+rcx*4]",
	 "rax@1:r rbx@b:ra rcx@i:ra m@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "48c1e003", "shl rax, 0x3", "rax@1:rw cf@f:w of@f:w szap@f:w"},
	{__LINE__, "48c1e000", "shl rax, 0x0", "rax@1:rw"},
	{__LINE__, "48d3e8", "shr rax, cl", "rax@1:rw rcx@2:r cf@f:rwm of@f:rwm szap@f:rwm"},
	{__LINE__, "48c1c003", "rol rax, 0x3", "rax@1:rw cf@f:w of@f:w"},
	{__LINE__, "48d3c8", "ror rax, cl", "rax@1:rw rcx@2:r cf@f:rwm of@f:rwm"},
	{__LINE__, "48d1d0", "rcl rax, 0x1", "rax@1:rw cf@f:rw of@f:w"},
	{__LINE__, "48d3d0", "rcl rax, cl", "rax@1:rw rcx@2:r cf@f:rwm of@f:rwm"},
	{__LINE__, "480fa5d8", "shld rax, rbx, cl",
	 "rax@1:rwm rbx@2:r rcx@3:r cf@f:rwm of@f:rwm szap@f:rwm"},
	{__LINE__, "c4e2f1f7c3", "shlx rax, rbx, rcx", "rax@1:w rbx@2:r rcx@3:r"},
	{__LINE__, "480fbae003", "bt rax, 0x3", "rax@1:r cf@f:w"},
	{__LINE__, "480fab18", "bts qword ptr [rax], rbx", "rax@b:ra m@1:rw rbx@2:r cf@f:w"},
	{__LINE__, "0fbcc3", "bsf eax, ebx", "rax@1:rwm rbx@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "480fbd03", "bsr rax, qword ptr [rbx]",
	 "rax@1:rwm rbx@b:ra m@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "f3480fbcc3", "tzcnt rax, rbx", "rax@1:w rbx@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "f3480fb8c3", "popcnt rax, rbx", "rax@1:w rbx@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "0f95c0", "setne al", "rax@1:rwm szap@f:r"},
	{__LINE__, "0f9600", "setbe byte ptr [rax]", "rax@b:ra m@1:w cf@f:r szap@f:r"},
	{__LINE__, "480f46c3", "cmovbe rax, rbx", "rax@1:rwm rbx@2:r cf@f:r szap@f:r"},
	{__LINE__, "0f4c03", "cmovl eax, dword ptr [rbx]",
	 "rax@1:rwm rbx@b:ra m@2:r of@f:r szap@f:r"},
	{__LINE__, "9f", "lahf", "ah@ah:w cf@f:r szap@f:r"},
	{__LINE__, "9e", "sahf", "ah@ah:r cf@f:w szap@f:w"},
	{__LINE__, "f5", "cmc", "cf@f:rw"},
	{__LINE__, "f9", "stc", "cf@f:w"},
	{__LINE__, "fc", "cld", "df@f:w"},
	{__LINE__, "fd", "std", "df@f:w"},
	{__LINE__, "9c", "pushfq", "rsp@rsp:rwas m@s:w cf@f:r of@f:r szap@f:r df@f:r"},
	{__LINE__, "9d", "popfq", "rsp@rsp:rwas m@s:r cf@f:w of@f:w szap@f:w df@f:w"},
	{__LINE__, "f6e3", "mul bl", "rbx@1:r rax@rax:rwm cf@f:w of@f:w szap@f:w"},
	{__LINE__, "f7e3", "mul ebx", "rbx@1:r rax@rax:rw rdx@rdx:w cf@f:w of@f:w szap@f:w"},
	{__LINE__, "480fafc3", "imul rax, rbx", "rax@1:rw rbx@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "f6f3", "div bl", "rbx@1:r rax@rax:rwm cf@f:w of@f:w szap@f:w"},
	{__LINE__, "48f7f3", "div rbx", "rbx@1:r rax@rax:rw rdx@rdx:rw cf@f:w of@f:w szap@f:w"},
	{__LINE__, "6699", "cwd", "rdx@rdx:rwm rax@rax:r"},
	{__LINE__, "99", "cdq", "rdx@rdx:w rax@rax:r"},
	{__LINE__, "4899", "cqo", "rdx@rdx:w rax@rax:r"},
	{__LINE__, "4898", "cdqe", "rax@rax:rw"},
	{__LINE__, "6698", "cbw", "rax@rax:rwm"},
	{__LINE__, "4893", "xchg rbx, rax", "rbx@1:rw rax@2:rw"},
	{__LINE__, "8707", "xchg dword ptr [rdi], eax", "rdi@b:ra m@1:rw rax@2:rw"},
	{__LINE__, "480fc1d8", "xadd rax, rbx", "rax@1:rw rbx@2:rw cf@f:w of@f:w szap@f:w"},
	{__LINE__, "480fb1cb", "cmpxchg rbx, rcx",
	 "rbx@1:rwm rcx@2:r rax@rax:rwm cf@f:w of@f:w szap@f:w"},
	{__LINE__, "f00fb10f", "lock cmpxchg dword ptr [rdi], ecx",
	 "rdi@b:ra m@1:rw rcx@2:r rax@rax:rwm cf@f:w of@f:w szap@f:w"},
	{__LINE__, "f0480fc70f", "lock cmpxchg16b xmmword ptr [rdi]",
	 "rdi@b:ra m@1:rw rdx@rdx:rwm rax@rax:rwm rcx@rcx:r rbx@rbx:r "
	 "szap@f:rwm"},
	{__LINE__, "50", "push rax", "rax@1:r rsp@rsp:rwas m@s:w"},
	{__LINE__, "ff742408", "push qword ptr [rsp+0x8]", "rsp@b:ra m@1:r rsp@rsp:rwas m@s:w"},
	{__LINE__, "58", "pop rax", "rax@1:w rsp@rsp:rwas m@s:r"},
	{__LINE__, "8f442408", "pop qword ptr [rsp+0x8]", "rsp@b:ra m@1:w rsp@rsp:rwas m@s:r"},
	{__LINE__, "5c", "pop rsp", "rsp@1:w rsp@rsp:ra m@s:r"},
	{__LINE__, "ffd0", "call rax", "rax@1:r rsp@rsp:rwas m@s:w"},
	{__LINE__, "ff5008", "call qword ptr [rax+0x8]", "rax@b:ra m@1:r rsp@rsp:rwas m@s:w"},
	{__LINE__, "c3", "ret", "rsp@rsp:rwas m@s:r"},
	{__LINE__, "c20800", "ret 0x8", "rsp@rsp:rwas m@s:r"},
	{__LINE__, "c9", "leave", "rbp@rbp:rwa m@s:r rsp@rsp:w"},
	{__LINE__, "c8200000", "enter 0x20, 0x0", "rbp@rbp:rw rsp@rsp:rwa m@s:w"},
	{__LINE__, "ac", "lodsb", "rax@rax:rwm rsi@rsi:rwa m@s:r df@f:r"},
	{__LINE__, "f348ad", "rep lodsq", "rax@rax:rwm rsi@rsi:rwa m@s:r rcx@rcx:rwm df@f:r"},
	{__LINE__, "ab", "stosd", "rdi@rdi:rwa m@s:w rax@rax:r df@f:r"},
	{__LINE__, "48a5", "movsq", "rdi@rdi:rwa m@s:rw rsi@rsi:rwa df@f:r"},
	{__LINE__, "f3a4", "rep movsb", "rdi@rdi:rwa m@s:rw rsi@rsi:rwa rcx@rcx:rwm df@f:r"},
	{__LINE__, "66a7", "cmpsw",
	 "rsi@rsi:rwa m@s:r rdi@rdi:rwa cf@f:w of@f:w szap@f:w df@f:r"},
	{__LINE__, "f3a6", "repe cmpsb",
	 "rsi@rsi:rwa m@s:r rdi@rdi:rwa rcx@rcx:rwm cf@f:rwm of@f:rwm "
	 "szap@f:rwm df@f:r"},
	{__LINE__, "48af", "scasq", "rax@rax:r rdi@rdi:rwa m@s:r cf@f:w of@f:w szap@f:w df@f:r"},
	{__LINE__, "f2ae", "repne scasb",
	 "rax@rax:r rdi@rdi:rwa m@s:r rcx@rcx:rwm cf@f:rwm of@f:rwm szap@f:rwm "
	 "df@f:r"},
	{__LINE__, "d7", "xlat", "rbx@rbx:ra m@s:r rax@rax:rwma"},
	{__LINE__, "488d444b04", "lea rax, [rbx+rcx*2+0x4]", "rax@1:w rbx@b:ra rcx@i:ra"},
	{__LINE__, "67668d00", "lea ax, [eax]", "rax@1:rwm rax@b:ra"},
	{__LINE__, "0f1f0418", "nop dword ptr [rax+rbx*1]", "rax@b:ra rbx@i:ra"},
	{__LINE__, "0f1808", "prefetcht0 byte ptr [rax]", "rax@b:ra"},
	{__LINE__, "64488b042528000000", "mov rax, qword ptr fs:[0x28]", "rax@1:w m@2:r"},
	{__LINE__, "488b0510000000", "mov rax, qword ptr [rip+0x10]", "rax@1:w m@2:r"},
	{__LINE__, "8ee0", "mov fs, ax", "system@1:w rax@2:r"},
	{__LINE__, "0fa2", "cpuid", "rax@rax:rw rbx@rbx:w rcx@rcx:rw rdx@rdx:w"},
	{__LINE__, "0f31", "rdtsc", "rax@rax:w rdx@rdx:w"},
	{__LINE__, "0f05", "syscall",
	 "rcx@rcx:w r11@r11:w system@system:w cf@f:w of@f:w szap@f:w df@f:w"},
	{__LINE__, "660ff7c1", "maskmovdqu xmm0, xmm1", "v0@1:r v1@2:r rdi@rdi:ra m@s:w"},
	{__LINE__, "660f38f803", "movdir64b rax, zmmword ptr [rbx]",
	 "rax@1:r rbx@b:ra m@2:r rax@rax:ra m@s:w"},
	{__LINE__, "0f58c1", "addps xmm0, xmm1", "v0@1:rw v1@2:r mxcsr@mxcsr:r"},
	{__LINE__, "f30f58c1", "addss xmm0, xmm1", "v0@1:rwm v1@2:r mxcsr@mxcsr:r"},
	{__LINE__, "f30f51c1", "sqrtss xmm0, xmm1", "v0@1:rwm v1@2:r mxcsr@mxcsr:r"},
	{__LINE__, "f20f5100", "sqrtsd xmm0, qword ptr [rax]",
	 "v0@1:rwm rax@b:ra m@2:r mxcsr@mxcsr:r"},
	{__LINE__, "f30f2ac0", "cvtsi2ss xmm0, eax", "v0@1:rwm rax@2:r mxcsr@mxcsr:r"},
	{__LINE__, "f30f5ac1", "cvtss2sd xmm0, xmm1", "v0@1:rwm v1@2:r mxcsr@mxcsr:r"},
	{__LINE__, "f2480f2dc0", "cvtsd2si rax, xmm0", "rax@1:w v0@2:r mxcsr@mxcsr:r"},
	{__LINE__, "f30f53c1", "rcpss xmm0, xmm1", "v0@1:rwm v1@2:r"},
	{__LINE__, "660f3a0bc101", "roundsd xmm0, xmm1, 0x1", "v0@1:rwm v1@2:r mxcsr@mxcsr:r"},
	{__LINE__, "f30f10c1", "movss xmm0, xmm1", "v0@1:rwm v1@2:r"},
	{__LINE__, "f30f1000", "movss xmm0, dword ptr [rax]", "v0@1:w rax@b:ra m@2:r"},
	{__LINE__, "f30f1100", "movss dword ptr [rax], xmm0", "rax@b:ra m@1:w v0@2:r"},
	{__LINE__, "f20f10c1", "movsd xmm0, xmm1", "v0@1:rwm v1@2:r"},
	{__LINE__, "0f1200", "movlps xmm0, qword ptr [rax]", "v0@1:rwm rax@b:ra m@2:r"},
	{__LINE__, "660f1600", "movhpd xmm0, qword ptr [rax]", "v0@1:rwm rax@b:ra m@2:r"},
	{__LINE__, "0f1700", "movhps qword ptr [rax], xmm0", "rax@b:ra m@1:w v0@2:r"},
	{__LINE__, "0f12c1", "movhlps xmm0, xmm1", "v0@1:rwm v1@2:r"},
	{__LINE__, "0f16c1", "movlhps xmm0, xmm1", "v0@1:rwm v1@2:r"},
	{__LINE__, "660f6ec0", "movd xmm0, eax", "v0@1:w rax@2:r"},
	{__LINE__, "f30f7ec1", "movq xmm0, xmm1", "v0@1:w v1@2:r"},
	{__LINE__, "f20f12c1", "movddup xmm0, xmm1", "v0@1:w v1@2:r"},
	{__LINE__, "0f14c1", "unpcklps xmm0, xmm1", "v0@1:rw v1@2:r"},
	{__LINE__, "0fc6c103", "shufps xmm0, xmm1, 0x3", "v0@1:rw v1@2:r"},
	{__LINE__, "660fc4c003", "pinsrw xmm0, eax, 0x3", "v0@1:rwm rax@2:r"},
	{__LINE__, "660f3a21c103", "insertps xmm0, xmm1, 0x3", "v0@1:rwm v1@2:r"},
	{__LINE__, "660fc5c003", "pextrw eax, xmm0, 0x3", "rax@1:w v0@2:r"},
	{__LINE__, "660f3814ca", "blendvps xmm1, xmm2, xmm0", "v1@1:rw v2@2:r v0@3:r"},
	{__LINE__, "660f3a62ca03", "pcmpistrm xmm1, xmm2, 0x3",
	 "v1@1:r v2@2:r v0@xmm0:w cf@f:w of@f:w szap@f:w"},
	{__LINE__, "660f3817c1", "ptest xmm0, xmm1", "v0@1:r v1@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "c4e27917c1", "vptest xmm0, xmm1", "v0@1:r v1@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "660f2ec1", "ucomisd xmm0, xmm1",
	 "v0@1:r v1@2:r cf@f:w of@f:w szap@f:w mxcsr@mxcsr:r"},
	{__LINE__, "c5f458c2", "vaddps ymm0, ymm1, ymm2", "v0@1:w v1@2:r v2@3:r mxcsr@mxcsr:r"},
	{__LINE__, "c5f454c2", "vandps ymm0, ymm1, ymm2", "v0@1:w v1@2:r v2@3:r"},
	{__LINE__, "c5f351c2", "vsqrtsd xmm0, xmm1, xmm2", "v0@1:w v1@2:r v2@3:r mxcsr@mxcsr:r"},
	{__LINE__, "c4e1f32ac0", "vcvtsi2sd xmm0, xmm1, rax",
	 "v0@1:w v1@2:r rax@3:r mxcsr@mxcsr:r"},
	{__LINE__, "c5f210c2", "vmovss xmm0, xmm1, xmm2", "v0@1:w v1@2:r v2@3:r"},
	{__LINE__, "c5fb1000", "vmovsd xmm0, qword ptr [rax]", "v0@1:w rax@b:ra m@2:r"},
	{__LINE__, "c4e2f5b800", "vfmadd231pd ymm0, ymm1, ymmword ptr [rax]",
	 "v0@1:rw v1@2:r rax@b:ra m@3:r mxcsr@mxcsr:r"},
	{__LINE__, "c4e26d92448808", "vgatherdps ymm0, [rax+ymm1*4+0x8], ymm2",
	 "v0@1:rwm rax@b:ra v1@i:ra m@2:r v2@3:rw"},
	{__LINE__, "c4e2752c00", "vmaskmovps ymm0, ymm1, ymmword ptr [rax]",
	 "v0@1:w v1@2:r rax@b:ra m@3:r"},
	{__LINE__, "c4e2752e00", "vmaskmovps ymmword ptr [rax], ymm1, ymm0",
	 "rax@b:ra m@1:w v1@2:r v0@3:r"},
	{__LINE__, "c5f877", "vzeroupper", ""},
	{__LINE__, "c5fc77", "vzeroall",
	 "v0@xmm0:w v1@xmm1:w v2@xmm2:w v3@xmm3:w v4@xmm4:w v5@xmm5:w v6@xmm6:w "
	 "v7@xmm7:w v8@xmm8:w v9@xmm9:w v10@xmm10:w v11@xmm11:w v12@xmm12:w "
	 "v13@xmm13:w v14@xmm14:w v15@xmm15:w"},
	{__LINE__, "62f1744858c2", "vaddps zmm0, zmm1, zmm2",
	 "v0@1:w v1@2:r v2@3:r mxcsr@mxcsr:r"},
	{__LINE__, "62f1744958c2", "vaddps zmm0 {k1}, zmm1, zmm2",
	 "v0@1:rwm v1@2:r v2@3:r k1@k:r mxcsr@mxcsr:r"},
	{__LINE__, "62f174c958c2", "vaddps zmm0 {k1} {z}, zmm1, zmm2",
	 "v0@1:w v1@2:r v2@3:r k1@k:r mxcsr@mxcsr:r"},
	{__LINE__, "62f275c9b8c2", "vfmadd231ps zmm0 {k1} {z}, zmm1, zmm2",
	 "v0@1:rw v1@2:r v2@3:r k1@k:r mxcsr@mxcsr:r"},
	{__LINE__, "62f2754965c2", "vblendmps zmm0 {k1}, zmm1, zmm2",
	 "v0@1:w v1@2:r v2@3:r k1@k:r"},
	{__LINE__, "62f1744ac2ca01", "vcmpps k1 {k2}, zmm1, zmm2, 0x1",
	 "k1@1:w v1@2:r v2@3:r k2@k:r mxcsr@mxcsr:r"},
	{__LINE__, "62f17c491100", "vmovups zmmword ptr [rax] {k1}, zmm0",
	 "rax@b:ra m@1:w v0@2:r k1@k:r"},
	{__LINE__, "62f3754825c201", "vpternlogd zmm0, zmm1, zmm2, 0x1", "v0@1:rw v1@2:r v2@3:r"},
	{__LINE__, "62f275487ec2", "vpermt2d zmm0, zmm1, zmm2", "v0@1:rw v1@2:r v2@3:r"},
	{__LINE__, "62f27d4989c1", "vpexpandd zmm0 {k1}, zmm1", "v0@1:rwm v1@2:r k1@k:r"},
	{__LINE__, "62f27d498b00", "vpcompressd zmmword ptr [rax] {k1}, zmm0",
	 "rax@b:ra m@1:w v0@2:r k1@k:r"},
	{__LINE__, "62f27d49920488", "vgatherdps zmm0 {k1}, [rax+zmm1*4]",
	 "v0@1:rwm rax@b:ra v1@i:ra m@2:r k1@k:rw"},
	{__LINE__, "62f27d49a00488", "vpscatterdd [rax+zmm1*4] {k1}, zmm0",
	 "rax@b:ra v1@i:ra m@1:w v0@2:r k1@k:rw"},
	{__LINE__, "c5f892c8", "kmovw k1, eax", "k1@1:w rax@2:r"},
	{__LINE__, "c5f898c9", "kortestw k1, k1", "k1@1:r k1@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "c5ec46cb", "kxnorw k1, k2, k3", "k1@1:w k2@2:r k3@3:r"},
	{__LINE__, "62f27f4868d1", "vp2intersectd k2, zmm0, zmm1", "k2@1:w k3@1:w v0@2:r v1@3:r"},
	{__LINE__, "0fae10", "ldmxcsr dword ptr [rax]", "rax@b:ra m@1:r mxcsr@mxcsr:w"},
	{__LINE__, "0fae18", "stmxcsr dword ptr [rax]", "rax@b:ra m@1:w mxcsr@mxcsr:r"},
	{__LINE__, "0fae00", "fxsave [rax]",
	 "rax@b:ra m@1:w v0@xmm0:r v1@xmm1:r v2@xmm2:r v3@xmm3:r v4@xmm4:r "
	 "v5@xmm5:r v6@xmm6:r v7@xmm7:r v8@xmm8:r v9@xmm9:r v10@xmm10:r "
	 "v11@xmm11:r v12@xmm12:r v13@xmm13:r v14@xmm14:r v15@xmm15:r "
	 "mxcsr@mxcsr:r st0@st0:r st1@st1:r st2@st2:r st3@st3:r st4@st4:r "
	 "st5@st5:r st6@st6:r st7@st7:r x87status@x87status:r"},
	{__LINE__, "dd00", "fld qword ptr [rax]", "rax@b:ra m@1:r st0@st0:w"},
	{__LINE__, "d9c2", "fld st(2)", "st2@1:r st0@st0:w"},
	{__LINE__, "d9e8", "fld1", "st0@st0:w"},
	{__LINE__, "ddd9", "fstp st(1)", "st1@1:w st0@st0:r"},
	{__LINE__, "dd18", "fstp qword ptr [rax]", "rax@b:ra m@1:w st0@st0:r"},
	{__LINE__, "dec2", "faddp st(2), st(0)", "st2@1:rw st0@2:r"},
	{__LINE__, "d8c3", "fadd st(0), st(3)", "st0@1:rw st3@2:r"},
	{__LINE__, "d808", "fmul dword ptr [rax]", "rax@b:ra m@1:r st0@st0:rw"},
	{__LINE__, "d9ca", "fxch st(2)", "st2@1:rw st0@st0:rw"},
	{__LINE__, "dac1", "fcmovb st(0), st(1)", "st0@1:rwm st1@2:r cf@f:r"},
	{__LINE__, "dbf1", "fcomi st(0), st(1)", "st0@1:r st1@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "dff1", "fcomip st(0), st(1)", "st0@1:r st1@2:r cf@f:w of@f:w szap@f:w"},
	{__LINE__, "ded9", "fcompp", "st0@st0:r st1@st1:r x87status@x87status:w"},
	{__LINE__, "d9e4", "ftst", "st0@st0:r x87status@x87status:w"},
	{__LINE__, "dfe0", "fnstsw ax", "rax@1:rwm x87status@x87status:r"},
	{__LINE__, "d928", "fldcw word ptr [rax]", "rax@b:ra m@1:r x87status@x87status:rwm"},
	{__LINE__, "d938", "fnstcw word ptr [rax]", "rax@b:ra m@1:w x87status@x87status:r"},
	{__LINE__, "d9fb", "fsincos", "st0@st0:rw st1@st1:w x87status@x87status:w"},
	{__LINE__, "d9f3", "fpatan", "st0@st0:r st1@st1:rw"},
	{__LINE__, "d9f4", "fxtract", "st0@st0:rw st1@st1:w"},
	{__LINE__, "d9f7", "fincstp", ""},
	{__LINE__, "0f77", "emms", "x87status@x87status:w"},
	{__LINE__, "0ffcc1", "paddb mm0, mm1", "st0@1:rw st1@2:r"},
	{__LINE__, "0f7ec8", "movd eax, mm1", "rax@1:w st1@2:r"},
	{__LINE__, "c4e26b5ec1", "tdpbssd tmm0, tmm1, tmm2", "tmm0@1:rw tmm1@2:r tmm2@3:r"},
	{__LINE__, "c4e27b49d8", "tilezero tmm3", "tmm3@1:w"},
	{__LINE__, "62f27f489a00", "v4fmaddps zmm0, zmm0, xmmword ptr [rax]",
	 "v0@1:rw v0@2:r v1@2:r v2@2:r v3@2:r rax@b:ra m@3:r mxcsr@mxcsr:r"},
	{__LINE__, "0f02c1", "lar eax, ecx", "rax@1:rwm rcx@2:r szap@f:rwm"},
};
/* clang-format on */

static void add_access(const struct takt_access *access, struct takt_text *text)
{
	static const struct {
		uint8_t flag;
		char letter;
	} flags[] = {{TAKT_READ, 'r'},
		     {TAKT_WRITE, 'w'},
		     {TAKT_MERGE, 'm'},
		     {TAKT_ADDRESS, 'a'},
		     {TAKT_STACK_ENGINE, 's'}};

	if (text->size_bytes > 0)
		takt_text_add(text, " ", 1);
	takt_text_printf(text, "%s@",
			 access->location ? takt_location_name(&takt_isa_x86, access->location)
					  : "m");
	takt_slot_write(&takt_isa_x86, access->slot, text);
	takt_text_add(text, ":", 1);
	for (size_t index = 0; index < TAKT_COUNT_OF(flags); index++) {
		if (access->flags & flags[index].flag)
			takt_text_add(text, &flags[index].letter, 1);
	}
}

static void check(const struct row *row, struct takt_text *text)
{
	uint8_t bytes[16];
	size_t size_bytes = from_hex(row->hex, bytes, sizeof(bytes));
	struct takt_insn insn;

	if (!tap_ok_at(__FILE__, row->line,
		       takt_decode(&takt_isa_x86, bytes, size_bytes, 0x1000, &insn) == TAKT_OK,
		       "%s decodes", row->hex))
		return;
	takt_text_clear(text);
	takt_insn_write(&insn, TAKT_SYNTAX_INTEL, text);
	tap_ok_at(__FILE__, row->line, strcmp(text->data, row->text) == 0, "%s is \"%s\"", row->hex,
		  text->data);
	takt_text_clear(text);
	for (unsigned index = 0; index < insn.access_count; index++)
		add_access(&insn.accesses[index], text);
	tap_ok_at(__FILE__, row->line, strcmp(text->data ? text->data : "", row->accesses) == 0,
		  "%s: got \"%s\", want \"%s\"", row->text, text->data ? text->data : "",
		  row->accesses);
}

/* ---- memories and deltas ---------------------------------------------- */

struct memory_row {
	int line;
	const char *hex;
	int rsp_delta, memory_count;
	struct takt_memory last; /* of the instruction's memories */
};

#define RAX TAKT_LOC_GPR
#define RBX (TAKT_LOC_GPR + 3)
#define RBP (TAKT_LOC_GPR + 5)
#define STACK TAKT_SLOT_STACK

static const struct memory_row memory_rows[] = {
	{__LINE__,
	 "50",
	 -8,
	 1, /* push rax stores below rsp */
	 {.base = TAKT_LOC_RSP, .displacement = -8, .slot = STACK, .write = true, .size_bytes = 8}},
	{__LINE__,
	 "66ff30",
	 -2,
	 2, /* push word [rax] */
	 {.base = TAKT_LOC_RSP, .displacement = -2, .slot = STACK, .write = true, .size_bytes = 2}},
	{__LINE__,
	 "58",
	 8,
	 1,
	 {.base = TAKT_LOC_RSP, .slot = STACK, .read = true, .size_bytes = 8}},
	{__LINE__,
	 "5c",
	 0,
	 1, /* pop rsp */
	 {.base = TAKT_LOC_RSP, .slot = STACK, .read = true, .size_bytes = 8}},
	{__LINE__,
	 "c20800",
	 16,
	 1, /* ret 8 */
	 {.base = TAKT_LOC_RSP, .slot = STACK, .read = true, .size_bytes = 8}},
	{__LINE__,
	 "c2ffff",
	 65543,
	 1,
	 {.base = TAKT_LOC_RSP, .slot = STACK, .read = true, .size_bytes = 8}},
	{__LINE__,
	 "e800000000",
	 -8,
	 1,
	 {.base = TAKT_LOC_RSP, .displacement = -8, .slot = STACK, .write = true, .size_bytes = 8}},
	{__LINE__,
	 "c8200000",
	 -40,
	 1, /* enter 32, 0 */
	 {.base = TAKT_LOC_RSP, .displacement = -8, .slot = STACK, .write = true, .size_bytes = 8}},
	{__LINE__, "c9", 0, 1, {.base = RBP, .slot = STACK, .read = true, .size_bytes = 8}},
	{__LINE__,
	 "a4",
	 0,
	 2,
	 {.base = TAKT_LOC_GPR + 6, .slot = STACK, .read = true, .size_bytes = 1}},
	{__LINE__,
	 "48014cd810",
	 0,
	 1, /* add [rax+rbx*8+16], rcx */
	 {.base = RAX,
	  .index = RBX,
	  .scale = 8,
	  .displacement = 16,
	  .read = true,
	  .write = true,
	  .size_bytes = 8}},
	{__LINE__,
	 "488b0510000000",
	 0,
	 1, /* mov rax, [rip+16] at 0x1000 */
	 {.displacement = 0x1017, .slot = 1, .rip_relative = true, .read = true, .size_bytes = 8}},
	{__LINE__,
	 "64488b042528000000",
	 0,
	 1, /* mov rax, fs:[0x28] */
	 {.displacement = 0x28, .slot = 1, .segment = 'f', .read = true, .size_bytes = 8}},
	{__LINE__,
	 "488d440b08",
	 0,
	 1, /* lea rax, [rbx+rcx+8] */
	 {.base = RBX,
	  .index = TAKT_LOC_GPR + 1,
	  .scale = 1,
	  .displacement = 8,
	  .slot = 1,
	  .address_only = true}},
	{__LINE__,
	 "0f1808",
	 0,
	 1, /* prefetcht0 [rax] */
	 {.base = RAX, .address_only = true, .size_bytes = 1}},
	{__LINE__,
	 "c4e26d92448808",
	 0,
	 1, /* vgatherdps ymm0, [rax+ymm1*4+8], ymm2 */
	 {.base = RAX,
	  .index = TAKT_LOC_VECTOR + 1,
	  .scale = 4,
	  .displacement = 8,
	  .slot = 1,
	  .read = true,
	  .size_bytes = 4}},
	{__LINE__,
	 "62f174585801",
	 0,
	 1, /* vaddps zmm0, zmm1, [rcx]{1to16} */
	 {.base = TAKT_LOC_GPR + 1, .slot = 2, .read = true, .size_bytes = 4}},
	{__LINE__,
	 "62f17c48114001",
	 0,
	 1, /* vmovups [rax+64], zmm0: disp8 scaled */
	 {.base = RAX, .displacement = 64, .write = true, .size_bytes = 64}},
	{__LINE__,
	 "8f442408",
	 8,
	 2, /* pop [rsp+8]: the address counts from the new rsp */
	 {.base = TAKT_LOC_RSP, .slot = STACK, .read = true, .size_bytes = 8}},
	{__LINE__, "0fae00", 0, 1, {.base = RAX, .write = true, .size_bytes = 512}},
};

static void check_memory(const struct memory_row *row)
{
	uint8_t bytes[16];
	size_t size_bytes = from_hex(row->hex, bytes, sizeof(bytes));
	struct takt_insn insn;
	struct takt_memory want = row->last, got;

	if (!tap_ok_at(__FILE__, row->line,
		       takt_decode(&takt_isa_x86, bytes, size_bytes, 0x1000, &insn) == TAKT_OK,
		       "%s decodes", row->hex))
		return;
	tap_ok_at(__FILE__, row->line, insn.rsp_delta == row->rsp_delta, "%s: rsp %+d", row->hex,
		  (int)insn.rsp_delta);
	if (!tap_ok_at(__FILE__, row->line, insn.memory_count == row->memory_count,
		       "%s: %d memories", row->hex, insn.memory_count))
		return;
	got = insn.memories[insn.memory_count - 1];
	tap_ok_at(__FILE__, row->line,
		  got.displacement == want.displacement && got.slot == want.slot &&
			  got.base == want.base && got.index == want.index &&
			  got.scale == want.scale && got.segment == want.segment &&
			  got.read == want.read && got.write == want.write &&
			  got.rip_relative == want.rip_relative &&
			  got.address_only == want.address_only && got.address_size_bytes == 8 &&
			  got.size_bytes == want.size_bytes,
		  "%s: the memory operand", row->hex);
}

static void check_pop_to_stack(void)
{
	const uint8_t bytes[] = {0x8f, 0x44, 0x24, 0x08}; /* pop [rsp+8] */
	struct takt_insn insn;

	ok(takt_decode(&takt_isa_x86, bytes, sizeof(bytes), 0, &insn) == TAKT_OK,
	   "pop [rsp+8] decodes");
	is_int(insn.memories[0].displacement, 16, "its address in terms of the old rsp");
}

/* ---- the x87 stack ---------------------------------------------------- */

static void check_x87(void)
{
	static const struct {
		int line;
		const char *hex;
		int delta;
	} x87_rows[] = {
		{__LINE__, "dd00", -1}, /* fld m64 */
		{__LINE__, "d9e8", -1}, /* fld1 */
		{__LINE__, "df28", -1}, /* fild m64 */
		{__LINE__, "d9f2", -1}, /* fptan */
		{__LINE__, "d9f6", -1}, /* fdecstp */
		{__LINE__, "dd18", 1},	/* fstp m64 */
		{__LINE__, "db18", 1},	/* fistp m32 */
		{__LINE__, "dec1", 1},	/* faddp */
		{__LINE__, "d9f1", 1},	/* fyl2x */
		{__LINE__, "dfe9", 1},	/* fucomip */
		{__LINE__, "dae9", 2},	/* fucompp */
		{__LINE__, "ded9", 2},	/* fcompp */
		{__LINE__, "d8c1", 0},	/* fadd */
		{__LINE__, "d9c9", 0},	/* fxch */
		{__LINE__, "dd10", 0},	/* fst m64 */
	};

	for (size_t index = 0; index < TAKT_COUNT_OF(x87_rows); index++) {
		uint8_t bytes[16];
		size_t size_bytes = from_hex(x87_rows[index].hex, bytes, sizeof(bytes));
		struct takt_insn insn;

		tap_ok_at(__FILE__, x87_rows[index].line,
			  takt_decode(&takt_isa_x86, bytes, size_bytes, 0, &insn) == TAKT_OK &&
				  insn.x87_top_delta == x87_rows[index].delta,
			  "%s: top %+d", x87_rows[index].hex, x87_rows[index].delta);
	}
}

int main(void)
{
	struct takt_text text = {0};

	for (size_t index = 0; index < TAKT_COUNT_OF(rows); index++)
		check(&rows[index], &text);
	for (size_t index = 0; index < TAKT_COUNT_OF(memory_rows); index++)
		check_memory(&memory_rows[index]);
	check_pop_to_stack();
	check_x87();
	takt_text_release(&text);
	return tap_done();
}
