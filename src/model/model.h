/* SPDX-License-Identifier: MIT */
/*
 * model: gives µops, ports and latencies per operand pair for an instruction form on a core.
 * Facts come from data/cores and data/timing (docs/formats/models.md), compiled at build time into
 * one read-only image inside the library; the same loader reads a user's files.
 * Latency per (source, destination) pair is the representation of the uops.info
 * paper, section 4.1.
 */
#ifndef TAKT_MODEL_H
#define TAKT_MODEL_H

#include "isa/isa.h"

struct takt_schema;
extern const struct takt_schema takt_model_list_schema; /* the form of the list's JSON */

/* ---- this machine's core: host.c, host_timings.c, learnt.c ------------------ */

/* Result of `takt model identify`: the core whose simulated timings are nearest. */
struct takt_host_timings {
	const char *core, *next;	/* nearest core, and the next one; "" if there is none */
	double distance, next_distance; /* as in struct takt_identify_core */
	uint32_t count;			/* timings compared */
};

/* Keep the result for this processor in the user's cache directory; append the file's path. */
TAKT_MUST_CHECK enum takt_status takt_host_timings_keep(const struct takt_host_timings *timings,
							struct takt_diag *diag,
							struct takt_text *path);
/*
 * Install a core of a model directory, with all files it inherits from, as the model that was
 * learnt on this processor: takt_model_open("host") takes it from then on. Append the folder it is
 * in. An earlier one is replaced. Nothing is left behind after an error.
 */
TAKT_MUST_CHECK enum takt_status takt_learnt_install(const char *model_dir, const char *name,
						     struct takt_diag *diag,
						     struct takt_text *path);
/* Append which feature proves that this processor does not have the core; nothing if none does. */
void takt_model_write_contradiction(const struct takt_model *model, struct takt_text *text);
/*
 * List the names of all cores that takt_model_open() knows: those of the directory (or NULL), the
 * built-in ones, and the one that was learnt on this machine.
 */
TAKT_MUST_CHECK enum takt_status takt_model_names(const char *model_dir, struct takt_diag *diag,
						  struct takt_arena *arena,
						  const char *const **ret_names, size_t *ret_count);
/* Append how this processor identifies itself. */
void takt_model_write_processor(struct takt_text *text);

/* ---- timing of a form -------------------------------------------------- */

struct takt_uops {
	uint32_t ports; /* bit i: the µops may use port i of the core */
	uint16_t count; /* µops; cycles of occupancy for pseudo ports */
	uint16_t reserved;
};

struct takt_latency {
	uint8_t source, destination; /* enum takt_slot, or TAKT_SLOT_ANY / TAKT_SLOT_ANY_ADDRESS */
	uint16_t cycles;
};

/* Cycles of a round trip through memory that timing files give to the store. The rest is the
 * load's; the split is a convention, because no experiment tells the two apart. */
#define TAKT_STORE_CYCLES 1

#define TAKT_SLOT_ANY 255
#define TAKT_SLOT_ANY_ADDRESS 254

enum takt_timing_flag {
	TAKT_TIMING_COMPLEX = 1, /* needs the complex decoder */
	TAKT_TIMING_ZERO = 2,	 /* zero idiom: has no µop and does not wait for its sources */
	TAKT_TIMING_BREAKS = 4,	 /* dependency breaker: does not wait for its sources */
	TAKT_TIMING_ELIM = 8,	 /* eliminated move: carried out at rename */
};

/* Lookup that found a timing; it decides what reports mark as "estimated", and the coverage. */
enum takt_match {
	TAKT_MATCH_ROW, /* a row of the form, or of a less specific one (docs/formats/forms.md) */
	TAKT_MATCH_COMPOSED, /* a memory form composed from the register form */
	TAKT_MATCH_DEFAULT,  /* class default: the form is unknown */
};

struct takt_timing {
	const struct takt_uops *uops;
	const struct takt_latency *latencies;
	uint8_t uops_count, latency_count; /* lengths of the arrays */
	uint16_t latency_default;
	uint16_t slots;	    /* issue (fused-domain) slots */
	uint16_t mite, ms;  /* slots from the decoders, and from the microcode sequencer */
	uint16_t uop_total; /* µops executed on issue ports */
	uint16_t rthroughput_hundredths; /* measured, in 1/100 cycle; 0: not known */
	uint8_t flags;			 /* enum takt_timing_flag */
	uint8_t simple_decoders;	 /* simple decoders usable in the same cycle; 255: all */
	uint8_t origin;			 /* enum takt_origin */
	uint8_t match;			 /* enum takt_match */
	uint8_t source;			 /* index for takt_model_source */
};

