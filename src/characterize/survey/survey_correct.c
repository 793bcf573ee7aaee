/* SPDX-License-Identifier: MIT */
/*
 * Corrects a model's rows: a survey of the machine is compared with one of the simulator playing
 * the model. Both ran the same experiments, so what eliminated moves, memory renaming and the
 * chains themselves add is in both, and the difference of two figures is the row's error.
 */
#include <math.h>
#include <string.h>

#include "characterize/survey/survey_write.h"

#define PAIRS_MAX 64u
/* Throughputs that differ by less cycles agree, too: loops have an overhead of their own. */
#define THROUGHPUT_SLACK_CYCLES 0.03
/* Part by which a whole number of cycles may be missed that a port or a divider is busy. */
#define WHOLE_PART 0.06
#define MASKS_MAX 64u

struct corrector {
	const struct takt_model *model;
	const char *tag;
	struct probe_store *store;
	struct takt_diag *diag;
	struct takt_text *text;
	struct takt_survey_correction *result;
	struct probe_forms forms;
	struct probe_corrector_ports ports;
	const struct probe_row *row; /* the machine's, whose counterpart is being visited */
	enum takt_status status;     /* of the first failure inside a visit */
	/* Sets of ports of the model's rows, and the number of rows that have each. */
	struct {
		uint32_t ports, rows;
	} masks[MASKS_MAX];
	uint32_t mask_count;
	struct takt_arena arena;
};

/* ---- latencies ----------------------------------------------------------------- */

/* Return the cycles by which the machine is slower; 0 if the ranges agree. */
static int difference_of(const struct probe_pair *measured, const struct probe_pair *simulated)
{
	if (measured->least <= simulated->most + TAKT_AGREEMENT_CYCLES &&
	    simulated->least <= measured->most + TAKT_AGREEMENT_CYCLES)
		return 0;
	return (int)lround((measured->least + measured->most - simulated->least - simulated->most) /
			   2);
}

/*
 * True if the value goes through memory: then the figure is that of a store and a load together,
 * and its difference may be the store's, the load's or that of forwarding.
 */
static bool is_through_memory(const struct probe_form *form, uint8_t source, uint8_t destination)
{
	const struct takt_memory *memory = takt_probe_memory(form);

	return memory && (source == memory->slot || destination == memory->slot);
}

/* Set a pair's latency in a list, which holds the model's own at first. */
static void set_latency(struct takt_latency *latencies, unsigned *count, uint8_t source,
			uint8_t destination, int cycles)
{
	unsigned at = 0;

	while (at < *count &&
	       (latencies[at].source != source || latencies[at].destination != destination))
		at++;
	if (at == PAIRS_MAX)
		return;
	*count += at == *count;
	latencies[at] =
		(struct takt_latency){source, destination, (uint16_t)(cycles > 0 ? cycles : 0)};
}

/*
 * Add the differences to the model's latencies. Return the number of pairs that differ. Pairs with
 * a row of their own go first, since more general ones would otherwise hold for them.
 */
static unsigned correct_latencies(struct corrector *corrector, const struct probe_form *form,
				  const struct probe_row *other, const struct takt_timing *timing,
				  struct takt_latency latencies[PAIRS_MAX], unsigned *ret_count)
{
	const char *at = corrector->row->latencies;
	struct probe_pair pair, simulated;
	unsigned count = 0, changed = 0;

	while (takt_probe_pair_next(&at, &pair)) {
		uint8_t source, destination;
		int less;

		if (!takt_probe_pair_find(other, &pair, &simulated) ||
		    !takt_probe_slot_read(pair.source, &source) ||
		    !takt_probe_slot_read(pair.destination, &destination) ||
		    is_through_memory(form, source, destination))
			continue;
		less = difference_of(&pair, &simulated);
		if (!less)
			continue;
		set_latency(latencies, &count, source, destination,
			    (int)takt_timing_latency(timing, source, destination) + less);
		changed++;
	}
	for (unsigned i = 0; i < timing->latency_count && count < PAIRS_MAX; i++) {
		const struct takt_latency *latency = &timing->latencies[i];
		bool known = false;

		for (unsigned k = 0; k < count; k++)
			known |= latencies[k].source == latency->source &&
				 latencies[k].destination == latency->destination;
		if (!known)
			latencies[count++] = *latency;
	}
	*ret_count = count;
	return changed;
}

/* ---- ports and occupancy -------------------------------------------------------- */

