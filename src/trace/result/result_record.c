/* SPDX-License-Identifier: MIT */
/* Results of a trace, declared: what takt_write_trace_json() writes and result_read.c reads. */
#include <inttypes.h>

#include "base/record.h"
#include "trace/trace.h"

static const struct takt_trace_totals *totals_of(const struct takt_view *view)
{
	return view->root;
}

static bool has_core(const struct takt_view *view, const void *record)
{
	(void)record;
	return totals_of(view)->core != NULL;
}

static bool has_accesses(const struct takt_view *view, const void *record)
{
	(void)record;
	return !totals_of(view)->blocks_only;
}

/* Figures that only a core gives, or only a trace with accesses; null without. */
#define OF_CORE .present = has_core, .flags = TAKT_ABSENT_NULL
#define OF_ACCESSES .present = has_accesses, .flags = TAKT_ABSENT_NULL
#define LOSSES_FIELD                                                                               \
	TAKT_ARRAY("losses", losses, "cycles",                                                     \
		   "Cycles by category, in the order of loss_names; null without a core.",         \
		   TAKT_ABSENT_NULL | TAKT_ONE_LINE, .present = has_core)
#define ADDRESS_FIELD                                                                              \
	TAKT_FIELD_AS("address", TAKT_FIELD_ADDRESS, address, NULL,                                \
		      "Address of its first instruction when it first ran.")

/* Names of ports as a string: "p0 p1"; null without any. */
static struct takt_value busy_value(const struct takt_view *view, const void *record)
{
	const struct takt_trace_weight *weight = record;

	if (!weight->busy_ports)
		return takt_value_string(NULL);
	takt_trace_write_ports(totals_of(view), weight->busy_ports, view->scratch);
	return takt_value_string(view->scratch->data);
}

static bool category_entry(const struct takt_view *view, const void *record, uint32_t index,
			   const char **ret_key, struct takt_value *ret_value)
{
	const struct takt_trace_counts *counts = record;

	(void)view;
	if (index == TAKT_TRACE_CATEGORIES)
		return false;
	*ret_key = takt_trace_category_name(index);
	*ret_value = takt_value_integer((int64_t)takt_trace_category_cycles(counts->losses, index));
	return true;
}

static bool port_entry(const struct takt_view *view, const void *record, uint32_t index,
		       const char **ret_key, struct takt_value *ret_value)
{
	const struct takt_trace_counts *counts = record;
	const struct takt_trace_totals *totals = totals_of(view);

	if (index >= totals->port_count)
		return false;
	*ret_key = totals->port_names[index];
	*ret_value = takt_value_integer((int64_t)counts->port_cycles[index]);
	return true;
}

/* ---- figures ---- */

#define RECORD struct takt_trace_counts
static const struct takt_field counts_fields[] = {
	TAKT_FIELD("instructions", insns, NULL,
		   "Completed instructions; a string instruction with rep counts once."),
	TAKT_FIELD("repeats", repeats, NULL, "Elements of string instructions beyond the first."),
	TAKT_FIELD("interrupted", interrupted, NULL, "Instructions that began and faulted."),
	TAKT_FIELD("blocks", blocks, NULL, "Blocks executed."),
	TAKT_FIELD("taken", taken, NULL, "Conditional branches that were taken."),
	TAKT_FIELD("not_taken", not_taken, NULL, "Conditional branches that were not taken."),
	TAKT_FIELD("loads", loads, NULL, "Loads; null with --blocks-only.", OF_ACCESSES),
	TAKT_FIELD("load_bytes", load_bytes, "bytes", "Bytes loaded; null with --blocks-only.",
		   OF_ACCESSES),
	TAKT_FIELD("stores", stores, NULL, "Stores; null with --blocks-only.", OF_ACCESSES),
	TAKT_FIELD("store_bytes", store_bytes, "bytes", "Bytes stored; null with --blocks-only.",
		   OF_ACCESSES),
	TAKT_FIELD("syscalls", syscalls, NULL, "System calls."),
	TAKT_FIELD("uops", uops, NULL, "µops; null without a core.", OF_CORE),
	TAKT_FIELD("cycles", cycles, "cycles", "Cycles of the core; null without a core.", OF_CORE),
	LOSSES_FIELD,
	TAKT_MAP("top_down", TAKT_FIELD_UINT64, category_entry, "cycles",
		 "The same by the categories of top-down analysis, levels 1 and 2; null without a "
		 "core.",
		 OF_CORE),
	TAKT_MAP("ports", TAKT_FIELD_UINT64, port_entry, "cycles",
		 "The loss \"ports\" by the names of the busy ports; null without a core.",
		 OF_CORE),
};
#undef RECORD
const struct takt_record takt_trace_counts_record =
	TAKT_RECORD("counts", "Counts of one thread.", counts_fields);

