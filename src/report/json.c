/* SPDX-License-Identifier: MIT */
/* The record of an analysis as JSON; docs/analysis.schema.json describes it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/report.h"

static void write_strings(struct takt_json *json, const char *key, const char *const *strings,
			  uint32_t count)
{
	takt_json_open_array(json, key);
	for (uint32_t i = 0; i < count; i++)
		takt_json_string(json, NULL, strings[i]);
	takt_json_close_array(json);
}

static void write_bounds(struct takt_json *json, const struct takt_bounds *bounds)
{
	takt_json_open_object(json, "bounds");
	takt_json_number(json, "ports", bounds->ports_cycles);
	takt_json_number(json, "ports_fixed", bounds->fixed_ports_cycles);
	takt_json_number(json, "front_end", bounds->front_end_cycles);
	takt_json_string(json, "front_end_part", bounds->front_end_part);
	takt_json_number(json, "issue", bounds->issue_cycles);
	takt_json_number(json, "loop_carried", bounds->loop_carried_cycles);
	takt_json_number(json, "critical_path", bounds->critical_path_cycles);
	takt_json_number(json, "instruction_path", bounds->instruction_path_cycles);
	takt_json_close_object(json);
}

static void write_ports(struct takt_json *json, const struct takt_analysis *analysis)
{
	takt_json_open_object(json, "port_pressure");
	for (uint32_t port = 0; port < analysis->port_count; port++)
		takt_json_number(json, analysis->port_names[port], analysis->port_cycles[port]);
	takt_json_close_object(json);
	takt_json_open_array(json, "pseudo_ports");
	takt_json_compact(json, true);
	for (uint32_t port = 0; port < analysis->port_count; port++)
		if (analysis->port_pseudo[port])
			takt_json_string(json, NULL, analysis->port_names[port]);
	takt_json_close_array(json);
	takt_json_compact(json, false);
}

static void write_place(struct takt_json *json, const struct takt_analysis_insn *insn)
{
	char address[32];

	snprintf(address, sizeof(address), "0x%" PRIx64, insn->address);
	takt_json_string(json, "address", address);
	takt_json_integer(json, "length", insn->length_bytes);
	if (insn->line)
		takt_json_integer(json, "line", insn->line);
	else
		takt_json_null(json, "line");
	takt_json_string(json, "file", insn->file);
}

static void write_insn(struct takt_json *json, const struct takt_analysis *analysis,
		       const struct takt_analysis_insn *insn)
{
	takt_json_open_object(json, NULL);
	write_place(json, insn);
	takt_json_string(json, "text", insn->text);
	takt_json_string(json, "form", insn->form);
	takt_json_integer(json, "uops", insn->uops);
	takt_json_integer(json, "slots", insn->slots);
	takt_json_number(json, "latency", insn->latency_cycles);
	takt_json_open_object(json, "port_pressure");
	takt_json_compact(json, true);
	for (uint32_t port = 0; port < analysis->port_count; port++)
		if (insn->port_cycles[port] > 0)
			takt_json_number(json, analysis->port_names[port], insn->port_cycles[port]);
	takt_json_close_object(json);
	takt_json_compact(json, false);
	takt_json_bool(json, "on_loop_carried", insn->on_loop_carried);
	takt_json_bool(json, "on_critical_path", insn->on_critical_path);
	takt_json_number(json, "loop_carried", insn->lcd_cycles);
	takt_json_number(json, "critical_path", insn->cp_cycles);
	takt_json_number(json, "simulated", insn->stall_cycles);
	takt_json_string(json, "origin", takt_origin_word(insn->origin));
	takt_json_bool(json, "unknown", insn->unknown);
	takt_json_string(json, "note", insn->note);
	takt_json_close_object(json);
}

static void write_recurrence(struct takt_json *json, const struct takt_recurrence *cycle)
{
	takt_json_open_row(json);
	takt_json_number(json, "cycles_per_iteration", cycle->cycles_per_iteration);
	takt_json_integer(json, "iterations", cycle->iterations);
	takt_json_string(json, "location", cycle->location);
	takt_json_open_array(json, "instructions");
	for (uint32_t i = 0; i < cycle->member_count; i++)
		takt_json_integer(json, NULL, cycle->members[i]);
	takt_json_close_array(json);
	takt_json_open_array(json, "latencies");
	for (uint32_t i = 0; i < cycle->member_count; i++)
		takt_json_number(json, NULL, cycle->latencies_cycles[i]);
	takt_json_close_array(json);
	takt_json_close_row(json);
}

static void write_cycles(struct takt_json *json, const struct takt_analysis *analysis)
{
	takt_json_open_array(json, "loop_carried");
	for (uint32_t i = 0; i < analysis->recurrence_count; i++)
		write_recurrence(json, &analysis->recurrences[i]);
	takt_json_close_array(json);
	takt_json_bool(json, "loop_carried_truncated", analysis->recurrences_truncated);
}

static void write_dependences(struct takt_json *json, const struct takt_analysis *analysis)
{
	takt_json_open_array(json, "dependences");
	for (uint32_t i = 0; i < analysis->dependence_count; i++) {
		const struct takt_dependence *dependence = &analysis->dependences[i];

		takt_json_open_row(json);
		takt_json_integer(json, "from", dependence->from);
		takt_json_integer(json, "to", dependence->to);
		takt_json_integer(json, "iterations", dependence->iterations);
		takt_json_string(json, "location", dependence->location);
		takt_json_number(json, "latency", dependence->latency_cycles);
		takt_json_bool(json, "on_loop_carried", dependence->on_loop_carried);
		takt_json_bool(json, "on_critical_path", dependence->on_critical_path);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
	takt_json_open_array(json, "memory_dependences");
	for (uint32_t i = 0; i < analysis->memory_dependence_count; i++) {
		const struct takt_memory_dependence *dependence = &analysis->memory_dependences[i];

		takt_json_open_row(json);
		takt_json_integer(json, "from", dependence->from);
		takt_json_integer(json, "to", dependence->to);
		takt_json_integer(json, "iterations", dependence->iterations);
		takt_json_number(json, "latency", dependence->latency_cycles);
		takt_json_string(json, "overlap", dependence->overlap);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

/* Write the forms that use class defaults, and the number of instructions by origin of figures. */
static void write_trust(struct takt_json *json, const struct takt_analysis *analysis)
{
	uint32_t counts[TAKT_ORIGIN_COUNT] = {0};

	takt_json_open_array(json, "unknown");
	for (uint32_t i = 0; i < analysis->insn_count; i++) {
		const struct takt_analysis_insn *insn = &analysis->insns[i];

		counts[insn->origin]++;
		if (!insn->unknown)
			continue;
		takt_json_open_row(json);
		takt_json_integer(json, "instruction", i);
		takt_json_string(json, "form", insn->form);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
	takt_json_open_object(json, "origins");
	for (uint32_t origin = 0; origin < TAKT_ORIGIN_COUNT; origin++)
		if (counts[origin])
			takt_json_integer(json, takt_origin_word((enum takt_origin)origin),
					  counts[origin]);
	takt_json_close_object(json);
}

/* Write the alignment and, of a simulation, its period and its cycles by alignment. */
static void write_simulation(struct takt_json *json, const struct takt_analysis *analysis)
{
	takt_json_integer(json, "alignment", analysis->alignment_bytes);
	if (isnan(analysis->simulated_cycles))
		return;
	if (analysis->simulated_period)
		takt_json_integer(json, "period", analysis->simulated_period);
	else
		takt_json_null(json, "period");
	if (!analysis->aligned_cycles)
		return;
	takt_json_open_array(json, "cycles_by_alignment");
	takt_json_compact(json, true);
	for (uint32_t at = 0; at < 64; at++)
		takt_json_number(json, NULL, analysis->aligned_cycles[at]);
	takt_json_close_array(json);
	takt_json_compact(json, false);
}

static void write_head(struct takt_json *json, const struct takt_analysis *analysis)
{
	double block_cycles = analysis->cycles_per_iteration * analysis->unroll_factor;

	takt_json_string(json, "version", TAKT_VERSION);
	takt_json_string(json, "arch", analysis->arch);
	takt_json_string(json, "arch_title", analysis->arch_title);
	if (analysis->arch_doubt)
		takt_json_string(json, "arch_doubt", analysis->arch_doubt);
	takt_json_string(json, "isa", analysis->isa);
	takt_json_string(json, "region", analysis->region_name);
	takt_json_string(json, "mode", analysis->mode == TAKT_MODE_LOOP ? "loop" : "unroll");
	takt_json_number(json, "unroll_factor", analysis->unroll_factor);
	takt_json_number(json, "cycles_per_iteration", analysis->cycles_per_iteration);
	takt_json_number(json, "cycles_per_block", block_cycles);
	takt_json_string(json, "limit", analysis->limit);
	takt_json_bool(json, "fixed", analysis->fixed);
	write_bounds(json, &analysis->bounds);
	takt_json_number(json, "simulated", analysis->simulated_cycles);
	write_simulation(json, analysis);
	takt_json_open_object(json, "issue");
	takt_json_integer(json, "slots", analysis->issue_slots);
	takt_json_integer(json, "width", analysis->issue_width);
	takt_json_close_object(json);
}

static void write_insn_list(struct takt_json *json, const uint32_t *insns, uint32_t count)
{
	takt_json_open_array(json, "instructions");
	for (uint32_t i = 0; i < count; i++)
		takt_json_integer(json, NULL, insns[i]);
	takt_json_close_array(json);
}

static void write_waits(struct takt_json *json, const struct takt_analysis *analysis)
{
	takt_json_open_array(json, "waits");
	for (uint32_t i = 0; i < analysis->stall_count; i++) {
		const struct takt_stall *wait = &analysis->stalls[i];

		takt_json_open_row(json);
		takt_json_string(json, "cause", wait->cause);
		takt_json_string(json, "port", *wait->port ? wait->port : NULL);
		takt_json_number(json, "cycles", wait->cycles);
		write_insn_list(json, wait->insns, wait->insn_count);
		takt_json_open_array(json, "instruction_cycles");
		for (uint32_t k = 0; k < wait->insn_count; k++)
			takt_json_number(json, NULL, wait->insn_cycles[k]);
		takt_json_close_array(json);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

static void write_relaxations(struct takt_json *json, const struct takt_analysis *analysis)
{
	takt_json_open_array(json, "relaxations");
	for (uint32_t i = 0; i < analysis->relaxation_count; i++) {
		const struct takt_relaxation *relaxation = &analysis->relaxations[i];

		takt_json_open_row(json);
		takt_json_string(json, "what", relaxation->what);
		takt_json_number(json, "cycles", relaxation->cycles);
		takt_json_string(json, "advice", relaxation->advice);
		write_insn_list(json, relaxation->insns, relaxation->insn_count);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
	takt_json_bool(json, "relaxations_complete", analysis->relaxations_complete);
}

void takt_write_analysis_json(const struct takt_analysis *analysis, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	write_head(&json, analysis);
	write_ports(&json, analysis);
	write_waits(&json, analysis);
	write_relaxations(&json, analysis);
	write_strings(&json, "bottlenecks", analysis->bottlenecks, analysis->bottleneck_count);
	takt_json_open_array(&json, "instructions");
	for (uint32_t i = 0; i < analysis->insn_count; i++)
		write_insn(&json, analysis, &analysis->insns[i]);
	takt_json_close_array(&json);
	write_cycles(&json, analysis);
	write_dependences(&json, analysis);
	write_trust(&json, analysis);
	write_strings(&json, "notes", analysis->notes, analysis->note_count);
	takt_json_close_object(&json);
}
