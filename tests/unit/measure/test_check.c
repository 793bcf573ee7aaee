/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "measure/measurer.h"

#define CODE_MAX_BYTES 16

struct row {
	int line;
	enum takt_measure_status status;
	const char *reason; /* the start of it */
	uint8_t size_bytes;
	uint8_t code[CODE_MAX_BYTES];
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, TAKT_MEASURE_OK, "", 3, {0x48, 0x01, 0xd8}},
	{__LINE__, TAKT_MEASURE_OK, "", 2, {0x0f, 0x31}},
	{__LINE__, TAKT_MEASURE_OK, "", 2, {0x0f, 0xa2}},
	{__LINE__, TAKT_MEASURE_OK, "", 4, {0xf3, 0x0f, 0x1e, 0xfa}}, /* endbr64 */
	{__LINE__, TAKT_MEASURE_UNDECODABLE, "no instructions", 0, {0}},
	{__LINE__, TAKT_MEASURE_UNDECODABLE, "offset 3: byte 0x06", 4, {0x48, 0x01, 0xd8, 0x06}},
	{__LINE__, TAKT_MEASURE_UNDECODABLE, "offset 1: byte 0x48", 2, {0x90, 0x48}},
	{__LINE__, TAKT_MEASURE_CONTROL, "offset 1: je", 3, {0x90, 0x74, 0xfd}},
	{__LINE__, TAKT_MEASURE_OK, "", 3, {0x90, 0x74, 0x00}}, /* je to the next instruction */
	{__LINE__, TAKT_MEASURE_OK, "", 6, {0x0f, 0x84, 0, 0, 0, 0}},
	{__LINE__, TAKT_MEASURE_CONTROL, "offset 0: jmp", 2, {0xeb, 0x00}},
	{__LINE__, TAKT_MEASURE_CONTROL, "offset 0: loop", 2, {0xe2, 0x00}},
	{__LINE__, TAKT_MEASURE_CONTROL, "offset 0: je", 2, {0x74, 0x01}},
	{__LINE__, TAKT_MEASURE_CONTROL, "offset 0: call", 5, {0xe8, 0, 0, 0, 0}},
	{__LINE__, TAKT_MEASURE_CONTROL, "offset 0: ret", 1, {0xc3}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: syscall", 2, {0x0f, 0x05}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: sysenter", 2, {0x0f, 0x34}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: int", 2, {0xcd, 0x80}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: int3", 1, {0xcc}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: hlt", 1, {0xf4}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: ud2", 2, {0x0f, 0x0b}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: in", 1, {0xec}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: outs", 1, {0x6e}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: rdmsr", 2, {0x0f, 0x32}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: rdpmc", 2, {0x0f, 0x33}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: wrfsbase", 5,
	 {0xf3, 0x48, 0x0f, 0xae, 0xd0}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: wrpkru", 3, {0x0f, 0x01, 0xef}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: xbegin", 6, {0xc7, 0xf8, 0, 0, 0, 0}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: mov fs", 2, {0x8e, 0xe0}},
	{__LINE__, TAKT_MEASURE_OK, "", 2, {0x8c, 0xe0}}, /* mov eax, fs */
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: pop fs", 2, {0x0f, 0xa1}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: mov cr0", 3, {0x0f, 0x22, 0xc0}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: mov", 3, {0x0f, 0x21, 0xc0}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: lss", 3, {0x0f, 0xb2, 0x00}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: invlpg", 3, {0x0f, 0x01, 0x38}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: swapgs", 3, {0x0f, 0x01, 0xf8}},
	{__LINE__, TAKT_MEASURE_PRIVILEGED, "offset 0: vmxoff", 3, {0x0f, 0x01, 0xc4}},
};
/* clang-format on */

static void check_rejections(void)
{
	struct takt_arena arena = {0};
	struct takt_text reason = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct takt_subject subject;
		enum takt_measure_status status;

		takt_text_clear(&reason);
		status = takt_subject_init(rows[i].code, rows[i].size_bytes, &arena, &reason,
					   &subject);
		tap_ok_at(__FILE__, rows[i].line,
			  status == rows[i].status &&
				  takt_string_starts(takt_text_data(&reason), rows[i].reason),
			  "%s: %s", takt_measure_status_word(status), takt_text_data(&reason));
	}
	takt_text_release(&reason);
	takt_arena_release(&arena);
}

static struct takt_subject subject_of(const uint8_t *code, size_t size_bytes,
				      struct takt_arena *arena)
{
	struct takt_text reason = {0};
	struct takt_subject subject;

	takt_subject_init(code, size_bytes, arena, &reason, &subject);
	takt_text_release(&reason);
	return subject;
}

static void check_needs(void)
{
	/* mov rax, [rbx]; add ah, cl; vaddpd ymm16{k1}, ymm1, ymm2 */
	static const uint8_t mixed[] = {0x48, 0x8b, 0x03, 0x00, 0xcc, 0x62,
					0xe1, 0xf5, 0x29, 0x58, 0xc2};
	static const uint8_t chase[] = {0x48, 0x8b, 0x40, 0x08}; /* mov rax, [rax + 8] */
	/* mov rcx, [rbx]; mov rcx, rdx; mov rax, [rcx] */
	static const uint8_t overwritten[] = {0x48, 0x8b, 0x0b, 0x48, 0x89, 0xd1, 0x48, 0x8b, 0x01};
	/* mov rdx, [rcx]; mov rcx, [rbx]: in the next iteration */
	static const uint8_t carried[] = {0x48, 0x8b, 0x11, 0x48, 0x8b, 0x0b};
	struct takt_arena arena = {0};
	struct takt_subject subject = subject_of(mixed, sizeof(mixed), &arena);

	is_int(subject.gpr_used, 1 << 0 | 1 << 1 | 1 << 3, "general registers, ah included");
	is_int(subject.vector_bytes, 32, "vector width");
	ok(subject.high_vectors && subject.masks && subject.x87_loaded == 0,
	   "registers of AVX-512");
	ok(!subject.loads_addresses, "an address from a register");
	ok(subject_of(chase, sizeof(chase), &arena).loads_addresses, "an address from memory");
	ok(!subject_of(overwritten, sizeof(overwritten), &arena).loads_addresses,
	   "a loaded value that is gone");
	ok(subject_of(carried, sizeof(carried), &arena).loads_addresses,
	   "an address loaded in the iteration before");
	ok(subject_of((const uint8_t[]){0x9d}, 1, &arena).loads_flags, "flags from memory");
	ok(!subject.loads_flags, "none");
	is_int(subject_of((const uint8_t[]){0xd8, 0xc1}, 2, &arena).x87_loaded, 7,
	       "x87 registers for fadd: all but one");
	is_int(subject_of((const uint8_t[]){0xd9, 0xee, 0xd9, 0xee, 0xde, 0xf9, 0xdd, 0xd8}, 8,
			  &arena)
		       .x87_loaded,
	       6, "for a block that pushes two");
	takt_arena_release(&arena);
}

int main(void)
{
#if defined(__x86_64__)
	check_rejections();
	check_needs();
#else
	ok(true, "rejections # SKIP the decoder is for x86-64");
#endif
	return tap_done();
}
