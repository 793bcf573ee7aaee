/* SPDX-License-Identifier: MIT */
/* Which ISA sets (takt_isa_set_name) this processor has and this system lets us use. */
#if defined(__x86_64__)
#include <cpuid.h>
#include <string.h>

#include "measure/host.h"

enum cpuid_register { A, B, C, D };

/* State that the system must save: bits of XCR0. */
#define AVX_STATE 0x6u
#define AVX512_STATE 0xe6u

struct feature {
	const char *name; /* or the start of it, ended by '*' */
	uint32_t leaf, subleaf;
	uint8_t where; /* enum cpuid_register */
	uint8_t bit;
	uint8_t state;
};

#define AMD_LEAF 0x80000001u
#define BRAND_LEAF 0x80000002u

/* clang-format off */
static const struct feature features[] = {
	{"avx512vl", 7, 0, B, 31, AVX512_STATE}, /* EVEX forms on vectors below 512 bits */
	{"x87", 1, 0, D, 0, 0}, {"sse3x87", 1, 0, C, 0, 0}, {"fcmov", 1, 0, D, 15, 0},
	{"cmov", 1, 0, D, 15, 0}, {"pentiummmx", 1, 0, D, 23, 0},
	{"clfsh", 1, 0, D, 19, 0}, {"fxsave", 1, 0, D, 24, 0}, {"fxsave64", 1, 0, D, 24, 0},
	{"sse", 1, 0, D, 25, 0}, {"ssemxcsr", 1, 0, D, 25, 0}, {"sse_prefetch", 1, 0, D, 25, 0},
	{"sse2", 1, 0, D, 26, 0}, {"sse2mmx", 1, 0, D, 26, 0}, {"sse3", 1, 0, C, 0, 0},
	{"ssse3", 1, 0, C, 9, 0}, {"ssse3mmx", 1, 0, C, 9, 0}, {"sse4", 1, 0, C, 19, 0},
	{"sse42", 1, 0, C, 20, 0}, {"sse4a", AMD_LEAF, 0, C, 6, 0},
	{"pclmulqdq", 1, 0, C, 1, 0}, {"aes", 1, 0, C, 25, 0}, {"movbe", 1, 0, C, 22, 0},
	{"cmpxchg16b", 1, 0, C, 13, 0}, {"popcnt", 1, 0, C, 23, 0}, {"rdrand", 1, 0, C, 30, 0},
	{"lahf", AMD_LEAF, 0, C, 0, 0}, {"lzcnt", AMD_LEAF, 0, C, 5, 0},
	{"prefetch_nop", AMD_LEAF, 0, C, 8, 0}, {"amd3dnow", AMD_LEAF, 0, D, 31, 0},
	{"rdtscp", AMD_LEAF, 0, D, 27, 0}, {"fma4", AMD_LEAF, 0, C, 16, AVX_STATE},
	{"xop", AMD_LEAF, 0, C, 11, AVX_STATE}, {"tbm", AMD_LEAF, 0, C, 21, 0},
	{"rdpid", 7, 0, C, 22, 0}, {"serialize", 7, 0, D, 14, 0},
	{"bmi1", 7, 0, B, 3, 0}, {"bmi2", 7, 0, B, 8, 0}, {"adox_adcx", 7, 0, B, 19, 0},
	{"rdseed", 7, 0, B, 18, 0}, {"sha", 7, 0, B, 29, 0}, {"clflushopt", 7, 0, B, 23, 0},
	{"clwb", 7, 0, B, 24, 0}, {"cldemote", 7, 0, C, 25, 0}, {"prefetchwt1", 7, 0, C, 0, 0},
	{"clzero", 0x80000008u, 0, B, 0, 0}, {"movdir", 7, 0, C, 27, 0}, {"gfni", 7, 0, C, 8, 0},
	{"avx", 1, 0, C, 28, AVX_STATE}, {"avxaes", 1, 0, C, 25, AVX_STATE},
	{"f16c", 1, 0, C, 29, AVX_STATE}, {"fma", 1, 0, C, 12, AVX_STATE},
	{"avx2", 7, 0, B, 5, AVX_STATE}, {"avx2gather", 7, 0, B, 5, AVX_STATE},
	{"avx_gfni", 7, 0, C, 8, AVX_STATE}, {"avx_vnni", 7, 1, A, 4, AVX_STATE},
	{"vaes", 7, 0, C, 9, AVX_STATE}, {"vpclmulqdq", 7, 0, C, 10, AVX_STATE},
	{"avx512f_*", 7, 0, B, 16, AVX512_STATE}, {"avx512bw_*", 7, 0, B, 30, AVX512_STATE},
	{"avx512dq_*", 7, 0, B, 17, AVX512_STATE}, {"avx512cd_*", 7, 0, B, 28, AVX512_STATE},
	{"avx512er_*", 7, 0, B, 27, AVX512_STATE}, {"avx512pf_*", 7, 0, B, 26, AVX512_STATE},
	{"avx512_4vnniw_*", 7, 0, D, 2, AVX512_STATE},
	{"avx512_4fmaps_*", 7, 0, D, 3, AVX512_STATE},
	{"avx512_bf16_*", 7, 1, A, 5, AVX512_STATE},
	{"avx512_bitalg_*", 7, 0, C, 12, AVX512_STATE},
	{"avx512_fp16_*", 7, 0, D, 23, AVX512_STATE},
	{"avx512_gfni_*", 7, 0, C, 8, AVX512_STATE}, {"avx512_ifma_*", 7, 0, B, 21, AVX512_STATE},
	{"avx512_vaes_*", 7, 0, C, 9, AVX512_STATE},
	{"avx512_vbmi2_*", 7, 0, C, 6, AVX512_STATE}, {"avx512_vbmi_*", 7, 0, C, 1, AVX512_STATE},
	{"avx512_vnni_*", 7, 0, C, 11, AVX512_STATE},
	{"avx512_vp2intersect_*", 7, 0, D, 8, AVX512_STATE},
	{"avx512_vpclmulqdq_*", 7, 0, C, 10, AVX512_STATE},
	{"avx512_vpopcntdq_*", 7, 0, C, 14, AVX512_STATE},
};
/* clang-format on */

