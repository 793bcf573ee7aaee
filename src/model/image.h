/* SPDX-License-Identifier: MIT */
/*
 * image: every core and its timings as one block of read-only bytes. It holds
 * indices, never pointers, so the built-in one lives in .rodata without
 * relocations and only the pages that lookups touch are read.
 *
 *   header: magic, version, size, numbering check, one (offset, count) per section
 *   forms      open-addressing hash table of form keys, shared by all cores
 *   variants   for each form: which of its qualified variants have a row
 *   columns    per core: one timing number (0: no row) for each slot of `forms`
 *   timings, uops, latencies    pools in which equal entries are stored once
 *   cores, fuses, cpuids, sources, strings
 *
 * Bit c of an entry of `variants` is set if a row exists for the form with the qualifier flags
 * c << TAKT_QUALIFIER_SHIFT, so that lookups do not search for rows that do not exist.
 * Images are trusted as far as takt_image_open() checks (the sections lie inside);
 * all indices are checked again where they are used.
 */
#ifndef TAKT_MODEL_IMAGE_H
#define TAKT_MODEL_IMAGE_H

#include "model/model.h"

#define TAKT_IMAGE_MAGIC 0x6d6b6174u /* "takm" */
#define TAKT_IMAGE_VERSION 7u
#define TAKT_IMAGE_ALIGNMENT 8u

#define TAKT_QUALIFIER_SHIFT 59 /* bit of SAME, the lowest qualifier, in a form key */
#define TAKT_QUALIFIER_COMBINATIONS 16u
#define TAKT_NO_SLOT UINT32_MAX
/*
 * Form keys of instruction sets that only LLVM decodes: a row stands for a scheduling class, so
 * the opcode is masked out.
 */
#define TAKT_LLVM_OPCODE_MASK (UINT64_C(0xffffff) << 27)
#define TAKT_LLVM_CLASS_SHIFT 11

#define TAKT_IMAGE_ISA_WORDS 8u
#define TAKT_IMAGE_PARAMS_MAX 192u
#define TAKT_IMAGE_CLASSES_MAX 32u
#define TAKT_TWINS_MAX 8u /* ports that can be added to a model */

/* `compose` rows of a core file, from which memory forms are composed. */
enum takt_compose {
	TAKT_COMPOSE_INDEXED = 1,
	TAKT_COMPOSE_VECTOR = 1 << 1, /* width, 2 bits: general register, vector, ymm, zmm */
	TAKT_COMPOSE_YMM = 2 << 1,
	TAKT_COMPOSE_ZMM = 3 << 1,
	TAKT_COMPOSE_STORE = 1 << 3,
	TAKT_COMPOSE_COUNT = 16
};

enum takt_param {
#define X(name, unit, fallback, help) TAKT_PARAM_##name,
#include "model/params.def"
#undef X
	TAKT_PARAM_COUNT
};

struct takt_param_text {
	const char *name, *unit, *help;
	int32_t fallback; /* value for a core that does not set it */
};

extern const struct takt_param_text takt_param_texts[TAKT_PARAM_COUNT]; /* (parameters.c) */
_Static_assert(sizeof(struct takt_core_params) == TAKT_PARAM_COUNT * sizeof(int32_t),
	       "the parameters are an array of integers");

struct takt_image_timing {
	uint32_t uops_index, latency_index;
	uint8_t uops_count, latency_count;
	uint16_t latency_default, slots, mite, ms, uop_total, rthroughput_hundredths;
	uint8_t flags, simple_decoders, source, reserved[3];
};

/* A name that other projects give to some of a core's ports. */
struct takt_image_unit {
	uint32_t name, ports; /* a string and a mask */
};

struct takt_image_cpuid {
	uint16_t family, model_first, model_last, stepping_first, stepping_last, reserved;
	uint32_t analogy; /* a string: how the product's core differs from this one; "": it is it */
};

struct takt_image_source {
	uint32_t tag, text; /* strings; the text begins with the origin's word */
	uint32_t origin;
};

