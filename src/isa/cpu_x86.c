/* SPDX-License-Identifier: MIT */
/* CPUID: the ISA sets (takt_isa_set_name) that its bits indicate. */
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <pthread.h>
#include <string.h>

#include "isa/cpu.h"
#include "isa/cpuid.h"

enum cpuid_register { A, B, C, D };

/* Register state that the system must save before programs can use a set: bits of XCR0. */
#define AVX_STATE 0x6u
#define AVX512_STATE 0xe6u
#define AMX_STATE 0x60000u

#define SETS_MAX 3
#define KEPT true

struct feature {
	uint32_t leaf, subleaf;
	uint8_t where; /* enum cpuid_register */
	uint8_t bit;
	bool kept;
	struct {
		const char *name; /* name of a set, or the start of names, ended by '*' */
		uint32_t state;
	} sets[SETS_MAX];
};

#define AMD 0x80000001u

/* clang-format off */
static const struct feature features[] = {
	{7, 0, B, 31, 0, {{"avx512vl", AVX512_STATE}}}, /* EVEX forms on vectors below 512 bits */
	{1, 0, D, 0, 0, {{"x87", 0}}},
	{1, 0, D, 15, 0, {{"cmov", 0}, {"fcmov", 0}}},
	{1, 0, D, 19, 0, {{"clfsh", 0}}},
	{1, 0, D, 23, 0, {{"pentiummmx", 0}}},
	{1, 0, D, 24, 0, {{"fxsave", 0}, {"fxsave64", 0}}},
	{1, 0, D, 25, 0, {{"sse", 0}, {"ssemxcsr", 0}, {"sse_prefetch", 0}}},
	{1, 0, D, 26, 0, {{"sse2", 0}, {"sse2mmx", 0}}},
	{1, 0, C, 0, KEPT, {{"sse3", 0}, {"sse3x87", 0}}},
	{1, 0, C, 1, 0, {{"pclmulqdq", 0}}},
	{1, 0, C, 9, KEPT, {{"ssse3", 0}, {"ssse3mmx", 0}}},
	{1, 0, C, 12, 0, {{"fma", AVX_STATE}}},
	{1, 0, C, 13, KEPT, {{"cmpxchg16b", 0}}},
	{1, 0, C, 19, KEPT, {{"sse4", 0}}},
	{1, 0, C, 20, KEPT, {{"sse42", 0}}},
	{1, 0, C, 22, 0, {{"movbe", 0}}},
	{1, 0, C, 23, KEPT, {{"popcnt", 0}}},
	{1, 0, C, 25, 0, {{"aes", 0}, {"avxaes", AVX_STATE}}},
	{1, 0, C, 28, 0, {{"avx", AVX_STATE}}},
	{1, 0, C, 29, 0, {{"f16c", AVX_STATE}}},
	{1, 0, C, 30, 0, {{"rdrand", 0}}},
	{AMD, 0, C, 0, 0, {{"lahf", 0}}},
	{AMD, 0, C, 5, 0, {{"lzcnt", 0}}},
	{AMD, 0, C, 6, 0, {{"sse4a", 0}}},
	{AMD, 0, C, 8, 0, {{"prefetch_nop", 0}}},
	{AMD, 0, C, 11, 0, {{"xop", AVX_STATE}}},
	{AMD, 0, C, 16, 0, {{"fma4", AVX_STATE}}},
	{AMD, 0, C, 21, 0, {{"tbm", 0}}},
	{AMD, 0, D, 27, 0, {{"rdtscp", 0}}},
	{AMD, 0, D, 31, 0, {{"amd3dnow", 0}}},
	{0x80000008u, 0, B, 0, 0, {{"clzero", 0}}},
	{7, 0, B, 3, 0, {{"bmi1", 0}}},
	{7, 0, B, 5, 0, {{"avx2", AVX_STATE}, {"avx2gather", AVX_STATE}}},
	{7, 0, B, 8, 0, {{"bmi2", 0}}},
	{7, 0, B, 16, 0, {{"avx512f_*", AVX512_STATE}}},
	{7, 0, B, 17, 0, {{"avx512dq_*", AVX512_STATE}}},
	{7, 0, B, 18, 0, {{"rdseed", 0}}},
	{7, 0, B, 19, 0, {{"adox_adcx", 0}}},
	{7, 0, B, 21, 0, {{"avx512_ifma_*", AVX512_STATE}}},
	{7, 0, B, 23, 0, {{"clflushopt", 0}}},
	{7, 0, B, 24, 0, {{"clwb", 0}}},
	{7, 0, B, 26, 0, {{"avx512pf_*", AVX512_STATE}}},
	{7, 0, B, 27, 0, {{"avx512er_*", AVX512_STATE}}},
	{7, 0, B, 28, 0, {{"avx512cd_*", AVX512_STATE}}},
	{7, 0, B, 29, 0, {{"sha", 0}}},
	{7, 0, B, 30, 0, {{"avx512bw_*", AVX512_STATE}}},
	{7, 0, C, 0, 0, {{"prefetchwt1", 0}}},
	{7, 0, C, 1, 0, {{"avx512_vbmi_*", AVX512_STATE}}},
	{7, 0, C, 6, 0, {{"avx512_vbmi2_*", AVX512_STATE}}},
	{7, 0, C, 8, 0, {{"gfni", 0}, {"avx_gfni", AVX_STATE}, {"avx512_gfni_*", AVX512_STATE}}},
	{7, 0, C, 9, 0, {{"vaes", AVX_STATE}, {"avx512_vaes_*", AVX512_STATE}}},
	{7, 0, C, 10, 0, {{"vpclmulqdq", AVX_STATE}, {"avx512_vpclmulqdq_*", AVX512_STATE}}},
	{7, 0, C, 11, 0, {{"avx512_vnni_*", AVX512_STATE}}},
	{7, 0, C, 12, 0, {{"avx512_bitalg_*", AVX512_STATE}}},
	{7, 0, C, 14, 0, {{"avx512_vpopcntdq_*", AVX512_STATE}}},
	{7, 0, C, 22, 0, {{"rdpid", 0}}},
	{7, 0, C, 25, 0, {{"cldemote", 0}}},
	{7, 0, C, 27, 0, {{"movdir", 0}}},
	{7, 0, D, 2, 0, {{"avx512_4vnniw_*", AVX512_STATE}}},
	{7, 0, D, 3, 0, {{"avx512_4fmaps_*", AVX512_STATE}}},
	{7, 0, D, 8, 0, {{"avx512_vp2intersect_*", AVX512_STATE}}},
	{7, 0, D, 14, 0, {{"serialize", 0}}},
	{7, 0, D, 22, 0, {{"amx_bf16", AMX_STATE}}},
	{7, 0, D, 23, 0, {{"avx512_fp16_*", AVX512_STATE}}},
	{7, 0, D, 24, 0, {{"amx_tile", AMX_STATE}}},
	{7, 0, D, 25, 0, {{"amx_int8", AMX_STATE}}},
	{7, 1, A, 4, 0, {{"avx_vnni", AVX_STATE}}},
	{7, 1, A, 5, 0, {{"avx512_bf16_*", AVX512_STATE}}},
};
/* clang-format on */

