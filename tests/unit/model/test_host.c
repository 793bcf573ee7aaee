/* SPDX-License-Identifier: MIT */
/*
 * Which core is taken, by answers of CPUID: real ones of physical and virtual machines, and some
 * that contradict themselves.
 */
#include "model/host.h"
#include "model/image.h"
#include "../tap.h"

#define INTEL "GenuineIntel"
#define AMD "AuthenticAMD"

struct row {
	int line;
	const char *vendor;
	uint32_t signature, c1, d1; /* leaf 1: eax, ecx, edx */
	uint32_t b7, c7, d7, a71;   /* leaf 7, and eax of its subleaf 1 */
	uint32_t extended_c, extended_d, extended8_b;
	uint32_t l1d[2], l2[2];	   /* ebx and ecx of the caches' leaf */
	const char *core, *reason; /* a part of the reason; NULL: there is none */
};

/* clang-format off */
#define L1D_32 {0x01c0003f, 0x3f}
#define L1D_48 {0x02c0003f, 0x3f}
#define L2_256 {0x01c0003f, 0x1ff}
#define L2_512 {0x01c0003f, 0x3ff}
#define L2_1024 {0x03c0003f, 0x3ff}
#define L2_1280 {0x04c0003f, 0x3ff}
#define L2_2048 {0x03c0003f, 0x7ff}
#define L2_3072 {0x02c0003f, 0xfff}
#define NO_CACHE {0, 0}