struct takt_image_core {
	uint64_t isa_sets[TAKT_IMAGE_ISA_WORDS];
	uint32_t name, title, vendor, isa, timing; /* strings */
	uint32_t aliases, analogies; /* strings of other names, and of names of other cores for
				      * which this one stands in, with spaces between */
	uint32_t port_count, pseudo_ports;
	char ports[TAKT_PORTS_MAX][4];
	uint32_t port_titles[TAKT_PORTS_MAX];
	int32_t params[TAKT_IMAGE_PARAMS_MAX];
	uint8_t param_sources[TAKT_IMAGE_PARAMS_MAX]; /* source number + 1; 0: the default */
	uint32_t compose[TAKT_COMPOSE_COUNT];	      /* timing numbers; 0: no row */
	uint32_t defaults[TAKT_IMAGE_CLASSES_MAX];    /* timing numbers by enum takt_insn_class */
	uint32_t fuse_index, fuse_count, fuse_not, cpuid_index, cpuid_count;
	uint32_t unit_index, unit_count;
	uint32_t form_count;
	uint32_t scheduler_count;
	struct takt_scheduler schedulers[TAKT_SCHEDULERS_MAX];
};

/* Records have no padding, because images and the entries of pools are compared byte by byte. */
_Static_assert(sizeof(struct takt_image_timing) == 28, "timings have no padding");
_Static_assert(sizeof(struct takt_image_source) == 12, "sources have no padding");
_Static_assert(sizeof(struct takt_uops) == 8, "µops have no padding");
_Static_assert(sizeof(struct takt_latency) == 4, "latencies have no padding");
_Static_assert(TAKT_PARAM_COUNT <= TAKT_IMAGE_PARAMS_MAX, "too many parameters for the image");
_Static_assert(TAKT_CLASS_COUNT <= TAKT_IMAGE_CLASSES_MAX, "too many classes for the image");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "images are read in place");

/* X(section, element type, member) */
#define TAKT_IMAGE_SECTION_LIST(X)                                                                 \
	X(FORMS, uint64_t, forms)                                                                  \
	X(VARIANTS, uint16_t, variants)                                                            \
	X(COLUMNS, uint32_t, columns)                                                              \
	X(TIMINGS, struct takt_image_timing, timings)                                              \
	X(UOPS, struct takt_uops, uops)                                                            \
	X(LATENCIES, struct takt_latency, latencies)                                               \
	X(CORES, struct takt_image_core, cores)                                                    \
	X(FUSES, struct takt_fuse, fuses)                                                          \
	X(CPUIDS, struct takt_image_cpuid, cpuids)                                                 \
	X(UNITS, struct takt_image_unit, units)                                                    \
	X(SOURCES, struct takt_image_source, sources)                                              \
	X(STRINGS, char, strings)

enum takt_image_section {
#define X(name, type, member) TAKT_IMAGE_##name,
	TAKT_IMAGE_SECTION_LIST(X)
#undef X
		TAKT_IMAGE_SECTION_COUNT
};

struct takt_image_header {
	uint32_t magic, version, size_bytes, numbering;
	struct {
		uint32_t offset, count;
	} sections[TAKT_IMAGE_SECTION_COUNT];
};

/* An opened image, with pointers to its sections. */
struct takt_image {
#define X(name, type, member)                                                                      \
	const type *member;                                                                        \
	uint32_t member##_count;
	TAKT_IMAGE_SECTION_LIST(X)
#undef X
};

/* Bytes of an image; {NULL, 0} is none. */
struct takt_image_bytes {
	const void *data;
	size_t size_bytes;
};

struct takt_model {
	const struct takt_isa *isa;
	struct takt_image image;
	const struct takt_image_core *core;
	const uint32_t *column;
	/* The `compose` rows, with fallbacks resolved; NULL if the core has none at all. */
	const struct takt_image_timing *compose[TAKT_COMPOSE_COUNT];
	struct takt_core_params params;
	struct takt_image_bytes owned; /* the image, if it was made for this model only */
	/* Fields of a changed model (takt_model_change()): */
	struct takt_image_core *changed_core; /* the model's own copy, which `core` points to */
	struct takt_fuse *changed_fuses;      /* its own list, which `image` points to; or NULL */
	struct {
		uint32_t of, port; /* masks: µops for port `of` may use `port` too */
	} twins[TAKT_TWINS_MAX];
	uint32_t twin_count;
	uint32_t spared_ports;	   /* mask: only µops that no other port executes use them */
	uint32_t load_cycles_less; /* cycles by which loads are faster */
	/* Fields of a model that was opened as the host's: */
	struct takt_recognition recognition; /* its `taken` is NULL for all other models */
	char *recognition_text;		     /* its strings; owned by the model first opened */
};

/* Return a row's ports as they are in the changed model. */
static inline uint32_t takt_model_changed_ports(const struct takt_model *model, uint32_t ports)
{
	if (ports & ~model->spared_ports)
		ports &= ~model->spared_ports;
	for (uint32_t i = 0; i < model->twin_count; i++)
		if (ports & model->twins[i].of)
			ports |= model->twins[i].port;
	return ports;
}