/* Storage for a composed timing; it must outlive the timing. */
struct takt_timing_storage {
	struct takt_uops uops[16];
	struct takt_latency latencies[24];
};

/*
 * Find or compose the timing of an instruction; this always succeeds and allocates nothing.
 * `storage` is written only for composed forms; otherwise the timing points into the model.
 */
void takt_model_timing(const struct takt_model *model, const struct takt_insn *insn,
		       struct takt_timing_storage *storage, struct takt_timing *ret_timing);
/*
 * The same of an instruction that is no form of its own: a load and the operation that it is fused
 * with (takt_model_fuses_load()). The operation's timing, with the core's load before it.
 */
void takt_model_timing_loaded(const struct takt_model *model, const struct takt_insn *insn,
			      struct takt_timing_storage *storage, struct takt_timing *ret_timing);
/*
 * If the block has 512-bit code, remove the port that such code closes from all vector µops that
 * may use another one. `timings` are the block's, and `storage` is what takt_model_timing() got.
 */
void takt_timings_close_port(const struct takt_model *model, const struct takt_block *block,
			     struct takt_timing_storage *storage, struct takt_timing *timings);
#define TAKT_INSN_SLOTS_MAX (TAKT_ACCESSES_MAX + TAKT_MEMORIES_MAX)

/* List the slots of operands that the instruction reads, or writes, each once. Return their number.
 */
unsigned takt_insn_find_slots(const struct takt_insn *insn, bool written,
			      uint8_t slots[TAKT_INSN_SLOTS_MAX]);
/* Return the latency in cycles from one slot of the instruction to another. */
uint32_t takt_timing_latency(const struct takt_timing *timing, uint8_t source, uint8_t destination);

/* Return the reciprocal throughput if nothing limits it but the ports and pseudo ports. */
double takt_timing_ports_cycles(const struct takt_timing *timing);
/* Return the reciprocal throughput: the measured one, or the bound of ports and issue slots. */
double takt_timing_throughput(const struct takt_model *model, const struct takt_timing *timing);

/* ---- agreement.c: two sources on one core --------------------------------- */

#define TAKT_AGREEMENT_CYCLES 0.5 /* cycles by which latencies may differ and still agree */
#define TAKT_AGREEMENT_PART 0.05  /* part of the reference by which throughputs may differ */

/* Numbers of figures that both sources have, and of those that agree. Zero-initialise it. */
struct takt_agreement {
	size_t latencies, latencies_equal; /* counts of operand pairs */
	size_t throughputs, throughputs_equal;
};

/* Count one more figure, in cycles; true if it agrees. A latency is known to be in a range. */
bool takt_agreement_latency(struct takt_agreement *agreement, double least, double most,
			    double reference);
bool takt_agreement_throughput(struct takt_agreement *agreement, double cycles, double reference);
/* Count all pairs of an operand that the instruction reads and one that it writes. */
void takt_agreement_insn(struct takt_agreement *agreement, const struct takt_insn *insn,
			 const struct takt_timing *timing, const struct takt_timing *reference);
/* Write a line with the share that agrees, for latencies and for throughputs, if there are any. */
void takt_agreement_write(const struct takt_agreement *agreement, struct takt_text *text);

/* ---- pairs of instructions that become one µop: fuse.c ----------------------- */

/* Operands with which a core does not macro-fuse. X(enumerator, word in core files) */
#define TAKT_FUSE_NOT_LIST(X)                                                                      \
	X(TAKT_FUSE_NOT_MEM, "mem")                                                                \
	X(TAKT_FUSE_NOT_MEM_IMM, "mem-imm")                                                        \
	X(TAKT_FUSE_NOT_RIP, "rip")                                                                \
	X(TAKT_FUSE_NOT_RIP_IMM, "rip-imm")                                                        \
	X(TAKT_FUSE_NOT_DISP_IMM, "disp-imm")                                                      \
	X(TAKT_FUSE_NOT_WIDE_DISP_IMM, "disp32-imm32")                                             \
	X(TAKT_FUSE_NOT_IMM, "imm")

