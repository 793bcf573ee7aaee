/* SPDX-License-Identifier: MIT */
/* examples: code to start from, and the languages of the editor. */

const CORES_MAX = 32;

/* `isa` is how the names of instruction sets of fitting cores begin; null: any. */
const LANGUAGES = [
	{id: "att", title: "x86-64, AT&T", isa: "x86-64", query: {format: "asm", syntax: "att"}},
	{id: "intel", title: "x86-64, Intel", isa: "x86-64", query: {format: "asm", syntax: "intel"}},
	{id: "aarch64", title: "AArch64", isa: "aarch64", query: {format: "asm"}},
	{id: "riscv", title: "RISC-V", isa: "llvm:riscv64", query: {format: "asm"}},
	{id: "hex", title: "Hexadecimal", isa: null, query: {format: "hex"}},
	{id: "c", title: "C", isa: null, compiles: true, query: {}},
	{id: "c++", title: "C++", isa: null, compiles: true, query: {}},
];

const EXAMPLES = [
	{title: "Dot product: a chain of FMAs", language: "att", code:
`.L4:
	vmovupd		(%rcx,%rax), %ymm4
	vfmadd231pd	(%rsi,%rax), %ymm4, %ymm1
	addq		$32, %rax
	cmpq		%rax, %rdi
	jne		.L4
`},
	{title: "The same with two sums", language: "att", code:
`.L4:
	vmovupd		(%rcx,%rax), %ymm4
	vmovupd		32(%rcx,%rax), %ymm5
	vfmadd231pd	(%rsi,%rax), %ymm4, %ymm1
	vfmadd231pd	32(%rsi,%rax), %ymm5, %ymm2
	addq		$64, %rax
	cmpq		%rax, %rdi
	jne		.L4
`},
	{title: "A sum that goes through memory", language: "intel", code:
`again:
	mov	rax, [rdi]
	add	rax, [rsi + rcx*8]
	mov	[rdi], rax
	inc	rcx
	cmp	rcx, rdx
	jne	again
`},
	{title: "A linked list", language: "intel", code:
`next:
	add	rax, [rdi + 8]
	mov	rdi, [rdi]
	test	rdi, rdi
	jne	next
`},
	{title: "Division against a reciprocal", language: "intel", code:
`loop:
	vmovups	ymm0, [rsi + rax]
	vdivps	ymm1, ymm0, [rdx + rax]
	vmovups	[rdi + rax], ymm1
	add	rax, 32
	jne	loop
`},
	{title: "DAXPY with NEON", language: "aarch64", code:
`.L3:
	ldr	q1, [x1, x3]
	ldr	q0, [x2, x3]
	fmla	v0.2d, v1.2d, v2.2d
	str	q0, [x2, x3]
	add	x3, x3, 16
	cmp	x3, x4
	bne	.L3
`},
	{title: "A RISC-V sum", language: "riscv", code:
`loop:
	ld	a4, 0(a0)
	addi	a0, a0, 8
	add	a5, a5, a4
	bne	a0, a3, loop
`},
	{title: "Machine code", language: "hex", code: "48 0f af c3  48 01 d8  48 ff c9  75 f4\n"},
	{title: "Triad in C", language: "c", flags: "-O3 -march=x86-64-v3", code:
`void triad(double *restrict a, const double *restrict b,
	   const double *restrict c, double s, long n)
{
	for (long i = 0; i < n; i++)
		a[i] = b[i] + s * c[i];
}
`},
	{title: "Sum in C++", language: "c++", flags: "-O2 -std=c++20 -march=x86-64-v3", code:
`#include <numeric>
#include <span>

double sum(std::span<const double> values)
{
	return std::accumulate(values.begin(), values.end(), 0.0);
}
`},
];
