/* SPDX-License-Identifier: MIT */
/* Measures how many instances a machine executes per cycle if none has to wait for another. */
#include <math.h>

#include "characterize/lab.h"

/*
 * Instances in a block, as in the uops.info paper, section 5.3.1; the largest possible number is
 * last.
 */
static const unsigned instance_counts[] = {1, 2, 4, 8, 16};

void takt_probe_add_instances(struct probe_code *code, const struct probe_form *form,
			      unsigned count)
{
	unsigned most = takt_probe_instances_max(form);

	for (unsigned i = 0; i < count; i++) {
		struct takt_choice choice;

		takt_probe_instance(form, i % most, &choice);
		takt_probe_code_add(code, form, &choice);
	}
}

static bool reads_destination(const struct probe_form *form)
{
	const struct takt_access *first = takt_probe_access(form, 0);

	return first && first->flags & TAKT_READ && first->flags & TAKT_WRITE;
}

/* Distance of loads from stores, so that no load reads what the measured form stores. */
#define APART_BYTES 1024

/* Hosts that read what they write use all registers, so that they do not wait for each other. */
void takt_probe_add_host(struct probe_code *code, const struct probe_form *form, unsigned index)
{
	unsigned most = takt_probe_instances_max(form);
	struct takt_choice choice;

	if (most > 1 && !reads_destination(form))
		most /= 2;
	takt_probe_instance(form, index % most, &choice);
	choice.displacement += APART_BYTES;
	takt_probe_code_add(code, form, &choice);
}

void takt_probe_add_guest(struct probe_code *code, const struct probe_form *form, unsigned index)
{
	unsigned most = takt_probe_instances_max(form), first = most / 2;
	struct takt_choice choice;

	takt_probe_instance(form, first + index % (most - first), &choice);
	takt_probe_code_add(code, form, &choice);
}

static bool is_gpr(uint8_t location)
{
	return takt_location_is_gpr(location) && location != TAKT_LOC_RSP;
}

/* Replace st(0): a pushed value is popped into the register below it. */
static void renew_x87(const struct probe_lab *lab, struct probe_code *code)
{
	takt_probe_add_x87(lab, code, PROBE_X87_PUSH, PROBE_X87_KEPT);
	takt_probe_add_x87(lab, code, PROBE_X87_POP, TAKT_LOC_X87 + 1);
}

void takt_probe_add_breakers(const struct probe_lab *lab, struct probe_code *code,
			     const struct probe_form *form)
{
	bool flags = false;

	for (unsigned i = 0; i < form->insn.access_count; i++) {
		const struct takt_access *access = &form->insn.accesses[i];

		if (!(access->flags & TAKT_READ) || !takt_probe_is_fixed(form, access))
			continue;
		flags |= access->slot == TAKT_SLOT_FLAGS;
		/* Not xor, as it writes flags. */
		if (access->flags & TAKT_WRITE && access->location == TAKT_LOC_X87 &&
		    form->insn.flags & TAKT_INSN_X87)
			renew_x87(lab, code);
		if (access->flags & TAKT_WRITE && is_gpr(access->location))
			takt_probe_add_tool(lab, code, PROBE_MOV_IMM, access->location, 0);
	}
	if (flags)
		takt_probe_add_tool(lab, code, PROBE_TEST, PROBE_BASE, PROBE_BASE);
}

/*
 * True if the form clears the mask that says which elements it accesses, as gathers and scatters
 * do: the next instance with this mask would access none.
 */
static bool spends_mask(const struct probe_form *form)
{
	return form->insn.insn_class == TAKT_CLASS_GATHER && !takt_probe_is_aarch64(form);
}

/* Registers that no instance writes. They are equal to themselves, whatever they hold. */
#define VECTOR_KEPT (TAKT_LOC_VECTOR + 15)
#define MASK_KEPT (TAKT_LOC_MASK + 7)

/* Let an instance access all elements. */
static void renew_mask(const struct probe_lab *lab, struct probe_code *code,
		       const struct probe_form *form, const struct takt_choice *choice)
{
	bool has_mask = takt_form_unpack(form->sample.form).flags & TAKT_FORM_K;
	uint8_t mask = has_mask ? choice->mask : choice->registers[2];
	uint8_t kept = has_mask ? MASK_KEPT : VECTOR_KEPT;

	takt_probe_add_chosen(lab, code, has_mask ? PROBE_ONES_MASK : PROBE_ONES_AVX,
			      &(struct takt_choice){.registers = {mask, kept, kept}});
}