static const struct row rows[] = {
	/* What machines say of themselves. */
	{__LINE__, INTEL, 0x000206a7, 0x1f9ae3bf, 0xbfebfbff, 0, 0, 0, 0,
	 0x001, 0x28100000, 0, L1D_32, L2_256, "SNB", NULL},
	{__LINE__, INTEL, 0x000306a9, 0x7f9ae3bf, 0xbfebfbff, 0x00000281, 0, 0, 0,
	 0x001, 0x28100000, 0, L1D_32, L2_256, "IVB", NULL},
	{__LINE__, INTEL, 0x000306c3, 0x7fdafbbf, 0xbfebfbff, 0x000027ab, 0, 0, 0,
	 0x021, 0x2c100000, 0, L1D_32, L2_256, "HSW", NULL},
	{__LINE__, INTEL, 0x000406f1, 0x7ffefbbf, 0xbfebfbff, 0x021cbfbb, 0, 0, 0,
	 0x121, 0x2c100800, 0, L1D_32, L2_256, "BDW", NULL},
	{__LINE__, INTEL, 0x00050654, 0xfffa3203, 0x1fabfbff, 0xd19f6ffb, 0x00000008, 0x0c000000, 0,
	 0x121, 0x2c100800, 0, L1D_32, L2_1024, "SKX", NULL},
	{__LINE__, INTEL, 0x00050656, 0x7ffefbff, 0xbfebfbff, 0xd39ffffb, 0x00000818, 0xbc000400, 0,
	 0x121, 0x2c100800, 0, L1D_32, L2_1024, "CLX", NULL},
	{__LINE__, INTEL, 0x000606c1, 0xfffaf387, 0xbfebfbff, 0xf3bfbfb9, 0x00415f46, 0xbc000410, 0,
	 0x121, 0x2c100800, 0, L1D_48, L2_1280, "ICL", NULL},
	{__LINE__, INTEL, 0x000806c1, 0x7ffafbbf, 0xbfebfbff, 0xf3bfa7eb, 0x18c05fde, 0xfc100510, 0,
	 0x121, 0x2c100800, 0, L1D_48, L2_1280, "TGL", NULL},
	{__LINE__, INTEL, 0x000a0671, 0x7ffafbbf, 0xbfebfbff, 0xf2bf67eb, 0x00405f4e, 0xbc000410, 0,
	 0x121, 0x2c100000, 0, L1D_48, L2_512, "RKL", NULL},
	{__LINE__, INTEL, 0x00090672, 0x7ffafbff, 0xbfebfbff, 0x239ca7eb, 0x98c027ac, 0xfc1cc410,
	 0x00400810, 0x121, 0x2c100000, 0, L1D_48, {0x0240003f, 0x7ff}, "ADL-P", NULL},
	{__LINE__, INTEL, 0x000806f8, 0x7ffefbff, 0xbfebfbff, 0xf3bfbffb, 0xbb417fee, 0xffdd4430,
	 0x00001c30, 0x121, 0x2c100000, 0, L1D_48, L2_2048, "SPR", NULL},
	{__LINE__, AMD, 0x00800f11, 0x7ed8320b, 0x178bfbff, 0x209c01a9, 0, 0, 0,
	 0x35c233ff, 0x2fd3fbff, 7, L1D_32, L2_512, "ZEN+", NULL},
	{__LINE__, AMD, 0x00a20f12, 0x7ef8320b, 0x178bfbff, 0x219c97a9, 0x0040068c, 0x10, 0,
	 0x75c237ff, 0x2fd3fbff, 0x111ef657, L1D_32, L2_512, "ZEN3", NULL},
	{__LINE__, AMD, 0x00a10f11, 0xfffa3203, 0x178bfbff, 0xf1bf07ab, 0x00405fc6, 0x10, 0x20,
	 0x004003f3, 0x2fd3fbff, 0x50020005, L1D_32, L2_1024, "ZEN4", NULL},
	{__LINE__, AMD, 0x00b40f40, 0x7ed8320b, 0x178bfbff, 0xf1bf97ab, 0x19405fce, 0x10000110, 0x30,
	 0x75c237ff, 0x2fd3fbff, 0x791ef257, L1D_48, L2_1024, "ZEN5", NULL},
	/* A cheaper product has no AVX; cloud machines have their own models by analogy. */
	{__LINE__, INTEL, 0x000406e3, 0x4ffaebbf, 0xbfebfbff, 0x02942607, 0, 0x0c000000, 0,
	 0x121, 0x2c100800, 0, L1D_32, {0x00c0003f, 0x3ff}, "SKL", NULL},
	{__LINE__, INTEL, 0x000a06d1, 0xfffefbff, 0xbfebfbff, 0xf3bfbffb, 0xbb417fee, 0xffdd4430,
	 0x00001c30, 0x121, 0x2c100000, 0, L1D_48, L2_2048, "GNR", NULL},
	/* What hypervisors hide proves nothing: AMX, AVX-512, all beyond SSE4.2. */
	{__LINE__, INTEL, 0x000806f8, 0xfffefbff, 0xbfebfbff, 0xf3bfbffb, 0xbb417fee, 0xfc1d4430,
	 0x00001c30, 0x121, 0x2c100000, 0, L1D_48, L2_2048, "SPR", NULL},
	{__LINE__, INTEL, 0x000806f8, 0xfffefbff, 0xbfebfbff, 0x239c27eb, 0x19400784, 0xfc1d4430,
	 0x00000810, 0x121, 0x2c100000, 0, L1D_48, L2_2048, "SPR", NULL},
	{__LINE__, INTEL, 0x00050654, 0x80982201, 0x1fabfbff, 0, 0, 0, 0,
	 0x001, 0x2c100800, 0, L1D_32, L2_1024, "SKX", NULL},
	{__LINE__, AMD, 0x00a10f11, 0xfffa3203, 0x178bfbff, 0x219c97a9, 0x0040068c, 0x10, 0,
	 0x004003f3, 0x2fd3fbff, 0x50020005, NO_CACHE, NO_CACHE, "ZEN4", NULL},
	/* But not SSSE3 and SSE4: that is another processor. */
	{__LINE__, INTEL, 0x00050654, 0x80002001, 0x1fabfbff, 0, 0, 0, 0,
	 0x001, 0x2c100800, 0, L1D_32, L2_1024, "SNB", "the processor lacks "},
	/* What is there and cannot be: a server's features under a desktop's name. */
	{__LINE__, INTEL, 0x000a0671, 0xfffafbbf, 0xbfebfbff, 0xf3bfbffb, 0xbb417fee, 0xffdd4430,
	 0x00001c30, 0x121, 0x2c100000, 0, L1D_48, L2_2048, "SPR",
	 "by family and model it is RKL, but the processor has "},
	{__LINE__, INTEL, 0x000a0671, 0xfffafbbf, 0xbfebfbff, 0xf3bfbffb, 0xbb417fee, 0xffdd4430,
	 0x00001c30, 0x121, 0x2c100000, 0, L1D_48, L2_2048, "GNR",
	 "by family and model it is RKL, but the processor has "},
	{__LINE__, INTEL, 0x000306c3, 0xffdafbbf, 0xbfebfbff, 0xd19f6ffb, 0x00000008, 0x0c000000, 0,
	 0x121, 0x2c100800, 0, L1D_32, L2_1024, "SKX", "which HSW lacks"},
	{__LINE__, AMD, 0x00a20f12, 0xfef8320b, 0x178bfbff, 0xf1bf07ab, 0x00405fc6, 0x10, 0x20,
	 0x004003f3, 0x2fd3fbff, 0x50020005, L1D_32, L2_1024, "ZEN4",
	 "by family and model it is ZEN3, but"},
	{__LINE__, INTEL, 0x000506e3, 0xfffafbbf, 0xbfebfbff, 0x029c6fbb, 0, 0x0c000000, 0,
	 0x121, 0x2c100800, 0, L1D_48, L2_512, "ICL", "48 KB, that of SKL 32 KB"},
	/* Families and models of no core: newer, older, of other makers, of no maker. */
	{__LINE__, INTEL, 0x000c0662, 0x7ffafbff, 0xbfebfbff, 0x239ca7eb, 0x994027ac, 0xfc18c430,
	 0x44c009d7, 0x121, 0x2c100000, 0, L1D_48, L2_3072, "ADL-P", "no core has this family"},
	{__LINE__, INTEL, 0x000106a5, 0x009ce3bd, 0xbfebfbff, 0, 0, 0, 0,
	 0x001, 0x28100800, 0, L1D_32, L2_256, "SNB", "no core has this family"},
	{__LINE__, "HygonGenuine", 0x00900f01, 0x7ed8320b, 0x178bfbff, 0x209c01a9, 0, 0, 0,
	 0x35c233ff, 0x2fd3fbff, 7, L1D_32, L2_512, "ZEN+", "no core has this family"},
	{__LINE__, "  Shanghai  ", 0x000406f1, 0x7ffefbbf, 0xbfebfbff, 0x021cbfbb, 0, 0, 0,
	 0x121, 0x2c100800, 0, L1D_32, L2_256, "BDW", "no core has this family"},
	{__LINE__, AMD, 0x00060fb1, 0x80002001, 0x078bfbff, 0, 0, 0, 0,
	 0x00000065, 0xe5d3fbff, 0, NO_CACHE, NO_CACHE, "ZEN+", "though it lacks amd3dnow"},
};
/* clang-format on */