#define RECORD struct takt_trace_weight
static const struct takt_field weight_fields[] = {
	TAKT_FIELD("instructions", insns, NULL, "Completed instructions."),
	TAKT_FIELD("cycles", cycles, "cycles", "Cycles of the core; null without a core.", OF_CORE),
	LOSSES_FIELD,
	TAKT_FIELD_AS("busy_ports", TAKT_FIELD_STRING, busy_ports, NULL,
		      "Names of the ports that most of its loss \"ports\" is due to; null: none.",
		      .compute = busy_value, .flags = TAKT_NULLABLE),
};
#undef RECORD
static const struct takt_record weight_record =
	TAKT_RECORD("weight", "What a part of the program costs.", weight_fields);

#define RECORD struct takt_trace_interval
static const struct takt_field interval_fields[] = {
	TAKT_FIELD("instructions", insns, NULL, "Completed instructions."),
	TAKT_FIELD("cycles", cycles, "cycles", "Cycles of the core."),
	LOSSES_FIELD,
};
#undef RECORD
static const struct takt_record interval_record =
	TAKT_RECORD("interval", "A part of the run between two moments.", interval_fields);

/*
 * The course of a run is no part of the result: an interval's end is some cycles earlier or later
 * if the replay was interrupted.
 */
#define RECORD struct takt_trace_totals
static const struct takt_field course_fields[] = {
	TAKT_RECORDS("intervals", intervals, interval_count, &interval_record,
		     "Successive parts of the run with the same number of instructions.",
		     .flags = TAKT_ROWS),
};
#undef RECORD
const struct takt_record takt_trace_course_record =
	TAKT_RECORD("course", "The course of a run.", course_fields);

/* ---- models beside the pipeline ---- */

#define RECORD struct takt_trace_sample
static const struct takt_field sample_fields[] = {
	TAKT_FIELD(
		"half_width_cycles", half_width_cycles, "cycles",
		"Half width of the 95 % confidence interval of all cycles; null if there are too "
		"few units to know it.",
		.flags = TAKT_NULLABLE),
	TAKT_FIELD("units", units, NULL, "Sampling units that were measured."),
	TAKT_FIELD("simulated_instructions", simulated_insns, NULL,
		   "Instructions that were simulated."),
};
#undef RECORD
const struct takt_record takt_trace_sample_record =
	TAKT_RECORD("sample", "The part of the program that was simulated.", sample_fields);

#define RECORD struct takt_trace_layouts
static const struct takt_field layouts_fields[] = {
	TAKT_FIELD("seed", seed, NULL, "Seed that the layouts were drawn with."),
	TAKT_FIELD("half_width_cycles", half_width_cycles, "cycles",
		   "Half width of the 95 % confidence interval of the mean of all layouts."),
	TAKT_FIELD("deviation_cycles", deviation_cycles, "cycles",
		   "Standard deviation from layout to layout."),
	TAKT_LIST("cycles", cycles, count, "cycles", "Cycles of each layout.",
		  .flags = TAKT_ONE_LINE),
};
#undef RECORD
const struct takt_record takt_trace_layouts_record =
	TAKT_RECORD("layouts", "Layouts of code and data, drawn at random, that were simulated.",
		    layouts_fields);

#define RECORD struct takt_trace_memo
static const struct takt_field memo_fields[] = {
	TAKT_FIELD("instructions", insns, NULL, "Instructions that were not simulated again."),
	TAKT_FIELD("pieces", pieces, NULL, "Pieces of the program."),
	TAKT_FIELD("hits", hits, NULL, "Pieces that were found in the memo."),
	TAKT_FIELD("checked", checked, NULL, "Hits that were simulated nevertheless."),
	TAKT_FIELD("wrong", wrong, NULL, "Those of them that differed, which is an error in takt."),
};
#undef RECORD
static const struct takt_record memo_record =
	TAKT_RECORD("memo", "Work that was reused instead of simulated.", memo_fields);

