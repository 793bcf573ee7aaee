/* SPDX-License-Identifier: MIT */
/*
 * Measures divisions and square roots, whose time depends on their values. The code sets operands
 * to values that are fast or slow on known cores, those of the uops.info paper's tool. In chains it
 * makes the result the old operand again by an `and` with zeros and an `or`, which are measured
 * separately. Forms with memory operands, masks or rounding divide like those without, and are left
 * out.
 */
#include <math.h>
#include <string.h>

#include "characterize/variants/variants.h"

/* Divisions in a block: enough that the preparation of the operands hardly matters. */
#define LINKS 4u
#define INSTANCES 8u
/* Most restores between two divisions, so that the code fits. */
#define RESTORES_MAX 50

enum speed { FAST, SLOW, SPEED_COUNT };

/* ---- integers ------------------------------------------------------------- */

struct integers {
	uint8_t kind;		     /* enum takt_operand_kind of the divisor */
	uint64_t low, high, divisor; /* values of rax, rdx and the divisor */
};

static const struct integers integers[SPEED_COUNT][4] = {
	[FAST] = {{TAKT_KIND_R8, 0, 0, 1},
		  {TAKT_KIND_R16, 0, 0, 1},
		  {TAKT_KIND_R32, 0, 0, 1},
		  {TAKT_KIND_R64, 0, 0, 1}},
	[SLOW] = {{TAKT_KIND_R8, 13057, 0, 123},
		  {TAKT_KIND_R16, 133, 0x343a, 0x75e6},
		  {TAKT_KIND_R32, 133, 0x343a9ed7, 0x75e6e44f},
		  {TAKT_KIND_R64, 133, 0x343a9ed744556677, 0x75e6e44fccddeeff}},
};

#define RAX TAKT_LOC_GPR
#define RDX (TAKT_LOC_GPR + 2)
#define DIVISOR (TAKT_LOC_GPR + 3)
#define ZERO (TAKT_LOC_GPR + 9)
#define DIVIDEND (TAKT_LOC_GPR + 10)

static const struct integers *find_integers(const struct probe_form *form, enum speed speed)
{
	uint8_t kind = takt_form_unpack(form->sample.form).kinds[0];

	for (size_t i = 0; i < TAKT_COUNT_OF(integers[speed]); i++)
		if (integers[speed][i].kind == kind)
			return &integers[speed][i];
	return NULL;
}

static void set(const struct probe_lab *lab, struct probe_code *code, uint8_t location,
		uint64_t value)
{
	const struct takt_choice choice = {
		.registers = {location}, .has_immediate = true, .immediate = (int64_t)value};

	/* A value that fits into 32 bits needs another form. */
	takt_probe_add_chosen(lab, code, value <= INT32_MAX ? PROBE_MOV_IMM : PROBE_MOV_IMM_64,
			      &choice);
}

static void add_restores(const struct probe_lab *lab, struct probe_code *code, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		takt_probe_add_tool(lab, code, PROBE_AND, RAX, ZERO);
		takt_probe_add_tool(lab, code, PROBE_OR, RAX, DIVIDEND);
	}
}

static void add_divisions(const struct probe_lab *lab, struct probe_code *code,
			  const struct probe_form *form, const struct integers *values,
			  unsigned restores)
{
	const struct takt_choice choice = {.registers = {DIVISOR}};

	set(lab, code, DIVISOR, values->divisor);
	set(lab, code, ZERO, 0);
	set(lab, code, DIVIDEND, values->low);
	for (unsigned i = 0; i < LINKS; i++) {
		add_restores(lab, code, restores);
		if (!restores)
			set(lab, code, RAX, values->low);
		set(lab, code, RDX, values->high);
		takt_probe_code_add(code, form, &choice);
	}
}

/* ---- vectors -------------------------------------------------------------- */

/*
 * For one vector width: the instructions that copy, restore, and fill a register from its lowest 64
 * bits.
 */
struct vectors {
	uint8_t kind;
	bool avx;
	enum probe_tool zero, restore, enter, spread;
};

static const struct vectors vectors[] = {
	{TAKT_KIND_XMM, false, PROBE_AND_SSE, PROBE_OR_SSE, PROBE_TO_XMM_SSE, PROBE_DOUBLE_SSE},
	{TAKT_KIND_XMM, true, PROBE_AND_128, PROBE_OR_128, PROBE_TO_XMM_AVX, PROBE_DOUBLE_AVX},
	{TAKT_KIND_YMM, true, PROBE_AND_256, PROBE_OR_256, PROBE_TO_XMM_AVX, PROBE_UPPER_HALF},
	{TAKT_KIND_ZMM, true, PROBE_AND_512, PROBE_OR_512, PROBE_TO_XMM_AVX, PROBE_SPREAD_512},
};

