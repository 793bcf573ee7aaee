/* SPDX-License-Identifier: MIT */
/* Patterns that limit the core: chains, busy ports, slow units, scalar code, overhead, branches. */
#include "diagnose/signatures.h"

/* Share of floating-point instructions below which a loop does not calculate. */
#define FLOATS_MIN 0.01

static double operations(const uint64_t ops[ORACLE_WIDTHS], unsigned first)
{
	uint64_t sum = 0;

	for (unsigned i = first; i < ORACLE_WIDTHS; i++)
		sum += ops[i];
	return (double)sum;
}

static double scalar_share(const struct oracle_counts *counts)
{
	double all = operations(counts->fp32_ops, 0) + operations(counts->fp64_ops, 0);
	double packed = operations(counts->fp32_ops, 1) + operations(counts->fp64_ops, 1);

	return all > 0 ? 1 - packed / all : 0;
}

static double unit_share(const struct diagnose_place *place)
{
	double sum = 0;

	for (unsigned i = 0; i < STRIDE_COUNT; i++)
		sum += (double)place->strides[i];
	return ratio((double)(place->strides[STRIDE_NONE] + place->strides[STRIDE_UNIT]), sum);
}

static double busy_share(const struct diagnose_place *place)
{
	return ratio(place->busy_cycles, (double)place->cycles);
}

static void add_memory(struct signature *signature, const struct diagnose_place *place)
{
	signature_figure(signature, "share of cycles lost to memory or to loads that miss",
			 memory_share(place), "", TAKT_MODELLED, "");
	signature_made_of(signature, "L1_LINES_IN L2_LINES_IN L3_LINES_IN");
	signature_below(signature, "memory", signature->judge->limits->memory);
}

static void add_dependences(struct signature *signature, const struct diagnose_place *place)
{
	signature_figure(
		signature,
		"share of cycles lost to results of instructions other than loads that miss",
		dependence_share(place), "", TAKT_MODELLED, "");
}

static void add_busy(struct signature *signature, const struct diagnose_place *place)
{
	signature_figure(
		signature,
		"share of cycles in which divisions, roots and gathers keep their unit busy",
		busy_share(place), "", TAKT_COUNTED | TAKT_MODELLED, "");
	signature_made_of(signature, "DIVIDES GATHERS");
}

/* Require that neither slow units nor atomic instructions take the cycles. */
static void require_simple(struct signature *signature, const struct diagnose_place *place)
{
	const struct diagnose_thresholds *limits = signature->judge->limits;

	add_busy(signature, place);
	signature_below(signature, "divider", limits->divider);
	signature_figure(signature, "atomic instructions per instruction",
			 ratio((double)place->counts.atomics, (double)place->counts.insns), "",
			 TAKT_COUNTED, "");
	signature_made_of(signature, "ATOMICS INSTRUCTIONS");
	signature_below(signature, "atomics", limits->atomics);
}

static void judge_ilp(struct judge *judge, const struct diagnose_place *place)
{
	struct signature signature = signature_begin(judge, PATTERN_ILP);

	add_dependences(&signature, place);
	signature_at_least(&signature, "dependences", judge->limits->dependences);
	add_memory(&signature, place);
	require_simple(&signature, place);
	signature_figure(&signature, "cycles per instruction",
			 ratio((double)place->cycles, (double)place->counts.insns), "",
			 TAKT_COUNTED | TAKT_MODELLED, "");
	signature_made_of(&signature, "INSTRUCTIONS");
	signature_end(&signature, place);
}

static void show_ports(struct signature *signature, const struct diagnose_place *place)
{
	struct takt_text names = {0};

	for (uint32_t ports = place->busy_ports; ports; ports &= ports - 1)
		takt_text_printf(&names, " %s",
				 takt_model_port_name(signature->judge->seen->model,
						      (uint32_t)__builtin_ctz(ports)));
	signature_detail(signature, "busy%s", takt_text_data(&names));
	takt_text_release(&names);
}

/*
 * Judge ports at their limit: what rename delivers fills the core's buffers, since the ports
 * execute all they can. "ALU saturation" in the paper on event validation, table I.
 */
static void judge_saturated_ports(struct judge *judge, const struct diagnose_place *place)
{
	struct signature signature = signature_begin(judge, PATTERN_SATURATED_PORTS);
	double busy = ratio((double)limit_cycles(place, SIM_LIMIT_PORTS), (double)place->cycles);
	double used = ratio((double)limit_cycles(place, SIM_LIMIT_WIDTH), (double)place->cycles);

	signature_figure(&signature, "share of issue slots that stay empty because ports are busy",
			 busy, "", TAKT_MODELLED, "");
	signature_at_least(&signature, "ports", judge->limits->ports);
	signature_figure(&signature,
			 "share of issue slots that are used, or empty because ports are busy",
			 busy + used, "", TAKT_MODELLED, "");
	signature_at_least(&signature, "used", judge->limits->used);
	require_simple(&signature, place);
	if (signature.holds)
		show_ports(&signature, place);
	signature_end(&signature, place);
}

