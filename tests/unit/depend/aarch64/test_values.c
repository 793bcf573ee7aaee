/* SPDX-License-Identifier: MIT */
/*
 * The semantics of AArch64 against execution in qemu-user: random instructions of each row
 * on random registers, flags and memory. What the machine knows must be the same, and it
 * must know all, but of rows that are `partly` known only how the base steps on.
 *
 * Arguments: qemu-aarch64 and the runner.
 */
#include "depend/interpreter.h"
#include "../../tap.h"
#include "cases.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Words are `fixed` with random bits where `open` has ones. */
static const struct row {
	int line;
	uint32_t fixed, open;
	const char *what;
	bool partly;
} rows[] = {
	{__LINE__, 0x11000000, 0xe07fffff, "add, sub of immediates", false},
	{__LINE__, 0x0b000000, 0xe0dfffff, "add, sub of shifted registers", false},
	{__LINE__, 0x0b200000, 0xe01fffff, "add, sub of extended registers", false},
	{__LINE__, 0x12000000, 0xe07fffff, "logic with immediates", false},
	{__LINE__, 0x0a000000, 0xe0ffffff, "logic with shifted registers", false},
	{__LINE__, 0x12800000, 0xe07fffff, "movn, movz, movk", false},
	{__LINE__, 0x10000000, 0xe0ffffff, "adr, adrp", false},
	{__LINE__, 0x13000000, 0x607fffff, "bit fields of w", false},
	{__LINE__, 0x93400000, 0x603fffff, "bit fields of x", false},
	{__LINE__, 0x13007c00, 0xe07f03ff, "bit fields up to bit 31", false},
	{__LINE__, 0x13001c00, 0xe07fe3ff, "bit fields up to bit 7, 15, 31, 63", false},
	{__LINE__, 0x13800000, 0x001fffff, "extr of w", false},
	{__LINE__, 0x93c00000, 0x001fffff, "extr of x", false},
	{__LINE__, 0x1a000000, 0xe01f03ff, "adc, sbc", false},
	{__LINE__, 0x3a400000, 0xc01ffbef, "ccmp, ccmn", false},
	{__LINE__, 0x1a800000, 0xc01ff7ff, "csel, csinc, csinv, csneg", false},
	{__LINE__, 0x1ac00800, 0x801f07ff, "udiv, sdiv", false},
	{__LINE__, 0x1ac02000, 0x801f0fff, "variable shifts", false},
	{__LINE__, 0x5ac00000, 0x800017ff, "rbit, rev, rev16, rev32, clz, cls", false},
	{__LINE__, 0x1b000000, 0x801fffff, "madd, msub", false},
	{__LINE__, 0x1b007c00, 0x801f83ff, "mul, mneg", false},
	{__LINE__, 0x9b200000, 0x009fffff, "smaddl, umaddl, smsubl, umsubl", false},
	{__LINE__, 0x9b407c00, 0x009f03ff, "smulh, umulh", false},
	{__LINE__, 0x39000000, 0xc0ffffff, "loads, stores: immediate", false},
	{__LINE__, 0x38000000, 0xc0dff3ff, "loads, stores: unscaled", false},
	{__LINE__, 0x38000400, 0xc0dff3ff, "loads, stores: post-indexed", false},
	{__LINE__, 0x38000800, 0xc0dff3ff, "loads, stores: unprivileged", false},
	{__LINE__, 0x38000c00, 0xc0dff3ff, "loads, stores: pre-indexed", false},
	{__LINE__, 0x38200800, 0xc0dff3ff, "loads, stores: register offset", false},
	{__LINE__, 0x28000000, 0xc1ffffff, "ldp, stp, ldpsw, ldnp, stnp", false},
	{__LINE__, 0x08dffc00, 0xc00003ff, "ldar", false},
	{__LINE__, 0x089ffc00, 0xc00003ff, "stlr", false},
	{__LINE__, 0x085f7c00, 0xc08083ff, "ldxr, ldaxr", false},
	{__LINE__, 0x38bfc000, 0xc00003ff, "ldapr", false},
	{__LINE__, 0x19000000, 0xc0dff3ff, "ldapur, stlur", false},
	{__LINE__, 0xd503201f, 0x00000000, "nop", false},
	{__LINE__, 0x0420e3e0, 0x00cf001f, "cntb, cnth, cntw, cntd", false},
	{__LINE__, 0x0430e3e0, 0x00cf041f, "incb … incd, decb … decd", false},
	{__LINE__, 0x04205000, 0x005f07ff, "addvl, addpl", false},
	{__LINE__, 0x04bf5000, 0x000007ff, "rdvl", false},
	{__LINE__, 0x08007c00, 0xc01f83ff, "stxr, stlxr", true},
	{__LINE__, 0x38200000, 0xc0dff3ff, "atomic additions and the like", true},
	{__LINE__, 0x08a07c00, 0xc05f83ff, "cas", true},
	{__LINE__, 0x3c000400, 0xc0dffbff, "vectors: post- and pre-indexed", true},
	{__LINE__, 0x3d000000, 0xc0ffffff, "vectors: immediate", true},
	{__LINE__, 0x2c000000, 0xc1ffffff, "vectors: pairs", true},
	{__LINE__, 0x0c9f0000, 0x4040ffff, "vectors: structures", true},
	{__LINE__, 0x0d9f0000, 0x4060ffff, "vectors: elements of structures", true},
	{__LINE__, 0x0c800000, 0x405fffff, "vectors: structures, stepped by registers", true},
};