/* The first restore is that of integers. */
_Static_assert(TAKT_COUNT_OF(vectors) + 1 <= PROBE_RESTORES_MAX, "all are kept");

struct numbers {
	char type; /* last letter of the mnemonic */
	bool root;
	uint64_t first[SPEED_COUNT], second[SPEED_COUNT]; /* dividend, or argument of a root; and
							   * divisor */
};

#define ONE_D 0x3ff0000000000000
#define ONE_S 0x3f8000003f800000
#define ONE_H 0x3c003c003c003c00

static const struct numbers numbers[] = {
	{'d', false, {ONE_D, 0x429da724b687da66}, {ONE_D, 0x3ff33e97f934078b}},
	{'s', false, {ONE_S, 0x54ed392654ed3926}, {ONE_S, 0x3f99f4c03f99f4c0}},
	{'h', false, {ONE_H, 0x2769276927692769}, {ONE_H, 0x3ccf3ccf3ccf3ccf}},
	{'d', true, {ONE_D, 0x465a61fe1acdc21c}, {ONE_D, 0x465a61fe1acdc21c}},
	{'s', true, {ONE_S, 0x72d30ff172d30ff1}, {ONE_S, 0x72d30ff172d30ff1}},
	{'h', true, {ONE_H, 0x1698169816981698}, {ONE_H, 0x1698169816981698}},
};

#define FIRST (TAKT_LOC_VECTOR + 13)
#define SECOND (TAKT_LOC_VECTOR + 14)
#define NOTHING (TAKT_LOC_VECTOR + 15)
#define RESULT (TAKT_LOC_VECTOR + 1)

static const struct vectors *find_vectors(const struct probe_form *form)
{
	uint8_t kind = takt_form_unpack(form->sample.form).kinds[0];

	for (size_t i = 0; i < TAKT_COUNT_OF(vectors); i++)
		if (vectors[i].kind == kind && vectors[i].avx == takt_probe_uses_avx(form))
			return &vectors[i];
	return NULL;
}

static const struct numbers *find_numbers(const struct probe_form *form)
{
	const char *name = takt_probe_base_mnemonic(form);
	bool root = strncmp(name, "sqrt", 4) == 0, division = strncmp(name, "div", 3) == 0;

	for (size_t i = 0; (root || division) && i < TAKT_COUNT_OF(numbers); i++)
		if (numbers[i].type == name[strlen(name) - 1] && numbers[i].root == root)
			return &numbers[i];
	return NULL;
}

static void fill(const struct probe_lab *lab, struct probe_code *code, const struct vectors *width,
		 uint8_t location, uint64_t value)
{
	const struct takt_choice spread = {.registers = {location, location, location},
					   .has_immediate = width->spread == PROBE_UPPER_HALF,
					   .immediate = 1};
	const struct takt_choice pair = {.registers = {location, location, location}};

	set(lab, code, DIVIDEND, value);
	takt_probe_add_tool(lab, code, width->enter, location, DIVIDEND);
	if (width->spread == PROBE_UPPER_HALF)
		takt_probe_add_chosen(lab, code, PROBE_DOUBLE_AVX, &pair);
	takt_probe_add_chosen(lab, code, width->spread, &spread);
}

static void add_restored(const struct probe_lab *lab, struct probe_code *code,
			 const struct vectors *width, unsigned count)
{
	struct takt_choice zero = {.registers = {RESULT, RESULT, NOTHING}};
	struct takt_choice restore = {.registers = {RESULT, RESULT, FIRST}};

	if (!width->avx) {
		zero.registers[1] = NOTHING;
		restore.registers[1] = FIRST;
	}
	for (unsigned i = 0; i < count; i++) {
		takt_probe_add_chosen(lab, code, width->zero, &zero);
		takt_probe_add_chosen(lab, code, width->restore, &restore);
	}
}

/* Add one instance, whose first source may be `result`, too. */
static void add_instance(const struct probe_lab *lab, struct probe_code *code,
			 const struct probe_form *form, const struct numbers *values,
			 uint8_t result, bool chain)
{
	bool three = takt_form_unpack(form->sample.form).kinds[2] != TAKT_KIND_NONE;
	uint8_t last = chain && values->root ? result : SECOND;
	struct takt_choice choice = {.registers = {result, last}};

	if (three) {
		choice.registers[1] = chain ? result : FIRST;
		choice.registers[2] = last;
	} else if (!chain && !takt_probe_uses_avx(form)) {
		takt_probe_add_tool(lab, code, PROBE_COPY_SSE, result, FIRST);
	}
	takt_probe_code_add(code, form, &choice);
}

