/* SPDX-License-Identifier: MIT */
/*
 * Measures latencies of (source, destination) pairs, after the uops.info paper, section 5.2: the
 * instruction and a chain of instructions of known latency lead from its destination back to its
 * source. The chain has so many links that every other dependence of the instruction on itself is
 * shorter. Links are never moves, which may be eliminated. Values that cross from one kind of
 * register to another pass through converters, of which only the round trip can be measured: then
 * the result is an upper bound. Latencies through memory are split as docs/formats/models.md says:
 * a store takes 1 cycle, the load the rest of the round trip.
 */
#include <math.h>
#include <string.h>

#include "characterize/lab.h"

enum domain {
	DOMAIN_NONE,
	DOMAIN_GPR,
	DOMAIN_VECTOR,
	DOMAIN_MM,
	DOMAIN_X87,
	DOMAIN_MASK,
	DOMAIN_FLAGS,
	DOMAIN_HIGH8,
	DOMAIN_MEMORY,
	DOMAIN_KEPT, /* a general register whose value must stay */
};

/* The place of a value. */
struct place {
	enum domain domain;
	uint8_t location;
	uint8_t size_bytes;
	struct takt_choice address; /* address of MEMORY */
};

/* Kinds of registers that chains lead through. */
enum medium { BY_GPR, BY_VECTOR, BY_X87 };

/* Instructions that bring a value from a domain into registers that can be chained, and back. */
struct converter {
	uint8_t domain, location; /* `location` is that of FLAGS; of MEMORY, INTEGERS or 0 */
	uint8_t size_bytes;	  /* size of MEMORY */
	uint8_t medium;		  /* enum medium of the chain */
	uint8_t sse_enter, sse_leave, avx_enter, avx_leave; /* enum probe_tool */
};

/* `location` of memory that holds integers for the x87 unit, which would be denormal floats. */
#define INTEGERS 1

#define SAME(enter, leave) PROBE_##enter, PROBE_##leave, PROBE_##enter, PROBE_##leave
#define BOTH(enter, leave)                                                                         \
	PROBE_##enter##_SSE, PROBE_##leave##_SSE, PROBE_##enter##_AVX, PROBE_##leave##_AVX

static const struct converter converters[] = {
	{DOMAIN_FLAGS, TAKT_LOC_CF, 0, BY_GPR, SAME(SETB, TEST)},
	{DOMAIN_FLAGS, TAKT_LOC_SZAP, 0, BY_GPR, SAME(SETE, TEST)},
	{DOMAIN_FLAGS, TAKT_LOC_OF, 0, BY_GPR, SAME(SETO, TEST)},
	{DOMAIN_VECTOR, 0, 0, BY_GPR, BOTH(FROM_XMM, TO_XMM)},
	{DOMAIN_MM, 0, 0, BY_GPR, SAME(FROM_MM, TO_MM)},
	{DOMAIN_MASK, 0, 0, BY_GPR, SAME(FROM_MASK, TO_MASK)},
	{DOMAIN_HIGH8, 0, 0, BY_GPR, SAME(HIGH8_FROM, HIGH8_TO)},
	{DOMAIN_MEMORY, 0, 1, BY_GPR, SAME(LOAD_8, STORE_8)},
	{DOMAIN_MEMORY, 0, 2, BY_GPR, SAME(LOAD_16, STORE_16)},
	{DOMAIN_MEMORY, 0, 4, BY_GPR, SAME(LOAD_32, STORE_32)},
	{DOMAIN_MEMORY, 0, 8, BY_GPR, SAME(LOAD_64, STORE_64)},
	{DOMAIN_MEMORY, 0, 4, BY_VECTOR, BOTH(LOAD_32, STORE_32)},
	{DOMAIN_MEMORY, 0, 8, BY_VECTOR, BOTH(LOAD_64, STORE_64)},
	{DOMAIN_MEMORY, 0, 16, BY_VECTOR, BOTH(LOAD_128, STORE_128)},
	{DOMAIN_MEMORY, 0, 32, BY_VECTOR, PROBE_LOAD_256_AVX, PROBE_STORE_256_AVX,
	 PROBE_LOAD_256_AVX, PROBE_STORE_256_AVX},
	{DOMAIN_FLAGS, TAKT_LOC_CF, 0, BY_X87, SAME(X87_MOVE_BELOW, X87_COMPARE)},
	{DOMAIN_FLAGS, TAKT_LOC_SZAP, 0, BY_X87, SAME(X87_MOVE_EQUAL, X87_COMPARE)},
	{DOMAIN_MEMORY, INTEGERS, 2, BY_X87, SAME(X87_ADD_16, X87_STORE_16)},
	{DOMAIN_MEMORY, INTEGERS, 4, BY_X87, SAME(X87_ADD_INT, X87_STORE_INT)},
	{DOMAIN_MEMORY, 0, 4, BY_X87, SAME(X87_ADD_32, X87_STORE_32)},
	{DOMAIN_MEMORY, 0, 8, BY_X87, SAME(X87_ADD_64, X87_STORE_64)},
};

