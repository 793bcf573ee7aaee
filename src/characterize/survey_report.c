/* SPDX-License-Identifier: MIT */
/*
 * What a survey found, for people: how many forms, which of them failed, and what differs from the
 * model of the core, grouped in classes by what the difference has to do with.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/survey_write.h"

/* Throughput measured twice is noisy beyond. */
#define NOISE_PART 0.05
#define REASONS_MAX 64u
#define LINE_COLUMNS 100u

/* X(enumerator, title): classes of differences. */
#define CLASS_LIST(X)                                                                              \
	X(CLASS_SLOWER, "throughput: takes longer")                                                \
	X(CLASS_FASTER, "throughput: takes less")                                                  \
	X(CLASS_FORWARDING,                                                                        \
	  "latency: only by how fast stored values are loaded, as plain loads do")                 \
	X(CLASS_MEMORY, "latency: through memory, otherwise")                                      \
	X(CLASS_ADDRESS, "latency: from an address")                                               \
	X(CLASS_FLAGS, "latency: from or to flags")                                                \
	X(CLASS_SELF, "latency: of a register to itself")                                          \
	X(CLASS_REGISTERS, "latency: between registers")                                           \
	X(CLASS_UOPS, "ports: another number of µops")                                             \
	X(CLASS_PORTS, "ports: as many µops, but elsewhere")

enum class {
#define X(name, title) name,
	CLASS_LIST(X)
#undef X
		CLASS_COUNT
};

static const char *const class_titles[] = {
#define X(name, title) title,
	CLASS_LIST(X)
#undef X
};

/* Forms for which the same was said. */
struct reason {
	const char *text;
	size_t count;
	struct takt_text forms;
};

#define PLAIN_LOADS 8

struct report {
	struct takt_arena arena;
	const struct takt_model *model; /* or NULL */
	struct takt_port_list ports;
	const struct probe_forms *forms;
	size_t measured, failed, uncertain, noisy, compared, differing;
	size_t port_uses, port_uses_equal;
	struct takt_agreement agreement;
	struct reason failures[REASONS_MAX], doubts[REASONS_MAX];
	struct {
		size_t count;
		struct takt_text lines;
	} classes[CLASS_COUNT];
	double load_less[PLAIN_LOADS];
};

/* ---- reasons -------------------------------------------------------------- */

/* Those beyond the last are counted with it. */
static void add_reason(struct report *report, struct reason reasons[REASONS_MAX], const char *text,
		       const char *form)
{
	size_t i = 0;

	while (i < REASONS_MAX - 1 && reasons[i].text && strcmp(reasons[i].text, text) != 0)
		i++;
	if (!reasons[i].text)
		reasons[i].text = i < REASONS_MAX - 1
					  ? takt_arena_copy(&report->arena, text, strlen(text))
					  : "other reasons";
	takt_text_printf(&reasons[i].forms, "%s%s", reasons[i].count ? "; " : "", form);
	reasons[i].count++;
}

/* "a; b; c" in lines. */
static void write_names(const char *names, struct takt_text *text)
{
	while (*names) {
		size_t size = strlen(names), room = LINE_COLUMNS - 12;

		if (size > room) {
			const char *end = names + room;

			while (end > names && !(end[0] == ' ' && end[-1] == ';'))
				end--;
			if (end > names)
				size = (size_t)(end - names);
		}
		takt_text_printf(text, "            %.*s\n", (int)size, names);
		names += size;
		names += *names == ' ';
	}
}

static int compare_reasons(const void *left, const void *right)
{
	const struct reason *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return strcmp(a->text ? a->text : "", b->text ? b->text : "");
}

/* Most frequent first. */
static void write_reasons(const char *title, struct reason reasons[REASONS_MAX],
			  struct takt_text *text)
{
	if (!reasons[0].text)
		return;
	qsort(reasons, REASONS_MAX, sizeof(reasons[0]), compare_reasons);
	takt_text_printf(text, "\n%s\n", title);
	for (size_t i = 0; i < REASONS_MAX && reasons[i].count; i++) {
		takt_text_printf(text, "  %6zu  %s\n", reasons[i].count, reasons[i].text);
		write_names(takt_text_data(&reasons[i].forms), text);
	}
}

/* ---- loads ---------------------------------------------------------------- */

/*
 * Of a store and the load of what it wrote only the sum is known, and cores differ in it. So where
 * a value comes from memory, what a plain load of that size differs by is taken off first.
 */
static const char *const plain_loads[PLAIN_LOADS] = {
	"movsx r64, m8",  "movsx r64, m16", "mov r32, m32",	"mov r64, m64",
	"movss xmm, m32", "movq xmm, m64",  "movups xmm, m128", "vmovups ymm, m256"};