#define WORDS 128u /* per row */
#define INPUTS 12u /* per word */
#define TRIES_MAX 20000u
#define FLAG_SHIFT 28

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	return takt_hash64(takt_hash64(random_state++) + 0x1234567);
}

/* Often a special one. */
static uint64_t random_value(void)
{
	static const uint64_t specials[] = {0,
					    1,
					    UINT64_MAX,
					    0x80,
					    0x8000,
					    0x80000000,
					    (uint64_t)1 << 63,
					    0x7f,
					    31,
					    64,
					    0xffffffff,
					    0x7fffffff,
					    ((uint64_t)1 << 63) - 1};
	uint64_t value = next_random();

	switch (next_random() % 4) {
	case 0:
		return specials[value % TAKT_COUNT_OF(specials)];
	case 1:
		return value % 128;
	default:
		return value;
	}
}

/* ---- cases ------------------------------------------------------------------------ */

/*
 * Not what is unpredictable: a base that steps on and is data as well, one register twice.
 * Nor a base that is the index too, for which no value is found, nor stores of tags.
 */
static bool is_wanted(const struct takt_insn *insn, uint32_t word)
{
	unsigned rt = word & 31, rn = word >> 5 & 31, rt2 = word >> 10 & 31, rs = word >> 16 & 31;
	bool pair = (word & 0x3e000000) == 0x28000000;
	bool exclusive = (word & 0x3fe00000) == 0x08000000;
	const struct takt_memory *memory = insn->memories;

	if (insn->memory_count && memory->base && memory->base == memory->index)
		return false;
	if ((word & 0xfe400000) == 0x68000000)
		return false;
	if (takt_insn_addressing(insn).writeback_base && (rt == rn || (pair && rt2 == rn)))
		return false;
	if (exclusive && (rs == rt || rs == rn))
		return false;
	return !pair || rt != rt2 || !(word >> 22 & 1);
}

static bool decode(uint32_t word, struct takt_arena *arena, struct takt_block *ret_block)
{
	uint8_t *bytes = TAKT_NEW_ARRAY(arena, sizeof(word), uint8_t);

	memcpy(bytes, &word, sizeof(word));
	return takt_decode_block(&takt_isa_aarch64,
				 &(struct takt_code_bytes){bytes, sizeof(word),
							   CODE_ADDRESS + SLOT_OFFSET, "test",
							   NULL},
				 arena, NULL, ret_block) == TAKT_OK &&
	       is_wanted(ret_block->insns, word);
}

/* An instruction of the row. */
static bool choose_word(const struct row *row, struct takt_arena *arena,
			struct takt_block *ret_block, uint32_t *ret_word)
{
	for (unsigned i = 0; i < TRIES_MAX; i++) {
		*ret_word = row->fixed | ((uint32_t)next_random() & row->open);
		if (decode(*ret_word, arena, ret_block))
			return true;
	}
	return false;
}