_Static_assert(TAKT_COUNT_OF(converters) <= PROBE_CONVERTERS_MAX, "round trips fit");

/* An experiment under construction. */
struct chain {
	struct probe_lab *lab;
	struct probe_code code;
	const char *title;	/* of the measurement */
	bool avx;		/* use AVX instructions on vectors */
	enum probe_links links; /* kind of links of vectors */
	unsigned fillers;
	double least, most; /* bounds of the cycles that all links take */
};

/*
 * cl, the count of shifts. Shifts by 0 leave the flags alone, and some cores need long to find out.
 */
#define COUNT_LOCATION (TAKT_LOC_GPR + 1)

#define SCRATCH_GPR (TAKT_LOC_GPR + 11)
#define SCRATCH_VECTOR (TAKT_LOC_VECTOR + 11)
/*
 * A scratch register for forms with ah … bh, beside which nothing may need REX; converters are 8
 * bits wide.
 */
#define SCRATCH_REXLESS TAKT_LOC_GPR

static uint8_t scratch(enum medium medium, bool rexless)
{
	if (medium == BY_X87)
		return TAKT_LOC_X87;
	if (medium == BY_VECTOR)
		return SCRATCH_VECTOR;
	return rexless ? SCRATCH_REXLESS : SCRATCH_GPR;
}

/* ---- cycles of links ------------------------------------------------------ */

static enum probe_tool filler(const struct chain *chain, enum medium medium)
{
	static const enum probe_tool tools[PROBE_LINKS_COUNT][2] = {
		[PROBE_LINKS_INTEGER] = {PROBE_SHUFFLE_SSE, PROBE_SHUFFLE_AVX},
		[PROBE_LINKS_FLOAT] = {PROBE_FLOAT_SSE, PROBE_FLOAT_AVX},
		[PROBE_LINKS_INTEGER_ADD] = {PROBE_ADD_SSE, PROBE_ADD_AVX},
		[PROBE_LINKS_FLOAT_ADD] = {PROBE_FLOAT_ADD_SSE, PROBE_FLOAT_ADD_AVX}};

	if (medium == BY_X87)
		return PROBE_X87_ADD;
	return medium == BY_VECTOR ? tools[chain->links][chain->avx] : PROBE_MOVSX_64;
}

/* Add st(i) to st(0), or the other way round: x87 instructions name only one register freely. */
static void add_x87_filler(struct chain *chain, uint8_t to, uint8_t from)
{
	if (to != TAKT_LOC_X87)
		takt_probe_add_x87(chain->lab, &chain->code, PROBE_X87_ADD_TO, to);
	else
		takt_probe_add_x87(chain->lab, &chain->code, PROBE_X87_ADD,
				   from == TAKT_LOC_X87 ? PROBE_X87_KEPT : from);
}