static void add_numbers(const struct probe_lab *lab, struct probe_code *code,
			const struct probe_form *form, enum speed speed, unsigned restores)
{
	const struct vectors *width = find_vectors(form);
	const struct numbers *values = find_numbers(form);

	fill(lab, code, width, FIRST, values->first[speed]);
	fill(lab, code, width, SECOND, values->second[speed]);
	fill(lab, code, width, NOTHING, 0);
	for (unsigned i = 0; i < (restores ? LINKS : INSTANCES); i++) {
		add_restored(lab, code, width, restores);
		add_instance(lab, code, form, values, (uint8_t)(RESULT + (restores ? 0 : i)),
			     restores > 0);
	}
}

/* ---- both ----------------------------------------------------------------- */

static bool is_integer(const struct probe_form *form)
{
	return form->insn.insn_class == TAKT_CLASS_INT_DIV && find_integers(form, FAST);
}

static bool is_float(const struct probe_form *form)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	return !unpacked.flags && !takt_probe_memory(form) && find_numbers(form) &&
	       find_vectors(form);
}

/* Return the cycles of what restores an operand; they are measured once. */
static double restore_cycles(struct probe_lab *lab, const struct probe_form *form)
{
	const struct vectors *width = is_integer(form) ? NULL : find_vectors(form);
	double *known = &lab->restore_cycles[width ? width - vectors + 1 : 0];
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	if (*known != PROBE_UNKNOWN)
		return *known;
	if (width)
		add_restored(lab, &code, width, 1);
	else
		add_restores(lab, &code, 1);
	*known = takt_probe_run(lab, &code, "what restores an operand", &outcome) ? outcome.cycles
										  : NAN;
	return *known;
}

/* Measure with this many restores between two divisions; with none they are independent. */
static double measure(struct probe_lab *lab, const struct probe_form *form, enum speed speed,
		      unsigned restores)
{
	static const char *const titles[SPEED_COUNT][2] = {
		[FAST] = {"throughput, fast values", "latency, fast values"},
		[SLOW] = {"throughput, slow values", "latency, slow values"}};
	unsigned count = restores || is_integer(form) ? LINKS : INSTANCES;
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	if (is_integer(form))
		add_divisions(lab, &code, form, find_integers(form, speed), restores);
	else
		add_numbers(lab, &code, form, speed, restores);
	return takt_probe_run(lab, &code, titles[speed][restores > 0], &outcome)
		       ? outcome.cycles / count
		       : NAN;
}

/* Measure the latency in a chain that takes longer than the divider is busy. */
static double measure_latency(struct probe_lab *lab, const struct probe_form *form,
			      enum speed speed, double throughput)
{
	double restore = restore_cycles(lab, form);
	unsigned count = 1;

	if (isnan(restore) || isnan(throughput))
		return NAN;
	if (restore > 0)
		count += (unsigned)fmin(ceil(throughput / restore), RESTORES_MAX);
	return fmax(measure(lab, form, speed, count) - count * restore, 0);
}

/* Return the operands of the chain, such as "2>1". */
static const char *pair_of(const struct probe_form *form)
{
	bool three = takt_form_unpack(form->sample.form).kinds[2] != TAKT_KIND_NONE;

	if (is_integer(form))
		return "rax>rax";
	if (find_numbers(form)->root)
		return three ? "3>1" : "2>1";
	return three ? "2>1" : "1>1";
}

void takt_probe_divisions(struct probe_lab *lab, const struct probe_form *form,
			  struct probe_variants *variants)
{
	double throughput[SPEED_COUNT], latency[SPEED_COUNT];

	if (!is_integer(form) && !is_float(form))
		return;
	for (unsigned speed = 0; speed < SPEED_COUNT; speed++) {
		throughput[speed] = measure(lab, form, (enum speed)speed, 0);
		latency[speed] = measure_latency(lab, form, (enum speed)speed, throughput[speed]);
	}
	if (!isnan(throughput[FAST] + throughput[SLOW]))
		takt_probe_variant_add(variants, PROBE_DIVISION_THROUGHPUT, "", throughput[FAST],
				       throughput[SLOW]);
	if (!isnan(latency[FAST] + latency[SLOW]))
		takt_probe_variant_add(variants, PROBE_DIVISION_LATENCY, pair_of(form),
				       latency[FAST], latency[SLOW]);
}