static void judge_expensive(struct judge *judge, const struct diagnose_place *place)
{
	struct signature signature = signature_begin(judge, PATTERN_EXPENSIVE);

	add_busy(&signature, place);
	signature_at_least(&signature, "divider", judge->limits->divider);
	signature_figure(&signature, "divisions and roots per instruction",
			 ratio((double)place->counts.divides, (double)place->counts.insns), "",
			 TAKT_COUNTED, "");
	signature_made_of(&signature, "DIVIDES INSTRUCTIONS");
	signature_figure(&signature, "gathers per instruction",
			 ratio((double)place->counts.gathers, (double)place->counts.insns), "",
			 TAKT_COUNTED, "");
	signature_made_of(&signature, "GATHERS INSTRUCTIONS");
	signature_end(&signature, place);
}

static void judge_scalar(struct judge *judge, const struct diagnose_place *place)
{
	const struct oracle_counts *counts = &place->counts;
	struct signature signature = signature_begin(judge, PATTERN_SCALAR);

	signature_figure(&signature, "share of scalar floating-point operations",
			 scalar_share(counts), "", TAKT_COUNTED, "");
	signature_made_of(&signature, DIAGNOSE_FLOAT_EVENTS);
	signature_at_least(&signature, "scalar", judge->limits->scalar);
	signature_figure(&signature, "instructions per floating-point instruction",
			 counts->fp_insns ? (double)counts->insns / (double)counts->fp_insns
					  : (double)INFINITY,
			 "", TAKT_COUNTED, "");
	signature_made_of(&signature, "FP_INSTRUCTIONS INSTRUCTIONS");
	signature_below(&signature, "overhead", judge->limits->overhead);
	signature_figure(&signature, "share of accesses to the next or the same element",
			 unit_share(place), "", TAKT_COUNTED, "");
	signature_at_least(&signature, "unit-stride", judge->limits->unit_stride);
	signature_figure(&signature, "share of loads that read recently stored values",
			 ratio((double)place->forwarded, (double)place->loads), "", TAKT_COUNTED,
			 "");
	signature_made_of(&signature, "LOADS");
	signature_below(&signature, "carried", judge->limits->carried);
	add_dependences(&signature, place);
	signature_below(&signature, "dependences", judge->limits->dependences);
	add_memory(&signature, place);
	add_busy(&signature, place);
	signature_below(&signature, "divider", judge->limits->divider);
	signature.holds &= place->loop;
	signature_end(&signature, place);
}

/*
 * Sum up a function's places: a mispredicted branch is in one place, but its cost may appear in
 * another, where control went.
 */
static struct diagnose_place whole_function(const struct diagnose_seen *seen, uint32_t function)
{
	struct diagnose_place sum = {.function = function};

	for (uint32_t i = 0; i < seen->place_count; i++) {
		const struct diagnose_place *place = &seen->places[i];

		if (place->function != function)
			continue;
		if (!sum.cycles) /* the hottest place comes first */
			sum.source = place->source;
		sum.missed += place->missed;
		sum.cycles += place->cycles;
		sum.counts.insns += place->counts.insns;
		sum.counts.branches += place->counts.branches;
		for (unsigned j = 0; j < TAKT_TRACE_LOSSES; j++)
			sum.losses[j] += place->losses[j];
	}
	return sum;
}

static void judge_control(struct judge *judge, const struct diagnose_place *part)
{
	const struct diagnose_place whole = whole_function(judge->seen, part->function);
	const struct diagnose_place *place = &whole;
	struct signature signature = signature_begin(judge, PATTERN_CONTROL);

	signature_figure(&signature, "share of branches that are mispredicted",
			 ratio((double)place->missed, (double)place->counts.branches), "",
			 TAKT_COUNTED | TAKT_MODELLED, "");
	signature_made_of(&signature, "BRANCHES_MISSED BRANCHES");
	signature_at_least(&signature, "missed", judge->limits->missed);
	signature_figure(&signature, "share of cycles lost to mispredicted branches",
			 loss_share(place, SIM_LOSS_BRANCH), "", TAKT_MODELLED, "");
	signature_made_of(&signature, "BRANCHES_MISSED");
	signature_at_least(&signature, "branch", judge->limits->branch);
	signature_figure(&signature, "branches per instruction",
			 ratio((double)place->counts.branches, (double)place->counts.insns), "",
			 TAKT_COUNTED, "");
	signature_made_of(&signature, "BRANCHES INSTRUCTIONS");
	for (uint32_t i = 0; i < judge->seen->block_count; i++) {
		const struct diagnose_block *block = &judge->seen->blocks[i];

		if (block->function == place->function &&
		    (double)block->missed >= 0.1 * (double)place->missed && block->missed)
			signature_detail(&signature, "%s: %.0f %% of the mispredicted branches",
					 source_text(judge, &block->source),
					 100 * ratio((double)block->missed, (double)place->missed));
	}
	signature_end(&signature, place);
}