static void add_filler(struct chain *chain, enum medium medium, uint8_t to, uint8_t from)
{
	const struct takt_choice choice = {.registers = {to, from, from}};

	if (medium == BY_X87)
		add_x87_filler(chain, to, from);
	else
		takt_probe_add_chosen(chain->lab, &chain->code, filler(chain, medium), &choice);
}

/* Measure a figure that many others rest on; NaN if it cannot be measured. */
static double calibrate(struct probe_lab *lab, const struct probe_code *code, const char *title)
{
	unsigned repeats = lab->repeats;
	struct probe_outcome outcome;
	bool fine;

	lab->repeats = PROBE_REPEATS;
	fine = takt_probe_run(lab, code, title, &outcome);
	lab->repeats = repeats;
	return fine ? outcome.cycles : NAN;
}

/* Return the cycles of a link; NaN if the machine lacks the instruction. */
static double filler_cycles(const struct chain *chain, enum medium medium)
{
	struct chain alone = {.lab = chain->lab, .avx = chain->avx, .links = chain->links};
	uint8_t reg = scratch(medium, false);
	double *known = &chain->lab->filler_cycles[filler(chain, medium)];

	if (*known != PROBE_UNKNOWN)
		return *known;
	add_filler(&alone, medium, reg, reg);
	*known = calibrate(chain->lab, &alone.code, "link of chains");
	return *known;
}

static void add_converter(struct chain *chain, const struct converter *converter, bool enters,
			  uint8_t reg, const struct place *place)
{
	unsigned sse = enters ? converter->sse_enter : converter->sse_leave;
	unsigned avx = enters ? converter->avx_enter : converter->avx_leave;
	enum probe_tool tool = (enum probe_tool)(chain->avx ? avx : sse);
	bool flags = converter->domain == DOMAIN_FLAGS;

	if (flags && converter->medium == BY_X87)
		takt_probe_add_x87(chain->lab, &chain->code, tool, PROBE_X87_KEPT);
	else if (converter->domain == DOMAIN_MEMORY)
		takt_probe_add_access(chain->lab, &chain->code, tool, reg, place->address.base,
				      place->address.displacement);
	else if (enters || flags)
		takt_probe_add_tool(chain->lab, &chain->code, tool, reg,
				    flags ? reg : place->location);
	else
		takt_probe_add_tool(chain->lab, &chain->code, tool, place->location, reg);
}

#define ROUND_TRIP_FILLERS 4

static double round_trip(const struct chain *chain, const struct converter *converter,
			 const struct place *place)
{
	struct chain alone = {.lab = chain->lab, .avx = chain->avx};
	double *known = &chain->lab->round_trips[converter - converters][chain->avx];
	uint8_t reg = scratch(converter->medium, converter->domain == DOMAIN_HIGH8);

	if (*known != PROBE_UNKNOWN)
		return *known;
	add_converter(&alone, converter, false, reg, place);
	add_converter(&alone, converter, true, reg, place);
	for (unsigned i = 0; i < ROUND_TRIP_FILLERS; i++)
		add_filler(&alone, converter->medium, reg, reg);
	*known = calibrate(chain->lab, &alone.code, "round trip") -
		 ROUND_TRIP_FILLERS * filler_cycles(&alone, converter->medium);
	if (*known < 0)
		*known = 0;
	return *known;
}

static void add_cost(struct chain *chain, double least, double most)
{
	chain->least += least;
	chain->most += most;
}

static void add_converter_cost(struct chain *chain, const struct converter *converter, bool enters,
			       const struct place *place)
{
	double trip = round_trip(chain, converter, place);

	/* If the core forwards stores at rename, both together take no time. */
	double store = fmin(1, trip), load = trip - store;

	if (converter->domain == DOMAIN_MEMORY)
		add_cost(chain, enters ? load : store, enters ? load : store);
	else
		add_cost(chain, fmin(1, trip / 2), fmax(trip - 1, trip / 2));
}

/* ---- the chain ------------------------------------------------------------ */

