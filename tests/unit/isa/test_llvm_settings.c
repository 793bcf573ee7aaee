/* SPDX-License-Identifier: MIT */
/* Scheduling classes of vector instructions of RISC-V. */
#include "../tap.h"
#include "isa/isa.h"
#include "isa/llvm.h"

#define ADDRESS 0x1000
#define CLASS(form) ((uint16_t)((form) >> TAKT_LLVM_CLASS_SHIFT))

#define VADD 0x022180d7u       /* vadd.vv v1, v2, v3 */
#define VSETVLI_M1 0x0d05f557u /* vsetvli a0, a1, e32, m1, ta, ma */
#define VSETVLI_M8 0x0d35f557u
#define VSETVLI_RESERVED_LMUL 0x0d45f557u
#define VSETVLI_RESERVED_SEW 0x0fb5f557u
#define VSETVL 0x80c5f557u /* vsetvl a0, a1, a2 */
#define ADDI 0xfff50513u   /* addi a0, a0, -1 */

static const struct takt_isa *find_isa(void)
{
	const struct takt_isa *isa = NULL;

	return takt_isa_find("llvm:riscv64:sifive-p670", NULL, &isa) == TAKT_OK ? isa : NULL;
}

/* Cycles that the unit of the last instruction is busy for. */
static unsigned busy_cycles(const struct takt_isa *isa, const uint32_t *words, size_t word_count,
			    const struct takt_lead *lead)
{
	struct takt_llvm_schedule schedule = {0};
	struct takt_arena arena = {0};
	struct takt_block block;
	unsigned cycles = 0;

	if (takt_decode_block(isa,
			      &(struct takt_code_bytes){(const uint8_t *)words, 4 * word_count,
							ADDRESS, "test", NULL},
			      &arena, NULL, &block) == TAKT_OK) {
		takt_block_set_vectors(&block, lead);
		if (isa->llvm->schedule(isa->target, CLASS(block.insns[block.count - 1].form),
					&schedule))
			cycles = schedule.resources[0].cycles;
	}
	takt_arena_release(&arena);
	return cycles;
}

static void check_code(const struct takt_isa *isa)
{
	static const uint32_t m1[] = {VSETVLI_M1, VADD}, m8[] = {VSETVLI_M8, VADD};
	static const uint32_t both[] = {VSETVLI_M8, VADD, VSETVLI_M1, VADD};
	static const struct takt_lead lead = {.bytes = (const uint8_t *)m8,
					      .size_bytes = sizeof(m8)};
	static const uint8_t data[] = {0xff, 0xff, 0x57, 0xf5, 0x35, 0x0d, 0xff};
	static const struct takt_lead odd = {.bytes = data, .size_bytes = sizeof(data)};

	is_int(busy_cycles(isa, m1, 2, NULL), 1, "vsetvli m1");
	is_int(busy_cycles(isa, m8, 2, NULL), 8, "vsetvli m8");
	is_int(busy_cycles(isa, both, 4, NULL), 1, "the last holds");
	is_int(busy_cycles(isa, m8 + 1, 1, &lead), 8, "before the block");
	is_int(busy_cycles(isa, m1, 2, &lead), 1, "the block's own holds");
	is_int(busy_cycles(isa, m1 + 1, 1, &odd), 8, "data before the block");
}

static void check_comments(const struct takt_isa *isa)
{
	static const uint32_t words[] = {VADD, VSETVLI_M1, VADD};
	static const struct takt_vector_setting settings[] = {
		{ADDRESS - 8, "RISCV-LMUL", "M8"},
		{ADDRESS, "RISCV-SEW", "E64"},
		{ADDRESS + 8, "RISCV-LMUL", "M4"},
	};
	const struct takt_lead first = {.settings = settings, .setting_count = 2};
	const struct takt_lead all = {.settings = settings, .setting_count = 3};

	is_int(busy_cycles(isa, words, 1, &first), 8, "comment");
	is_int(busy_cycles(isa, words, 3, &first), 1, "vsetvli comes later");
	is_int(busy_cycles(isa, words, 3, &all), 4, "comment comes later");
}

/* Of a block that begins under m8. */
static struct takt_vector_use follow(const struct takt_isa *isa, const uint32_t *words,
				     size_t word_count, struct takt_llvm_settings *settings)
{
	struct takt_arena arena = {0};
	struct takt_vector_use use = {0};
	struct takt_block block;

	isa->llvm->set(isa->target, "RISCV-LMUL", "M8", settings);
	isa->llvm->set(isa->target, "RISCV-SEW", "E32", settings);
	if (takt_decode_block(isa,
			      &(struct takt_code_bytes){(const uint8_t *)words, 4 * word_count,
							ADDRESS, "test", NULL},
			      &arena, NULL, &block) == TAKT_OK)
		takt_block_follow_vectors(&block, settings, &use);
	takt_arena_release(&arena);
	return use;
}