#define RECORD struct takt_trace_caches
#define ACCESS_FIELDS(kind)                                                                        \
	{                                                                                          \
		TAKT_FIELD("accesses", accesses[kind], NULL, "Accesses."),                         \
			TAKT_FIELD("l1_misses", misses[kind][0], NULL, "Misses in L1."),           \
			TAKT_FIELD("l2_misses", misses[kind][1], NULL, "Misses in L2."),           \
			TAKT_FIELD("l3_misses", misses[kind][2], NULL, "Misses in L3."),           \
			TAKT_FIELD("tlb_misses", tlb_misses[kind], NULL,                           \
				   "Translations that miss the first level of the TLB."),          \
			TAKT_FIELD("page_walks", page_walks[kind], NULL,                           \
				   "Translations that miss both levels."),                         \
	}
static const struct takt_field fetch_fields[] = ACCESS_FIELDS(0), load_fields[] = ACCESS_FIELDS(1),
			       store_fields[] = ACCESS_FIELDS(2);
static const struct takt_record fetch_record =
					TAKT_RECORD("fetches", "Fetches of lines.", fetch_fields),
				load_record = TAKT_RECORD("loads", "Loads.", load_fields),
				store_record = TAKT_RECORD("stores", "Stores.", store_fields);
static const struct takt_field cache_fields[] = {
	TAKT_SUBRECORD("fetches", &fetch_record, "Fetches of lines.", .flags = TAKT_ONE_LINE),
	TAKT_SUBRECORD("loads", &load_record, "Loads.", .flags = TAKT_ONE_LINE),
	TAKT_SUBRECORD("stores", &store_record, "Stores.", .flags = TAKT_ONE_LINE),
	TAKT_FIELD("l1_write_backs", write_backs[0], NULL, "Lines written back from L1."),
	TAKT_FIELD("l2_write_backs", write_backs[1], NULL, "Lines written back from L2."),
	TAKT_FIELD("l3_write_backs", write_backs[2], NULL, "Lines written back from L3."),
	TAKT_FIELD("non_temporal_lines", non_temporal_lines, NULL,
		   "Lines written to memory by non-temporal stores."),
	TAKT_FIELD("prefetches", prefetches, NULL, "Lines prefetched."),
	TAKT_FIELD("useful_prefetches", useful_prefetches, NULL,
		   "Prefetched lines that were used."),
};
#undef RECORD
static const struct takt_record cache_record =
	TAKT_RECORD("caches", "Counts of the models of caches and TLBs.", cache_fields);

#define RECORD struct takt_trace_branches
#define BRANCH_FIELDS(kind)                                                                        \
	{                                                                                          \
		TAKT_FIELD("executed", executed[kind], NULL, "Branches executed."),                \
			TAKT_FIELD("missed", missed[kind], NULL, "Branches mispredicted."),        \
	}
static const struct takt_field kind_fields[TAKT_TRACE_BRANCHES][2] = {
	BRANCH_FIELDS(0), BRANCH_FIELDS(1), BRANCH_FIELDS(2),
	BRANCH_FIELDS(3), BRANCH_FIELDS(4), BRANCH_FIELDS(5),
};
static const struct takt_record kind_records[TAKT_TRACE_BRANCHES] = {
	TAKT_RECORD("conditional", "Conditional branches.", kind_fields[0]),
	TAKT_RECORD("jump", "Direct jumps.", kind_fields[1]),
	TAKT_RECORD("call", "Direct calls.", kind_fields[2]),
	TAKT_RECORD("indirect_jump", "Indirect jumps.", kind_fields[3]),
	TAKT_RECORD("indirect_call", "Indirect calls.", kind_fields[4]),
	TAKT_RECORD("return", "Returns.", kind_fields[5]),
};
#define KIND(key, kind) TAKT_SUBRECORD(key, &kind_records[kind], NULL, .flags = TAKT_ONE_LINE)
static const struct takt_field branch_fields[] = {
	KIND("conditional", 0),
	KIND("jump", 1),
	KIND("call", 2),
	KIND("indirect_jump", 3),
	KIND("indirect_call", 4),
	KIND("return", 5),
	TAKT_FIELD("late", late, NULL, "Branches predicted correctly, but too late."),
};
#undef RECORD
static const struct takt_record branch_record =
	TAKT_RECORD("branches", "Counts of the model of branch prediction.", branch_fields);