static const struct converter *find_converter(const struct place *place, enum medium medium)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(converters); i++) {
		const struct converter *converter = &converters[i];

		if (converter->domain != place->domain || converter->medium != medium)
			continue;
		if (place->domain == DOMAIN_MEMORY && converter->size_bytes != place->size_bytes)
			continue;
		if ((place->domain == DOMAIN_FLAGS || place->domain == DOMAIN_MEMORY) &&
		    converter->location != place->location)
			continue;
		return converter;
	}
	return NULL;
}

static bool is_chained_directly(const struct place *place, enum medium medium)
{
	static const enum domain domains[] = {
		[BY_GPR] = DOMAIN_GPR, [BY_VECTOR] = DOMAIN_VECTOR, [BY_X87] = DOMAIN_X87};

	return place->domain == domains[medium];
}

static bool goes_by_vectors(const struct place *from, const struct place *to)
{
	if (from->domain == DOMAIN_VECTOR || to->domain == DOMAIN_VECTOR) {
		const struct place *other = from->domain == DOMAIN_VECTOR ? to : from;

		return other->domain == DOMAIN_VECTOR || find_converter(other, BY_VECTOR);
	}
	return from->domain == DOMAIN_MEMORY && to->domain == DOMAIN_MEMORY &&
	       !find_converter(to, BY_GPR);
}

/* Return the kind of registers that the chain between the places is of. */
static enum medium medium_of(const struct place *from, const struct place *to)
{
	if (from->domain == DOMAIN_X87 || to->domain == DOMAIN_X87)
		return BY_X87;
	return goes_by_vectors(from, to) ? BY_VECTOR : BY_GPR;
}

/* Add the instruction that brings the value into `reg`. False if there is none. */
static bool enter(struct chain *chain, const struct place *from, enum medium medium, uint8_t reg)
{
	const struct converter *converter;

	if (is_chained_directly(from, medium)) {
		if (medium == BY_GPR && from->size_bytes < 4)
			takt_probe_add_tool(chain->lab, &chain->code,
					    from->size_bytes == 2 ? PROBE_MOVSX_16 : PROBE_MOVSX_8,
					    reg, from->location);
		else
			add_filler(chain, medium, reg, from->location);
		add_cost(chain, filler_cycles(chain, medium), filler_cycles(chain, medium));
		return true;
	}
	converter = find_converter(from, medium);
	if (!converter)
		return false;
	add_converter(chain, converter, true, reg, from);
	add_converter_cost(chain, converter, true, from);
	return true;
}

static bool leave(struct chain *chain, const struct place *to, enum medium medium, uint8_t reg)
{
	const struct converter *converter;

	if (is_chained_directly(to, medium))
		return true;
	if (to->domain == DOMAIN_KEPT && medium == BY_GPR) {
		for (int i = 0; i < 2; i++) {
			takt_probe_add_tool(chain->lab, &chain->code, PROBE_XOR, to->location, reg);
			add_cost(chain, filler_cycles(chain, BY_GPR), filler_cycles(chain, BY_GPR));
		}
		return true;
	}
	converter = find_converter(to, medium);
	if (!converter)
		return false;
	add_converter(chain, converter, false, reg, to);
	add_converter_cost(chain, converter, false, to);
	return true;
}

static bool add_links(struct chain *chain, const struct place *from, const struct place *to)
{
	enum medium medium = medium_of(from, to);
	uint8_t reg = scratch(medium, from->domain == DOMAIN_HIGH8 || to->domain == DOMAIN_HIGH8);

	if (is_chained_directly(to, medium))
		reg = to->location;
	if (!enter(chain, from, medium, reg))
		return false;
	for (unsigned i = 0; i < chain->fillers; i++)
		add_filler(chain, medium, reg, reg);
	add_cost(chain, chain->fillers * filler_cycles(chain, medium),
		 chain->fillers * filler_cycles(chain, medium));
	return leave(chain, to, medium, reg) && !isnan(chain->most);
}

/* ---- pairs ---------------------------------------------------------------- */