#define ROWS_MAX 16

static size_t fill(const struct row *row, struct takt_cpuid_row *answers)
{
	uint32_t leaf = strcmp(row->vendor, INTEL) == 0 ? 4 : 0x8000001d;
	/* 16 ways of 64 lines for instructions, twice what the other cores have. */
	bool large = row->core && strcmp(row->core, "GNR") == 0;
	const struct takt_cpuid_row list[] = {
		{1, 0, {row->signature, 0, row->c1, row->d1}},
		{7, 0, {1, row->b7, row->c7, row->d7}},
		{7, 1, {row->a71, 0, 0, 0}},
		{0x80000001, 0, {0, 0, row->extended_c, row->extended_d}},
		{0x80000008, 0, {0, row->extended8_b, 0, 0}},
		{leaf, 0, {row->l1d[1] ? 0x21 : 0, row->l1d[0], row->l1d[1], 0}},
		{leaf, 1, {row->l2[1] ? 0x43 : 0, row->l2[0], row->l2[1], 0}},
		{leaf, 2, {0x22, large ? 0x03c0003f : 0x01c0003f, 0x3f, 0}},
	};
	uint32_t words[3];

	memcpy(words, row->vendor, sizeof(words));
	answers[0] = (struct takt_cpuid_row){0, 0, {32, words[0], words[2], words[1]}};
	memcpy(answers + 1, list, sizeof(list));
	return 1 + TAKT_COUNT_OF(list);
}

