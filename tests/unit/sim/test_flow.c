/* SPDX-License-Identifier: MIT */
/*
 * Groups of sources by their latencies. Sources are written as part=group, - is one that
 * nothing waits for, @M the address of a memory operand; results as part:latency from each
 * group's µop, - where it does not depend on it. Parts for high bytes are left out: here they
 * go as their registers do.
 */
#include "kernel.h"
#include "sim/block/block.h"

#define TEXT_MAX 256

struct wanted {
	int line;
	const char *core, *what, *sources, *results, *bytes;
	size_t size_bytes;
};

#define ROW(core, what, sources, results, bytes)                                                   \
	{                                                                                          \
		__LINE__, core, what, sources, results, bytes, sizeof(bytes) - 1                   \
	}

static const struct wanted rows[] = {
	ROW("SKL", "cmovbe rax, rbx", "rax=0 rbx=0 cf=1 szap=1", "rax:1,2", "\x48\x0f\x46\xc3"),
	ROW("SNB", "cmovbe rax, rbx", "rax=0 rbx=1 cf=2 szap=2", "rax:1,2,3", "\x48\x0f\x46\xc3"),
	ROW("SKL", "adc rax, rbx", "rax=0 rbx=0 cf=0", "rax:1 cf:1 of:1 szap:1", "\x48\x11\xd8"),
	ROW("SNB", "adc rax, rbx", "cf=0 rax=1 rbx=1", "rax:1,2 cf:1,2 of:1,2 szap:1,2",
	    "\x48\x11\xd8"),
	ROW("SKL", "xchg rax, rbx", "rax=0 rbx=1", "rax:-,2 rbx:1,-", "\x48\x87\xd8"),
	ROW("ZEN3", "xchg rax, rbx: at rename", "rax=0 rbx=1", "rax:-,0 rbx:0,-", "\x48\x87\xd8"),
	ROW("SKL", "shl rax, cl", "rax=0 rcx=0 cf=1 of=1 szap=1", "rax:1,- cf:2,2 of:2,2 szap:2,2",
	    "\x48\xd3\xe0"),
	ROW("ZEN3", "shl rax, cl: flags pass by", "rax=0 rcx=0 cf=- of=- szap=-",
	    "rax:1 cf:1 of:1 szap:1", "\x48\xd3\xe0"),
	ROW("ZEN3", "lea rax, [rdi+rsi*2+8]", "rsi=0 rdi=1", "rax:1,2", "\x48\x8d\x44\x77\x08"),
	ROW("SKL", "xor eax, eax", "", "rax:- cf:- of:- szap:-", "\x31\xc0"),
	ROW("SKL", "mov rax, [rdi]", "load0=0 rdi=@0", "rax:0", "\x48\x8b\x07"),
	ROW("SKL", "mov [rdi], rax", "rax=0 rdi=@0", "store0:0", "\x48\x89\x07"),
	ROW("SKL", "movnti [rdi], rax", "rax=0 rdi=@0", "store0:0", "\x48\x0f\xc3\x07"),
	ROW("SKL", "maskmovq mm0, mm1", "st0=0 st1=0 rdi=@0", "store0:6", "\x0f\xf7\xc1"),
	ROW("SKL", "add rax, [rdi]", "rax=0 load0=0 rdi=@0", "rax:1 cf:1 of:1 szap:1",
	    "\x48\x03\x07"),
	ROW("SKL", "add [rdi], rax", "load0=0 rax=0 rdi=@0", "store0:1 cf:1 of:1 szap:1",
	    "\x48\x01\x07"),
	ROW("SKL", "adc [rdi], rax", "load0=0 rax=0 cf=1 rdi=@0",
	    "store0:2,3 cf:2,1 of:2,1 szap:2,1", "\x48\x11\x07"),
};

__attribute__((format(printf, 2, 3))) static void put(char text[TEXT_MAX], const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, TEXT_MAX - length, format, args);
	va_end(args);
}

static void put_part(char text[TEXT_MAX], unsigned part)
{
	put(text, "%s", *text ? " " : "");
	if (part >= SIM_PART_STORED)
		put(text, "store%u", part - SIM_PART_STORED);
	else if (part >= SIM_PART_LOADED)
		put(text, "load%u", part - SIM_PART_LOADED);
	else
		put(text, "%s", takt_location_name(&takt_isa_x86, (uint8_t)part));
}

static bool is_high8(unsigned part)
{
	return part >= TAKT_LOC_HIGH8 && part < TAKT_LOC_VECTOR;
}

static void put_source(char text[TEXT_MAX], const struct sim_source *source)
{
	if (is_high8(source->part))
		return;
	put_part(text, source->part);
	if (source->group == SIM_GROUP_UNUSED)
		put(text, "=-");
	else if (source->group >= SIM_GROUP_ADDRESS)
		put(text, "=@%d", source->group - SIM_GROUP_ADDRESS);
	else
		put(text, "=%d", source->group);
}

static void put_result(char text[TEXT_MAX], const struct sim_result *result, unsigned group_count)
{
	if (is_high8(result->part))
		return;
	put_part(text, result->part);
	for (unsigned g = 0; g < group_count; g++) {
		put(text, "%c", g ? ',' : ':');
		if (result->latency_cycles[g] == SIM_NO_LATENCY)
			put(text, "-");
		else
			put(text, "%d", result->latency_cycles[g]);
	}
}

