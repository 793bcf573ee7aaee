/* SPDX-License-Identifier: MIT */
/* What a survey found, as a report, as CSV, and as a timing file. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/survey.h"

/* Two figures are the same within these. */
#define SAME_LATENCY_CYCLES 0.5
#define SAME_THROUGHPUT_PART 0.05
#define SAME_THROUGHPUT_CYCLES 0.03
#define PAIRS_MAX 24u
#define REASONS_MAX 32u

bool takt_probe_pair_next(const char **text, struct probe_pair *ret_pair)
{
	size_t source = strcspn(*text, ">;"), destination;
	const char *at = *text + source;
	char *end;

	if (*at != '>' || source >= sizeof(ret_pair->source))
		return false;
	destination = strcspn(at + 1, ":;");
	if (at[1 + destination] != ':' || destination >= sizeof(ret_pair->destination))
		return false;
	memcpy(ret_pair->source, *text, source);
	ret_pair->source[source] = '\0';
	memcpy(ret_pair->destination, at + 1, destination);
	ret_pair->destination[destination] = '\0';
	at += destination + 2;
	ret_pair->least = ret_pair->most = strtod(at, &end);
	if (*end == '-')
		ret_pair->most = strtod(end + 1, &end);
	*text = end + (*end == ';');
	return end != at;
}

/* Why a latency is not the model's. */
enum cause {
	CAUSE_NONE,
	CAUSE_FORWARDING,
	CAUSE_MEMORY,
	CAUSE_ADDRESS,
	CAUSE_FLAGS,
	CAUSE_SELF,
	CAUSE_REGISTERS,
	CAUSE_COUNT
};

#define PLAIN_LOADS 8

/* What all writers know; each uses what it needs. */
struct writer {
	struct takt_text *text, *details;
	const struct takt_model *model;
	struct probe_store *store;
	struct takt_port_list ports;
	struct probe_forms forms;
	const char *architecture;
	size_t measured, failed, uncertain, compared, disagreeing, noisy;
	size_t pairs, causes[CAUSE_COUNT]; /* of latencies */
	double load_less[PLAIN_LOADS];
	struct {
		const char *reason;
		size_t count;
	} reasons[REASONS_MAX];
	struct takt_arena arena;
};

static bool find_timing(const struct writer *writer, const struct probe_row *row,
			takt_form_key *ret_form, struct takt_timing_storage *storage,
			struct takt_timing *ret_timing)
{
	const struct probe_form *form;
	const char *error;
	size_t index;

	*ret_form = takt_form_parse(&takt_isa_x86, row->form, strlen(row->form), &index, &error);
	form = *ret_form ? takt_probe_form_of(&writer->forms, *ret_form) : NULL;
	if (form)
		takt_model_timing(writer->model, &form->insn, storage, ret_timing);
	return form != NULL;
}

/* "2b": of the memory operand there is only one. */
static bool read_slot(const char *text, uint8_t *ret_slot)
{
	size_t size = strlen(text);

	if (size == 2 && isdigit((unsigned char)text[0]) && (text[1] == 'b' || text[1] == 'i')) {
		*ret_slot = text[1] == 'b' ? TAKT_SLOT_BASE : TAKT_SLOT_INDEX;
		return true;
	}
	return takt_slot_parse(&takt_isa_x86, text, size, ret_slot);
}

/* ---- ports ---------------------------------------------------------------- */

/* The port at `*text`, and steps over it; its letter may be that of the last one. */
static uint32_t read_port(const struct takt_port_list *ports, char letter, const char **text)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		const char *name = ports->names[i];
		size_t skipped = *name == letter && isdigit((unsigned char)**text) ? 1 : 0;
		size_t size = strlen(name + skipped);

		if (size && strncmp(*text, name + skipped, size) == 0) {
			*text += size;
			return UINT32_C(1) << i;
		}
	}
	return 0;
}

/* "1*p01+1*p23". Returns how many there are, -1 if it is nothing like that. */
static int read_ports(const struct takt_port_list *ports, const char *text,
		      struct takt_uops uops[PROBE_UOPS_MAX])
{
	int count = 0;