enum takt_fuse_not {
#define X(name, word) name,
	TAKT_FUSE_NOT_LIST(X)
#undef X
		TAKT_FUSE_NOT_COUNT
};

/* The part that a mnemonic has in a pair of instructions that becomes one µop. */
enum takt_fuse_role {
	TAKT_FUSE_JUMP,	  /* fuses with a jump on one of the conditions that follows */
	TAKT_FUSE_FIRST,  /* of a pair without a jump */
	TAKT_FUSE_SECOND, /* of the pairs with the same number */
	TAKT_FUSE_LOAD,	  /* a load, first of a pair */
	TAKT_FUSE_LOADED, /* second of the pairs with such a load and the same number */
};

struct takt_fuse {
	uint16_t mnemonic, conditions; /* bit c: the mnemonic fuses with the jump of condition c */
	uint8_t role;		       /* enum takt_fuse_role */
	uint8_t set;		       /* of pairs: each first of a set fuses with each second */
};

#define TAKT_FUSES_MAX 192u
#define TAKT_FUSE_SETS_MAX 31u /* a bit each in a mask (fuse.c) */

/* The pairs of instructions that a core fuses into one µop. */
struct takt_fusing {
	const struct takt_fuse *fuses; /* those that fuse with jumps first, then one set after the
					* other, each with what is first before what is second */
	uint32_t count;		       /* at most TAKT_FUSES_MAX */
	uint32_t restrictions; /* bit n: not with operands of kind n of enum takt_fuse_not */
};

/* Return what the model has; its list belongs to the model. */
struct takt_fusing takt_model_fusing(const struct takt_model *model);
/* Append the lines of a core file. */
void takt_fusing_write(const struct takt_isa *isa, const struct takt_fusing *fusing,
		       struct takt_text *text);
/*
 * True if `first` and `second` decode into one µop on this core (macro-fusion): the second
 * is a conditional jump, or, on AArch64, an instruction that fuses with the first anyway.
 */
bool takt_model_fuses(const struct takt_model *model, const struct takt_insn *first,
		      const struct takt_insn *second);
/*
 * True if the first of `count` instructions fuses with the one after it: a jump or a nop, or,
 * where a `fuse-pair` line says so, an operation on the register that the first copies another one
 * to, or with `fuse-load`, loads. A jump that fuses with the second has precedence.
 */
bool takt_model_fuses_next(const struct takt_model *model, const struct takt_insn *insns,
			   uint32_t count);
/* True if the first of `count` instructions is a load that fuses with the one after it. */
bool takt_model_fuses_load(const struct takt_model *model, const struct takt_insn *insns,
			   uint32_t count);
/*
 * Complete the timing of the jump in a fused pair by what `first` needs besides: a register that it
 * writes must come from an ALU on some cores (fused_results_by_alu). `storage` is what
 * takt_model_timing() got for the jump.
 */
void takt_timing_fuse(const struct takt_model *model, const struct takt_insn *first,
		      struct takt_timing_storage *storage, struct takt_timing *jump);
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

/* Check what the engines assume of parameters. False, after an error, if one is out of range. */
bool takt_params_check(const struct takt_core_params *values, struct takt_diag *diag);

/* Write each parameter of a core as an object: name, value, unit, help. (parameters.c) */
void takt_model_write_parameters(const struct takt_model *model, struct takt_json *json);

/* Return the cycles from a stored value to the loaded one, if the store is forwarded. */
static inline int takt_core_forward_cycles(const struct takt_core_params *params,
					   const struct takt_insn *insn)
{
	bool vector = insn->flags & (TAKT_INSN_VECTOR | TAKT_INSN_X87);

	return vector && params->store_forward_vector_cycles ? params->store_forward_vector_cycles
							     : params->store_forward_cycles;
}

/* The ports and latency of one access to memory, by the core's `compose` rows. */
struct takt_access_ports {
	uint32_t load, load_units;			 /* masks; the units are pseudo ports */
	uint32_t store_address, store_data, store_units; /* masks; 0: the core has no such port */
	uint16_t load_latency_cycles;			 /* from the address to the value */
};

void takt_model_access_ports(const struct takt_model *model, bool vector, uint16_t size_bytes,
			     bool indexed, struct takt_access_ports *ret_ports);
/* Return the issue ports of the class's default row. */
uint32_t takt_model_class_ports(const struct takt_model *model, enum takt_insn_class insn_class);

