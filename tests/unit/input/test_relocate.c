/* SPDX-License-Identifier: MIT */
/* References of object files: what is one place stays one place. */
#include "fixture.h"

#define RELA(offset, symbol, type, addend)                                                         \
	{                                                                                          \
		(offset), ELF64_R_INFO((symbol), (type)), (addend)                                 \
	}

/* 0 mov eax, [rip+a]; 6 mov [rip+a], eax; 12 mov ecx, [rip+b]; 18 mov rax, [rip+a@got];
 * 25 jne kernel */
static const unsigned char text[] = {
	0x8b, 0x05, 0,	  0,	0,    0, 0x89, 0x05, 0, 0,    0,    0, 0x8b, 0x0d, 0, 0,
	0,    0,    0x48, 0x8b, 0x05, 0, 0,    0,    0, 0x0f, 0x85, 0, 0,    0,	   0,
};
static const struct fixture_symbol symbols[] = {
	{"kernel", 0, sizeof(text), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), FX_TEXT},
	{"a", 0, 0, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0},
	{"b", 0, 0, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), 0},
};
static const Elf64_Rela relocations[] = {
	RELA(2, 2, R_X86_64_PC32, -4),	 RELA(8, 2, R_X86_64_PC32, -4),
	RELA(14, 3, R_X86_64_PC32, -4),	 RELA(21, 2, R_X86_64_REX_GOTPCRELX, -4),
	RELA(27, 1, R_X86_64_PLT32, -4),
};

static uint64_t target_at(const struct takt_region *region, size_t field)
{
	int32_t displacement;

	memcpy(&displacement, region->bytes + field, sizeof(displacement));
	return region->address + field + 4 + (uint64_t)(int64_t)displacement;
}

static void test_references(void)
{
	struct fixture_spec spec = {
		.text = text,
		.text_size = sizeof(text),
		.symbols = symbols,
		.symbol_count = TAKT_COUNT_OF(symbols),
		.relocations = relocations,
		.relocation_count = TAKT_COUNT_OF(relocations),
	};
	const struct takt_region *region;
	struct opened opened;
	struct fixture f;

	fixture_build(&f, &spec);
	opened = open_data(f.data, f.size, (struct takt_code_options){0});
	is_size(opened.count, 1, "a branch to a global label is a loop");
	region = region_at(&opened, 0);
	is_size(region->size_bytes, sizeof(text), "all of it");
	ok(target_at(region, 2) == target_at(region, 8), "one variable, one address");
	ok(target_at(region, 2) != target_at(region, 14), "two variables, two addresses");
	ok(target_at(region, 21) != target_at(region, 2), "a pointer is not what it points to");
	ok(target_at(region, 2) >= sizeof(text), "a variable is not in the code");
	close_opened(&opened);
}

static void test_hostile(void)
{
	static const Elf64_Rela bad[] = {
		RELA(UINT64_MAX, 1, R_X86_64_PC32, -4),
		RELA(sizeof(text) - 3, 1, R_X86_64_PC32, -4),
		RELA(sizeof(text) - 7, 1, R_X86_64_64, 0),
		RELA(0, 4711, R_X86_64_PC32, -4),
		RELA(0, 1, 250, -4),
	};
	struct fixture_spec spec = {
		.text = text,
		.text_size = sizeof(text),
		.symbols = symbols,
		.symbol_count = 1,
		.relocations = bad,
		.relocation_count = TAKT_COUNT_OF(bad),
	};
	struct opened opened;
	struct fixture f;

	fixture_build(&f, &spec);
	opened = open_data(f.data, f.size, (struct takt_code_options){.whole = true});
	ok(opened.count == 1 && memcmp(region_at(&opened, 0)->bytes, text, sizeof(text)) == 0,
	   "relocations outside of the section and of unknown kinds change nothing");
	close_opened(&opened);
}

/* 0 adrp x0, a; 4 ldr x1, [x0, a]; 8 adrp x0, b; 12 add x0, x0, b; 16 adrp x2, a@got;
 * 20 ldr x2, [x2, a@got]; 24 bl a; 28 cbnz x1, kernel */
static const uint32_t aarch64_text[] = {0x90000000, 0xf9400001, 0x90000000, 0x91000000,
					0x90000002, 0xf9400042, 0x94000000, 0xb5000001};
static const Elf64_Rela aarch64_relocations[] = {
	RELA(0, 2, R_AARCH64_ADR_PREL_PG_HI21, 8), RELA(4, 2, R_AARCH64_LDST64_ABS_LO12_NC, 8),
	RELA(8, 3, R_AARCH64_ADR_PREL_PG_HI21, 0), RELA(12, 3, R_AARCH64_ADD_ABS_LO12_NC, 0),
	RELA(16, 2, R_AARCH64_ADR_GOT_PAGE, 0),	   RELA(20, 2, R_AARCH64_LD64_GOT_LO12_NC, 0),
	RELA(24, 2, R_AARCH64_CALL26, 0),	   RELA(28, 1, R_AARCH64_CONDBR19, 0),
	RELA(UINT64_MAX, 1, R_AARCH64_CALL26, 0),  RELA(30, 1, R_AARCH64_ADD_ABS_LO12_NC, 0),
};

/* What adrp at `offset` and the 12 bits of the next instruction come to. */
static uint64_t pair_at(const struct takt_region *region, size_t offset, unsigned scale)
{
	struct takt_reference page = {0};
	uint32_t low;

	memcpy(&low, region->bytes + offset + 4, sizeof(low));
	takt_reference_read(&takt_isa_aarch64, region->bytes + offset, region->address + offset,
			    NULL, &page);
	return page.target + ((low >> 10 & 0xfff) << scale);
}

static void test_aarch64(void)
{
	struct fixture_spec spec = {
		.text = aarch64_text,
		.text_size = sizeof(aarch64_text),
		.symbols = symbols,
		.symbol_count = TAKT_COUNT_OF(symbols),
		.relocations = aarch64_relocations,
		.relocation_count = TAKT_COUNT_OF(aarch64_relocations),
	};
	static const uint16_t machine = EM_AARCH64;
	const struct takt_region *region;
	struct takt_reference call;
	struct opened opened;
	struct fixture f;

	fixture_build(&f, &spec);
	memcpy(f.data + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof(machine));
	opened = open_data(f.data, f.size, (struct takt_code_options){0});
	is_size(opened.count, 1, "AArch64: a branch to a global label is a loop");
	region = region_at(&opened, 0);
	is_size(region->size_bytes, sizeof(aarch64_text), "all of it");
	takt_reference_read(&takt_isa_aarch64, region->bytes + 24, 24, NULL, &call);
	ok(pair_at(region, 0, 3) == call.target + 8, "one symbol, one address, and the addend");
	ok(pair_at(region, 8, 0) != call.target, "two symbols, two addresses");
	ok(pair_at(region, 16, 3) != call.target, "a pointer is not what it points to");
	close_opened(&opened);
}

int main(void)
{
	test_aarch64();
	test_references();
	test_hostile();
	return tap_done();
}