	while (*text && count < PROBE_UOPS_MAX) {
		char *end, letter;

		uops[count] = (struct takt_uops){.count = (uint16_t)strtoul(text, &end, 10)};
		if (*end != '*')
			return -1;
		text = end + 1;
		letter = '\0';
		while (*text && *text != '+') {
			char next = isalpha((unsigned char)*text) ? *text : letter;
			uint32_t port = read_port(ports, letter, &text);

			if (!port)
				return -1;
			letter = next;
			uops[count].ports |= port;
		}
		text += *text == '+';
		count++;
	}
	return count;
}

static bool same_ports(const struct takt_port_list *ports, const struct takt_timing *timing,
		       const struct takt_uops *uops, int count)
{
	int equal = 0, of_model = 0;

	for (unsigned i = 0; i < timing->uops_count; i++) {
		if (timing->uops[i].ports & ports->pseudo)
			continue;
		of_model++;
		for (int k = 0; k < count; k++)
			equal += timing->uops[i].ports == uops[k].ports &&
				 timing->uops[i].count == uops[k].count;
	}
	return equal == of_model && of_model == count;
}

/* ---- report --------------------------------------------------------------- */

static void count_reason(struct writer *writer, const char *reason)
{
	for (size_t i = 0; i < REASONS_MAX; i++) {
		if (!writer->reasons[i].reason)
			writer->reasons[i].reason =
				takt_arena_copy(&writer->arena, reason, strlen(reason));
		if (strcmp(writer->reasons[i].reason, reason) != 0)
			continue;
		writer->reasons[i].count++;
		return;
	}
}

/*
 * Of a store and the load of what it wrote only the sum is known, and cores differ in it. So where
 * a value comes from memory, what a plain load of that size differs by is taken off first.
 */
static const char *const plain_loads[PLAIN_LOADS] = {
	"movsx r64, m8",  "movsx r64, m16", "mov r32, m32",	"mov r64, m64",
	"movss xmm, m32", "movq xmm, m64",  "movups xmm, m128", "vmovups ymm, m256"};

static void note_plain_load(void *context, const struct probe_row *row)
{
	struct writer *writer = context;
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct probe_pair pair;
	takt_form_key form;
	const char *text = row->latencies;

	for (size_t i = 0; i < TAKT_COUNT_OF(plain_loads); i++) {
		if (strcmp(row->form, plain_loads[i]) != 0 ||
		    !find_timing(writer, row, &form, &storage, &timing))
			continue;
		while (takt_probe_pair_next(&text, &pair))
			if (strcmp(pair.source, "2") == 0 && strcmp(pair.destination, "1") == 0)
				writer->load_less[i] =
					takt_timing_latency(&timing, TAKT_SLOT_1 + 1, TAKT_SLOT_1) -
					pair.most;
	}
}

static bool has_vector(const struct probe_form *form)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		if (unpacked.kinds[n] >= TAKT_KIND_MM && unpacked.kinds[n] <= TAKT_KIND_ZMM)
			return true;
	return false;
}

/* By how much less than the model's a value from the form's memory operand is late. */
static double load_less(const struct writer *writer, const struct probe_form *form)
{
	const struct takt_memory *memory = takt_probe_memory(form);
	static const unsigned sizes[] = {1, 2, 4, 8, 4, 8, 16, 32};
	bool vector = has_vector(form);

	for (size_t i = 0; memory && i < TAKT_COUNT_OF(sizes); i++)
		if (sizes[i] == memory->size_bytes && (i >= 4) == (vector || sizes[i] > 8))
			return writer->load_less[i];
	return 0;
}

static const char *const cause_texts[] = {
	[CAUSE_NONE] = "",
	[CAUSE_FORWARDING] = "only by how fast stored values are loaded, as plain loads do",
	[CAUSE_MEMORY] = "through memory, otherwise",
	[CAUSE_ADDRESS] = "from an address",
	[CAUSE_FLAGS] = "from or to flags",
	[CAUSE_SELF] = "of a register to itself",
	[CAUSE_REGISTERS] = "between registers",
};