/*
 * A scheduler, in which µops for its ports wait until they execute. Schedulers with queue entries
 * share one queue, which has all of these together: µops leave it in order, each when one of these
 * schedulers has a free entry.
 */
struct takt_scheduler {
	uint32_t ports; /* mask */
	uint16_t entries;
	uint8_t source;	       /* for takt_model_source */
	uint8_t queue_entries; /* 0: it has no queue */
};

#define TAKT_SCHEDULERS_MAX 12

/*
 * Return the schedulers of a core that has several. None: the core has one for all ports, with
 * `scheduler_entries` entries.
 */
const struct takt_scheduler *takt_model_schedulers(const struct takt_model *model,
						   uint32_t *ret_count);

/* Return a hash of all data of the core that predictions depend on, to tell cores apart. */
uint64_t takt_model_digest(const struct takt_model *model);
/* Return the name of the core's timing file, without its suffix. */
const char *takt_model_timing_name(const struct takt_model *model);
const struct takt_isa *takt_model_isa(const struct takt_model *model);
const struct takt_core_params *takt_model_params(const struct takt_model *model);
uint32_t takt_model_port_count(const struct takt_model *model);
const char *takt_model_port_name(const struct takt_model *model, uint32_t port);
/* Return a port's title, such as "divider"; "" for a port without one. */
const char *takt_model_port_title(const struct takt_model *model, uint32_t port);
uint32_t takt_model_pseudo_ports(const struct takt_model *model); /* mask */
/* Return the text of a source, such as "published: uops.info …". */
const char *takt_model_source(const struct takt_model *model, uint8_t source);

/* ---- what if ------------------------------------------------------------- */

/* Differences of a hypothetical core from a given one. */
struct takt_model_change {
	const struct takt_core_params *params; /* NULL: unchanged */
	uint32_t twin_ports;		       /* mask of the one port that is doubled; 0: none */
	uint32_t spared_ports;		       /* mask of ports that µops use only if no other port
						* executes them */
	uint32_t load_cycles_less; /* cycles by which loads are faster, if a row gives no figure */
	const struct takt_scheduler *schedulers; /* as many as the core has; NULL: unchanged */
	const struct takt_fusing *fusing;	 /* NULL: unchanged */
};

/* True if takt_model_set() takes a setting of this name, unless the name is wrong for all cores. */
bool takt_model_has_setting(const struct takt_model *model, const char *name);
/* Make the changed core, which `model` must outlive. The port that was added is its last. */
struct takt_model *takt_model_change(const struct takt_model *model,
				     const struct takt_model_change *change);

/* ---- code in the front end --------------------------------------------- */

/* Return the slots (at least 1) from decoders or op cache, not from the microcode sequencer. */
uint32_t takt_timing_decoded_slots(const struct takt_timing *timing);
/* Return the slots that come from the microcode sequencer. */
uint32_t takt_timing_microcode_slots(const struct takt_timing *timing);

/* ---- string instructions with rep -------------------------------------- */

/* Kinds of string instruction; their cycles grow differently with the count. */
enum takt_string_kind {
	TAKT_STRING_OTHER, /* it has no rep prefix, or compares, scans or loads; or it is no such
			    * instruction */
	TAKT_STRING_MOVE,  /* rep movs */
	TAKT_STRING_FILL,  /* rep stos */
};

enum takt_string_kind takt_insn_string_kind(const struct takt_insn *insn);
/*
 * Return the cycles that moving or filling `count` elements takes beyond the figures of the
 * instruction's row.
 */
uint64_t takt_string_cycles(const struct takt_core_params *params, enum takt_string_kind kind,
			    unsigned element_bytes, uint64_t count);
/*
 * Give the string instructions whose count is a constant that the block sets the slots of
 * microcode that takt_string_cycles() asks for, on cores whose rows are for short strings.
 * `timings` are the block's.
 */
void takt_timings_count_strings(const struct takt_model *model, const struct takt_block *block,
				struct takt_timing *timings);

/* The properties of an instruction, or a fused pair, that decide where it lies in the op cache. */
struct takt_code_item {
	uint8_t length_bytes;
	uint16_t slots; /* slots that it takes in an op cache line */
	uint8_t constants;
	bool microcode; /* needs a line of its own */
	bool branch;
	bool waits_for_next; /* has a length-changing prefix, and may fuse with the next */
};

/* An op cache line that is being filled; all zero: there is none yet. */
struct takt_cache_line {
	uint64_t window_end;
	uint32_t slots, constants; /* used so far */
	bool open;		   /* more items may be added */
};