#define FEATURE_VL 0u
_Static_assert(TAKT_COUNT_OF(features) <= UINT64_C(64) * TAKT_CPU_FEATURE_WORDS,
	       "too many features");

/* Sets that every 64-bit processor has. Sets in neither list are not measured. */
static const char *const always[] = {
	"i86",	       "i186", "i386",	   "i486",    "i486real",
	"pentiumreal", "ppro", "longmode", "fat_nop", "pause",
};

size_t takt_cpu_feature_count(void)
{
	return TAKT_COUNT_OF(features);
}

void takt_cpu_feature_write(size_t feature, struct takt_text *text)
{
	const char *name = features[feature].sets[0].name;
	size_t size = strlen(name);

	takt_text_add(text, name, name[size - 1] == '*' ? size - strlen("_*") : size);
}

bool takt_cpu_feature_kept(size_t feature)
{
	return features[feature].kept;
}

uint32_t takt_cpu_feature_state(size_t feature)
{
	return features[feature].sets[0].state;
}

static bool is_named(const char *pattern, const char *name)
{
	size_t size = strlen(pattern) - 1;

	if (pattern[size] == '*')
		return strncmp(name, pattern, size) == 0;
	return strcmp(name, pattern) == 0;
}

static bool needs_vl(const char *name)
{
	size_t size = strlen(name);

	return takt_string_starts(name, "avx512") && size > 4 &&
	       (strcmp(name + size - 4, "_128") == 0 || strcmp(name + size - 4, "_256") == 0);
}

