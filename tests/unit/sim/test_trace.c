/* SPDX-License-Identifier: MIT */
/* What a trace says must be possible. */
#include "kernel.h"

#define TRACED 6u

/* vmovupd ymm4, [rcx+rax]; vfmadd231pd ymm1, ymm4, [rsi+rax]; add rax, 32; cmp; jne */
static const uint8_t dot_product[] = {0xc5, 0xfd, 0x10, 0x24, 0x01, 0xc4, 0xe2, 0xdd, 0xb8, 0x0c,
				      0x06, 0x48, 0x83, 0xc0, 0x20, 0x48, 0x39, 0xc7, 0x75, 0xec};
/* mov [rsi], rax; mov rax, [rsi] */
static const uint8_t forwarding[] = {0x48, 0x89, 0x06, 0x48, 0x8b, 0x06};
/* mov ah, 1; add ebx, eax: rename puts in a µop */
static const uint8_t merging[] = {0xb4, 0x01, 0x01, 0xc3};
static const uint8_t microcoded[] = {0xf3, 0xa4};

static const struct {
	int line;
	const char *core, *what;
	const uint8_t *bytes;
	size_t size_bytes;
} kernels[] = {
	{__LINE__, "SKL", "dot product", dot_product, sizeof(dot_product)},
	{__LINE__, "ZEN4", "dot product", dot_product, sizeof(dot_product)},
	{__LINE__, "SKL", "forwarding", forwarding, sizeof(forwarding)},
	{__LINE__, "SKL", "merging", merging, sizeof(merging)},
	{__LINE__, "SKL", "microcoded", microcoded, sizeof(microcoded)},
};

static bool slot_is_possible(const struct sim_trace *trace, uint32_t s)
{
	const struct sim_trace_slot *slot = &trace->slots[s];
	const struct sim_trace_slot *before = s ? slot - 1 : slot;

	return slot->fetched <= slot->predecoded && slot->predecoded <= slot->queued &&
	       before->fetched <= slot->fetched && slot->queued < slot->renamed &&
	       slot->renamed < slot->done && slot->done <= slot->retired &&
	       slot->retired < trace->cycle_count && before->queued <= slot->queued &&
	       before->renamed <= slot->renamed && before->retired <= slot->retired &&
	       before->iteration <= slot->iteration &&
	       slot->first_uop + slot->uop_count <= trace->uop_count;
}

static bool uop_is_possible(const struct sim_trace *trace, uint32_t u)
{
	const struct sim_trace_uop *uop = &trace->uops[u];
	const struct sim_trace_slot *slot = &trace->slots[uop->slot];

	if (uop->slot >= trace->slot_count || u < slot->first_uop ||
	    u >= slot->first_uop + slot->uop_count)
		return false;
	if (uop->source != SIM_TRACE_NONE &&
	    (uop->source >= u || trace->uops[uop->source].dispatched > uop->dispatched))
		return false;
	if (uop->store != SIM_TRACE_NONE && trace->uops[uop->store].kind != SIM_UOP_STORE_DATA &&
	    trace->uops[uop->store].kind != SIM_UOP_STORE_ADDRESS)
		return false;
	return slot->renamed < uop->ready && uop->ready <= uop->dispatched &&
	       uop->dispatched < uop->done && uop->done <= slot->done;
}

static bool ports_are_used_once(const struct sim_trace *trace)
{
	for (uint32_t u = 0; u < trace->uop_count; u++)
		for (uint32_t v = 0; v < u; v++)
			if (trace->uops[u].port == trace->uops[v].port &&
			    trace->uops[u].port != SIM_PORT_NONE &&
			    trace->uops[u].dispatched == trace->uops[v].dispatched)
				return false;
	return true;
}

static void check_possible(size_t i)
{
	struct sim_kernel *kernel =
		kernel_new(kernels[i].core, kernels[i].bytes, kernels[i].size_bytes);
	const struct sim_options options = {.loop = kernel->loop};
	struct sim_trace trace;
	bool slots = true, uops = true;

	takt_simulate_trace(&kernel->block, &options, TRACED, &kernel->arena, &trace);
	tap_is_int(__FILE__, kernels[i].line, trace.iterations, TRACED, kernels[i].what);
	for (uint32_t s = 0; s < trace.slot_count; s++)
		slots &= slot_is_possible(&trace, s);
	for (uint32_t u = 0; u < trace.uop_count; u++)
		uops &= uop_is_possible(&trace, u);
	tap_ok_at(__FILE__, kernels[i].line, slots, "issue slots go through the stages in order");
	tap_ok_at(__FILE__, kernels[i].line, uops, "µops too, and wait for older ones");
	tap_ok_at(__FILE__, kernels[i].line, ports_are_used_once(&trace),
		  "one µop a port and cycle");
	tap_is_int(__FILE__, kernels[i].line, trace.slots[trace.slot_count - 1].iteration,
		   TRACED - 1, "the last is of the last iteration");
	kernel_free(kernel);
}

