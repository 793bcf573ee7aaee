/* SPDX-License-Identifier: MIT */
/*
 * A program of small blocks, and what is known of it after a run. Blocks that end in "jmp rax"
 * may lead anywhere in their function.
 */
#ifndef TAKT_TESTS_TRACE_PROGRAM_H
#define TAKT_TESTS_TRACE_PROGRAM_H

#include "fixture.h"

#define PROGRAM_BASE 0x400000u
/* As trace_record() makes them, but constant. */
#define RECORD(kind, value) ((uint64_t)(kind) << TRACE_SIZE_SHIFT | (value))
#define START(number) RECORD(TRACE_KIND_START, number)
#define END RECORD(TRACE_KIND_END, 0)
#define RUN(block) RECORD(TRACE_KIND_BLOCK, block)
#define SYSCALL(number) RECORD(TRACE_KIND_SYSCALL, number)
#define SIGRETURN SYSCALL(15)

enum { F_MAIN = 1, F_WORK, F_LEAF, F_HANDLER, F_COLD, F_RESTORE, F_COUNT };

enum {
	M,	/* main: jmp rax */
	M_WORK, /* call work */
	M_BACK, /* jmp rax */
	M_RET,
	M_BEGIN, /* marker, jmp rax */
	M_END,	 /* marker, jmp rax */
	W,	 /* work: jmp rax */
	W_WORK,	 /* call work */
	W_WBACK, /* jmp rax */
	W_LEAF,	 /* call leaf */
	W_LBACK, /* jmp rax */
	W_TAIL,	 /* jmp leaf */
	W_RET,
	W_COLD,	 /* jz cold */
	W_SYS,	 /* syscall */
	W_SBACK, /* jmp rax */
	W_INTO,	 /* nop; and W_LOOP */
	W_LOOP,	 /* nop; jz W_LOOP */
	W_OUT,	 /* jz W_INTO */
	W_PIC,	 /* call to what is next */
	W_PBACK, /* jmp rax */
	W_REP,	 /* rep movsb */
	W_RBACK, /* jmp rax */
	L,	 /* leaf: jmp rax */
	L_RET,
	L_JUMP, /* jmp rax, a longjmp */
	H,	/* handler: jmp rax */
	H_LEAF, /* call leaf */
	H_BACK, /* jmp rax */
	H_RET,
	C, /* work.cold: jmp W_RET */
	R, /* restore: syscall */
	J, /* of no file: jmp rax */
};

#define JMP_RAX 0xff, 0xe0
#define TO(from, to)                                                                               \
	(uint8_t)((to) - (from)), (uint8_t)(((to) - (from)) >> 8),                                 \
		(uint8_t)(((to) - (from)) >> 16), (uint8_t)(((to) - (from)) >> 24)

static const struct {
	uint32_t offset, function;
	unsigned flags;
	uint8_t count, lengths[4], bytes[16];
} program_blocks[] = {
	[M] = {0x1000, F_MAIN, 0, 1, {2}, {JMP_RAX}},
	[M_WORK] = {0x1002, F_MAIN, 0, 1, {5}, {0xe8, TO(0x1007, 0x1100)}},
	[M_BACK] = {0x1007, F_MAIN, 0, 1, {2}, {JMP_RAX}},
	[M_RET] = {0x1009, F_MAIN, 0, 1, {1}, {0xc3}},
	[M_BEGIN] =
		{0x100a, F_MAIN, 0, 3, {5, 3, 2}, {0xbb, 111, 0, 0, 0, 0x64, 0x67, 0x90, JMP_RAX}},
	[M_END] =
		{0x1014, F_MAIN, 0, 3, {5, 3, 2}, {0xbb, 222, 0, 0, 0, 0x64, 0x67, 0x90, JMP_RAX}},
	[W] = {0x1100, F_WORK, 0, 1, {2}, {JMP_RAX}},
	[W_WORK] = {0x1102, F_WORK, 0, 1, {5}, {0xe8, TO(0x1107, 0x1100)}},
	[W_WBACK] = {0x1107, F_WORK, 0, 1, {2}, {JMP_RAX}},
	[W_LEAF] = {0x1109, F_WORK, 0, 1, {5}, {0xe8, TO(0x110e, 0x1200)}},
	[W_LBACK] = {0x110e, F_WORK, 0, 1, {2}, {JMP_RAX}},
	[W_TAIL] = {0x1110, F_WORK, 0, 1, {5}, {0xe9, TO(0x1115, 0x1200)}},
	[W_RET] = {0x1115, F_WORK, 0, 1, {1}, {0xc3}},
	[W_COLD] = {0x1116, F_WORK, 0, 1, {6}, {0x0f, 0x84, TO(0x111c, 0x1400)}},
	[W_SYS] = {0x111c, F_WORK, 0, 1, {2}, {0x0f, 0x05}},
	[W_SBACK] = {0x111e, F_WORK, 0, 1, {2}, {JMP_RAX}},
	[W_INTO] = {0x1120, F_WORK, 0, 3, {1, 1, 2}, {0x90, 0x90, 0x74, 0xfd}},
	[W_LOOP] = {0x1121, F_WORK, 0, 2, {1, 2}, {0x90, 0x74, 0xfd}},
	[W_OUT] = {0x1124, F_WORK, 0, 1, {2}, {0x74, 0xfa}},
	[W_PIC] = {0x1126, F_WORK, 0, 1, {5}, {0xe8, 0, 0, 0, 0}},
	[W_PBACK] = {0x112b, F_WORK, 0, 1, {2}, {JMP_RAX}},
	[W_REP] = {0x112d, F_WORK, TRACE_BLOCK_REPEATS, 1, {2}, {0xf3, 0xa4}},
	[W_RBACK] = {0x112f, F_WORK, 0, 1, {2}, {JMP_RAX}},
	[L] = {0x1200, F_LEAF, 0, 1, {2}, {JMP_RAX}},
	[L_RET] = {0x1202, F_LEAF, 0, 1, {1}, {0xc3}},
	[L_JUMP] = {0x1203, F_LEAF, 0, 1, {2}, {JMP_RAX}},
	[H] = {0x1300, F_HANDLER, 0, 1, {2}, {JMP_RAX}},
	[H_LEAF] = {0x1302, F_HANDLER, 0, 1, {5}, {0xe8, TO(0x1307, 0x1200)}},
	[H_BACK] = {0x1307, F_HANDLER, 0, 1, {2}, {JMP_RAX}},
	[H_RET] = {0x1309, F_HANDLER, 0, 1, {1}, {0xc3}},
	[C] = {0x1400, F_COLD, 0, 1, {5}, {0xe9, TO(0x1405, 0x1115)}},
	[R] = {0x1500, F_RESTORE, 0, 1, {2}, {0x0f, 0x05}},
	[J] = {0x2000, 0, 0, 1, {2}, {JMP_RAX}},
};