/* Return the feature that indicates the set, and the state it needs; the count if none does. */
static size_t find_feature(const char *isa_set, uint32_t *ret_state)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(features); i++) {
		for (size_t j = 0; j < SETS_MAX && features[i].sets[j].name; j++) {
			if (!is_named(features[i].sets[j].name, isa_set))
				continue;
			*ret_state = features[i].sets[j].state;
			return i;
		}
	}
	return TAKT_COUNT_OF(features);
}

static void add_feature(struct takt_cpu_features *set, size_t feature)
{
	set->words[feature / 64] |= (uint64_t)1 << feature % 64;
}

struct takt_cpu_features takt_cpu_features_of(const uint64_t *sets, size_t set_count)
{
	struct takt_cpu_features result = {{0}};
	uint32_t state;

	for (size_t i = 0; i < set_count; i++) {
		const char *name = takt_isa_set_name((uint16_t)i);
		size_t feature;

		if (!(sets[i / 64] >> i % 64 & 1))
			continue;
		feature = find_feature(name, &state);
		if (feature < TAKT_COUNT_OF(features))
			add_feature(&result, feature);
		if (needs_vl(name))
			add_feature(&result, FEATURE_VL);
	}
	return result;
}

struct takt_cpu_features takt_cpuid_features(const struct takt_cpuid *cpuid)
{
	struct takt_cpu_features result = {{0}};
	uint32_t r[4];
	bool answered = false;

	/* In a virtual machine the host answers, which is slow: each leaf is asked for once. */
	for (size_t i = 0; i < TAKT_COUNT_OF(features); i++) {
		const struct feature *feature = &features[i];

		if (i == 0 || feature->leaf != features[i - 1].leaf ||
		    feature->subleaf != features[i - 1].subleaf)
			answered = takt_cpuid_ask(cpuid, feature->leaf, feature->subleaf, r);
		if (answered && (r[feature->where] >> feature->bit & 1))
			add_feature(&result, i);
	}
	return result;
}

/* ---- this processor ------------------------------------------------------- */

#if defined(__x86_64__) || defined(__i386__)
bool takt_cpuid_ask_processor(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	return __get_cpuid_count(leaf, subleaf, &registers[A], &registers[B], &registers[C],
				 &registers[D]);
}

static uint32_t enabled_state(void)
{
	uint32_t a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) /* OSXSAVE */
		return 0;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return a & ~AMX_STATE; /* needs a permission that the sandbox does not request */
}
#else
bool takt_cpuid_ask_processor(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)leaf, (void)subleaf, (void)registers;
	return false;
}

static uint32_t enabled_state(void)
{
	return 0;
}
#endif

struct this_processor {
	struct takt_cpu_features features;
	uint32_t state;
};

static struct this_processor this_processor;

static void ask_once(void)
{
	const struct takt_cpuid itself = {NULL, 0};

	this_processor.features = takt_cpuid_features(&itself);
	this_processor.state = enabled_state();
}

static bool has_feature(size_t feature)
{
	return this_processor.features.words[feature / 64] >> feature % 64 & 1;
}

bool takt_cpu_runs(const char *isa_set)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint32_t state;
	size_t feature;

	pthread_once(&once, ask_once);
	if (needs_vl(isa_set) && !has_feature(FEATURE_VL))
		return false;
	if (takt_string_is_one_of(isa_set, always, TAKT_COUNT_OF(always)))
		return true;
	feature = find_feature(isa_set, &state);
	return feature < TAKT_COUNT_OF(features) && has_feature(feature) &&
	       (this_processor.state & state) == state;
}
