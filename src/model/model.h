/* SPDX-License-Identifier: MIT */
/*
 * model: core + form to µops, ports and latencies per operand pair. Facts come
 * from data/cores and data/timing (docs/formats.md), compiled at build time into
 * one read-only image inside the library; the same loader reads a user's files.
 * Latency per (source, destination) pair is the representation of the uops.info
 * paper, section 4.1.
 */
#ifndef TAKT_MODEL_H
#define TAKT_MODEL_H

#include "isa/isa.h"

/* ---- timing of a form -------------------------------------------------- */

struct takt_uops {
	uint32_t ports;   /* bit i: may use port i of the core */
	uint16_t count;   /* µops; cycles of occupancy for pseudo ports */
	uint16_t reserved;
};

struct takt_latency {
	uint8_t source, destination; /* enum takt_slot, or TAKT_SLOT_ANY / TAKT_SLOT_ANY_ADDRESS */
	uint16_t cycles;
};

/* Of a round trip through memory, in cycles, what a store takes in timing files; the rest is the
 * load's, as no experiment tells the two apart. */
#define TAKT_STORE_CYCLES 1

#define TAKT_SLOT_ANY 255
#define TAKT_SLOT_ANY_ADDRESS 254

enum takt_timing_flag {
	TAKT_TIMING_COMPLEX = 1,  /* complex decoder */
	TAKT_TIMING_ZERO = 2,     /* zero idiom: no µop, sources not waited for */
	TAKT_TIMING_BREAKS = 4,   /* sources not waited for */
	TAKT_TIMING_ELIM = 8,     /* move executed at rename */
};

/* How a timing was found; drives "estimated" marks and coverage. */
enum takt_match {
	TAKT_MATCH_ROW,       /* the form itself, or less specific by the documented fallback */
	TAKT_MATCH_COMPOSED,  /* memory form made from the register form */
	TAKT_MATCH_DEFAULT,   /* class default: the form is unknown */
};

struct takt_timing {
	const struct takt_uops *uops;
	const struct takt_latency *latencies;
	uint8_t uops_count, latency_count; /* lengths of the arrays */
	uint16_t latency_default;
	uint16_t slots;       /* issue (fused-domain) slots */
	uint16_t mite, ms;    /* slots from decoders, from microcode */
	uint16_t uop_total;   /* µops executed on issue ports */
	uint16_t rthroughput_hundredths; /* measured; 0 not known */
	uint8_t flags;        /* enum takt_timing_flag */
	uint8_t simple_decoders; /* usable beside a complex one; 255: all */
	uint8_t origin;       /* enum takt_origin */
	uint8_t match;        /* enum takt_match */
	uint8_t source;       /* index for takt_model_source */
};

/* Storage for composed timings; must outlive the timing. */
struct takt_timing_storage {
	struct takt_uops uops[16];
	struct takt_latency latencies[24];
};

/*
 * Always succeeds. `storage` is written only for composed forms; the timing
 * otherwise points into the model. No allocation.
 */
void takt_model_timing(const struct takt_model *model, const struct takt_insn *insn,
		       struct takt_timing_storage *storage, struct takt_timing *ret_timing);
/*
 * Takes the port that 512-bit code closes off the vector µops that have another one, where
 * the block has such code. `timings` are the block's, `storage` as takt_model_timing() got it.
 */
void takt_timings_close_port(const struct takt_model *model, const struct takt_block *block,
			     struct takt_timing_storage *storage, struct takt_timing *timings);
/* Latency in cycles from one slot of the instruction to another. */
uint32_t takt_timing_latency(const struct takt_timing *timing, uint8_t source,
			     uint8_t destination);

/* Cycles of one among many if nothing but ports, units among them, limits it. */
double takt_timing_ports_cycles(const struct takt_timing *timing);
/* The same by all that the row says: measured, or by ports and issue slots. */
double takt_timing_throughput(const struct takt_model *model, const struct takt_timing *timing);

/* ---- agreement.c: two sources on one core --------------------------------- */

#define TAKT_AGREEMENT_CYCLES 0.5 /* by which latencies may differ */
#define TAKT_AGREEMENT_PART 0.05  /* of the reference, by which throughputs may */

/* What both say, and how much of that is equal; zero-initialise. */
struct takt_agreement {
	size_t latencies, latencies_equal; /* of pairs of operands */
	size_t throughputs, throughputs_equal;
};

/* Count one more, and return whether it is equal. In cycles; the latency is in a range. */
bool takt_agreement_latency(struct takt_agreement *agreement, double least, double most,
			    double reference);
bool takt_agreement_throughput(struct takt_agreement *agreement, double cycles, double reference);
/* Counts all pairs of an operand that the instruction reads and one that it writes. */
void takt_agreement_insn(struct takt_agreement *agreement, const struct takt_insn *insn,
			 const struct takt_timing *timing, const struct takt_timing *reference);
/* A line for each, with its share; none for what there is nothing of. */
void takt_agreement_write(const struct takt_agreement *agreement, struct takt_text *text);

/*
 * True if `first` and `second` decode into one µop on this core (macro-fusion): the second
 * is a conditional jump, or, on AArch64, an instruction that fuses with the first anyway.
 */
bool takt_model_fuses(const struct takt_model *model, const struct takt_insn *first,
		      const struct takt_insn *second);
/* True if `first` fuses with some conditional jump, so that decoders must see what follows. */
bool takt_model_may_fuse(const struct takt_model *model, const struct takt_insn *first);
/* True if the core has the ISA set the instruction belongs to. */
bool takt_model_supports(const struct takt_model *model, const struct takt_insn *insn);