/* ---- the profile ---- */

#define RECORD struct takt_trace_function
static const struct takt_field function_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name for people: demangled, or made up."),
	TAKT_FIELD("symbol", symbol, NULL, "Symbol as in the file; null: none.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("file", file, NULL,
		   "The executable or library; null: code generated at run time.",
		   .flags = TAKT_NULLABLE),
	ADDRESS_FIELD,
	TAKT_FIELD("size_bytes", size_bytes, "bytes", "Its size; null: unknown.",
		   .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("calls", calls, NULL,
		   "Number of times it was entered, by calls and by jumps to its start."),
	TAKT_INLINE(self, &weight_record),
	TAKT_FIELD("total_instructions", total_insns, NULL,
		   "Instructions including all functions that it called."),
	TAKT_FIELD("total_cycles", total_cycles, "cycles",
		   "Cycles including all functions that it called; null without a core.", OF_CORE),
};
#undef RECORD
const struct takt_record takt_trace_function_record =
	TAKT_RECORD("function", "A function that ran.", function_fields);

static struct takt_value block_bytes(const struct takt_view *view, const void *record)
{
	const struct takt_trace_block *block = record;

	takt_text_add_string(view->scratch, "");
	for (uint32_t i = 0; i < block->size_bytes; i++)
		takt_text_printf(view->scratch, "%02x", block->bytes[i]);
	return takt_value_string(view->scratch->data);
}

#define RECORD struct takt_trace_block
static const struct takt_field block_fields[] = {
	TAKT_FIELD("function", function, NULL, "Index of the function."),
	TAKT_FIELD("offset", offset, "bytes", "Offset in the function."),
	ADDRESS_FIELD,
	TAKT_FIELD("length", insn_count, NULL, "Number of its instructions."),
	TAKT_COMPUTED("bytes", TAKT_FIELD_STRING, block_bytes, NULL, "Its code in hexadecimal."),
	TAKT_FIELD("executions", executions, NULL, "Number of times that it began."),
	TAKT_INLINE(weight, &weight_record),
};
#undef RECORD
const struct takt_record takt_trace_block_record =
	TAKT_RECORD("block", "A basic block that ran, with all its executions.", block_fields);

#define RECORD struct takt_trace_line
static const struct takt_field line_fields[] = {
	TAKT_FIELD("file", file, NULL, "Source file.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("line", line, NULL, "Number of the line.", TAKT_IF(file),
		   .flags = TAKT_ABSENT_NULL),
	TAKT_INLINE(weight, &weight_record),
};
#undef RECORD
static const struct takt_record line_record = TAKT_RECORD("line", "A source line.", line_fields);

#define RECORD struct takt_trace_loop
static const struct takt_field loop_fields[] = {
	TAKT_FIELD("function", function, NULL, "Index of the function."),
	TAKT_FIELD("offset", offset, "bytes", "Offset of its first instruction in the function."),
	ADDRESS_FIELD,
	TAKT_FIELD("file", file, NULL, "Source file; null: unknown.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("line", line, NULL, "Source line; null: unknown.", TAKT_IF(file),
		   .flags = TAKT_ABSENT_NULL),
	TAKT_FIELD("depth", depth, NULL, "Nesting depth; 1: inside no other loop."),
	TAKT_FIELD("entries", entries, NULL, "Number of times it was entered from outside."),
	TAKT_FIELD("iterations", iterations, NULL,
		   "Number of times that its first instruction ran."),
	TAKT_INLINE(weight, &weight_record),
};
#undef RECORD
static const struct takt_record loop_record = TAKT_RECORD(
	"loop", "A loop with the loops inside it, without functions that it calls.", loop_fields);

#define RECORD struct takt_trace_region
static const struct takt_field region_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_FIELD("entries", entries, NULL, "Number of times it was entered."),
	TAKT_INLINE(weight, &weight_record),
};
#undef RECORD
static const struct takt_record region_record =
	TAKT_RECORD("region", "A region with all that it calls.", region_fields);