static void add_independent(const struct probe_lab *lab, struct probe_code *code,
			    const struct probe_form *form, unsigned count, bool breakers)
{
	unsigned most = takt_probe_instances_max(form);

	if (takt_probe_is_jump(form))
		takt_probe_add_direction(lab, code);
	for (unsigned i = 0; i < count; i++) {
		struct takt_choice choice;

		if (breakers)
			takt_probe_add_breakers(lab, code, form);
		takt_probe_instance(form, i % most, &choice);
		if (breakers && spends_mask(form))
			renew_mask(lab, code, form, &choice);
		takt_probe_code_add(code, form, &choice);
	}
}

/* True if other instructions have to stand between instances: they say what one takes by itself. */
static bool wants_breakers(const struct probe_form *form)
{
	return takt_probe_is_chained(form) || spends_mask(form);
}

/* Return the cycles of one of `count` instances; infinite if they cannot be measured. */
static double measure(struct probe_lab *lab, const struct probe_form *form, unsigned count,
		      bool breakers, struct probe_outcome *ret_outcome)
{
	struct probe_code code = {.size_bytes = 0};
	bool fine;

	add_independent(lab, &code, form, count, breakers);
	lab->x = count;
	fine = takt_probe_run(lab, &code,
			      breakers ? "throughput, dependences broken" : "throughput",
			      ret_outcome);
	lab->x = NAN;
	return fine ? ret_outcome->cycles / count : INFINITY;
}

/* Instances in a loop: enough that its end does not matter, and few enough for the op cache. */
#define LOOP_INSTANCES 48u

static double measure_loop(struct probe_lab *lab, const struct probe_form *form, bool breakers)
{
	unsigned most = takt_probe_instances_max(form), count = LOOP_INSTANCES / most * most;
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;
	bool fine;

	add_independent(lab, &code, form, count, breakers);
	lab->x = count;
	fine = takt_probe_run_loop(lab, &code,
				   breakers ? "throughput in a loop, dependences broken"
					    : "throughput in a loop",
				   &outcome);
	lab->x = NAN;
	return fine ? outcome.cycles / count : INFINITY;
}

static void note_ports(const struct probe_outcome *outcome, unsigned count,
		       struct probe_throughput *throughput)
{
	throughput->uops = 0;
	for (unsigned p = 0; p < TAKT_PORTS_MAX; p++) {
		throughput->port_uops[p] = outcome->port_uops[p] / count;
		throughput->uops += throughput->port_uops[p];
	}
	if (outcome->uops > 0)
		throughput->uops = outcome->uops / count;
}

/* Differences up to which throughputs count as equal. */
#define SAME_PART 0.02
#define SAME_CYCLES 0.02

bool takt_probe_throughputs_agree(double left, double right)
{
	return fabs(left - right) <= fmax(SAME_CYCLES, SAME_PART * right);
}

/* True if the loop alone takes the time that the form is supposed to take. */
static bool confirm(struct probe_lab *lab, const struct probe_form *form,
		    struct probe_throughput *ret_throughput)
{
	bool breakers = wants_breakers(form);
	struct probe_outcome outcome;

	ret_throughput->chained = measure(lab, form, 1, false, &outcome);
	if (isinf(ret_throughput->chained))
		return false;
	ret_throughput->cycles = measure_loop(lab, form, breakers);
	if (!spends_mask(form))
		ret_throughput->cycles = fmin(ret_throughput->cycles, ret_throughput->chained);
	return takt_probe_throughputs_agree(ret_throughput->cycles, lab->expected->throughput);
}

bool takt_probe_throughput(struct probe_lab *lab, const struct probe_form *form,
			   struct probe_throughput *ret_throughput, const char **ret_reason)
{
	unsigned most = takt_probe_instances_max(form);
	bool breakers = wants_breakers(form), spends = spends_mask(form);
	struct probe_outcome outcome;

	*ret_throughput = (struct probe_throughput){.cycles = INFINITY};
	if (lab->expected && !lab->machine->has_counters && confirm(lab, form, ret_throughput))
		return true;
	*ret_throughput = (struct probe_throughput){.cycles = INFINITY};
	for (size_t i = 0; i < TAKT_COUNT_OF(instance_counts) && instance_counts[i] <= most; i++) {
		unsigned count = instance_counts[i];
		double cycles = measure(lab, form, count, false, &outcome);

		if (isinf(cycles)) {
			*ret_reason = outcome.reason;
			return false;
		}
		note_ports(&outcome, count, ret_throughput);
		if (i == 0)
			ret_throughput->chained = cycles;
		if (!spends)
			ret_throughput->cycles = fmin(ret_throughput->cycles, cycles);
		if (breakers)
			ret_throughput->cycles = fmin(ret_throughput->cycles,
						      measure(lab, form, count, true, &outcome));
	}
	for (int with = spends; with <= breakers; with++)
		ret_throughput->cycles =
			fmin(ret_throughput->cycles, measure_loop(lab, form, with));
	return true;
}