/* Instructions of which it is known how the front end delivers them, and how long that takes. */
static const struct {
	int line;
	const char *core, *hex;
	enum sim_slot_source source;
	uint32_t fetch_cycles, slot; /* of a slot of the first iteration: from fetched to
				      * predecoded */
	bool decoded;
	const char *what;
} fetches[] = {
	/* cmp ax, 0x1234: three prefixes of the first block take the predecoder three cycles each.
	 */
	{__LINE__, "SKL", "663d34126690", SIM_SOURCE_DECODERS, 9, 0, true,
	 "length-changing prefix"},
	{__LINE__, "SKL", "6690669066906690", SIM_SOURCE_DECODERS, 0, 0, true, "straight code"},
	/* Its ninth byte and more are in the next block, which comes a cycle later. */
	{__LINE__, "SKL", "48b8000000000000000048b80000000000000000", SIM_SOURCE_DECODERS, 1, 1,
	 true, "an instruction across two blocks"},
	{__LINE__, "SKL", "f3a4", SIM_SOURCE_MICROCODE, 0, 5, true, "microcode"},
	{__LINE__, "SKL", "48ffc875fb", SIM_SOURCE_OP_CACHE, 0, 0, false, "a loop in the op cache"},
	{__LINE__, "HSW", "48ffc84801c375f8", SIM_SOURCE_LOOP_BUFFER, 0, 0, false,
	 "a loop in the loop buffer"},
};

static void check_fetch(size_t i)
{
	struct sim_kernel *kernel = kernel_from_hex(fetches[i].core, fetches[i].hex);
	const struct sim_options options = {.loop = kernel->loop};
	struct sim_trace trace;
	const struct sim_trace_slot *slot;

	takt_simulate_trace(&kernel->block, &options, 1, &kernel->arena, &trace);
	slot = &trace.slots[fetches[i].slot];
	tap_is_int(__FILE__, fetches[i].line, slot->source, fetches[i].source, fetches[i].what);
	tap_is_int(__FILE__, fetches[i].line, slot->predecoded - slot->fetched,
		   fetches[i].fetch_cycles, "cycles of the predecoder");
	tap_ok_at(__FILE__, fetches[i].line,
		  (slot->predecoded < slot->queued) == fetches[i].decoded,
		  "decoded later, or not at all");
	kernel_free(kernel);
}

static void check_forwarding(void)
{
	struct sim_kernel *kernel = kernel_new("SKL", forwarding, sizeof(forwarding));
	const struct sim_options options = {.loop = false};
	struct sim_trace trace;
	uint32_t forwarded = 0;

	takt_simulate_trace(&kernel->block, &options, TRACED, &kernel->arena, &trace);
	for (uint32_t u = 0; u < trace.uop_count; u++)
		forwarded += trace.uops[u].store != SIM_TRACE_NONE;
	ok(forwarded >= TRACED - 1, "%u loads wait for a store", forwarded);
	kernel_free(kernel);
}

static void check_merging(void)
{
	struct sim_kernel *kernel = kernel_new("SKL", merging, sizeof(merging));
	const struct sim_options options = {.loop = false};
	struct sim_trace trace;
	uint32_t inserted = 0;

	takt_simulate_trace(&kernel->block, &options, TRACED, &kernel->arena, &trace);
	for (uint32_t s = 0; s < trace.slot_count; s++)
		inserted += trace.slots[s].inserted;
	is_int(inserted, TRACED, "one merge for each iteration");
	kernel_free(kernel);
}

/* More than can be recorded. */
static void check_too_long(void)
{
	static uint8_t nops[20000];
	struct sim_kernel *kernel;
	const struct sim_options options = {.loop = false};
	struct sim_trace trace;

	memset(nops, 0x90, sizeof(nops));
	kernel = kernel_new("SKL", nops, sizeof(nops));
	takt_simulate_trace(&kernel->block, &options, 1, &kernel->arena, &trace);
	is_int(trace.iterations, 0, "none complete");
	is_int(trace.slot_count, 0, "none shown");
	kernel_free(kernel);
	kernel = kernel_new("SKL", nops, sizeof(nops) / 4);
	takt_simulate_trace(&kernel->block, &options, 10, &kernel->arena, &trace);
	is_int(trace.iterations, 3, "as many as fit");
	is_int(trace.slot_count, 3 * sizeof(nops) / 4, "slots");
	kernel_free(kernel);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(kernels); i++)
		check_possible(i);
	for (size_t i = 0; i < TAKT_COUNT_OF(fetches); i++)
		check_fetch(i);
	check_forwarding();
	check_merging();
	check_too_long();
	return tap_done();
}
