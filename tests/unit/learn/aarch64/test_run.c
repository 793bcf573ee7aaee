/* SPDX-License-Identifier: MIT */
/*
 * The AArch64 code of experiments runs: blocks in their loops, and programs as a host calls them.
 * Cross-compiled, and run in qemu-user where this machine is none of AArch64.
 */
#include <string.h>
#include <sys/mman.h>

#include "learn/program.h"
#include "unit/tap.h"

#define CODE_BYTES (1u << 20)
#define DATA_BYTES (9u << 20)
#define TURNS 3u
#define SIZE 9
#define SEED UINT64_C(0x9e3779b97f4a7c15)
#define RANDOM_NUMBERS 5000u

typedef uint64_t run_function(uint64_t start, uint64_t turns, uint64_t number);

static uint8_t *memory;				     /* executable */
static uint64_t data[DATA_BYTES / sizeof(uint64_t)]; /* what the code accesses */

static const struct {
	const char *name, *isa, *sizes, *text;
} experiments[] = {
#define EXPERIMENT(name, isa, kind, loop, sizes, text) {name, isa, sizes, text},
#include "learn/experiments.def"
#undef EXPERIMENT
};

static uint64_t run(const struct learn_code *code, uint64_t start, uint64_t turns, uint64_t number)
{
	run_function *function;
	const void *address = memory;

	memcpy(memory, code->bytes, code->size_bytes);
	__builtin___clear_cache((char *)memory, (char *)memory + code->size_bytes);
	memcpy(&function, &address, sizeof(function));
	return function(start, turns, number);
}

/* Each word of the data points to the data, so that loads find addresses. */
static void fill_data(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(data); i++)
		data[i] = (uint64_t)(uintptr_t)data;
}

static void test_block(const char *name, const char *text)
{
	static const uint32_t before[] = {0xaa0103ee,  /* mov x14, x1 */
					  0xaa0003e1,  /* mov x1, x0 */
					  0xd2800000,  /* mov x0, 0 */
					  0xd2800023,  /* mov x3, 1 */
					  0xd2800005}; /* mov x5, 0 */
	static const uint32_t behind[] = {0xaa0e03e0,  /* mov x0, x14 */
					  0xd65f03c0}; /* ret */
	struct takt_arena arena = {0};
	struct learn_code body, code;
	bool sound;

	body = code = (struct learn_code){.arena = &arena};
	sound = learn_code_add_text(&body, "aarch64", text, SIZE) &&
		learn_code_close_loop(&body, "aarch64");
	learn_code_add(&code, (const uint8_t *)before, sizeof(before));
	learn_code_add(&code, body.bytes, body.size_bytes);
	learn_code_add(&code, (const uint8_t *)behind, sizeof(behind));
	fill_data();
	ok(sound && run(&code, (uint64_t)(uintptr_t)data, TURNS, 0) == 0, "%s ends", name);
	takt_arena_release(&arena);
}

static uint64_t random_number(uint64_t number, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		number ^= number << 13;
		number ^= number >> 7;
		number ^= number << 17;
	}
	return number;
}

/* A program runs to its end; one of random numbers leaves the last of them in its register. */
static void test_program(const char *name, const char *text, int32_t size)
{
	struct takt_arena arena = {0};
	struct learn_program program;
	uint64_t base = (uint64_t)(uintptr_t)data, result = 0;
	bool sound;

	sound = learn_program_build("aarch64", text, size, &arena, &program) &&
		program.data_bytes <= DATA_BYTES && program.code.size_bytes < CODE_BYTES / 2;
	fill_data();
	if (sound) {
		struct learn_code code = {.arena = &arena};
		size_t entry_bytes = program.insns->entry_bytes;

		for (size_t i = 0; i < program.pointer_count; i++)
			data[program.pointers[i].at / 8] = base + program.pointers[i].target;
		learn_code_add(&code, program.insns->entry, entry_bytes);
		learn_code_add(&code, program.code.bytes, program.code.size_bytes);
		memcpy(code.bytes + entry_bytes + program.exit, program.insns->leave,
		       program.insns->leave_bytes);
		result = run(&code, base + program.start, program.turns, SEED);
	}
	ok(sound && (strcmp(name, "mispredictions") != 0 ||
		     result == random_number(SEED, RANDOM_NUMBERS)),
	   "%s %d ends", name, size);
	takt_arena_release(&arena);
}

int main(void)
{
	memory = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < TAKT_COUNT_OF(experiments); i++) {
		if (strcmp(experiments[i].isa, "aarch64") != 0)
			continue;
		if (*experiments[i].text == '@') {
			test_program(experiments[i].name, experiments[i].text, 32);
			test_program(experiments[i].name, experiments[i].text, 64);
		} else {
			test_block(experiments[i].name, experiments[i].text);
		}
	}
	return tap_done();
}