static void check_following(const struct takt_isa *isa)
{
	static const struct {
		int line;
		const char *what;
		uint32_t words[3];
		struct takt_vector_use use;
		const char *lmul; /* behind it; NULL: not known */
	} rows[] = {
		{__LINE__, "no vectors", {ADDI, ADDI, ADDI}, {false, false, 0}, "M8"},
		{__LINE__, "the entry's", {ADDI, VADD, ADDI}, {true, false, 0}, "M8"},
		{__LINE__, "its own", {VSETVLI_M1, VADD, VADD}, {false, true, 0}, "M1"},
		{__LINE__, "both", {VADD, VSETVLI_M1, VADD}, {true, true, 0}, "M1"},
		{__LINE__, "from a register", {VADD, VSETVL, VADD}, {true, true, 1}, NULL},
		{__LINE__, "and again", {VSETVL, VADD, VSETVLI_M1}, {false, true, 1}, "M1"},
		{__LINE__, "no LMUL", {VSETVLI_RESERVED_LMUL, VADD, VADD}, {false, true, 2}, NULL},
		{__LINE__, "no SEW", {VSETVLI_RESERVED_SEW, VADD, ADDI}, {false, true, 1}, NULL},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_llvm_settings settings = {0};
		struct takt_vector_use use = follow(isa, rows[i].words, 3, &settings);
		const char *lmul = settings.count ? settings.list[0].data : NULL;

		tap_ok_at(__FILE__, rows[i].line,
			  use.depends == rows[i].use.depends && use.sets == rows[i].use.sets &&
				  use.unsettled == rows[i].use.unsettled,
			  "%s: %d %d %u", rows[i].what, use.depends, use.sets, use.unsettled);
		tap_ok_at(__FILE__, rows[i].line,
			  (!lmul && !rows[i].lmul) ||
				  (lmul && rows[i].lmul && !strcmp(lmul, rows[i].lmul)),
			  "%s: %s behind it", rows[i].what, lmul ? lmul : "unknown");
	}
}

/* What no code may set, and what only a register tells, is not what was set before. */
static void check_unknown(const struct takt_isa *isa)
{
	static const uint32_t setters[] = {VSETVLI_RESERVED_LMUL, VSETVLI_RESERVED_SEW, VSETVL};
	static const struct takt_vector_setting settings[] = {{ADDRESS, "RISCV-LMUL", "M8"},
							      {ADDRESS, "RISCV-SEW", "E32"}};
	static const struct takt_lead comments = {.settings = settings, .setting_count = 2};
	unsigned none = busy_cycles(isa, (const uint32_t[]){VADD}, 1, NULL);

	for (size_t i = 0; i < TAKT_COUNT_OF(setters); i++) {
		const uint32_t words[] = {VSETVLI_M1, VADD, setters[i], VADD};

		is_int(busy_cycles(isa, words, 4, NULL), none, "as if nothing had been said");
		is_int(busy_cycles(isa, words + 2, 2, &comments), 8, "but a comment is believed");
	}
}

static void check_known(const struct takt_isa *isa)
{
	static const struct {
		int line;
		struct takt_vector_setting setting;
		bool is_known;
	} rows[] = {
		{__LINE__, {0, "RISCV-LMUL", "MF8"}, true},
		{__LINE__, {0, "RISCV-SEW", "E8"}, true},
		{__LINE__, {0, "RISCV-LMUL", "M3"}, false},
		{__LINE__, {0, "RISCV-LMUL", ""}, false},
		{__LINE__, {0, "RISCV-LMUL", "m2"}, false},
		{__LINE__, {0, "RISCV-VLEN", "128"}, false},
		{__LINE__, {0, "RISCV-LMUL", "a very long text"}, false},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		tap_ok_at(__FILE__, rows[i].line,
			  takt_vector_setting_is_known(isa, &rows[i].setting) == rows[i].is_known,
			  "%s %s", rows[i].setting.kind, rows[i].setting.data);
		ok(takt_vector_setting_is_known(&takt_isa_x86, &rows[i].setting),
		   "means nothing on x86-64");
	}
}

int main(void)
{
	const struct takt_isa *isa = find_isa();
	struct takt_block none = {.isa = &takt_isa_x86};

	takt_block_set_vectors(&none, NULL);
	ok(true, "an empty block");
	if (isa) {
		check_code(isa);
		check_comments(isa);
		check_following(isa);
		check_unknown(isa);
		check_known(isa);
	}
	return tap_done();
}