static enum domain domain_of(uint8_t location)
{
	if (takt_location_is_gpr(location))
		return location == TAKT_LOC_RSP ? DOMAIN_NONE : DOMAIN_GPR;
	if (takt_location_is_high8(location))
		return DOMAIN_HIGH8;
	if (takt_location_is_vector(location))
		return DOMAIN_VECTOR;
	if (takt_location_is_x87(location))
		return DOMAIN_X87;
	if (takt_location_is_mask(location))
		return DOMAIN_MASK;
	if (location == TAKT_LOC_CF || location == TAKT_LOC_OF || location == TAKT_LOC_SZAP)
		return DOMAIN_FLAGS;
	return DOMAIN_NONE;
}

/* Return the place that `access` refers to in the instance with these operands. */
static struct place place_of(const struct probe_form *form, const struct takt_choice *choice,
			     const struct takt_access *access)
{
	struct place place = {.domain = domain_of(access->location),
			      .location = access->location,
			      .size_bytes = access->size_bytes};

	if (access->slot <= TAKT_SLOT_5 && choice->registers[access->slot] != TAKT_LOC_NONE) {
		place.location = choice->registers[access->slot];
		place.domain = domain_of(place.location);
		if (!takt_probe_is_aarch64(form) &&
		    takt_form_unpack(form->sample.form).kinds[access->slot] == TAKT_KIND_MM)
			place.domain = DOMAIN_MM;
	}
	if (access->slot == TAKT_SLOT_MASK)
		place.location = choice->mask;
	if (place.location == COUNT_LOCATION && place.size_bytes == 1)
		place.domain = DOMAIN_KEPT;
	if (access->slot == TAKT_SLOT_BASE || access->slot == TAKT_SLOT_INDEX) {
		place.domain = place.domain == DOMAIN_GPR ? DOMAIN_KEPT : DOMAIN_NONE;
		place.location = access->slot == TAKT_SLOT_BASE ? choice->base : choice->index;
	}
	return place;
}

/* Places that the instruction reads or writes, one for each slot. */
struct ends {
	uint8_t slots[TAKT_ACCESSES_MAX];
	struct place places[TAKT_ACCESSES_MAX];
	unsigned count;
};

static void add_end(struct ends *ends, uint8_t slot, const struct place *place)
{
	for (unsigned i = 0; i < ends->count; i++)
		if (ends->slots[i] == slot)
			return;
	if (place->domain == DOMAIN_NONE || ends->count == TAKT_ACCESSES_MAX)
		return;
	ends->slots[ends->count] = slot;
	ends->places[ends->count++] = *place;
}

/* True if the register holds the address of an implicit memory operand. */
static bool is_pointer(const struct probe_form *form, const struct takt_access *access)
{
	for (unsigned i = 0; i < form->insn.memory_count; i++)
		if (form->insn.memories[i].slot > TAKT_SLOT_5 &&
		    form->insn.memories[i].base == access->location)
			return access->slot >= TAKT_SLOT_IMPLICIT;
	return false;
}

static bool has_x87_integers(const struct probe_form *form)
{
	return form->insn.flags & TAKT_INSN_X87 && strncmp(form->text, "fi", 2) == 0;
}

static void find_ends(const struct probe_form *form, const struct takt_choice *choice,
		      unsigned role, struct ends *ret_ends)
{
	const struct takt_memory *memory = takt_probe_memory(form);

	ret_ends->count = 0;
	for (unsigned i = 0; i < form->insn.access_count; i++) {
		const struct takt_access *access = &form->insn.accesses[i];
		struct place place = place_of(form, choice, access);

		if (role == TAKT_READ && place.domain == DOMAIN_GPR && is_pointer(form, access))
			place.domain = DOMAIN_KEPT;
		if (access->flags & role && access->location != TAKT_LOC_NONE)
			add_end(ret_ends, access->slot, &place);
	}
	/* Converters of AArch64 have no index, and access one place. */
	if (memory && takt_probe_is_aarch64(form) &&
	    (memory->index != TAKT_LOC_NONE || form->insn.memory_count > 1))
		return;
	/*
	 * Gathers and scatters access several places, which no single load or store does; and an
	 * address without registers is none that the chain can use.
	 */
	if (memory && form->insn.insn_class != TAKT_CLASS_GATHER && memory->base != TAKT_LOC_NONE &&
	    (role == TAKT_READ ? memory->read : memory->write)) {
		struct place place = {.domain = DOMAIN_MEMORY,
				      .location = has_x87_integers(form) ? INTEGERS : 0,
				      .size_bytes = (uint8_t)memory->size_bytes,
				      .address = *choice};

		add_end(ret_ends, memory->slot, &place);
	}
}

