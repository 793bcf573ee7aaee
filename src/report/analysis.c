/* SPDX-License-Identifier: MIT */
/* The record of an analysis, declared, and its JSON. */
#include <math.h>

#include "report/record.h"

static const struct takt_analysis *analysis_of(const struct takt_view *view)
{
	return view->root;
}

static const char *origin_word(uint32_t origin)
{
	return takt_origin_word((enum takt_origin)origin);
}

struct takt_value takt_report_version(const struct takt_view *view, const void *record)
{
	(void)view;
	(void)record;
	return takt_value_string(TAKT_VERSION);
}

/* ---- ports ---- */

static bool port_entry(const struct takt_view *view, const void *record, uint32_t index,
		       const char **ret_key, struct takt_value *ret_value)
{
	const struct takt_analysis *analysis = record;

	(void)view;
	if (index == analysis->port_count)
		return false;
	*ret_key = analysis->port_names[index];
	*ret_value = takt_value_number(analysis->port_cycles[index]);
	return true;
}

static bool insn_port_entry(const struct takt_view *view, const void *record, uint32_t index,
			    const char **ret_key, struct takt_value *ret_value)
{
	const struct takt_analysis_insn *insn = record;

	if (index == analysis_of(view)->port_count)
		return false;
	*ret_key = insn->port_cycles[index] > 0 ? analysis_of(view)->port_names[index] : NULL;
	*ret_value = takt_value_number(insn->port_cycles[index]);
	return true;
}

static bool pseudo_port_entry(const struct takt_view *view, const void *record, uint32_t index,
			      const char **ret_key, struct takt_value *ret_value)
{
	const struct takt_analysis *analysis = record;

	(void)view;
	(void)ret_key;
	for (uint32_t port = 0, pseudo = 0; port < analysis->port_count; port++) {
		pseudo += analysis->port_pseudo[port];
		if (pseudo <= index)
			continue;
		*ret_value = takt_value_string(analysis->port_names[port]);
		return true;
	}
	return false;
}

/* ---- bounds and instructions ---- */

#define RECORD struct takt_bounds
static const struct takt_field bounds_fields[] = {
	TAKT_FIELD("ports", ports_cycles, "cycles",
		   "Exact optimum over all assignments of µops to ports."),
	TAKT_FIELD("ports_fixed", fixed_ports_cycles, "cycles",
		   "The same with every µop split equally over the ports it may use."),
	TAKT_FIELD("front_end", front_end_cycles, "cycles",
		   "Bound of the slowest part before rename, at this alignment."),
	TAKT_FIELD(
		"front_end_part", front_end_part, NULL,
		"That slowest part: \"predecoder\", \"decoders\", \"op cache\" or \"loop buffer\"; "
		"may be empty."),
	TAKT_FIELD("issue", issue_cycles, "cycles", "Issue slots over issue width."),
	TAKT_FIELD("loop_carried", loop_carried_cycles, "cycles",
		   "Largest latency per iteration of any recurrence; 0 if there is none."),
	TAKT_FIELD("critical_path", critical_path_cycles, "cycles",
		   "Longest chain of one execution alone, inputs ready at 0; no limit in steady "
		   "state."),
	TAKT_FIELD(
		"instruction_path", instruction_path_cycles, "cycles",
		"The same if each result waits for all operands that the instruction reads, as in "
		"published tables."),
};
#undef RECORD
static const struct takt_record bounds_record =
	TAKT_RECORD("bounds", "Limits of one execution of the block, each alone.", bounds_fields);