static void show_anomalies(struct signature *signature, const struct diagnose_place *place)
{
	struct judge *judge = signature->judge;

	for (uint32_t i = 0; i < judge->seen->access_count; i++) {
		const struct diagnose_access *access = &judge->seen->accesses[i];
		double aliased = (double)access->counts.aliased;
		double unforwarded = (double)access->counts.unforwarded;

		if (&judge->seen->places[access->place] == place &&
		    aliased + unforwarded >= 0.1 * (double)(place->aliased + place->unforwarded))
			signature_detail(
				signature, "%s: %.0f %% of these loads",
				source_text(judge, &access->source),
				100 * ratio(aliased + unforwarded,
					    (double)(place->aliased + place->unforwarded)));
	}
}

/* Judge anomalies. Loads split over two lines cost little: they are shown, but decide nothing. */
static void judge_anomaly(struct judge *judge, const struct diagnose_place *place)
{
	struct signature signature = signature_begin(judge, PATTERN_ANOMALY);
	double loads = (double)place->loads;

	signature_figure(&signature,
			 "share of loads with failed forwarding, or that alias a store a multiple "
			 "of 4 KiB away",
			 ratio((double)(place->unforwarded + place->aliased), loads), "",
			 TAKT_COUNTED, "");
	signature_made_of(&signature, "LOADS");
	signature_at_least(&signature, "anomaly", judge->limits->anomaly);
	signature_figure(
		&signature, "such loads per instruction",
		ratio((double)(place->unforwarded + place->aliased), (double)place->counts.insns),
		"", TAKT_COUNTED, "");
	signature_made_of(&signature, "LOADS INSTRUCTIONS");
	signature_at_least(&signature, "anomaly-rate", judge->limits->anomaly_rate);
	signature_figure(&signature, "the former", ratio((double)place->unforwarded, loads), "",
			 TAKT_COUNTED, "");
	signature_figure(&signature, "the latter", ratio((double)place->aliased, loads), "",
			 TAKT_COUNTED, "");
	signature_figure(&signature, "accesses across two lines",
			 ratio((double)place->split, (double)place->accesses), "", TAKT_COUNTED,
			 "");
	if (signature.holds)
		show_anomalies(&signature, place);
	signature_end(&signature, place);
}

/* True for the hottest place of its function. */
static bool is_hottest(const struct diagnose_seen *seen, const struct diagnose_place *place)
{
	for (const struct diagnose_place *hotter = seen->places; hotter < place; hotter++)
		if (hotter->function == place->function)
			return false;
	return true;
}

void judge_core_place(struct judge *judge, const struct diagnose_place *place)
{
	judge_ilp(judge, place);
	judge_saturated_ports(judge, place);
	judge_expensive(judge, place);
	judge_scalar(judge, place);
	if (is_hottest(judge->seen, place))
		judge_control(judge, place);
	judge_anomaly(judge, place);
}

/* ---- the program ---- */

/* Judge overhead over all hot places together: work between calculations is spread over many. */
void judge_core(struct judge *judge)
{
	const struct diagnose_seen *seen = judge->seen;
	struct signature signature = signature_begin(judge, PATTERN_OVERHEAD);
	double insns = 0, floats = 0, cycles = 0;

	for (uint32_t i = 0; i < seen->place_count; i++) {
		const struct diagnose_place *place = &seen->places[i];

		if (ratio((double)place->cycles, (double)seen->cycles) < judge->limits->hot)
			break;
		insns += (double)place->counts.insns;
		floats += (double)place->counts.fp_insns;
		cycles += (double)place->cycles;
		signature_detail(&signature, "%s: %.0f %% of the program's instructions",
				 source_text(judge, &place->source),
				 100 * ratio((double)place->counts.insns, (double)seen->all.insns));
	}
	if (floats < FLOATS_MIN * insns || insns <= 0)
		return;
	signature_figure(&signature, "instructions per floating-point instruction", insns / floats,
			 "", TAKT_COUNTED, "");
	signature_made_of(&signature, "FP_INSTRUCTIONS INSTRUCTIONS");
	signature_at_least(&signature, "overhead", judge->limits->overhead);
	signature_figure(&signature, "cycles per instruction", ratio(cycles, insns), "",
			 TAKT_COUNTED | TAKT_MODELLED, "");
	signature_made_of(&signature, "INSTRUCTIONS");
	signature_below(&signature, "cpi", judge->limits->cpi);
	signature_end(&signature, NULL);
}