static bool reads_flags(const struct probe_form *form)
{
	const struct takt_access *flags = takt_probe_access(form, TAKT_SLOT_FLAGS);

	return flags && flags->flags & TAKT_READ;
}

bool takt_probe_uses_avx(const struct probe_form *form)
{
	return !takt_probe_is_aarch64(form) && (*form->text == 'v' || *form->text == '{');
}

/* Measure the pair by one kind of chain; false if there is none. */
static bool measure_pair(struct chain *chain, const struct probe_form *form,
			 const struct takt_choice *choice, const struct place *from,
			 const struct place *to, struct probe_latency *ret_latency)
{
	struct probe_outcome outcome;
	bool fine;

	/* Loads need not wait for the addresses of the stores that they read. */
	if (from->domain == DOMAIN_MEMORY && to->domain == DOMAIN_KEPT)
		return false;
	if (!add_links(chain, from, to))
		return false;
	if (reads_flags(form) && to->domain != DOMAIN_FLAGS)
		takt_probe_add_tool(chain->lab, &chain->code, PROBE_TEST, PROBE_BASE, PROBE_BASE);
	takt_probe_code_add(&chain->code, form, choice);
	chain->lab->x = chain->least;
	fine = takt_probe_run_chain(chain->lab, &chain->code, chain->title, &outcome);
	chain->lab->x = NAN;
	if (!fine)
		return false;
	ret_latency->cycles = fmax(outcome.cycles - chain->least, 0);
	ret_latency->least = fmax(outcome.cycles - chain->most, 0);
	ret_latency->is_upper_bound = chain->most > chain->least + 0.5;
	return true;
}

void takt_probe_slot_write(const struct probe_form *form, uint8_t slot, struct takt_text *text)
{
	const struct takt_memory *memory = form->insn.memory_count ? form->insn.memories : NULL;

	if (memory && memory->slot <= TAKT_SLOT_5 &&
	    (slot == TAKT_SLOT_BASE || slot == TAKT_SLOT_INDEX))
		takt_text_printf(text, "%u", memory->slot + 1u);
	takt_slot_write(takt_probe_isa(form), slot, text);
}

static void write_title(const struct probe_form *form, const struct probe_latency *latency,
			struct takt_text *text)
{
	takt_text_clear(text);
	takt_text_add_string(text, "latency ");
	takt_probe_slot_write(form, latency->source, text);
	takt_text_add_string(text, " to ");
	takt_probe_slot_write(form, latency->destination, text);
}

/* Links that are added for the longer chains, which compete for ports in other ways. */
#define LONGER_FILLERS 6

/* Latencies that differ by less agree. */
#define SAME_CYCLES 0.5

bool takt_probe_is_expected(const struct probe_expected *expected,
			    const struct probe_latency *latency)
{
	for (unsigned i = 0; expected && i < expected->count; i++) {
		const struct probe_latency *other = &expected->latencies[i];

		if (other->source == latency->source && other->destination == latency->destination)
			return latency->least <= other->cycles + SAME_CYCLES &&
			       other->least <= latency->cycles + SAME_CYCLES;
	}
	return false;
}

/*
 * Return the least figure of integer and floating-point chains, if they differ, of two lengths
 * each: whatever else delays a chain makes it longer. A figure that is expected is enough.
 */