static enum cause cause_of(const struct writer *writer, const struct probe_form *form,
			   uint8_t source, uint8_t destination, const struct probe_pair *pair,
			   double wanted)
{
	const struct takt_memory *memory = takt_probe_memory(form);
	double shifted = wanted - load_less(writer, form);

	if (source == TAKT_SLOT_BASE || source == TAKT_SLOT_INDEX)
		return CAUSE_ADDRESS;
	if (memory && source == memory->slot)
		return shifted >= pair->least - SAME_LATENCY_CYCLES &&
				       shifted <= pair->most + SAME_LATENCY_CYCLES
			       ? CAUSE_FORWARDING
			       : CAUSE_MEMORY;
	if (memory && destination == memory->slot)
		return CAUSE_MEMORY;
	if (source == TAKT_SLOT_FLAGS || destination == TAKT_SLOT_FLAGS)
		return CAUSE_FLAGS;
	return source == destination ? CAUSE_SELF : CAUSE_REGISTERS;
}

static void compare_latencies(struct writer *writer, const struct probe_row *row, takt_form_key key,
			      const struct takt_timing *timing, struct takt_text *differences)
{
	const struct probe_form *form = takt_probe_form_of(&writer->forms, key);
	const char *text = row->latencies;
	struct probe_pair pair;

	while (takt_probe_pair_next(&text, &pair)) {
		uint8_t source, destination;
		enum cause cause;
		double wanted;

		if (!read_slot(pair.source, &source) || !read_slot(pair.destination, &destination))
			continue;
		writer->pairs++;
		wanted = takt_timing_latency(timing, source, destination);
		if (wanted >= pair.least - SAME_LATENCY_CYCLES &&
		    wanted <= pair.most + SAME_LATENCY_CYCLES)
			continue;
		cause = cause_of(writer, form, source, destination, &pair, wanted);
		writer->causes[cause]++;
		if (cause != CAUSE_FORWARDING)
			takt_text_printf(differences, "; latency %s>%s %.2f, model %.0f",
					 pair.source, pair.destination, pair.most, wanted);
	}
}

static void write_causes(const struct writer *writer, struct takt_text *text)
{
	takt_text_printf(text, "\nlatencies that differ from the model's, of %zu:\n",
			 writer->pairs);
	for (unsigned i = CAUSE_NONE + 1; i < CAUSE_COUNT; i++)
		takt_text_printf(text, "  %6zu  %s\n", writer->causes[i], cause_texts[i]);
}

static void compare(struct writer *writer, const struct probe_row *row)
{
	struct takt_uops uops[PROBE_UOPS_MAX];
	struct takt_timing_storage storage;
	struct takt_text differences = {0};
	struct takt_timing timing;
	takt_form_key form;
	double wanted;
	int count;

	if (!find_timing(writer, row, &form, &storage, &timing))
		return;
	writer->compared++;
	wanted = timing.rthroughput_hundredths / 100.0;
	if (wanted > 0 && fabs(wanted - row->throughput) >
				  fmax(SAME_THROUGHPUT_CYCLES, SAME_THROUGHPUT_PART * wanted))
		takt_text_printf(&differences, "; throughput %.2f, model %.2f", row->throughput,
				 wanted);
	compare_latencies(writer, row, form, &timing, &differences);
	count = read_ports(&writer->ports, row->ports, uops);
	if (!isnan(row->uops) && !*row->doubt && count >= 0 &&
	    !same_ports(&writer->ports, &timing, uops, count))
		takt_text_printf(&differences, "; ports %s", *row->ports ? row->ports : "none");
	if (differences.size_bytes) {
		writer->disagreeing++;
		takt_text_printf(writer->details, "  %-40s %s\n", row->form, differences.data + 2);
	}
	takt_text_release(&differences);
}

static void report_row(void *context, const struct probe_row *row)
{
	struct writer *writer = context;

	if (*row->reason) {
		writer->failed++;
		count_reason(writer, row->reason);
		return;
	}
	writer->measured++;
	writer->uncertain += *row->doubt != '\0';
	writer->noisy += row->spread > SAME_THROUGHPUT_PART;
	if (*row->doubt) {
		struct takt_text doubt = {0};

		takt_text_printf(&doubt, "ports uncertain: %s", row->doubt);
		count_reason(writer, takt_text_data(&doubt));
		takt_text_release(&doubt);
	}
	if (writer->model)
		compare(writer, row);
}