/*
 * Add the item to the line, if it is open and the item fits; otherwise begin a new line with the
 * item, and return false. In an open line `address` must not be below those of earlier items.
 */
bool takt_cache_line_add(const struct takt_core_params *params, struct takt_cache_line *line,
			 const struct takt_code_item *item, uint64_t address);
/* Return the displacements and immediates of an instruction that take places in a line. */
static inline uint8_t takt_cache_constants(const struct takt_core_params *params,
					   const struct takt_insn *insn)
{
	if (params->op_cache_narrow_constants)
		return insn->constant_count;
	return (uint8_t)(insn->constant_count - insn->narrow_constant_count);
}

/* Return the address whose window an item at `address` is read with. */
static inline uint64_t takt_cache_address(const struct takt_core_params *params,
					  const struct takt_code_item *item, uint64_t address)
{
	bool by_end = params->op_cache_branch_ends && item->branch;

	return by_end ? address + item->length_bytes - 1u : address;
}

/* Return the end of the op cache's window that has the byte at `address`. */
uint64_t takt_cache_window_end(const struct takt_core_params *params, uint64_t address);

/* The same as takt_cache_line_add(), but only if the line is open and the item fits; false if not.
 */
static inline bool takt_cache_line_continue(const struct takt_core_params *params,
					    struct takt_cache_line *line,
					    const struct takt_code_item *item, uint64_t address)
{
	int64_t slots = (int64_t)line->slots + item->slots;
	int64_t places = slots * 2 + line->constants + item->constants;

	/* Addresses only rise within a line; the caller closes the line after a jump. */
	if (!line->open || item->microcode ||
	    (!params->op_cache_lines_continue &&
	     takt_cache_address(params, item, address) >= line->window_end) ||
	    slots > params->op_cache_line_slots ||
	    (params->op_cache_line_places > 0 && places > params->op_cache_line_places))
		return false;
	line->slots += item->slots;
	line->constants += item->constants;
	return true;
}

/* Reasons why the op cache does not hold the code of a window. */
enum takt_uncached {
	TAKT_UNCACHED_NOT,    /* it does */
	TAKT_UNCACHED_BRANCH, /* a branch touches the end of 32 bytes (the JCC erratum) */
	TAKT_UNCACHED_LENGTH, /* length-changing prefixes where the next instruction is waited for
			       */
	TAKT_UNCACHED_LINES,  /* the window needs more lines than it may have */
};

/*
 * Return why the first windows of code at `address` are not in the op cache of a core that has one,
 * and which item is the reason, or where its window begins.
 */
enum takt_uncached takt_code_uncached(const struct takt_core_params *params,
				      const struct takt_code_item *items, uint32_t count,
				      uint64_t address, uint32_t *ret_item);
/* Find the items of a loop at `address` that the op cache may deliver. */
void takt_code_find_cached(const struct takt_core_params *params,
			   const struct takt_code_item *items, uint32_t count, uint64_t address,
			   bool *ret_cached);
/* Return how often the loop buffer repeats a loop of this many slots; 0 if it does not fit. */
uint32_t takt_loop_buffer_copies(const struct takt_core_params *params, uint32_t slots);

/* ---- listing, checking, comparing (takt model …) ----------------------- */

/* Names of a core's ports, by their bit in masks. */
struct takt_port_list {
	char names[TAKT_PORTS_MAX][4];
	uint32_t count;
	uint32_t pseudo; /* mask */
};

void takt_model_ports(const struct takt_model *model, struct takt_port_list *ret_ports);
/* Return the ports that the core file's `unit` lines give to a name; 0 if none does. */
uint32_t takt_model_unit_ports(const struct takt_model *model, const char *name);
/* Return true if the core file has `unit` lines with LLVM's names, not only with OSACA's. */
bool takt_model_has_units(const struct takt_model *model);
/* Write one line of a timing file with its newline. `source_tag` may be NULL: no src=. */
void takt_timing_row_write(const struct takt_isa *isa, takt_form_key form,
			   const struct takt_timing *timing, const struct takt_port_list *ports,
			   const char *source_tag, struct takt_text *text);
/* Write the µops, such as "1*p01+1*p23"; "-" if there are none. */
void takt_uops_write(const struct takt_timing *timing, const struct takt_port_list *ports,
		     struct takt_text *text);

#endif
