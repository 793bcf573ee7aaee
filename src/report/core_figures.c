/* SPDX-License-Identifier: MIT */
/* Writes the figures of a core's model for the instructions of an analysis, and the sizes of its
 * buffers. */
#include "report/report.h"
#include "trace/trace.h"

/* ---- buffers ---------------------------------------------------------------------- */

static void write_ports(const struct takt_model *model, const char *key, uint32_t ports,
			struct takt_json *json)
{
	takt_json_open_array(json, key);
	for (uint32_t i = 0; i < takt_model_port_count(model); i++)
		if (ports >> i & 1)
			takt_json_string(json, NULL, takt_model_port_name(model, i));
	takt_json_close_array(json);
}

/* Write a buffer with its entries; one without any is not known, and left out. */
static void write_buffer(const char *kind, int32_t entries, struct takt_json *json)
{
	if (entries <= 0)
		return;
	takt_json_open_object(json, NULL);
	takt_json_string(json, "kind", kind);
	takt_json_integer(json, "entries", entries);
	takt_json_close_object(json);
}

/* Write a scheduler with its ports. */
static void write_scheduler(const struct takt_model *model, const struct takt_scheduler *scheduler,
			    struct takt_json *json)
{
	takt_json_open_object(json, NULL);
	takt_json_string(json, "kind", "scheduler");
	takt_json_integer(json, "entries", scheduler->entries);
	if (scheduler->queue_entries)
		takt_json_integer(json, "queue_entries", scheduler->queue_entries);
	write_ports(model, "ports", scheduler->ports, json);
	takt_json_close_object(json);
}

static void write_buffers(const struct takt_model *model, struct takt_json *json)
{
	const struct takt_core_params *params = takt_model_params(model);
	const struct takt_scheduler *schedulers;
	uint32_t count;

	takt_json_open_array(json, "buffers");
	write_buffer("instruction queue", params->instruction_queue_entries, json);
	write_buffer("µop queue", params->queue_entries, json);
	write_buffer("reorder buffer", params->rob_entries, json);
	schedulers = takt_model_schedulers(model, &count);
	if (count)
		write_buffer("schedulers", params->scheduler_entries, json);
	else
		write_buffer("scheduler", params->scheduler_entries, json);
	for (uint32_t i = 0; i < count; i++)
		write_scheduler(model, &schedulers[i], json);
	write_buffer("load queue", params->load_queue_entries, json);
	write_buffer("store queue", params->store_queue_entries, json);
	takt_json_close_array(json);
}

/* ---- instructions ------------------------------------------------------------------- */

static void write_uops(const struct takt_model *model, const struct takt_timing *timing,
		       struct takt_json *json)
{
	takt_json_open_array(json, "uops");
	for (unsigned i = 0; i < timing->uops_count; i++) {
		takt_json_open_object(json, NULL);
		takt_json_integer(json, "count", timing->uops[i].count);
		write_ports(model, "ports", timing->uops[i].ports, json);
		takt_json_close_object(json);
	}
	takt_json_close_array(json);
}

static bool is_memory(const struct takt_insn *insn, uint8_t slot)
{
	for (unsigned i = 0; i < insn->memory_count; i++)
		if (insn->memories[i].slot == slot)
			return true;
	return false;
}

/* Name an operand: "operand 2", "memory", "base", "flags". */
static void write_operand(const struct takt_insn *insn, const char *key, uint8_t slot,
			  struct takt_json *json)
{
	struct takt_text text = {0};

	if (is_memory(insn, slot))
		takt_text_add_string(&text, "memory");
	else if (slot == TAKT_SLOT_BASE || slot == TAKT_SLOT_INDEX)
		takt_text_add_string(&text, slot == TAKT_SLOT_BASE ? "base" : "index");
	else if (slot <= TAKT_SLOT_5)
		takt_text_printf(&text, "operand %u", slot + 1u);
	else
		takt_slot_write(insn->isa, slot, &text);
	takt_json_string(json, key, text.data);
	takt_text_release(&text);
}

static void write_latencies(const struct takt_insn *insn, const struct takt_timing *timing,
			    struct takt_json *json)
{
	uint8_t sources[TAKT_INSN_SLOTS_MAX], destinations[TAKT_INSN_SLOTS_MAX];
	unsigned source_count = takt_insn_find_slots(insn, false, sources);
	unsigned destination_count = takt_insn_find_slots(insn, true, destinations);

	takt_json_open_array(json, "latencies");
	for (unsigned i = 0; i < source_count; i++)
		for (unsigned k = 0; k < destination_count; k++) {
			takt_json_open_object(json, NULL);
			write_operand(insn, "from", sources[i], json);
			write_operand(insn, "to", destinations[k], json);
			takt_json_integer(json, "cycles",
					  takt_timing_latency(timing, sources[i], destinations[k]));
			takt_json_close_object(json);
		}
	takt_json_close_array(json);
}

/* Say how the figures of an instruction were found. */
static const char *match_word(const struct takt_timing *timing)
{
	switch ((enum takt_match)timing->match) {
	case TAKT_MATCH_ROW:
		return "row of the form";
	case TAKT_MATCH_COMPOSED:
		return "composed of the register form and an access to memory";
	case TAKT_MATCH_DEFAULT:
		break;
	}
	return "default of the instruction's class: the form has no row";
}

static void write_insn(const struct takt_model *model, const struct takt_insn *insn,
		       struct takt_json *json)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;

	takt_model_timing(model, insn, &storage, &timing);
	takt_json_open_object(json, NULL);
	takt_json_string(json, "found", match_word(&timing));
	takt_json_string(json, "origin", takt_origin_word(timing.origin));
	takt_json_string(json, "source", takt_model_source(model, timing.source));
	write_uops(model, &timing, json);
	takt_json_integer(json, "slots", timing.slots);
	/* Micro-fused µops share an entry of the queue, which rename may split. */
	takt_json_integer(json, "queue_entries",
			  takt_timing_decoded_slots(&timing) +
				  takt_timing_microcode_slots(&timing));
	takt_json_number(json, "throughput_cycles", takt_timing_throughput(model, &timing));
	takt_json_bool(json, "throughput_is_measured", timing.rthroughput_hundredths != 0);
	write_latencies(insn, &timing, json);
	takt_json_close_object(json);
}

/* Write the model's figures of the instruction at this address; null if that is not in the region.
 */
static void write_insn_at(const struct takt_model *model, const struct takt_region *region,
			  const struct takt_analysis_insn *place, struct takt_json *json)
{
	uint64_t offset = place->address - region->address;
	struct takt_insn insn;

	if (offset < region->size_bytes && place->length_bytes <= region->size_bytes - offset &&
	    takt_decode(takt_model_isa(model), region->bytes + offset, region->size_bytes - offset,
			place->address, &insn) == TAKT_OK)
		write_insn(model, &insn, json);
	else
		takt_json_null(json, NULL);
}

void takt_write_core_json(const struct takt_model *model, const struct takt_region *region,
			  const struct takt_analysis *analysis, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_compact(&json, true);
	takt_json_open_object(&json, NULL);
	write_buffers(model, &json);
	takt_json_open_array(&json, "instructions");
	for (uint32_t i = 0; i < analysis->insn_count; i++)
		write_insn_at(model, region, &analysis->insns[i], &json);
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}