/* Those of every 64-bit processor. Sets in neither list are not for measuring. */
static const char *const always[] = {
	"i86", "i186", "i386", "i486", "i486real", "pentiumreal", "ppro", "longmode", "fat_nop", "pause",
};

static uint32_t enabled_state(void)
{
	uint32_t a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) /* OSXSAVE */
		return 0;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return a;
}

static bool ask(const struct feature *feature)
{
	uint32_t r[4];

	if (!__get_cpuid_count(feature->leaf, feature->subleaf, &r[A], &r[B], &r[C], &r[D]))
		return false;
	return (r[feature->where] >> feature->bit & 1) &&
	       (enabled_state() & feature->state) == feature->state;
}

/* Each feature is asked for once: a virtual machine's host answers, which takes its time. */
static bool has_feature(size_t index)
{
	enum { UNKNOWN, NO, YES };
	static _Atomic uint8_t answers[TAKT_COUNT_OF(features)];

	if (answers[index] == UNKNOWN)
		answers[index] = ask(&features[index]) ? YES : NO;
	return answers[index] == YES;
}

static bool is_named(const struct feature *feature, const char *name)
{
	size_t size = strlen(feature->name) - 1;

	if (feature->name[size] == '*')
		return strncmp(name, feature->name, size) == 0;
	return strcmp(name, feature->name) == 0;
}

static bool needs_vl(const char *name)
{
	size_t size = strlen(name);

	return takt_string_starts(name, "avx512") && size > 4 &&
	       (strcmp(name + size - 4, "_128") == 0 || strcmp(name + size - 4, "_256") == 0);
}

bool takt_host_has(const char *isa_set)
{
	if (needs_vl(isa_set) && !has_feature(0))
		return false;
	if (takt_string_is_one_of(isa_set, always, TAKT_COUNT_OF(always)))
		return true;
	for (size_t i = 0; i < TAKT_COUNT_OF(features); i++)
		if (is_named(&features[i], isa_set))
			return has_feature(i);
	return false;
}

static void add_brand(struct takt_text *text)
{
	uint32_t brand[13] = {0};
	const char *name = (const char *)brand;

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t *part = brand + 4 * (size_t)i;

		if (!__get_cpuid(BRAND_LEAF + i, &part[A], &part[B], &part[C], &part[D]))
			return;
	}
	while (*name == ' ')
		name++;
	takt_text_add_string(text, name);
	while (text->size_bytes > 0 && text->data[text->size_bytes - 1] == ' ')
		text->data[--text->size_bytes] = 0;
}

void takt_host_cpu(struct takt_text *text)
{
	uint32_t a = 0, b, c, d, family, model;

	add_brand(text);
	__get_cpuid(1, &a, &b, &c, &d);
	family = a >> 8 & 15;
	model = a >> 4 & 15;
	if (family == 6 || family == 15)
		model |= a >> 12 & 0xf0;
	if (family == 15)
		family += a >> 20 & 0xff;
	takt_text_printf(text, "%sfamily %u model %u stepping %u", text->size_bytes ? ", " : "",
			 family, model, a & 15);
}
#else
struct feature; /* ISO C forbids an empty file */
#endif