static bool find_latency(struct chain *chain, const struct probe_form *form,
			 const struct takt_choice *choice, const struct place *from,
			 const struct place *to, struct probe_latency *latency)
{
	struct takt_text title = {0};
	bool found = false;

	write_title(form, latency, &title);
	for (unsigned kind = 0; kind < (goes_by_vectors(from, to) ? 4u : 2u) &&
				!(found && takt_probe_is_expected(chain->lab->expected, latency));
	     kind++) {
		struct chain tried = *chain;
		struct probe_latency result = *latency;

		tried.links = kind >= 2 ? PROBE_LINKS_FLOAT : PROBE_LINKS_INTEGER;
		tried.fillers += kind % 2 * LONGER_FILLERS;
		tried.title = takt_text_data(&title);
		if (!measure_pair(&tried, form, choice, from, to, &result) ||
		    (found && result.cycles >= latency->cycles))
			continue;
		*latency = result;
		found = true;
	}
	takt_text_release(&title);
	return found;
}

/* Limit the latency by the chain of instances, which wait for this pair, too. */
static void bound(struct probe_latency *latency, double chained)
{
	latency->cycles = fmin(latency->cycles, chained);
	latency->least = fmin(latency->least, chained);
	if (latency->cycles <= latency->least + 0.5)
		latency->is_upper_bound = false;
}

/* Chains of more cycles are not worth the time. */
#define CHAINED_CYCLES_MAX 150

unsigned takt_probe_fillers(double chained_cycles)
{
	return (unsigned)ceil(fmin(chained_cycles, CHAINED_CYCLES_MAX)) + 2;
}

/* True for pairs of which only round trips are known; takt_probe_pair() measures these. */
static bool is_high8_pair(const struct place *source, const struct place *destination)
{
	return source->domain == DOMAIN_HIGH8 || destination->domain == DOMAIN_HIGH8;
}

unsigned takt_probe_latencies(struct probe_lab *lab, const struct probe_form *form,
			      const struct probe_throughput *throughput,
			      struct probe_latency ret_latencies[PROBE_LATENCIES_MAX])
{
	struct chain chain = {.lab = lab, .avx = takt_probe_uses_avx(form)};
	struct ends sources, destinations;
	struct takt_choice choice;
	unsigned count = 0;

	if (throughput->chained > CHAINED_CYCLES_MAX ||
	    form->insn.insn_class == TAKT_CLASS_STRING || form->insn.flags & TAKT_INSN_SERIALIZING)
		return 0;
	chain.fillers = takt_probe_fillers(throughput->chained);
	takt_probe_instance(form, 0, &choice);
	find_ends(form, &choice, TAKT_READ, &sources);
	find_ends(form, &choice, TAKT_WRITE, &destinations);
	for (unsigned i = 0; i < sources.count * destinations.count; i++) {
		unsigned from = i % destinations.count, to = i / destinations.count;
		struct probe_latency *latency = &ret_latencies[count];

		if (is_high8_pair(&sources.places[to], &destinations.places[from]))
			continue;
		latency->source = sources.slots[to];
		latency->destination = destinations.slots[from];
		if (!find_latency(&chain, form, &choice, &destinations.places[from],
				  &sources.places[to], latency))
			continue;
		if (latency->is_upper_bound && latency->source == latency->destination)
			bound(latency, throughput->chained);
		if (++count == PROBE_LATENCIES_MAX)
			break;
	}
	return count;
}

/* ---- single pairs --------------------------------------------------------- */

static const struct place *find_end(const struct ends *ends, uint8_t slot)
{
	for (unsigned i = 0; i < ends->count; i++)
		if (ends->slots[i] == slot)
			return &ends->places[i];
	return NULL;
}