static void finish_report(struct writer *writer)
{
	struct takt_text *text = writer->text;

	takt_text_printf(text, "%zu forms measured, %zu failed\n", writer->measured,
			 writer->failed);
	takt_text_printf(text, "%zu with ports that are uncertain\n", writer->uncertain);
	takt_text_printf(text, "%zu with two throughputs more than %g %% apart\n", writer->noisy,
			 100 * SAME_THROUGHPUT_PART);
	for (size_t i = 0; i < REASONS_MAX && writer->reasons[i].reason; i++)
		takt_text_printf(text, "  %6zu  %s\n", writer->reasons[i].count,
				 writer->reasons[i].reason);
	if (!writer->model)
		return;
	write_causes(writer, text);
	takt_text_printf(text, "\n%zu of %zu forms differ from the model of %s:\n\n",
			 writer->disagreeing, writer->compared, takt_model_name(writer->model));
	takt_text_add_string(text, takt_text_data(writer->details));
}

/* ---- CSV ------------------------------------------------------------------ */

static void add_number(struct takt_text *text, double number)
{
	if (isnan(number))
		takt_text_add_string(text, ",");
	else
		takt_text_printf(text, ",%.4g", number);
}

/* Forms have commas; nothing has quotation marks. */
static void csv_row(void *context, const struct probe_row *row)
{
	struct probe_store *store = ((struct writer *)context)->store;
	struct takt_text *text = ((struct writer *)context)->text;

	takt_text_printf(text, "\"%s\",\"%s\"", row->form, row->reason);
	add_number(text, row->throughput);
	add_number(text, row->spread);
	add_number(text, row->chain);
	add_number(text, row->uops);
	add_number(text, row->ports_cycles);
	takt_text_printf(text, ",\"%s\",\"%s\",\"%s\",\"", row->ports, row->doubt, row->latencies);
	takt_probe_variants_csv(store, row->form, text);
	takt_text_add_string(text, "\"\n");
}

/* ---- timing file ---------------------------------------------------------- */

/* The model's own figure where what was measured leaves several. */
static uint16_t whole_cycles(const struct probe_pair *pair, double of_model)
{
	if (of_model >= pair->least - SAME_LATENCY_CYCLES &&
	    of_model <= pair->most + SAME_LATENCY_CYCLES)
		return (uint16_t)of_model;
	return (uint16_t)fmin(fmax(0, floor((pair->least + pair->most) / 2 + 0.5)), UINT16_MAX);
}

/* Exceptions to the model's default: what was measured, then what the model has beside it. */
static unsigned merge_latencies(const struct probe_row *row, const struct takt_timing *timing,
				struct takt_latency latencies[PAIRS_MAX])
{
	const char *text = row->latencies;
	struct probe_pair pair;
	unsigned count = 0;

	while (count < PAIRS_MAX && takt_probe_pair_next(&text, &pair)) {
		struct takt_latency *latency = &latencies[count];
		double of_model;

		if (!read_slot(pair.source, &latency->source) ||
		    !read_slot(pair.destination, &latency->destination))
			continue;
		of_model = takt_timing_latency(timing, latency->source, latency->destination);
		latency->cycles = whole_cycles(&pair, of_model);
		count += latency->cycles != (uint16_t)of_model;
	}
	for (unsigned i = 0; i < timing->latency_count && count < PAIRS_MAX; i++) {
		bool known = false;

		for (unsigned k = 0; k < count && !known; k++)
			known = latencies[k].source == timing->latencies[i].source &&
				latencies[k].destination == timing->latencies[i].destination;
		if (!known)
			latencies[count++] = timing->latencies[i];
	}
	return count;
}

/* Ports that were counted, and the model's cycles of units that are no ports. */
static void replace_uops(const struct writer *writer, const struct probe_row *row,
			 struct takt_uops uops[PROBE_UOPS_MAX], struct takt_timing *timing)
{
	int count = read_ports(&writer->ports, row->ports, uops);

	if (isnan(row->uops) || *row->doubt || count < 0)
		return;
	for (unsigned i = 0; i < timing->uops_count && count < PROBE_UOPS_MAX; i++)
		if (timing->uops[i].ports & writer->ports.pseudo)
			uops[count++] = timing->uops[i];
	timing->uops = uops;
	timing->uops_count = (uint8_t)count;
	timing->uop_total = (uint16_t)(row->uops + 0.5);
}

