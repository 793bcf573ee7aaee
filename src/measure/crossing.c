/* SPDX-License-Identifier: MIT */
/*
 * Counts accesses that cross a line or a page. One iteration is single-stepped in the child,
 * which logs the registers before each instruction; the addresses are computed here.
 */
#include "measure/measurer.h"

#define NOT_AN_ADDRESS UINT64_MAX

static uint64_t register_value(const struct takt_step_state *step, uint8_t location)
{
	if (location < TAKT_LOC_GPR || location >= TAKT_LOC_GPR + 16)
		return 0;
	return takt_host_step_gpr(step, location - TAKT_LOC_GPR);
}

/* Return the address of a memory operand. Vector indices and segments give no single, known one. */
static uint64_t address_of(const struct takt_memory *memory, const struct takt_step_state *step)
{
	uint64_t address;

	if (memory->segment || takt_location_is_vector(memory->index))
		return NOT_AN_ADDRESS;
	if (memory->rip_relative)
		return takt_program_rip_target(memory); /* relative to the base, a page's begin */
	address = (uint64_t)memory->displacement + register_value(step, memory->base) +
		  register_value(step, memory->index) * memory->scale;
	return memory->address_size_bytes == 4 ? (uint32_t)address : address;
}

static bool crosses(uint64_t address, uint16_t size_bytes, uint32_t unit_bytes)
{
	return address != NOT_AN_ADDRESS && address % unit_bytes + size_bytes > unit_bytes;
}

struct crossings {
	uint32_t lines, pages;
};

static void count_step(const struct takt_insn *insn, const struct takt_step_state *step,
		       struct crossings *crossings)
{
	for (int i = 0; i < insn->memory_count; i++) {
		const struct takt_memory *memory = &insn->memories[i];
		uint64_t address = address_of(memory, step);

		if (memory->address_only)
			continue;
		crossings->lines += crosses(address, memory->size_bytes, TAKT_LINE_BYTES);
		crossings->pages += crosses(address, memory->size_bytes, TAKT_PAGE_BYTES);
	}
}

/* Count the crossings of one iteration. Steps outside the block, where the run is entered and left,
 * are skipped. */
static struct crossings count_crossings(struct takt_measurer *measurer,
					const struct takt_subject *subject, uint32_t start)
{
	const struct takt_child_results *results = measurer->child.results;
	struct crossings crossings = {0, 0};
	uint32_t insn = 0, steps = results->step_count;

	for (uint32_t i = 0; i < steps && i < TAKT_STEPS_MAX && insn < subject->insn_count; i++) {
		const struct takt_step_state *step = &results->steps[i];
		uint64_t offset = takt_host_step_ip(step) - measurer->child.base - start;

		if (offset == subject->insns[insn].address)
			count_step(&subject->insns[insn++], step, &crossings);
	}
	return crossings;
}

bool takt_crossings_check(struct takt_measurer *measurer, const struct takt_subject *subject,
			  struct takt_measurement *measurement)
{
	const struct takt_measure_options *options = &measurer->options;
	const struct takt_order order = {TAKT_RUN_TRACE, 1, 1,
					 TAKT_CHILD_MAP_FAULTS | TAKT_CHILD_TRACE};
	uint32_t start;
	struct crossings crossings;

	if (!options->reject_line_crossing && !options->reject_page_crossing)
		return true;
	start = takt_program_emit_trace(measurer, subject);
	if (!takt_bench_command(measurer, &order, measurement))
		return false;
	crossings = count_crossings(measurer, subject, start);
	measurement->line_crossings = crossings.lines;
	if (!(options->reject_line_crossing && crossings.lines) &&
	    !(options->reject_page_crossing && crossings.pages))
		return true;
	measurement->status = TAKT_MEASURE_CROSSING;
	takt_text_printf(&measurer->reason, "%u %s a line, %u a page", crossings.lines,
			 takt_noun(crossings.lines, "access crosses", "accesses cross"),
			 crossings.pages);
	return false;
}