bool takt_probe_is_vector_pair(const struct probe_form *form, uint8_t source, uint8_t destination)
{
	struct ends sources, destinations;
	const struct place *from, *to;
	struct takt_choice choice;

	takt_probe_instance(form, 0, &choice);
	find_ends(form, &choice, TAKT_READ, &sources);
	find_ends(form, &choice, TAKT_WRITE, &destinations);
	from = find_end(&sources, source);
	to = find_end(&destinations, destination);
	return from && to && from->domain == DOMAIN_VECTOR && to->domain == DOMAIN_VECTOR;
}

bool takt_probe_pair(struct probe_lab *lab, const struct probe_form *form,
		     const struct probe_question *question, struct probe_latency *ret_latency)
{
	struct chain chain = {.lab = lab,
			      .avx = takt_probe_uses_avx(form),
			      .links = question->links,
			      .fillers = question->fillers,
			      .title = question->title};
	struct ends sources, destinations;
	const struct place *from, *to;

	find_ends(form, question->choice, question->is_false ? TAKT_WRITE : TAKT_READ, &sources);
	find_ends(form, question->choice, TAKT_WRITE, &destinations);
	from = find_end(&destinations, question->destination);
	to = find_end(&sources, question->source);
	*ret_latency = (struct probe_latency){.source = question->source,
					      .destination = question->destination};
	return from && to && measure_pair(&chain, form, question->choice, from, to, ret_latency);
}

/* ---- forms without latencies ---------------------------------------------- */

/* Explain why the form has no place of this role that a chain could lead to, or start from. */
static const char *why_no_end(const struct probe_form *form, unsigned role)
{
	const struct takt_insn *insn = &form->insn;

	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].flags & TAKT_STACK_ENGINE)
			return "its value is on the stack, at an address that moves";
	if (insn->insn_class == TAKT_CLASS_GATHER)
		return "its elements are at several addresses";
	for (unsigned i = 0; i < insn->memory_count; i++) {
		const struct takt_memory *memory = &insn->memories[i];

		if (!(role == TAKT_READ ? memory->read : memory->write))
			continue;
		return memory->slot > TAKT_SLOT_5 ? "its memory is at an implicit address"
						  : "its address is constant";
	}
	return role == TAKT_READ ? "it reads no register, flag or memory that a chain could write"
				 : "it writes no register, flag or memory that a chain could read";
}

/* True if instructions exist that lead from the one place to the other. */
static bool is_linkable(const struct place *from, const struct place *to)
{
	enum medium medium = medium_of(from, to);

	if (from->domain == DOMAIN_MEMORY && to->domain == DOMAIN_KEPT)
		return false;
	return (is_chained_directly(from, medium) || find_converter(from, medium)) &&
	       (is_chained_directly(to, medium) || find_converter(to, medium) ||
		(to->domain == DOMAIN_KEPT && medium == BY_GPR));
}

const char *takt_probe_why_no_latency(const struct probe_form *form, double chained)
{
	struct ends sources, destinations;
	struct takt_choice choice;
	bool high8 = false;

	if (form->insn.flags & TAKT_INSN_SERIALIZING)
		return "it waits for all instructions before it";
	if (chained > CHAINED_CYCLES_MAX)
		return "it takes more than 150 cycles in a chain with itself";
	if (form->insn.insn_class == TAKT_CLASS_STRING)
		return "string instructions move their own addresses";
	takt_probe_instance(form, 0, &choice);
	find_ends(form, &choice, TAKT_READ, &sources);
	find_ends(form, &choice, TAKT_WRITE, &destinations);
	if (!sources.count)
		return why_no_end(form, TAKT_READ);
	if (!destinations.count)
		return why_no_end(form, TAKT_WRITE);
	for (unsigned i = 0; i < sources.count * destinations.count; i++) {
		const struct place *source = &sources.places[i / destinations.count];
		const struct place *destination = &destinations.places[i % destinations.count];

		if (is_high8_pair(source, destination))
			high8 = true;
		else if (is_linkable(destination, source))
			return "its chains could not be measured";
	}
	if (!high8)
		return "no instruction leads from what it writes to what it reads";
	return "only round trips through ah, bh, ch or dh are known, which are variants";
}