static bool is_as_wanted(const struct row *row, const struct takt_recognition *got)
{
	if (strcmp(got->taken, row->core) != 0 || (*got->note == 0) != (*got->reason == 0))
		return false;
	if (!row->reason)
		return *got->reason == 0 && strcmp(got->claimed, got->taken) == 0 &&
		       strncmp(got->chosen, "taken by family and model", 25) == 0;
	if (strcmp(got->chosen, "taken by features") != 0)
		return false;
	return strstr(got->reason, row->reason) && strstr(got->note, got->reason) &&
	       strstr(got->note, got->processor);
}

static void test_rows(struct takt_loader *loader)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_cpuid_row answers[ROWS_MAX];
		const struct takt_cpuid cpuid = {answers, fill(&rows[i], answers)};
		struct takt_recognition got = {.taken = "nothing", .reason = ""};
		bool fine = takt_host_recognize(loader, &cpuid, false, &got);

		tap_ok_at(__FILE__, rows[i].line, fine && is_as_wanted(&rows[i], &got), "%s%s%s",
			  got.taken, *got.reason ? ": " : "", got.reason);
	}
}

/* A product whose core has no file of its own says by which analogy it is taken. */
static void test_analogy(struct takt_loader *loader)
{
	static const struct {
		uint32_t signature;
		const char *words;
	} products[] = {
		{0x000806f8, "taken by family and model"},
		{0x000c06f2, "taken by family and model, by analogy: Emerald Rapids has"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(products); i++) {
		struct takt_cpuid_row answers[ROWS_MAX];
		struct row row = {.vendor = INTEL,
				  .signature = products[i].signature,
				  .c1 = 0x7ffefbff,
				  .d1 = 0xbfebfbff,
				  .b7 = 0xf3bfbffb,
				  .c7 = 0xbb417fee,
				  .d7 = 0xffdd4430,
				  .extended_c = 0x121,
				  .extended_d = 0x2c100000};
		const struct takt_cpuid cpuid = {answers, fill(&row, answers)};
		struct takt_recognition got = {.chosen = ""};
		size_t size = strlen(products[i].words);

		takt_host_recognize(loader, &cpuid, false, &got);
		ok(strncmp(got.chosen, products[i].words, size) == 0 &&
			   (i > 0) == (got.chosen[size] != 0),
		   "%s", got.chosen);
	}
}

/* An answer that says nothing is reported, not guessed at. */
static void test_nothing(struct takt_loader *loader)
{
	static const struct takt_cpuid_row one = {0, 0, {0}};
	const struct takt_cpuid cpuid = {&one, 1};
	struct takt_recognition got;

	ok(!takt_host_recognize(loader, &cpuid, false, &got), "no signature");
	ok(strstr(takt_diag_text(loader->diag), "--arch=NAME"), "the remedy is named");
}

int main(void)
{
	struct takt_arena arena = {0};
	struct takt_image image;
	struct takt_loader loader = {.arena = &arena, .diag = takt_diag_new(), .builtin = &image};
	const char *error;

	if (ok(takt_image_open(takt_image_builtin(), &image, &error), "built-in cores")) {
		test_rows(&loader);
		test_analogy(&loader);
		test_nothing(&loader);
	}
	takt_diag_free(loader.diag);
	takt_arena_release(&arena);
	return tap_done();
}