#define RECORD struct takt_trace_profile
static const struct takt_field profile_fields[] = {
	TAKT_RECORDS("functions", functions, function_count, &takt_trace_function_record,
		     "Functions that ran, by file, symbol and address.", .flags = TAKT_ROWS),
	TAKT_RECORDS("blocks_run", blocks, block_count, &takt_trace_block_record,
		     "Blocks that ran, by function, offset and size.", .flags = TAKT_ROWS),
	TAKT_RECORDS("lines", lines, line_count, &line_record, "Source lines, by file and number.",
		     .flags = TAKT_ROWS),
	TAKT_NESTED("no_line", no_line, &weight_record, "Code whose source line is unknown."),
	TAKT_RECORDS("loops", loops, loop_count, &loop_record, "Loops, by function and offset.",
		     .flags = TAKT_ROWS),
	TAKT_RECORDS("regions", regions, region_count, &region_record,
		     "Regions, in the order of the options.", .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record profile_record =
	TAKT_RECORD("profile", "Costs by place in the program.", profile_fields);

/* ---- the whole ---- */

#define RECORD struct takt_trace_fault
static const struct takt_field fault_fields[] = {
	TAKT_FIELD("instruction", insn, NULL, "Its text; null: takt cannot decode it.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("extension", extension, NULL, "Extension it belongs to; null: unknown.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("bytes", bytes, NULL, "Its bytes in hexadecimal, as far as they are known.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("place", place, NULL, "Where it is.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("lacking", lacking, NULL,
		   "True if the emulator lacks an instruction that processors have."),
};
#undef RECORD
static const struct takt_record fault_record =
	TAKT_RECORD("fault", "The instruction at which SIGILL ended the program.", fault_fields);

static const struct takt_field unit_fields[] = {
	TAKT_CONSTANT("cycles", "of the core", NULL),
	TAKT_CONSTANT("losses", "cycles", NULL),
	TAKT_CONSTANT("instructions", "completed", NULL),
};
static const struct takt_record unit_record =
	TAKT_RECORD("units", "Units, for people.", unit_fields);

static struct takt_value digest_value(const struct takt_view *view, const void *record)
{
	const struct takt_trace_totals *totals = record;

	if (!totals->core_digest)
		return takt_value_string(NULL);
	takt_text_printf(view->scratch, "%016" PRIx64, totals->core_digest);
	return takt_value_string(view->scratch->data);
}

static struct takt_value settings_value(const struct takt_view *view, const void *record)
{
	const struct takt_trace_totals *totals = record;

	(void)view;
	return takt_value_string(totals->settings ? totals->settings : "");
}

bool takt_trace_loss_entry(const struct takt_view *view, const void *record, uint32_t index,
			   const char **ret_key, struct takt_value *ret_value)
{
	(void)view;
	(void)record;
	(void)ret_key;
	if (index == TAKT_TRACE_LOSSES)
		return false;
	*ret_value = takt_value_string(takt_trace_loss_name(index));
	return true;
}

static bool level_entry(uint32_t level, uint32_t index, struct takt_value *ret_value)
{
	if (index == TAKT_TRACE_LOSSES)
		return false;
	*ret_value = takt_value_string(takt_trace_loss_category(index, level));
	return true;
}

static bool level_1_entry(const struct takt_view *view, const void *record, uint32_t index,
			  const char **ret_key, struct takt_value *ret_value)
{
	(void)view;
	(void)record;
	(void)ret_key;
	return level_entry(1, index, ret_value);
}

static bool level_2_entry(const struct takt_view *view, const void *record, uint32_t index,
			  const char **ret_key, struct takt_value *ret_value)
{
	(void)view;
	(void)record;
	(void)ret_key;
	return level_entry(2, index, ret_value);
}

static const char *begin_word(uint32_t begin)
{
	static const char *const words[] = {"start", "fork", "exec"};

	return words[begin];
}

static const char *end_word(uint32_t end)
{
	static const char *const words[] = {"exit", "signal", "exec", "lost", "running"};

	return words[end];
}

static bool has_exit_status(const struct takt_view *view, const void *record)
{
	const struct takt_trace_process *process = record;

	(void)view;
	return process->exit_status >= 0;
}

#define RECORD struct takt_trace_process
static const struct takt_field process_fields[] = {
	TAKT_FIELD("command", command, NULL, "Its command line, words separated by blanks."),
	TAKT_FIELD("parent", parent, NULL, "Index of the program that made it; its own: none did."),
	TAKT_ENUM(
		"began", begin, begin_word, 3,
		"\"start\"; \"fork\": its process is a copy of the parent's; \"exec\": it took the "
		"parent's place."),
	TAKT_ENUM("ended", end, end_word, 5,
		  "\"exit\", \"signal\"; \"exec\": another program took its place; \"lost\": one "
		  "that "
		  "was not followed did; \"running\": it outlived the first process."),
	TAKT_FIELD("exit_status", exit_status, NULL, "Its exit status; null: unknown.",
		   .present = has_exit_status, .flags = TAKT_ABSENT_NULL),
	TAKT_FIELD("lost_path", lost_path, NULL, "The program that took its place, not followed.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("lost_cause", lost_cause, NULL, "Why that was not followed.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("thread_count", thread_count, NULL, "Threads that it had."),
	TAKT_INLINE(counts, &takt_trace_counts_record),
};
#undef RECORD
const struct takt_record takt_trace_process_record = TAKT_RECORD(
	"process", "What a program of a process did, from fork or exec on.", process_fields);

#define RECORD struct takt_trace_place
static const struct takt_field place_fields[] = {
	TAKT_FIELD("function", function, NULL, "Its function; null: unknown.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("offset", offset, "bytes", "Offset in the function; the address without one."),
	TAKT_FIELD("address", address, NULL, "The address at which it ran."),
	TAKT_FIELD("binary", binary, NULL, "The executable or library; null: made at run time.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("file", file, NULL, "Source file; null: unknown.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("line", line, NULL, "Source line; null: unknown.", .flags = TAKT_ZERO_NULL),
};
#undef RECORD
static const struct takt_record place_record =
	TAKT_RECORD("access_place", "An instruction that accesses memory.", place_fields);

static bool is_loop(const struct takt_view *view, const void *record)
{
	(void)view;
	return ((const struct takt_trace_dependence *)record)->is_loop;
}

#define RECORD struct takt_trace_dependence
static const struct takt_field dependence_fields[] = {
	TAKT_NESTED("store", store, &place_record, "The instruction that wrote."),
	TAKT_NESTED("load", load, &place_record, "The instruction that read that."),
	TAKT_FIELD("iterations", iterations, NULL,
		   "Iterations from store to load; null: 64 or more, or in different functions.",
		   .present = is_loop, .flags = TAKT_ABSENT_NULL),
	TAKT_FIELD("count", count, NULL, "Number of loads."),
	TAKT_FIELD("whole", whole, NULL, "Loads that read nothing else."),
	TAKT_FIELD("least_distance", least_insns, "instructions",
		   "The least number of instructions from store to load."),
	TAKT_FIELD("mean_distance", mean_insns, "instructions", "The mean of that number."),
};
#undef RECORD
const struct takt_record takt_trace_dependence_record =
	TAKT_RECORD("dependence", "Loads that read what a store had written.", dependence_fields);

#define RECORD struct takt_trace_dependences
static const struct takt_field dependences_fields[] = {
	TAKT_FIELD("loads", loads, NULL, "Loads of the program, by access."),
	TAKT_FIELD("fed_loads", fed_loads, NULL,
		   "Those that read what a store of the same thread had written."),
	TAKT_FIELD("left_out", left_out, NULL,
		   "Accesses that were not followed, as there are too many places or pairs."),
	TAKT_RECORDS("pairs", rows, row_count, &takt_trace_dependence_record,
		     "Stores and loads, those with most loads first.", .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record dependences_record = TAKT_RECORD(
	"dependences", "Dependences through memory that were observed.", dependences_fields);

#define RECORD struct takt_trace_what_if
static const struct takt_field what_if_fields[] = {
	TAKT_FIELD("what", what, NULL, "What is better about the core."),
	TAKT_FIELD("cycles", cycles, "cycles", "Cycles of all threads on that core."),
};
#undef RECORD
static const struct takt_record what_if_record = TAKT_RECORD(
	"what_if", "The program on a core that is better in one respect.", what_if_fields);

#define RECORD struct takt_trace_sensitivity
static const struct takt_field sensitivity_fields[] = {
	TAKT_RECORDS("what_if", rows, row_count, &what_if_record,
		     "Better cores, the fastest first.", .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record sensitivity_record = TAKT_RECORD(
	"sensitivity", "What each part of the core costs the program.", sensitivity_fields);

#define RECORD struct takt_trace_seen
static const struct takt_field seen_fields[] = {
	TAKT_FIELD("parts", parts, NULL, "Entries into the functions, or windows."),
	TAKT_FIELD("window_instructions", window_insns, NULL,
		   "Instructions of a window; null: the parts are functions.",
		   .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("unseen_seconds", unseen_seconds, "s",
		   "Processor time of all threads outside of the parts, measured on this machine."),
};
#undef RECORD
const struct takt_record takt_trace_seen_record = TAKT_RECORD(
	"seen", "Parts that were traced while the rest ran at full speed.", seen_fields);

#define IF_ANY .flags = TAKT_ZERO_NULL | TAKT_OPTIONAL
#define RECORD struct takt_trace_totals
static const struct takt_field totals_fields[] = {
	TAKT_CONSTANT("schema", TAKT_TRACE_RESULT_SCHEMA, "Format of the result."),
	TAKT_FIELD("guest", guest, NULL, "\"x86-64\", \"aarch64\" or \"riscv64\".",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("takt", version, NULL, "Version of takt that computed the figures.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("backend", backend, NULL,
		   "\"native\" if the processor itself ran the program, and not qemu.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("native_cause", native_cause, NULL,
		   "Why it ran natively although nobody asked for it.", .flags = TAKT_OPTIONAL),
	TAKT_LIST("command", command, command_count, NULL,
		  "The program and its arguments; null: unknown, as of imports.",
		  .flags = TAKT_NULLABLE | TAKT_ONE_LINE),
	TAKT_FIELD("core", core, NULL, "The core that was simulated; null: none.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("core_choice", core_choice, NULL, "Why this core was simulated, as a phrase.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("core_doubt", core_doubt, NULL,
		   "Why the core may be another one than this machine's.", .flags = TAKT_OPTIONAL),
	TAKT_FIELD_AS("core_digest", TAKT_FIELD_STRING, core_digest, NULL,
		      "16 hexadecimal digits that change with any figure of the core's data; null "
		      "without a core.",
		      .compute = digest_value, .flags = TAKT_NULLABLE),
	TAKT_FIELD("settings", settings, NULL, "Options that affect the cycles, or \"\".",
		   .compute = settings_value),
	TAKT_FIELD("models_caches", models_caches, NULL,
		   "True if the cycles include those of cache and TLB misses."),
	TAKT_FIELD("models_branches", models_branches, NULL,
		   "True if the cycles include those of mispredicted and late branches."),
	TAKT_FIELD("blocks_only", blocks_only, NULL, "True if accesses to memory were left out."),
	TAKT_SUBRECORD("units", &unit_record, "Units, for people."),
	TAKT_ENTRIES("loss_names", TAKT_FIELD_STRING, takt_trace_loss_entry, NULL,
		     "Names of the elements of each `losses`, in their order.",
		     .flags = TAKT_ONE_LINE),
	TAKT_ENTRIES("loss_level_1", TAKT_FIELD_STRING, level_1_entry, NULL,
		     "For each of them its category of top-down analysis, level 1; null: none.",
		     .flags = TAKT_ONE_LINE | TAKT_NULLABLE),
	TAKT_ENTRIES("loss_level_2", TAKT_FIELD_STRING, level_2_entry, NULL,
		     "For each of them its category of top-down analysis, level 2; null: none.",
		     .flags = TAKT_ONE_LINE | TAKT_NULLABLE),
	TAKT_INLINE(all, &takt_trace_counts_record),
	TAKT_FIELD("distinct_blocks", distinct_blocks, NULL,
		   "Different blocks executed, by address and bytes."),
	TAKT_FIELD("checked_instructions", checked_insns, NULL,
		   "Instructions begun, as counted by qemu; null unless asked for.",
		   .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("exit_status", exit_status, NULL,
		   "Exit status of the program; -1 if a signal ended it."),
	TAKT_FIELD("signal", signal, NULL, "Signal that ended the program, or 0."),
	TAKT_NESTED("fault", fault, &fault_record,
		    "The instruction at which SIGILL ended the program; null otherwise.",
		    .flags = TAKT_POINTER | TAKT_NULLABLE),
	TAKT_FIELD(
		"became_other", became_other, NULL,
		"True if a process became a program by exec that was not followed: what that did "
		"is not counted."),
	TAKT_FIELD("processes_not_followed", processes, NULL,
		   "Processes that were created and not counted."),
	TAKT_FIELD("unread_path", unread_path, NULL,
		   "The first file whose names could not be read, though it exists.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("unread_cause", unread_cause, NULL, "Why it could not be read.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("left_out", left_out, NULL,
		   "Of an import: instructions, or runs between branches, whose code is in no "
		   "binary.",
		   IF_ANY),
	TAKT_FIELD("stopped_by", stopped_by, NULL,
		   "Signal that ended the replay, so that all figures cover only a part.", IF_ANY),
	TAKT_NESTED("sample", sample, &takt_trace_sample_record,
		    "The part that was simulated; null: everything was.",
		    .flags = TAKT_POINTER | TAKT_NULLABLE),
	TAKT_NESTED("layouts", layouts, &takt_trace_layouts_record,
		    "The layouts that all cycles are means over; null: the one in which it ran.",
		    .flags = TAKT_POINTER | TAKT_NULLABLE),
	TAKT_NESTED("memo", memo, &memo_record, "Work that was reused; null: no memo was used.",
		    .flags = TAKT_POINTER | TAKT_NULLABLE | TAKT_ONE_LINE),
	TAKT_NESTED("caches", caches, &cache_record, "Null: caches were not simulated.",
		    .flags = TAKT_POINTER | TAKT_NULLABLE),
	TAKT_NESTED("branches", branches, &branch_record,
		    "Null: branch prediction was not simulated.",
		    .flags = TAKT_POINTER | TAKT_NULLABLE),
	TAKT_FIELD("unknown_instructions", unknown_insns, NULL,
		   "Timed instructions that takt cannot decode, which are timed as nops."),
	TAKT_FIELD("default_instructions", default_insns, NULL,
		   "Timed instructions that have no row in the core's timing file."),
	TAKT_FIELD("unsettled_instructions", unsettled_insns, NULL,
		   "Timed vector instructions of RISC-V whose LMUL and SEW are unknown."),
	TAKT_FIELD("syscall_cycles", syscall_cycles, "cycles", "Cycles of each system call."),
	TAKT_RECORDS("threads", threads, thread_count, &takt_trace_counts_record,
		     "Counts of each thread, in the order of creation.", .flags = TAKT_ROWS),
	TAKT_LIST("thread_processes", thread_processes, thread_count, NULL,
		  "Index in `processes` for each thread.",
		  .flags = TAKT_OPTIONAL | TAKT_NULLABLE | TAKT_ONE_LINE),
	TAKT_RECORDS("processes", process_list, process_count, &takt_trace_process_record,
		     "Programs of all processes that were followed, in the order in which they "
		     "began; left out if they are not known.",
		     .flags = TAKT_ROWS, TAKT_IF(process_count)),
	TAKT_NESTED("seen", seen, &takt_trace_seen_record,
		    "The parts that all figures cover; left out if they cover the whole program.",
		    .flags = TAKT_POINTER | TAKT_ONE_LINE, TAKT_IF(seen)),
	TAKT_NESTED("sensitivity", sensitivity, &sensitivity_record,
		    "The program on better cores; left out if not asked for.",
		    .flags = TAKT_POINTER, TAKT_IF(sensitivity)),
	TAKT_NESTED("dependences", dependences, &dependences_record,
		    "Dependences through memory; left out if not asked for.", .flags = TAKT_POINTER,
		    TAKT_IF(dependences)),
	TAKT_INLINE(profile, &profile_record, .flags = TAKT_POINTER, TAKT_IF(profile)),
};
#undef RECORD
const struct takt_record takt_trace_totals_record =
	TAKT_RECORD("trace", "What a program did, and what it cost.", totals_fields);