static struct aarch64_case make_case(const struct takt_insn *insn, uint32_t word)
{
	struct takt_addressing addressing = takt_insn_addressing(insn);
	const struct takt_memory *memory = insn->memories;
	struct aarch64_case one = {.word = word, .flags = (next_random() & 15) << FLAG_SHIFT};

	for (unsigned i = 0; i < REGISTERS; i++)
		one.registers[i] = random_value();
	for (unsigned i = 0; i < BUFFER_BYTES; i++)
		one.buffer[i] = (uint8_t)random_value();
	if (insn->memory_count && memory->base) {
		uint64_t address =
			BUFFER_ADDRESS + BUFFER_BYTES / 2 - (uint64_t)memory->displacement;
		uint64_t index = memory->index ? one.registers[memory->index - TAKT_LOC_GPR] : 0;

		if (addressing.index_size_bytes == 4)
			index = addressing.index_signed ? takt_extend_sign(index, 4)
							: (uint32_t)index;
		/* Ordered and exclusive accesses have to be aligned. */
		one.registers[memory->base - TAKT_LOC_GPR] =
			address - index * memory->scale + (next_random() % 4) * 16;
	}
	return one;
}

/* ---- runs ------------------------------------------------------------------------- */

static struct aarch64_case *make_cases(struct takt_arena *arena, size_t *ret_count)
{
	size_t count = TAKT_COUNT_OF(rows) * WORDS * INPUTS;
	struct aarch64_case *cases = TAKT_NEW_ARRAY(arena, count, struct aarch64_case);
	struct aarch64_case *next = cases;

	for (size_t r = 0; r < TAKT_COUNT_OF(rows); r++) {
		for (unsigned w = 0; w < WORDS; w++) {
			struct takt_block block;
			uint32_t word;

			if (!choose_word(&rows[r], arena, &block, &word)) {
				printf("Bail out! nothing of '%s' decodes\n", rows[r].what);
				exit(EXIT_FAILURE);
			}
			for (unsigned i = 0; i < INPUTS; i++)
				*next++ = make_case(block.insns, word);
		}
	}
	*ret_count = count;
	return cases;
}

/* Runs all in qemu, between two temporary files. */
static bool run_cases(char **command, const struct aarch64_case *cases, size_t count,
		      struct aarch64_case *results)
{
	FILE *in = tmpfile(), *out = tmpfile();
	int status = -1;
	pid_t child;

	if (!in || !out || fwrite(cases, sizeof(*cases), count, in) != count || fflush(in))
		return false;
	child = fork();
	if (child == 0) {
		lseek(fileno(in), 0, SEEK_SET);
		dup2(fileno(in), STDIN_FILENO);
		dup2(fileno(out), STDOUT_FILENO);
		execv(command[0], command);
		_exit(EXIT_FAILURE);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		return false;
	rewind(out);
	return fread(results, sizeof(*results), count, out) == count;
}

static struct takt_machine run_machine(const struct takt_program *program,
				       const struct aarch64_case *one, struct takt_shadow *shadow)
{
	struct takt_machine machine;

	takt_shadow_clear(shadow, next_random());
	takt_machine_reset(&machine, next_random(), NULL, 0);
	machine.shadow = shadow;
	for (unsigned i = 0; i < BUFFER_BYTES; i++)
		takt_shadow_store(shadow, BUFFER_ADDRESS + i, 1,
				  (struct takt_value){one->buffer[i], true}, 0);
	for (unsigned i = 0; i < REGISTERS; i++)
		machine.registers[i] = (struct takt_value){one->registers[i], true};
	machine.flags = takt_flags_read(one->flags >> FLAG_SHIFT);
	for (uint32_t s = 0; s < program->sliced_count; s++) {
		struct takt_value addresses[TAKT_MEMORIES_MAX];
		struct takt_outcome outcome;

		takt_machine_locate(&machine, &program->sliced[s], addresses);
		takt_machine_execute(&machine, &program->sliced[s], addresses, s, &outcome);
	}
	return machine;
}

/* ---- comparisons ------------------------------------------------------------------- */

static bool same(const struct aarch64_case *one, const char *what, unsigned number,
		 struct takt_value value, uint64_t wanted, bool partly)
{
	if (value.known ? value.bits == wanted : partly)
		return true;
	tap_note("%08x: %s %u: %s%#llx, natively %#llx", one->word, what, number,
		 value.known ? "" : "unknown ", (unsigned long long)value.bits,
		 (unsigned long long)wanted);
	return false;
}

static bool agrees(const struct takt_program *program, const struct aarch64_case *before,
		   const struct aarch64_case *after, uint8_t writeback_base,
		   struct takt_shadow *shadow, bool partly)
{
	struct takt_machine machine = run_machine(program, before, shadow);
	struct takt_flags flags = takt_flags_read(after->flags >> FLAG_SHIFT);
	uint16_t nzcv = TAKT_FLAGS_ALL & ~TAKT_FLAG_PARITY;
	bool fine = true;