static inline void program_load(struct trace_dictionary *dictionary)
{
	static const char *const names[] = {
		[F_MAIN] = "main",	 [F_WORK] = "work",	 [F_LEAF] = "leaf",
		[F_HANDLER] = "handler", [F_COLD] = "work.cold", [F_RESTORE] = "restore"};

	takt_trace_dictionary_init(dictionary, fixture_guest("x86-64"));
	takt_trace_dictionary_add_file(dictionary, &(struct trace_file){.path = "/bin/program"});
	for (uint32_t i = 1; i < F_COUNT; i++)
		takt_trace_dictionary_add_function(
			dictionary, &(struct trace_function){.name = names[i],
							     .file_offset = 0xf00 + 0x100 * i,
							     .size_bytes = 0x100,
							     .file = 1});
	for (size_t i = 0; i < TAKT_COUNT_OF(program_blocks); i++) {
		uint8_t buffer[128];
		struct trace_block_header header;
		size_t size = fixture_block(buffer, PROGRAM_BASE + program_blocks[i].offset,
					    program_blocks[i].flags, program_blocks[i].lengths,
					    program_blocks[i].count, program_blocks[i].bytes);

		memcpy(&header, buffer, sizeof(header));
		header.function = program_blocks[i].function;
		header.file = header.function ? 1 : 0;
		header.file_offset = program_blocks[i].offset;
		memcpy(buffer, &header, sizeof(header));
		takt_trace_dictionary_add(dictionary, buffer, size);
	}
}

/* Runs one thread's records; the result is the caller's. */
static inline struct takt_trace_profile *program_run(const uint64_t *records, size_t count,
						     const char *const *regions,
						     uint32_t region_count)
{
	const struct takt_trace_options options = {.regions = regions,
						   .region_count = region_count};
	struct takt_trace_profile *result = NULL;
	struct trace_dictionary dictionary;
	struct trace_profile profile;
	struct trace_sequencer sequencer;

	program_load(&dictionary);
	if (ok(takt_trace_profile_init(&profile, &dictionary, &options, NULL) == TAKT_OK,
	       "a profile")) {
		takt_trace_sequencer_init(&sequencer, &dictionary, &profile.sink, false);
		ok(takt_trace_sequencer_feed(&sequencer, 0, records, count) == count,
		   "all records are taken");
		takt_trace_sequencer_end(&sequencer);
		result = takt_trace_profile_finish(&profile, NULL, NULL);
		takt_trace_sequencer_release(&sequencer);
	}
	takt_trace_profile_release(&profile);
	takt_trace_dictionary_release(&dictionary);
	return result;
}

/* The same of a row's records, which end in END, behind the thread's start. */
static inline struct takt_trace_profile *
program_run_row(const uint64_t *row, const char *const *regions, uint32_t region_count)
{
	struct takt_trace_profile *result;
	uint64_t *records;
	size_t count = 0;

	while (row[count++] != END)
		continue;
	records = takt_xcalloc(count + 1, sizeof(*records));
	records[0] = START(0);
	memcpy(records + 1, row, count * sizeof(*records));
	result = program_run(records, count + 1, regions, region_count);
	free(records);
	return result;
}

#endif
