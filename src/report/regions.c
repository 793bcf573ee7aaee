/* SPDX-License-Identifier: MIT */
/* Several analyses, of regions and cores: their JSON, that of lists, and CSV. */

#include <math.h>

#include "report/record.h"

/* ---- lists of regions ---- */

struct listed {
	const char *region, *arch, *limit;
	uint32_t number, insn_count, line;
	double cycles;
};

#define RECORD struct listed
static const struct takt_field listed_fields[] = {
	TAKT_FIELD("number", number, NULL, "Its number, from 1."),
	TAKT_FIELD("region", region, NULL, "Its name."),
	TAKT_FIELD("arch", arch, NULL, "The core, by its canonical name."),
	TAKT_FIELD("cycles_per_iteration", cycles, "cycles", "The headline.", .format = "%.2f",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("instruction_count", insn_count, NULL, "Number of its instructions."),
	TAKT_FIELD("line", line, NULL, "Source line of the first one; 0: unknown."),
	TAKT_FIELD("limit", limit, NULL, "What limits it."),
};
#undef RECORD
static const struct takt_record listed_record =
	TAKT_RECORD("listed", "A region in a list.", listed_fields);

/* A region that a core cannot decode. */
struct refusal {
	const char *region, *arch, *reason;
	uint32_t number;
};

#define RECORD struct refusal
static const struct takt_field refusal_fields[] = {
	TAKT_FIELD("number", number, NULL, "The region's number, from 1."),
	TAKT_FIELD("region", region, NULL, "Its name."),
	TAKT_FIELD("arch", arch, NULL, "The core, by its canonical name."),
	TAKT_FIELD("reason", reason, NULL, "Where decoding ended, and why."),
};
#undef RECORD
static const struct takt_record refusal_record =
	TAKT_RECORD("refusal", "A region that one of several cores cannot decode.", refusal_fields);

struct list {
	const struct listed *regions;
	uint32_t count, cores_left_out;
	const struct refusal *refusals;
	uint32_t refusal_count;
};

/* A field of lists and of several analyses. */
#define LEFT_OUT_FIELD                                                                             \
	TAKT_FIELD("cores_left_out", cores_left_out, NULL,                                         \
		   "With '--arch=all': cores of other instruction sets than the code's.",          \
		   .flags = TAKT_OPTIONAL | TAKT_ZERO_NULL)
#define REFUSALS_FIELD                                                                             \
	TAKT_RECORDS("not_decoded", refusals, refusal_count, &refusal_record,                      \
		     "Regions that some of several cores cannot decode; `regions` leaves them "    \
		     "out on these cores.",                                                        \
		     .flags = TAKT_OPTIONAL)

#define RECORD struct list
static const struct takt_field list_fields[] = {
	TAKT_RECORDS("regions", regions, count, &listed_record,
		     "In the order of the code; for each region, in the order of the cores."),
	LEFT_OUT_FIELD,
	REFUSALS_FIELD,
};
#undef RECORD
static const struct takt_record list_record =
	TAKT_RECORD("list", "The regions of some code.", list_fields);

void takt_write_region_json(const struct takt_analysis *analysis, size_t number,
			    struct takt_text *text)
{
	const struct listed listed = {
		.number = (uint32_t)number,
		.region = analysis->region_name,
		.arch = analysis->arch,
		.cycles = analysis->cycles_per_iteration,
		.insn_count = analysis->insn_count,
		.line = analysis->insns[0].line,
		.limit = analysis->limit,
	};
	struct takt_json json = {.text = text, .depth = 1, .first = true, .compact = true};

	takt_json_open_object(&json, NULL);
	takt_record_write_fields(&listed_record, &listed, &listed, &json);
	takt_json_close_object(&json);
}

void takt_write_refusal_json(const struct takt_region *region, size_t number, const char *arch,
			     const char *reason, struct takt_text *text)
{
	const struct refusal refusal = {
		.number = (uint32_t)number, .region = region->name, .arch = arch, .reason = reason};
	struct takt_json json = {.text = text, .depth = 1, .first = true, .compact = true};

	takt_json_open_object(&json, NULL);
	takt_record_write_fields(&refusal_record, &refusal, &refusal, &json);
	takt_json_close_object(&json);
}

/* ---- several regions ---- */

struct regions {
	const struct takt_analysis *analyses;
	uint32_t count, cores_left_out;
	const struct refusal *refusals;
	uint32_t refusal_count;
};

#define RECORD struct regions
static const struct takt_field regions_fields[] = {
	TAKT_RECORDS("regions", analyses, count, &takt_analysis_record,
		     "In the order of the code; for each region, in the order of the cores."),
	LEFT_OUT_FIELD,
	REFUSALS_FIELD,
};
#undef RECORD
static const struct takt_record regions_record = TAKT_RECORD(
	"regions", "Analyses of several regions, or for several cores.", regions_fields);

const struct takt_schema takt_report_analyze_schema = {
	.name = "analyze",
	.title = "takt analyze --format=json",
	.records = {&takt_analysis_record, &regions_record, &list_record},
};

/* ---- CSV ---- */

/* A region on a core, as a line of CSV. */
struct row {
	const char *region, *arch, *limit, *front_end_part, *stall;
	uint32_t number, line, insn_count, uncertain_count, stall_line;
	double cycles, unroll_factor, simulated, ports, issue, front_end, loop_carried,
		critical_path, stall_cycles, execution, around;
	uint64_t trips;
};

#define RECORD struct row
static const struct takt_field row_fields[] = {
	TAKT_FIELD("number", number, NULL, "Number of the region, from 1."),
	TAKT_FIELD("region", region, NULL, "Its name."),
	TAKT_FIELD("line", line, NULL, "Source line of its first instruction; empty if unknown.",
		   .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("instructions", insn_count, NULL, "Number of its instructions."),
	TAKT_FIELD("arch", arch, NULL, "The core, by its canonical name."),
	TAKT_FIELD("cycles_per_iteration", cycles, "cycles", "The headline, per source iteration."),
	TAKT_FIELD("limit", limit, NULL, "What limits it."),
	TAKT_FIELD("unroll_factor", unroll_factor, NULL,
		   "Source iterations per execution of the block. The figures below are per "
		   "execution."),
	TAKT_FIELD("simulated", simulated, "cycles", "Empty without a simulation.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("ports", ports, "cycles", "Bound by ports."),
	TAKT_FIELD("issue", issue, "cycles", "Bound by issue slots."),
	TAKT_FIELD("front_end", front_end, "cycles", "Bound by the front end."),
	TAKT_FIELD("front_end_part", front_end_part, NULL, "The slowest part of the front end."),
	TAKT_FIELD("loop_carried", loop_carried, "cycles", "Bound by recurrences."),
	TAKT_FIELD("critical_path", critical_path, "cycles", "One execution alone."),
	TAKT_FIELD("stall", stall, NULL, "The stall cause that most cycles are lost to."),
	TAKT_FIELD("stall_cycles", stall_cycles, "cycles", "Cycles lost to it."),
	TAKT_FIELD("stall_line", stall_line, NULL,
		   "Source line of the instruction that most of these are lost to.",
		   .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("uncertain", uncertain_count, NULL,
		   "Instructions with inferred or estimated figures."),
	TAKT_FIELD("trips", trips, NULL,
		   "Iterations each time that the loop is entered; empty without '--trips'.",
		   .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("execution", execution, "cycles",
		   "A whole execution with so many; empty of a loop that contains loops.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("around", around, "cycles",
		   "An iteration of the loop around it, or a call of the function.",
		   .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record row_record = TAKT_RECORD("row", "A region on a core.", row_fields);

uint32_t takt_uncertain_count(const struct takt_analysis *analysis)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < analysis->insn_count; i++)
		count += analysis->insns[i].unknown ||
			 analysis->insns[i].origin >= TAKT_ORIGIN_INFERRED;
	return count;
}

void takt_write_analysis_csv_header(struct takt_text *text)
{
	takt_record_write_csv_header(&row_record, text);
}

void takt_write_analysis_csv(const struct takt_analysis *analysis, size_t number,
			     struct takt_text *text)
{
	const struct takt_bounds *bounds = &analysis->bounds;
	const struct takt_stall *stall = analysis->stall_count ? analysis->stalls : NULL;
	const struct takt_execution *execution = &analysis->execution;
	const struct row row = {
		.number = (uint32_t)number,
		.region = analysis->region_name,
		.line = analysis->insns[0].line,
		.insn_count = analysis->insn_count,
		.arch = analysis->arch,
		.cycles = analysis->cycles_per_iteration,
		.limit = analysis->limit,
		.unroll_factor = analysis->unroll_factor,
		.simulated = analysis->simulated_cycles,
		.ports = analysis->fixed ? bounds->fixed_ports_cycles : bounds->ports_cycles,
		.issue = bounds->issue_cycles,
		.front_end = bounds->front_end_cycles,
		.front_end_part = bounds->front_end_part,
		.loop_carried = bounds->loop_carried_cycles,
		.critical_path = bounds->critical_path_cycles,
		.stall = stall ? stall->cause : "",
		.stall_cycles = stall ? stall->cycles : 0,
		.stall_line =
			stall && stall->insn_count ? analysis->insns[stall->insns[0]].line : 0,
		.uncertain_count = takt_uncertain_count(analysis),
		.trips = execution->iterations,
		.execution = execution->cycles,
		.around = execution->around_count > 1 ? execution->around[1].cycles : NAN,
	};

	takt_record_write_csv(&row_record, &row, 1, sizeof(row), &row, text);
}