static const struct sim_program *program_of(struct sim_kernel *kernel)
{
	/* Where stalls are wanted, all operands are kept. */
	static struct sim_stalls stalls;
	const struct sim_options options = {.loop = kernel->loop, .ret_stalls = &stalls};

	return sim_program_new(&kernel->block, &options, &kernel->arena);
}

static void check_groups(const struct wanted *wanted)
{
	struct sim_kernel *kernel =
		kernel_new(wanted->core, (const uint8_t *)wanted->bytes, wanted->size_bytes);
	const struct sim_program *program = program_of(kernel);
	const struct sim_insn *insn = program->insns;
	char sources[TEXT_MAX] = "", results[TEXT_MAX] = "", what[TEXT_MAX] = "";

	for (unsigned i = 0; i < insn->source_count; i++)
		put_source(sources, &program->sources[insn->sources + i]);
	for (unsigned i = 0; i < insn->result_count; i++)
		put_result(results, &program->results[insn->results + i], insn->group_count);
	put(what, "%s: %s", wanted->core, wanted->what);
	tap_is_string(__FILE__, wanted->line, sources, wanted->sources, what);
	tap_is_string(__FILE__, wanted->line, results, wanted->results, what);
	kernel_free(kernel);
}

/* How far a group's µop leads that of group 0, and when its last result is there. */
static void check_leads(void)
{
	static const struct {
		int line;
		const char *core, *bytes;
		uint32_t lead_cycles, done_cycles[2];
	} wanted[] = {
		{__LINE__, "SKL", "\x48\x0f\x46\xc3", 1, {1, 2}}, /* cmovbe rax, rbx */
		/* adc [rdi], rax: the carry's way to the next carry is shorter than the sum's. */
		{__LINE__, "SKL", "\x48\x11\x07", SIM_NO_LATENCY, {2, 3}},
		{__LINE__, "SKL", "\x48\x87\xd8", SIM_NO_LATENCY, {1, 2}}, /* xchg rax, rbx */
		{__LINE__, "SKL", "\x48\xd3\xe0", SIM_NO_LATENCY, {2, 2}}, /* shl rax, cl */
		{__LINE__, "SNB", "\x48\x11\xd8", 1, {1, 2}},		   /* adc rax, rbx */
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(wanted); i++) {
		struct sim_kernel *kernel = kernel_new(
			wanted[i].core, (const uint8_t *)wanted[i].bytes, strlen(wanted[i].bytes));
		const struct sim_insn *insn = program_of(kernel)->insns;

		tap_is_int(__FILE__, wanted[i].line, insn->group_count, 2, "groups");
		tap_is_int(__FILE__, wanted[i].line, insn->lead_cycles[1], wanted[i].lead_cycles,
			   "lead");
		for (unsigned g = 0; g < 2; g++)
			tap_is_int(__FILE__, wanted[i].line, insn->done_cycles[g],
				   wanted[i].done_cycles[g], "done");
		kernel_free(kernel);
	}
}

/* Of the way from the stored value to a result, what lies before the computation. */
static void check_forwarding(void)
{
	static const struct {
		int line;
		const char *core, *bytes;
		uint16_t load_cycles, forward_cycles;
		bool fast;
	} wanted[] = {
		{__LINE__, "SKL", "\x48\x8b\x07", 5, 3, true},		 /* mov rax, [rdi] */
		{__LINE__, "SKL", "\x48\x8b\x04\x37", 5, 3, false},	 /* mov rax, [rdi+rsi] */
		{__LINE__, "SKL", "\x48\x03\x07", 5, 4 - 1, true},	 /* add rax, [rdi] */
		{__LINE__, "SKL", "\x48\x01\x07", 5, 5 - 2, true},	 /* add [rdi], rax */
		{__LINE__, "SKL", "\x48\x11\x07", 5, 6 - 3, true},	 /* adc [rdi], rax */
		{__LINE__, "SKL", "\xc5\xf5\x58\x07", 7, 9 - 4, true},	 /* vaddpd y, y, [rdi] */
		{__LINE__, "SNB", "\x48\x8b\x07", 5, 4, true},		 /* mov rax, [rdi] */
		{__LINE__, "ZEN3", "\x48\x8b\x07", 4, 6, false},	 /* mov rax, [rdi] */
		{__LINE__, "ZEN3", "\x48\x03\x07", 4, 6 + 1 - 1, false}, /* add rax, [rdi] */
		{__LINE__, "ZEN3", "\x48\x01\x07", 4, 6 - 2, false},	 /* add [rdi], rax */
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(wanted); i++) {
		struct sim_kernel *kernel = kernel_new(
			wanted[i].core, (const uint8_t *)wanted[i].bytes, strlen(wanted[i].bytes));
		const struct sim_memory *memory = program_of(kernel)->memories;

		tap_is_int(__FILE__, wanted[i].line, memory->load_cycles, wanted[i].load_cycles,
			   "load");
		tap_is_int(__FILE__, wanted[i].line, memory->forward_cycles,
			   wanted[i].forward_cycles, "forward");
		tap_is_int(__FILE__, wanted[i].line, memory->fast, wanted[i].fast, "fast");
		kernel_free(kernel);
	}
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_groups(&rows[i]);
	check_leads();
	check_forwarding();
	return tap_done();
}