/* Count the sets of ports that rows of the model name alone. */
static void find_masks(struct corrector *corrector)
{
	for (size_t i = 0; i < corrector->forms.count; i++) {
		struct takt_timing_storage storage;
		struct takt_timing timing;
		uint32_t at = 0, ports;

		takt_model_timing(corrector->model, &corrector->forms.forms[i].insn, &storage,
				  &timing);
		if (timing.uops_count != 1 || timing.uops[0].ports & corrector->ports.model.pseudo)
			continue;
		ports = timing.uops[0].ports;
		while (at < corrector->mask_count && corrector->masks[at].ports != ports)
			at++;
		if (at == MASKS_MAX)
			continue;
		corrector->mask_count += at == corrector->mask_count;
		corrector->masks[at].ports = ports;
		corrector->masks[at].rows++;
	}
}

static double cycles_of(const struct takt_uops *uops)
{
	return (double)uops->count / __builtin_popcount(uops->ports);
}

/* Return the number if it is nearly whole and positive, else 0. */
static uint16_t whole(double number)
{
	double near = floor(number + 0.5);

	return near >= 1 && near < UINT16_MAX && fabs(number - near) <= WHOLE_PART * near
		       ? (uint16_t)near
		       : 0;
}

/*
 * Return the model's most frequent set of `count` ports that is a part of `ports`, or contains
 * them; 0 if there is none.
 */
static uint32_t find_ports(const struct corrector *corrector, uint32_t ports, unsigned count)
{
	uint32_t found = 0, rows = 0;

	for (uint32_t i = 0; i < corrector->mask_count; i++) {
		uint32_t mask = corrector->masks[i].ports;

		if ((unsigned)__builtin_popcount(mask) != count ||
		    ((mask & ports) != mask && (mask & ports) != ports) ||
		    corrector->masks[i].rows <= rows)
			continue;
		found = mask;
		rows = corrector->masks[i].rows;
	}
	return found;
}

/*
 * Make the entry that limits the throughput explain the measured one: a divider or the like is
 * busy for another number of cycles; a µop has as many other ports, of sets that the core has; or
 * there are more µops on the same ports. False if nothing does.
 */
static bool fit_limit(const struct corrector *corrector, double cycles, struct takt_uops *limit)
{
	unsigned port_count = (unsigned)__builtin_popcount(limit->ports);
	uint16_t count = whole(cycles * port_count);
	uint16_t wanted_ports = whole(limit->count / cycles);
	uint32_t ports;

	if (!(limit->ports & corrector->ports.model.pseudo) && wanted_ports) {
		ports = find_ports(corrector, limit->ports, wanted_ports);
		if (ports) {
			limit->ports = ports;
			return true;
		}
	}
	if (!count)
		return false;
	limit->count = count;
	return true;
}

/* Correct the µops, copied to `uops`. False if the throughput's difference is not explained. */
static bool correct_uops(const struct corrector *corrector, const struct probe_row *other,
			 struct takt_uops uops[PROBE_UOPS_MAX], unsigned count)
{
	double cycles = corrector->row->throughput, others = 0;
	unsigned limit = 0;

	for (unsigned i = 1; i < count; i++)
		if (cycles_of(&uops[i]) > cycles_of(&uops[limit]))
			limit = i;
	/* The simulated form must be limited by that entry, and by nothing else. */
	if (!count || fabs(cycles_of(&uops[limit]) / other->throughput - 1) > WHOLE_PART)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (i != limit)
			others = fmax(others, cycles_of(&uops[i]));
	return others <= cycles * (1 + WHOLE_PART) && fit_limit(corrector, cycles, &uops[limit]);
}

/* Set the timing's µops, and what follows from them. */
static void set_uops(const struct corrector *corrector, struct takt_uops *uops, unsigned count,
		     struct takt_timing *timing)
{
	timing->uop_total = 0;
	for (unsigned i = 0; i < count; i++)
		if (!(uops[i].ports & corrector->ports.model.pseudo))
			timing->uop_total = (uint16_t)(timing->uop_total + uops[i].count);
	timing->uops = uops;
	timing->uops_count = (uint8_t)count;
}

static bool throughputs_agree(const struct probe_row *row, const struct probe_row *other)
{
	double off = fabs(row->throughput - other->throughput);

	return isnan(off) || off <= THROUGHPUT_SLACK_CYCLES ||
	       off <= TAKT_AGREEMENT_PART * other->throughput;
}

/* True if the timing was changed: other ports or occupancy explain the measured throughput. */
static bool correct_throughput(struct corrector *corrector, const struct probe_form *form,
			       const struct probe_row *other, bool other_latencies,
			       struct takt_timing *timing, struct takt_uops uops[PROBE_UOPS_MAX])
{
	const struct probe_row *row = corrector->row;
	unsigned count = timing->uops_count < PROBE_UOPS_MAX ? timing->uops_count : PROBE_UOPS_MAX;