/* Return the image in the library; no bytes in the program that makes that image. */
struct takt_image_bytes takt_image_builtin(void);
/* Free an image that takt_image_write() made. */
void takt_image_free(struct takt_image_bytes bytes);

/* Open an image for lookups. False, with the reason as a static text, if it is not sound. */
bool takt_image_open(struct takt_image_bytes bytes, struct takt_image *ret_image,
		     const char **ret_error);
/* Find the instruction set that a core file names; NULL if takt itself decodes no such set. */
const struct takt_isa *takt_isa_of_name(const char *name);
/* Return the number, from 1, of the form's first operand with an address; 0 if it has none. */
unsigned takt_form_address_operand(takt_form_key form);
/* Return the word of a condition code; parse the spellings of it that `fuse` lines may use. */
const char *takt_condition_word(const struct takt_isa *isa, unsigned condition);
bool takt_condition_parse(const struct takt_isa *isa, const char *text, size_t size_bytes,
			  uint16_t *conditions);
/* Return a checksum of the numbering of mnemonics and kinds that form keys are packed with. */
uint32_t takt_image_numbering(void);
const char *takt_image_string(const struct takt_image *image, uint32_t string);
/* Return the timing with the number that a column holds; NULL for 0 and for invalid numbers. */
const struct takt_image_timing *takt_image_timing_at(const struct takt_image *image,
						     uint32_t number);
/* Return the slot of a form in `forms`, or TAKT_NO_SLOT. */
uint32_t takt_image_find(const struct takt_image *image, takt_form_key form);
/* Return the first slot to look at in a hash table of `count` slots. */
static inline uint32_t takt_image_hash(takt_form_key form, uint32_t count)
{
	return (uint32_t)(((takt_hash64(form) >> 32) * count) >> 32);
}
/* Find the core whose name or alias is `name`, in either case; NULL if there is none. */
const struct takt_image_core *takt_image_find_core(const struct takt_image *image,
						   const char *name);
/* Return the column of one of the image's cores, which has `forms_count` entries. */
const uint32_t *takt_image_column(const struct takt_image *image,
				  const struct takt_image_core *core);
/* True if the word list `words` (separated by spaces) has `word`, in either case. */
bool takt_words_have(const char *words, const char *word);

/* Fill a takt_timing from the stored record; its arrays point into the image. */
void takt_timing_from_image(const struct takt_image *image, const struct takt_image_timing *stored,
			    enum takt_match match, struct takt_timing *ret_timing);
/* Return the core's row for exactly this form (qualifiers included), or NULL. */
const struct takt_image_timing *takt_model_row(const struct takt_model *model, takt_form_key form);

/* Make a model of a core of an opened image. The model owns `owned` from then on. */
struct takt_model *takt_model_from_image(const struct takt_image *image,
					 const struct takt_image_core *core,
					 struct takt_image_bytes owned);
const char *takt_compose_name(unsigned compose);
/* Record, as a copy, how the model's core was recognized. */
void takt_model_set_recognition(struct takt_model *model,
				const struct takt_recognition *recognition);

/* ---- models out of LLVM's tables (llvm_model.c) ------------------------- */

/* True for "llvm:TRIPLE:CPU". */
bool takt_is_llvm_name(const char *name);
/* Find a processor of LLVM's tables, and append its name, "llvm:x86_64:btver2", or nothing. */
bool takt_llvm_find(const char *cpu, struct takt_text *ret_name);
enum takt_status takt_llvm_model_open(const char *name, struct takt_diag *diag,
				      struct takt_model **ret_model);

/* ---- parts of rows as text (row_write.c) -------------------------------- */

void takt_latencies_write(const struct takt_isa *isa, takt_form_key form,
			  const struct takt_timing *timing, struct takt_text *text);
void takt_attributes_write(const struct takt_isa *isa, takt_form_key form,
			   const struct takt_timing *timing, const struct takt_port_list *ports,
			   const char *source_tag, struct takt_text *text);

/* ---- walking the rows, for writers ------------------------------------- */

struct takt_form_entry {
	const char *text;
	takt_form_key form;
	const struct takt_image_timing *timing;
};

/* List all rows whose form matches the glob (NULL: all), sorted by text, in the arena. */
size_t takt_model_forms(const struct takt_model *model, const char *glob, struct takt_arena *arena,
			struct takt_form_entry **ret_forms);
/* Match a glob: `*` and `?` are special, all other characters (also brackets) are literal. */
bool takt_glob_match(const char *glob, const char *text);

#endif