	if (partly && after->fault == SIGILL) /* newer than this qemu */
		return true;
	if (after->fault) {
		tap_note("%08x: signal %u", before->word, after->fault);
		return false;
	}
	for (unsigned i = 0; i < REGISTERS; i++)
		fine &= same(before, "register", i, machine.registers[i], after->registers[i],
			     partly && i + TAKT_LOC_GPR != writeback_base);
	fine &= same(before, "flags", 0,
		     (struct takt_value){machine.flags.bits & nzcv,
					 (machine.flags.known & nzcv) == nzcv},
		     flags.bits & nzcv, partly);
	for (unsigned i = 0; i < BUFFER_BYTES; i++)
		fine &= same(before, "byte", i, takt_shadow_load(shadow, BUFFER_ADDRESS + i, 1),
			     after->buffer[i], partly);
	return fine;
}

/* What asks for sums with constants alone. */
static bool affine_agrees(const struct takt_insn *insn, const struct aarch64_case *before,
			  const struct aarch64_case *after)
{
	struct takt_affine affine;

	return !takt_insn_is_affine(insn, &affine) ||
	       after->registers[affine.destination - TAKT_LOC_GPR] ==
		       before->registers[affine.source - TAKT_LOC_GPR] + (uint64_t)affine.addend;
}

static void compare_row(size_t r, const struct aarch64_case *before,
			const struct aarch64_case *after, struct takt_shadow *shadow)
{
	struct takt_arena arena = {0};
	bool fine = true;

	for (unsigned i = 0; i < WORDS * INPUTS && fine; i++) {
		struct takt_program program;
		struct takt_block block;

		takt_arena_clear(&arena);
		fine = decode(before[i].word, &arena, &block);
		if (!fine)
			break;
		takt_program_make(&block, TAKT_PROGRAM_WHOLE, &arena, &program);
		fine = affine_agrees(block.insns, &before[i], &after[i]) &&
		       agrees(&program, &before[i], &after[i],
			      takt_insn_addressing(block.insns).writeback_base, shadow,
			      rows[r].partly);
	}
	tap_ok_at(__FILE__, rows[r].line, fine, "%s", rows[r].what);
	takt_arena_release(&arena);
}

int main(int argc, char **argv)
{
	char option[] = "-cpu", cpu[] = "max,sve-default-vector-length=16";
	char *command[] = {NULL, option, cpu, NULL, NULL};
	struct aarch64_case *cases, *results;
	struct takt_arena arena = {0};
	struct takt_shadow shadow;
	size_t count;

	if (argc != 3) {
		printf("Bail out! usage: %s QEMU RUNNER\n", argv[0]);
		return EXIT_FAILURE;
	}
	command[0] = argv[1];
	command[3] = argv[2];
	cases = make_cases(&arena, &count);
	results = TAKT_NEW_ARRAY(&arena, count, struct aarch64_case);
	takt_shadow_init(&shadow, 2 * BUFFER_BYTES, &arena);
	if (!run_cases(command, cases, count, results)) {
		printf("Bail out! the runner does not run\n");
		return EXIT_FAILURE;
	}
	for (size_t r = 0; r < TAKT_COUNT_OF(rows); r++)
		compare_row(r, cases + r * WORDS * INPUTS, results + r * WORDS * INPUTS, &shadow);
	takt_arena_release(&arena);
	return tap_done();
}