	if (throughputs_agree(row, other))
		return false;
	if (row->spread > PROBE_SPREAD_MAX) {
		corrector->result->unstable++;
		return false;
	}
	/* Instances that wait for each other are as slow as their latency. */
	if (other_latencies && takt_probe_is_chained(form))
		return false;
	memcpy(uops, timing->uops, count * sizeof(*uops));
	if (!correct_uops(corrector, other, uops, count)) {
		corrector->result->unexplained++;
		return false;
	}
	set_uops(corrector, uops, count, timing);
	return true;
}

/* True if the timing was changed: the two surveys inferred other ports. */
static bool correct_ports(const struct corrector *corrector, const struct probe_form *form,
			  const struct probe_row *other, struct takt_timing *timing,
			  struct takt_uops uops[PROBE_UOPS_MAX])
{
	int count = takt_probe_correct_ports(&corrector->ports, form, corrector->row, other, timing,
					     uops);

	if (count <= 0)
		return false;
	set_uops(corrector, uops, (unsigned)count, timing);
	return true;
}

/* ---- rows ------------------------------------------------------------------------ */

static void correct_row(struct corrector *corrector, const struct probe_form *form,
			const struct probe_row *other, const struct takt_timing *known)
{
	struct takt_survey_correction *result = corrector->result;
	struct takt_timing timing = *known;
	struct takt_latency latencies[PAIRS_MAX];
	struct takt_uops uops[PROBE_UOPS_MAX];
	unsigned count,
		changed = correct_latencies(corrector, form, other, &timing, latencies, &count);
	size_t unclear = result->unexplained + result->unstable;
	bool other_ports = correct_ports(corrector, form, other, &timing, uops);
	bool other_uops =
		other_ports || correct_throughput(corrector, form, other, changed, &timing, uops);

	result->compared++;
	result->ports += other_ports;
	result->throughputs += other_uops && !other_ports;
	if (!changed && !other_uops) {
		result->agreeing += result->unexplained + result->unstable == unclear;
		return;
	}
	result->corrected++;
	timing.latencies = latencies;
	timing.latency_count = (uint8_t)count;
	timing.rthroughput_hundredths =
		(uint16_t)fmin(corrector->row->throughput * 100 + 0.5, UINT16_MAX);
	takt_timing_row_write(takt_probe_isa(form), form->sample.form, &timing,
			      &corrector->ports.model, corrector->tag, corrector->text);
}

static void visit_reference(void *context, const struct probe_row *other)
{
	struct corrector *corrector = context;
	struct takt_timing_storage storage;
	struct takt_timing timing;
	const struct probe_form *form = takt_probe_row_timing(corrector->model, &corrector->forms,
							      corrector->row, &storage, &timing);

	if (form && !*other->reason)
		correct_row(corrector, form, other, &timing);
}

static void visit_row(void *context, const struct probe_row *row)
{
	struct corrector *corrector = context;
	enum takt_status status;

	if (*row->reason || corrector->status != TAKT_OK)
		return;
	corrector->row = row;
	status = takt_probe_store_visit(corrector->store, row->form, visit_reference, corrector,
					corrector->diag);
	if (corrector->status == TAKT_OK)
		corrector->status = status;
}

static enum takt_status correct(struct corrector *corrector, const char *path)
{
	struct probe_store *measured;
	enum takt_status status = takt_probe_store_open(path, false, corrector->diag, &measured);

	if (status != TAKT_OK)
		return status;
	takt_probe_isa_forms_find(takt_model_isa(corrector->model), &corrector->arena,
				  &corrector->forms);
	find_masks(corrector);
	status = takt_probe_class_ports_find(measured, corrector->model, &corrector->ports.model,
					     &corrector->forms, corrector->diag,
					     &corrector->ports.machine);
	if (status == TAKT_OK)
		status = takt_probe_class_ports_find(corrector->store, corrector->model,
						     &corrector->ports.model, &corrector->forms,
						     corrector->diag, &corrector->ports.reference);
	if (status == TAKT_OK)
		status = takt_probe_store_each(measured, visit_row, corrector, corrector->diag);
	takt_probe_store_close(measured);
	return status == TAKT_OK ? corrector->status : status;
}

enum takt_status takt_survey_correct(const struct takt_survey_pair *surveys, struct takt_diag *diag,
				     struct takt_text *text,
				     struct takt_survey_correction *ret_correction)
{
	struct takt_survey_correction result = {.compared = 0};
	struct corrector corrector = {.model = surveys->model,
				      .tag = surveys->tag,
				      .diag = diag,
				      .text = text,
				      .result = &result};
	enum takt_status status =
		takt_probe_store_open(surveys->simulated, false, diag, &corrector.store);

	if (status != TAKT_OK)
		return status;
	takt_arena_init(&corrector.arena);
	takt_model_ports(surveys->model, &corrector.ports.model);
	status = correct(&corrector, surveys->measured);
	takt_probe_store_close(corrector.store);
	takt_arena_release(&corrector.arena);
	if (status == TAKT_OK)
		*ret_correction = result;
	return status;
}