static void timing_row(void *context, const struct probe_row *row)
{
	struct writer *writer = context;
	struct takt_uops uops[PROBE_UOPS_MAX];
	struct takt_latency latencies[PAIRS_MAX];
	struct takt_timing_storage storage;
	struct takt_timing timing;
	takt_form_key form;

	if (*row->reason || !find_timing(writer, row, &form, &storage, &timing))
		return;
	replace_uops(writer, row, uops, &timing);
	timing.latency_count = (uint8_t)merge_latencies(row, &timing, latencies);
	timing.latencies = latencies;
	timing.rthroughput_hundredths = (uint16_t)fmin(row->throughput * 100 + 0.5, UINT16_MAX);
	takt_timing_row_write(&takt_isa_x86, form, &timing, &writer->ports, "h", writer->text);
}

static void open_timing(struct writer *writer, const char *machine)
{
	char name[32];
	size_t size = strnlen(takt_model_name(writer->model), sizeof(name) - 1);

	for (size_t i = 0; i < size; i++)
		name[i] = (char)tolower((unsigned char)takt_model_name(writer->model)[i]);
	name[size] = '\0';
	takt_text_printf(writer->text,
			 "takt timing 1\nname  %s\nbase  %s\n"
			 "source h measured   %s, by takt characterize\n\n",
			 name, name, machine);
}

/* --------------------------------------------------------------------------- */

static void xml_row(void *context, const struct probe_row *row)
{
	struct writer *writer = context;
	struct probe_found found;

	takt_probe_variants_find(writer->store, row->form, &found);
	if (!*row->reason)
		takt_probe_xml_row(&writer->forms, row, &found, writer->architecture, writer->text);
}

static enum takt_status write_rows(struct probe_store *store, enum takt_survey_format format,
				   struct writer *writer, struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;

	switch (format) {
	case TAKT_SURVEY_REPORT:
		takt_text_printf(writer->text, "%s: ", takt_probe_store_machine(store));
		if (writer->model)
			status = takt_probe_store_each(store, note_plain_load, writer, diag);
		if (status == TAKT_OK)
			status = takt_probe_store_each(store, report_row, writer, diag);
		finish_report(writer);
		if (status == TAKT_OK)
			status = takt_probe_variants_report(store, writer->model, &writer->forms,
							    diag, writer->text);
		break;
	case TAKT_SURVEY_CSV:
		takt_text_add_string(writer->text,
				     "form,reason,throughput_cycles,spread,chain_cycles,uops,"
				     "ports_cycles,ports,ports_doubt,latencies,variants\n");
		status = takt_probe_store_each(store, csv_row, writer, diag);
		break;
	case TAKT_SURVEY_TIMING:
		open_timing(writer, takt_probe_store_machine(store));
		status = takt_probe_store_each(store, timing_row, writer, diag);
		break;
	case TAKT_SURVEY_XML:
		takt_probe_xml_open(takt_probe_store_machine(store), writer->text);
		status = takt_probe_store_each(store, xml_row, writer, diag);
		takt_probe_xml_close(writer->text);
		break;
	}
	return status;
}

enum takt_status takt_survey_write(const char *path, enum takt_survey_format format,
				   const struct takt_model *model, struct takt_diag *diag,
				   struct takt_text *text)
{
	struct takt_text details = {0};
	struct writer writer = {.text = text, .details = &details, .model = model};
	struct probe_store *store;
	enum takt_status status = takt_probe_store_open(path, false, diag, &store);

	if (status != TAKT_OK)
		return status;
	writer.store = store;
	if (!model && format != TAKT_SURVEY_CSV && format != TAKT_SURVEY_REPORT) {
		takt_probe_store_close(store);
		takt_error(diag, "a core is needed for this format");
		takt_note(diag, "name the one that was measured, such as SKL");
		return TAKT_BAD_INPUT;
	}
	takt_arena_init(&writer.arena);
	if (model) {
		takt_model_ports(model, &writer.ports);
		takt_probe_forms_find(&writer.arena, &writer.forms);
		writer.architecture = takt_model_name(model);
	}
	status = write_rows(store, format, &writer, diag);
	takt_probe_store_close(store);
	takt_arena_release(&writer.arena);
	takt_text_release(&details);
	return status;
}