/* ---- parameters of a core ---------------------------------------------- */

/* One field per line of params.def: X(name, unit, default, help). All are integers. */
struct takt_core_params {
#define X(name, unit, fallback, help) int32_t name;
#include "model/params.def"
#undef X
};

/* From a stored value to the loaded one, if the cache forwards it. */
static inline int takt_core_forward_cycles(const struct takt_core_params *params,
					   const struct takt_insn *insn)
{
	bool vector = insn->flags & (TAKT_INSN_VECTOR | TAKT_INSN_X87);

	return vector && params->store_forward_vector_cycles ? params->store_forward_vector_cycles
							     : params->store_forward_cycles;
}

/* What one access to memory needs, by the core's `compose` rows. */
struct takt_access_ports {
	uint32_t load, load_units;   /* masks; units are pseudo ports */
	uint32_t store_address, store_data, store_units; /* 0: the core has none of its own */
	uint16_t load_latency_cycles; /* from the address */
};

void takt_model_access_ports(const struct takt_model *model, bool vector, uint16_t size_bytes,
			     bool indexed, struct takt_access_ports *ret_ports);
/* Issue ports of the class's default row. */
uint32_t takt_model_class_ports(const struct takt_model *model, enum takt_insn_class insn_class);

/* µops for these ports wait here until they execute. */
struct takt_scheduler {
	uint32_t ports;   /* mask */
	uint16_t entries;
	uint8_t source;   /* for takt_model_source */
	uint8_t reserved;
};

#define TAKT_SCHEDULERS_MAX 12

/* The schedulers of a core that has several; none: one for all ports, scheduler_entries. */
const struct takt_scheduler *takt_model_schedulers(const struct takt_model *model,
						   uint32_t *ret_count);

/* Of all data of the core that predictions depend on: two cores with the same are the same. */
uint64_t takt_model_digest(const struct takt_model *model);
const struct takt_isa *takt_model_isa(const struct takt_model *model);
const struct takt_core_params *takt_model_params(const struct takt_model *model);
uint32_t takt_model_port_count(const struct takt_model *model);
const char *takt_model_port_name(const struct takt_model *model, uint32_t port);
/* "divider"; "" for a port without a title. */
const char *takt_model_port_title(const struct takt_model *model, uint32_t port);
uint32_t takt_model_pseudo_ports(const struct takt_model *model); /* mask */
/* "published: uops.info …" */
const char *takt_model_source(const struct takt_model *model, uint8_t source);

/* ---- what if ------------------------------------------------------------- */

/* How another core differs from a given one. */
struct takt_model_change {
	const struct takt_core_params *params; /* NULL: as they are */
	uint32_t twin_ports;        /* mask of one port that there is one more of; 0: none */
	uint32_t load_cycles_less;  /* that loads take, but for the row's own figures */
};

/* The changed core; `model` must outlive it. The twin is its last port. */
struct takt_model *takt_model_change(const struct takt_model *model,
				     const struct takt_model_change *change);

/* ---- code in the front end --------------------------------------------- */

/* Slots that come from decoders or op cache, not from the microcode sequencer; 1 or more. */
uint32_t takt_timing_decoded_slots(const struct takt_timing *timing);
/* Those that come from the sequencer. */
uint32_t takt_timing_microcode_slots(const struct takt_timing *timing);

/* What decides how an instruction, or a fused pair, lies in the op cache. */
struct takt_code_item {
	uint8_t length_bytes;
	uint16_t slots;      /* of a line */
	uint8_t constants;
	bool microcode;      /* takes a line of its own */
	bool branch;
	bool waits_for_next; /* length-changing prefix, and its kind may fuse */
};

/* A line that is being filled; all zero: none yet. */
struct takt_cache_line {
	uint64_t window_end;
	uint32_t slots, constants; /* taken */
	bool open;                 /* takes more */
};

/* `address` is not before those of the items in the line, if it is open. */
/* Puts the item into the line; false if it did not fit, and the line is another one now. */
bool takt_cache_line_add(const struct takt_core_params *params, struct takt_cache_line *line,
			 const struct takt_code_item *item, uint64_t address);
/* Which items of a loop that starts at `address` may come out of the op cache. */
void takt_code_find_cached(const struct takt_core_params *params,
			   const struct takt_code_item *items, uint32_t count, uint64_t address,
			   bool *ret_cached);
/* Times a loop of so many slots is repeated in the loop buffer; 0 if it does not fit. */
uint32_t takt_loop_buffer_copies(const struct takt_core_params *params, uint32_t slots);

/* ---- listing, checking, comparing (takt model …) ----------------------- */

/* Names of a core's ports by bit. */
struct takt_port_list {
	char names[TAKT_PORTS_MAX][4];
	uint32_t count;
	uint32_t pseudo; /* mask */
};

void takt_model_ports(const struct takt_model *model, struct takt_port_list *ret_ports);
/* The ports that the core file's `unit` lines give to a name; 0 if none does. */
uint32_t takt_model_unit_ports(const struct takt_model *model, const char *name);
bool takt_model_has_units(const struct takt_model *model);
/* One line of a timing file, newline included. `source_tag` may be NULL: no src=. */
void takt_timing_row_write(const struct takt_isa *isa, takt_form_key form,
			   const struct takt_timing *timing, const struct takt_port_list *ports,
			   const char *source_tag, struct takt_text *text);
/* "1*p01+1*p23"; "-" if there are none. */
void takt_uops_write(const struct takt_timing *timing, const struct takt_port_list *ports,
		     struct takt_text *text);

#endif