#define RECORD struct takt_analysis_insn
static const struct takt_field insn_fields[] = {
	TAKT_FIELD_AS("address", TAKT_FIELD_ADDRESS, address, NULL,
		      "Address of its first byte, in the file or region."),
	TAKT_FIELD("length", length_bytes, "bytes", "Length of its encoding."),
	TAKT_FIELD("line", line, NULL, "Source line; null if unknown.", .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("file", file, NULL, "Source file; null if unknown.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("text", text, NULL, "The user's own line, or disassembly."),
	TAKT_FIELD("form", form, NULL, "Instruction form, as in docs/formats/forms.md."),
	TAKT_FIELD("uops", uops, NULL,
		   "µops on ports; the second instruction of a fused pair has those of both."),
	TAKT_FIELD("slots", slots, NULL,
		   "Issue slots; 0 if it is fused with the instruction before."),
	TAKT_FIELD("latency", latency_cycles, "cycles",
		   "Largest latency of all operand pairs that occur."),
	TAKT_MAP("port_pressure", TAKT_FIELD_DOUBLE, insn_port_entry, "cycles",
		 "Cycles that it keeps each port busy; ports without are left out.",
		 .flags = TAKT_ONE_LINE),
	TAKT_FIELD("on_loop_carried", on_loop_carried, NULL, "True on the worst recurrence."),
	TAKT_FIELD("on_critical_path", on_critical_path, NULL, "True on the critical path."),
	TAKT_FIELD("loop_carried", lcd_cycles, "cycles", "Its part of bounds.loop_carried."),
	TAKT_FIELD("critical_path", cp_cycles, "cycles", "Its part of bounds.critical_path."),
	TAKT_FIELD("simulated", stall_cycles, "cycles", "Its part of the simulated cycles.",
		   .flags = TAKT_NULLABLE),
	TAKT_ENUM("origin", origin, origin_word, TAKT_ORIGIN_COUNT, "Origin of its figures."),
	TAKT_FIELD("unknown", unknown, NULL,
		   "True if the core has no row for the form, and its class's default is used."),
	TAKT_FIELD("note", note, NULL,
		   "\"fused with next\", \"zero idiom\" and the like; may be empty."),
};
#undef RECORD
static const struct takt_record insn_record =
	TAKT_RECORD("instruction", "An instruction of the block.", insn_fields);

/* ---- dependences ---- */

#define RECORD struct takt_recurrence
static const struct takt_field recurrence_fields[] = {
	TAKT_FIELD("cycles_per_iteration", cycles_per_iteration, "cycles",
		   "Latency over the iterations that it spans, per execution of the block."),
	TAKT_FIELD("iterations", iterations, NULL, "Iterations that it spans."),
	TAKT_FIELD("location", location, NULL,
		   "Register, flag or \"memory\" through which it enters the next iteration."),
	TAKT_LIST("instructions", members, member_count, NULL,
		  "Indices of its instructions, in order of dependence."),
	TAKT_LIST("latencies", latencies_cycles, member_count, "cycles",
		  "Cycles that each of them adds."),
};
#undef RECORD
static const struct takt_record recurrence_record = TAKT_RECORD(
	"recurrence", "A closed chain of dependences over iterations.", recurrence_fields);

#define RECORD struct takt_dependence
static const struct takt_field dependence_fields[] = {
	TAKT_FIELD("from", from, NULL, "Index of the producer."),
	TAKT_FIELD("to", to, NULL, "Index of the consumer."),
	TAKT_FIELD("iterations", iterations, "iterations",
		   "Distance: 0 within one iteration, 1 from the one before; more through memory."),
	TAKT_FIELD("location", location, NULL, "Register, flag or \"memory\"."),
	TAKT_FIELD("latency", latency_cycles, "cycles",
		   "Latency of the consumer from this operand."),
	TAKT_FIELD("on_loop_carried", on_loop_carried, NULL, "True on the worst recurrence."),
	TAKT_FIELD("on_critical_path", on_critical_path, NULL, "True on the critical path."),
};
#undef RECORD
static const struct takt_record dependence_record =
	TAKT_RECORD("dependence", "One operand that needs the result of another instruction.",
		    dependence_fields);

#define RECORD struct takt_memory_dependence
static const struct takt_field memory_dependence_fields[] = {
	TAKT_FIELD("from", from, NULL, "Index of the store."),
	TAKT_FIELD("to", to, NULL, "Index of the load."),
	TAKT_FIELD("iterations", iterations, "iterations", "Distance."),
	TAKT_FIELD("latency", latency_cycles, "cycles",
		   "Latency from the store's data to the load's result."),
	TAKT_FIELD(
		"overlap", overlap, NULL,
		"\"contained\": the load's bytes are all of the store; \"wider\": they go beyond "
		"it; \"split\": they are of several stores."),
};
#undef RECORD
static const struct takt_record memory_dependence_record = TAKT_RECORD(
	"memory_dependence", "A load that reads what a store wrote.", memory_dependence_fields);

/* ---- simulation ---- */

#define RECORD struct takt_stall
static const struct takt_field stall_fields[] = {
	TAKT_FIELD("cause", cause, NULL,
		   "What is waited for: \"latency\", \"port\", \"reorder buffer\", … or "
		   "\"nothing\"."),
	TAKT_FIELD("port", port, NULL, "The port or unit, for those causes; null otherwise.",
		   .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("cycles", cycles, "cycles", "Cycles lost per execution of the block."),
	TAKT_LIST("instructions", insns, insn_count, NULL,
		  "Indices of the instructions that they are lost to, most cycles first."),
	TAKT_LIST("instruction_cycles", insn_cycles, insn_count, "cycles",
		  "Cycles lost to each of them."),
};
#undef RECORD
static const struct takt_record stall_record =
	TAKT_RECORD("wait", "What simulated cycles are spent waiting for.", stall_fields);

#define RECORD struct takt_relaxation
static const struct takt_field relaxation_fields[] = {
	TAKT_FIELD("what", what, NULL, "What would be better, to follow \"with\"."),
	TAKT_FIELD("cycles", cycles, "cycles", "Cycles of the block then."),
	TAKT_FIELD(
		"advice", advice, NULL,
		"What kind of recurrence it is about, if no change of code shortens that; may be "
		"empty."),
	TAKT_LIST("instructions", insns, insn_count, NULL,
		  "Indices of the instructions concerned, the most important first; empty if that "
		  "is all of them."),
};
#undef RECORD
static const struct takt_record relaxation_record = TAKT_RECORD(
	"relaxation", "What the simulation says if one thing were better.", relaxation_fields);

#define RECORD struct takt_code_change
static const struct takt_field change_fields[] = {
	TAKT_FIELD("what", what, NULL, "The change."),
	TAKT_FIELD("how", how, NULL, "What to write, or an option of compilers."),
	TAKT_FIELD("cycles", cycles, "cycles",
		   "Simulated cycles of the changed code, per execution of the block as it is."),
	TAKT_LIST("instructions", insns, insn_count, NULL,
		  "Indices of the instructions concerned; empty if that is all of them."),
};
#undef RECORD
static const struct takt_record change_record =
	TAKT_RECORD("change", "A change of the code that helps.", change_fields);

#define RECORD struct takt_inner_loop
static const struct takt_field inner_fields[] = {
	TAKT_FIELD("region", region_name, NULL, "Name of the loop."),
	TAKT_FIELD("cycles", cycles, "cycles",
		   "Cycles of one iteration, with the loops inside; null if the trips of one of "
		   "these are unknown.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("trips", trips, "iterations",
		   "Iterations each time that the loop is entered; null if unknown.",
		   .flags = TAKT_ZERO_NULL | TAKT_WHOLE),
};
#undef RECORD
static const struct takt_record inner_record =
	TAKT_RECORD("inner_loop", "A loop inside of a loop.", inner_fields);

static struct takt_value execution_mean(const struct takt_view *view, const void *record)
{
	const struct takt_execution *execution = record;

	(void)view;
	return takt_value_number(execution->cycles / (double)execution->iterations);
}

#define RECORD struct takt_execution
static const struct takt_field execution_fields[] = {
	TAKT_FIELD("iterations", iterations, NULL,
		   "Iterations each time that the loop is entered."),
	TAKT_FIELD("trips", trips, NULL,
		   "Origin of the iterations: \"code\", \"given\" or \"assumed\"."),
	TAKT_FIELD("cycles", cycles, "cycles",
		   "Of an execution with an empty pipeline before it and a mispredicted exit: the "
		   "sum of `endless`, `fill` and `exit`. Null of a loop that contains "
		   "loops.",
		   .flags = TAKT_NULLABLE),
	TAKT_COMPUTED("cycles_per_iteration", TAKT_FIELD_DOUBLE, execution_mean, "cycles",
		      "The same, per iteration.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("endless", endless_cycles, "cycles", "So many iterations of the endless loop.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("fill", fill_cycles, "cycles",
		   "More, until the last instruction has retired; less than 0 if the first "
		   "iterations are faster.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("exit", exit_cycles, "cycles",
		   "More, until code after the mispredicted exit can execute.",
		   .flags = TAKT_NULLABLE),
	TAKT_RECORDS("around", around, around_count, &takt_path_loop_record,
		     "The loop, those around it from the inside out, and a call of the function, "
		     "with the code around and branches predicted; empty if that is not known.",
		     .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record execution_record =
	TAKT_RECORD("execution", "A loop that is entered and left.", execution_fields);

static bool has_execution(const struct takt_view *view, const void *record)
{
	const struct takt_analysis *analysis = record;

	(void)view;
	return analysis->execution.iterations > 0;
}

static bool is_nest(const struct takt_view *view, const void *record)
{
	const struct takt_analysis *analysis = record;

	(void)view;
	return analysis->inner_loop_count > 0;
}

static bool is_simulated(const struct takt_view *view, const void *record)
{
	const struct takt_analysis *analysis = record;

	(void)view;
	return !isnan(analysis->simulated_cycles);
}

/* ---- the whole ---- */

static const char *mode_word(uint32_t mode)
{
	static const char *const words[] = {"auto", "loop", "unroll"};

	return words[mode];
}

static struct takt_value block_cycles(const struct takt_view *view, const void *record)
{
	const struct takt_analysis *analysis = record;

	(void)view;
	return takt_value_number(analysis->cycles_per_iteration * analysis->unroll_factor);
}

static bool is_unknown(const struct takt_view *view, const void *item)
{
	(void)view;
	return ((const struct takt_analysis_insn *)item)->unknown;
}

static struct takt_value insn_index(const struct takt_view *view, const void *record)
{
	const struct takt_analysis_insn *insn = record;

	return takt_value_integer(insn - analysis_of(view)->insns);
}

/* Count the instructions by origin of their figures. */
static bool origin_entry(const struct takt_view *view, const void *record, uint32_t index,
			 const char **ret_key, struct takt_value *ret_value)
{
	const struct takt_analysis *analysis = record;
	int64_t count = 0;

	(void)view;
	if (index == TAKT_ORIGIN_COUNT)
		return false;
	for (uint32_t i = 0; i < analysis->insn_count; i++)
		count += analysis->insns[i].origin == index;
	*ret_key = count ? origin_word(index) : NULL;
	*ret_value = takt_value_integer(count);
	return true;
}

/* A timeline is no part of the struct: takt_write_analysis_timeline_json() adds it at the end. */
static bool is_written_apart(const struct takt_view *view, const void *record)
{
	(void)view;
	(void)record;
	return false;
}

#define RECORD struct takt_analysis_insn
static const struct takt_field unknown_fields[] = {
	TAKT_COMPUTED("instruction", TAKT_FIELD_UINT32, insn_index, NULL, "Its index."),
	TAKT_FIELD("form", form, NULL, "Its form."),
};
#undef RECORD
static const struct takt_record unknown_record = TAKT_RECORD(
	"unknown", "An instruction whose form the core has no row for.", unknown_fields);

#define RECORD struct takt_analysis
static const struct takt_field issue_fields[] = {
	TAKT_FIELD("slots", issue_slots, NULL, "Issue slots of the block."),
	TAKT_FIELD("width", issue_width, "slots per cycle", "Slots that the core issues."),
};
static const struct takt_record issue_record =
	TAKT_RECORD("issue", "What bounds.issue is made of.", issue_fields);

static const struct takt_field analysis_fields[] = {
	TAKT_VERSION_FIELD,
	TAKT_FIELD("arch", arch, NULL, "The core, by its canonical name."),
	TAKT_FIELD("arch_title", arch_title, NULL, "The core in words."),
	TAKT_FIELD("arch_choice", arch_choice, NULL,
		   "By what the core was chosen, if this machine's was asked for.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("arch_doubt", arch_doubt, NULL,
		   "Why the core may be another one than this machine's.", .flags = TAKT_OPTIONAL),
	TAKT_FIELD("isa", isa, NULL, "The instruction set: x86-64, aarch64, or llvm:TRIPLE:CPU."),
	TAKT_FIELD("region", region_name, NULL, "Name of the region."),
	TAKT_ENUM("mode", mode, mode_word, 3,
		  "Whether the block is a loop, or copies of it follow each other."),
	TAKT_FIELD("unroll_factor", unroll_factor, NULL,
		   "Source iterations per execution of the block."),
	TAKT_FIELD("cycles_per_iteration", cycles_per_iteration, "cycles",
		   "The headline, per source iteration: simulated or, without a simulation, the "
		   "largest bound other than the critical path."),
	TAKT_COMPUTED(
		"cycles_per_block", TAKT_FIELD_DOUBLE, block_cycles, "cycles",
		"The headline times unroll_factor. All other figures are per execution of the "
		"block."),
	TAKT_FIELD("limit", limit, NULL,
		   "The largest bound, if it explains the headline; otherwise what most of the "
		   "simulated cycles are spent waiting for."),
	TAKT_FIELD("fixed", fixed, NULL,
		   "True if the pressure and the headline are those of the equal split."),
	TAKT_NESTED("bounds", bounds, &bounds_record, "Limits, each alone."),
	TAKT_FIELD("simulated", simulated_cycles, "cycles",
		   "Cycles of one execution of the block in steady state; null without a "
		   "simulation.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("alignment", alignment_bytes, "bytes", "Offset of the block in a 64-byte line."),
	TAKT_FIELD("period", simulated_period, "iterations",
		   "Iterations after which the next ones retire alike; null if that was not seen. "
		   "Only with a simulation.",
		   .flags = TAKT_ZERO_NULL, .present = is_simulated),
	TAKT_LIST_OF("cycles_by_alignment", aligned_cycles, "cycles",
		     "Simulated cycles at each of the 64 alignments, if asked for.",
		     .flags = TAKT_OPTIONAL | TAKT_ONE_LINE, .fixed_count = 64,
		     .present = is_simulated),
	TAKT_RECORDS("inner_loops", inner_loops, inner_loop_count, &inner_record,
		     "Of a loop that contains loops: these, by address. All other figures are for "
		     "the code around them.",
		     .flags = TAKT_ROWS, .present = is_nest),
	TAKT_FIELD(
		"nest_cycles", nest_cycles, "cycles",
		"Of a loop that contains loops: cycles of an iteration with these; null if their "
		"trips are unknown.",
		.flags = TAKT_NULLABLE, .present = is_nest),
	TAKT_NESTED("execution", execution, &execution_record,
		    "With '--trips': the loop with a number of iterations.",
		    .present = has_execution),
	TAKT_SUBRECORD("issue", &issue_record, "What bounds.issue is made of."),
	TAKT_MAP("port_pressure", TAKT_FIELD_DOUBLE, port_entry, "cycles",
		 "Cycles that each port of the core is busy in one execution of the block."),
	TAKT_ENTRIES("pseudo_ports", TAKT_FIELD_STRING, pseudo_port_entry, NULL,
		     "Names in port_pressure that are not issue ports but units with an occupancy, "
		     "such as a divider.",
		     .flags = TAKT_ONE_LINE),
	TAKT_RECORDS(
		"waits", stalls, stall_count, &stall_record,
		"What the simulated cycles are spent waiting for, most first; they sum to them.",
		.flags = TAKT_ROWS),
	TAKT_RECORDS("changes", changes, change_count, &change_record,
		     "Changes of the code that help, each made and simulated, fewest cycles first.",
		     .flags = TAKT_ROWS),
	TAKT_RECORDS("relaxations", relaxations, relaxation_count, &relaxation_record,
		     "What the simulation says if one thing were better, fewest cycles first.",
		     .flags = TAKT_ROWS),
	TAKT_FIELD("relaxations_complete", relaxations_complete, NULL,
		   "True if everything was tried, not only the most promising."),
	TAKT_LIST("bottlenecks", bottlenecks, bottleneck_count, NULL,
		  "Sentences on the limit and those within 5 % of it, most important first."),
	TAKT_RECORDS("instructions", insns, insn_count, &insn_record, "In program order."),
	TAKT_RECORDS("loop_carried", recurrences, recurrence_count, &recurrence_record,
		     "Recurrences within 5 % of the worst, worst first.", .flags = TAKT_ROWS),
	TAKT_FIELD("loop_carried_truncated", recurrences_truncated, NULL,
		   "True if there are more such recurrences than are listed."),
	TAKT_RECORDS("dependences", dependences, dependence_count, &dependence_record,
		     "By consumer, then producer.", .flags = TAKT_ROWS),
	TAKT_RECORDS("memory_dependences", memory_dependences, memory_dependence_count,
		     &memory_dependence_record, "Loads that read what a store wrote.",
		     .flags = TAKT_ROWS),
	TAKT_FIELD("lacking", lacking_count, NULL,
		   "Number of instructions of ISA extensions that the core lacks.",
		   .flags = TAKT_OPTIONAL | TAKT_ZERO_NULL),
	TAKT_RECORDS("unknown", insns, insn_count, &unknown_record,
		     "Instructions whose forms the core has no row for.", .flags = TAKT_ROWS,
		     .filter = is_unknown),
	TAKT_MAP("origins", TAKT_FIELD_UINT32, origin_entry, NULL,
		 "How many instructions have figures of which origin."),
	TAKT_LIST("notes", notes, note_count, NULL, "What must be known to judge the figures."),
	TAKT_SUBRECORD("timeline", &takt_timeline_record,
		       "With '--timeline': the simulated pipeline, cycle by cycle.",
		       .present = is_written_apart),
};
#undef RECORD
const struct takt_record takt_analysis_record =
	TAKT_RECORD("analysis", "What limits one region of code on a core.", analysis_fields);

void takt_write_analysis_json(const struct takt_analysis *analysis, struct takt_text *text)
{
	takt_record_write_json(&takt_analysis_record, analysis, text);
}

void takt_write_analysis_timeline_json(const struct takt_analysis *analysis,
				       const struct takt_timeline *timeline, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_record_write_fields(&takt_analysis_record, analysis, analysis, &json);
	takt_json_open_object(&json, "timeline");
	takt_record_write_fields(&takt_timeline_record, timeline, timeline, &json);
	takt_json_close_object(&json);
	takt_json_close_object(&json);
}