static void note_plain_load(void *context, const struct probe_row *row)
{
	struct report *report = context;
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct probe_pair pair;
	const char *text = row->latencies;

	for (size_t i = 0; i < TAKT_COUNT_OF(plain_loads); i++) {
		if (strcmp(row->form, plain_loads[i]) != 0 ||
		    !takt_probe_row_timing(report->model, report->forms, row, &storage, &timing))
			continue;
		while (takt_probe_pair_next(&text, &pair))
			if (strcmp(pair.source, "2") == 0 && strcmp(pair.destination, "1") == 0)
				report->load_less[i] =
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
static double load_less(const struct report *report, const struct probe_form *form)
{
	const struct takt_memory *memory = takt_probe_memory(form);
	static const unsigned sizes[] = {1, 2, 4, 8, 4, 8, 16, 32};
	bool vector = has_vector(form);

	for (size_t i = 0; memory && i < TAKT_COUNT_OF(sizes); i++)
		if (sizes[i] == memory->size_bytes && (i >= 4) == (vector || sizes[i] > 8))
			return report->load_less[i];
	return 0;
}

/* ---- differences ---------------------------------------------------------- */

static struct takt_text *add_difference(struct report *report, enum class class,
					const struct probe_row *row)
{
	struct takt_text *lines = &report->classes[class].lines;

	report->classes[class].count++;
	takt_text_printf(lines, "      %-40s ", row->form);
	return lines;
}

static enum class class_of(const struct report *report, const struct probe_form *form,
			   uint8_t source, uint8_t destination, const struct probe_pair *pair,
			   double wanted) {
	const struct takt_memory *memory = takt_probe_memory(form);
	double shifted = wanted - load_less(report, form);

	if (source == TAKT_SLOT_BASE || source == TAKT_SLOT_INDEX) return CLASS_ADDRESS;
	if (memory && source == memory->slot) return shifted >=
				pair->least - TAKT_AGREEMENT_CYCLES &&
			shifted <= pair->most + TAKT_AGREEMENT_CYCLES
		? CLASS_FORWARDING
		: CLASS_MEMORY;
	if (memory && destination == memory->slot) return CLASS_MEMORY;
	if (source == TAKT_SLOT_FLAGS || destination == TAKT_SLOT_FLAGS) return CLASS_FLAGS;
	return source == destination ? CLASS_SELF : CLASS_REGISTERS;
}

/* Returns whether there is any. */
static bool compare_latencies(struct report *report, const struct probe_row *row,
			      const struct probe_form *form, const struct takt_timing *timing)
{
	const char *text = row->latencies;
	struct probe_pair pair;
	bool any = false;

	while (takt_probe_pair_next(&text, &pair)) {
		uint8_t source, destination;
		struct takt_text *lines;
		double wanted;

		if (!takt_probe_slot_read(pair.source, &source) ||
		    !takt_probe_slot_read(pair.destination, &destination))
			continue;
		wanted = takt_timing_latency(timing, source, destination);
		if (takt_agreement_latency(&report->agreement, pair.least, pair.most, wanted))
			continue;
		any = true;
		lines = add_difference(
			report, class_of(report, form, source, destination, &pair, wanted), row);
		takt_text_printf(lines, "%s>%s %.2f", pair.source, pair.destination, pair.least);
		if (pair.most > pair.least)
			takt_text_printf(lines, " to %.2f", pair.most);
		takt_text_printf(lines, ", model %.0f\n", wanted);
	}
	return any;
}

static bool compare_throughput(struct report *report, const struct probe_row *row,
			       const struct takt_timing *timing)
{
	double wanted = takt_timing_throughput(report->model, timing);

	if (takt_agreement_throughput(&report->agreement, row->throughput, wanted))
		return false;
	takt_text_printf(
		add_difference(report, row->throughput > wanted ? CLASS_SLOWER : CLASS_FASTER, row),
		"%.2f, model %.2f\n", row->throughput, wanted);
	return true;
}

static bool compare_ports(struct report *report, const struct probe_row *row,
			  const struct takt_timing *timing)
{
	struct takt_uops read[PROBE_UOPS_MAX], measured[PROBE_UOPS_MAX], wanted[PROBE_UOPS_MAX];
	unsigned measured_total, wanted_total;
	int count = takt_probe_ports_read(&report->ports, row->ports, read), wanted_count;
	struct takt_timing of_model = {.uops = wanted};
	struct takt_text *lines;

	/* Ports that were told by time alone have no names. */
	if (isnan(row->uops) || *row->doubt || count < 0)
		return false;
	count = takt_probe_uops_merge(&report->ports, read, (unsigned)count, measured,
				      &measured_total);
	wanted_count = takt_probe_uops_merge(&report->ports, timing->uops, timing->uops_count,
					     wanted, &wanted_total);
	of_model.uops_count = (uint8_t)wanted_count;
	report->port_uses++;
	if (takt_probe_uops_same(measured, count, wanted, wanted_count)) {
		report->port_uses_equal++;
		return false;
	}
	lines = add_difference(report, measured_total == wanted_total ? CLASS_PORTS : CLASS_UOPS,
			       row);
	takt_text_printf(lines, "%s, model ", *row->ports ? row->ports : "-");
	takt_uops_write(&of_model, &report->ports, lines);
	takt_text_add_string(lines, "\n");
	return true;
}

static void compare(struct report *report, const struct probe_row *row)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;
	const struct probe_form *form =
		takt_probe_row_timing(report->model, report->forms, row, &storage, &timing);
	bool differs;

	if (!form)
		return;
	report->compared++;
	differs = compare_throughput(report, row, &timing);
	differs |= compare_latencies(report, row, form, &timing);
	differs |= compare_ports(report, row, &timing);
	report->differing += differs;
}

/* ---- the report ----------------------------------------------------------- */

static void add_row(void *context, const struct probe_row *row)
{
	struct report *report = context;

	if (*row->reason) {
		report->failed++;
		add_reason(report, report->failures, row->reason, row->form);
		return;
	}
	report->measured++;
	report->uncertain += *row->doubt != '\0';
	report->noisy += row->spread > NOISE_PART;
	if (*row->doubt)
		add_reason(report, report->doubts, row->doubt, row->form);
	if (report->model)
		compare(report, row);
}

static void write_comparison(const struct report *report, struct takt_text *text)
{
	takt_text_printf(text, "\n%zu of %zu forms differ from the model of %s; agreement:\n",
			 report->differing, report->compared, takt_model_name(report->model));
	takt_agreement_write(&report->agreement, text);
	if (report->port_uses)
		takt_text_printf(text, "  %-47s %6zu of %6zu  %5.1f %%\n", "µops and their ports",
				 report->port_uses_equal, report->port_uses,
				 100.0 * (double)report->port_uses_equal /
					 (double)report->port_uses);
	takt_text_add_string(text, "\ndifferences by class:\n");
	for (size_t i = 0; i < CLASS_COUNT; i++)
		takt_text_printf(text, "  %6zu  %s\n", report->classes[i].count, class_titles[i]);
	for (size_t i = 0; i < CLASS_COUNT; i++)
		if (report->classes[i].count)
			takt_text_printf(text, "\n%s, %zu:\n\n%s", class_titles[i],
					 report->classes[i].count,
					 takt_text_data(&report->classes[i].lines));
}

static void write_report(struct report *report, const char *machine, struct takt_text *text)
{
	takt_text_printf(text, "%s: %zu forms measured, %zu failed\n", machine, report->measured,
			 report->failed);
	takt_text_printf(text, "%zu with ports that are uncertain\n", report->uncertain);
	takt_text_printf(text, "%zu with two throughputs more than %g %% apart\n", report->noisy,
			 100 * NOISE_PART);
	write_reasons("failed, by reason:", report->failures, text);
	write_reasons("ports uncertain, by reason:", report->doubts, text);
	if (report->model)
		write_comparison(report, text);
}

static void release(struct report *report)
{
	for (size_t i = 0; i < REASONS_MAX; i++) {
		takt_text_release(&report->failures[i].forms);
		takt_text_release(&report->doubts[i].forms);
	}
	for (size_t i = 0; i < CLASS_COUNT; i++)
		takt_text_release(&report->classes[i].lines);
	takt_arena_release(&report->arena);
	free(report);
}

enum takt_status takt_probe_report_write(struct probe_store *store, const struct takt_model *model,
					 const struct probe_forms *forms, struct takt_diag *diag,
					 struct takt_text *text)
{
	struct report *report = takt_xcalloc(1, sizeof(*report));
	enum takt_status status = TAKT_OK;

	takt_arena_init(&report->arena);
	report->model = model;
	report->forms = forms;
	if (model) {
		takt_model_ports(model, &report->ports);
		status = takt_probe_store_each(store, note_plain_load, report, diag);
	}
	if (status == TAKT_OK)
		status = takt_probe_store_each(store, add_row, report, diag);
	if (status == TAKT_OK)
		write_report(report, takt_probe_store_machine(store), text);
	release(report);
	return status;
}
