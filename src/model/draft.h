/* SPDX-License-Identifier: MIT */
/*
 * draft: cores and timings while they are read from files and merged, before they are written
 * to an image. Drafts live in the loader's arena and are never changed once read; a draft that
 * inherits from another copies its pointers.
 */
#ifndef TAKT_MODEL_DRAFT_H
#define TAKT_MODEL_DRAFT_H

#include "model/image.h"

#define TAKT_MODEL_FILE_MAX_BYTES ((size_t)32 << 20)
#define TAKT_MODEL_DIR_FILES_MAX 1000u
#define TAKT_BASE_DEPTH_MAX 16u
#define TAKT_ROWS_MAX 100000u
#define TAKT_ROW_UOPS_MAX 12u
#define TAKT_ROW_LATENCIES_MAX 64u
#define TAKT_COUNT_MAX 60000u	    /* most µops, slots or cycles in a row; larger ones are cut */
#define TAKT_NUMBER_MAX 1000000000u /* largest number that a file may contain */
#define TAKT_SOURCES_MAX 255u
#define TAKT_CPUIDS_MAX 64u
#define TAKT_UNITS_MAX 64u
/* In compose rows: the core's parameter gives the latency. */
#define TAKT_LATENCY_UNSET UINT16_MAX
#define TAKT_ROW_UNSET UINT16_MAX /* for counts: filled in when the core is known */

/* A file being read. It is kept as long as its drafts, because diagnostics quote it. */
struct takt_model_text {
	const char *path; /* NULL: the text is part of the built-in image */
	const char *data;
	size_t size_bytes;
	struct takt_port_list ports; /* the meaning of the bits in this file's port masks */
	const struct takt_isa *isa;  /* instruction set of the file's forms and conditions */
};

struct takt_source_draft {
	const char *tag, *text;
	enum takt_origin origin;
};

struct takt_row {
	takt_form_key form;
	struct takt_timing timing; /* its port masks are numbered by text->ports */
	const struct takt_source_draft *source;
	const struct takt_model_text *text;
	uint32_t line;
	bool removed; /* the file says `none`: an inherited row is removed */
};

struct takt_timing_draft {
	const char *name, *base; /* base is NULL if there is none */
	const struct takt_model_text *text;
	uint32_t base_line;
	struct takt_row *rows;
	size_t row_count, row_capacity;
};

/* A core's file. NULL, 0 and false mean that a field is not set; inheritance fills it. */
struct takt_core_draft {
	const char *name, *title, *aliases, *analogies, *vendor, *isa, *timing, *base;
	const struct takt_model_text *text;
	uint32_t base_line, timing_line;
	struct takt_port_list ports;
	struct takt_scheduler schedulers[TAKT_SCHEDULERS_MAX];
	uint32_t scheduler_count;
	const struct takt_model_text *scheduler_text; /* its ports number the schedulers' masks */
	const struct takt_source_draft *scheduler_sources[TAKT_SCHEDULERS_MAX];
	const char *port_titles[TAKT_PORTS_MAX];
	int32_t params[TAKT_PARAM_COUNT];
	const struct takt_source_draft *param_sources[TAKT_PARAM_COUNT];
	uint64_t isa_sets[TAKT_IMAGE_ISA_WORDS];
	bool isa_sets_given, fuses_given;
	struct takt_fuse fuses[TAKT_FUSES_MAX];
	uint32_t fuse_count, fuse_sets, fuse_not;
	struct takt_image_cpuid cpuids[TAKT_CPUIDS_MAX];
	const char *cpuid_analogies[TAKT_CPUIDS_MAX]; /* NULL: none; in place of `analogy` */
	uint32_t cpuid_count;
	struct takt_image_unit units[TAKT_UNITS_MAX]; /* their names are in `unit_names` */
	const char *unit_names[TAKT_UNITS_MAX];
	uint32_t unit_count;
	const struct takt_model_text *unit_text; /* its ports number the units' masks */
	const struct takt_row *compose[TAKT_COMPOSE_COUNT];
	const struct takt_row *defaults[TAKT_CLASS_COUNT];
};

/* ---- reading text (reader.c) ------------------------------------------- */

/* Reads a core or timing file line by line and word by word. */
struct takt_model_reader {
	struct takt_reader reader; /* first, so that its address is this struct's (base.h) */
	struct takt_model_text *text;
	struct takt_source_draft *sources;
	size_t source_count;
	const struct takt_source_draft *default_source;
};

static inline struct takt_model_reader *takt_model_reader(struct takt_reader *reader)
{
	return (struct takt_model_reader *)(void *)reader;
}

static inline struct takt_model_text *takt_reader_text(struct takt_reader *reader)
{
	return takt_model_reader(reader)->text;
}

void takt_model_reader_init(struct takt_model_reader *reader, struct takt_model_text *text,
			    struct takt_arena *arena, struct takt_diag *diag);
/* Add a note to the report of an unknown name: the nearest of `names`, or all if they are few. */
void takt_note_names(struct takt_diag *diag, const char *wanted, const char *const *names,
		     size_t count);
/* Read the rest of `source TAG ORIGIN text` or `default-source TAG`, after the first word. */
bool takt_reader_source(struct takt_reader *reader);
bool takt_reader_default_source(struct takt_reader *reader);
const struct takt_source_draft *takt_reader_find_source(struct takt_reader *reader,
							struct takt_word tag);
/* Read the rest of `isa NAME`: the instruction set of the forms further down the file. */
bool takt_reader_isa(struct takt_reader *reader, const char **ret_name);
/* Read port names that are run together into a mask; new names are added to text->ports. */
bool takt_reader_ports(struct takt_reader *reader, struct takt_word word, uint32_t *ret_ports);
/* Return the place of a line that was read before, for a report. */
struct takt_place takt_text_place(const struct takt_model_text *text, uint32_t line,
				  const char *word, struct takt_arena *arena);

/* ---- rows (row_read.c) ------------------------------------------------- */

/* Kind of row; it decides which attributes the row may have. */
enum takt_row_kind { TAKT_ROW_FORM, TAKT_ROW_COMPOSE, TAKT_ROW_DEFAULT };

/* Read `form | µops | attributes`; for COMPOSE and DEFAULT only the part after the name. */
bool takt_row_read(struct takt_reader *reader, enum takt_row_kind kind, struct takt_row *ret_row);

/* ---- files ------------------------------------------------------------- */

/* Read a core or timing file into a draft in the arena. False after a reported error. */
bool takt_core_read(struct takt_model_text *text, struct takt_arena *arena, struct takt_diag *diag,
		    struct takt_core_draft **ret_core);
bool takt_timing_read(struct takt_model_text *text, struct takt_arena *arena,
		      struct takt_diag *diag, struct takt_timing_draft **ret_timing);
/* Make the drafts of a core of an image, as if they were read from text. */
struct takt_core_draft *takt_core_from_image(const struct takt_image *image,
					     const struct takt_image_core *core,
					     struct takt_arena *arena);
struct takt_timing_draft *takt_timing_draft_from_image(const struct takt_image *image,
						       const struct takt_image_core *core,
						       struct takt_arena *arena);

/* ---- loading (loader.c) ------------------------------------------------ */

struct takt_loader {
	struct takt_arena *arena;
	struct takt_diag *diag;
	const char *dir; /* the directory that holds cores/ and timing/ */
	/* A file that replaces the directory's file for the timing `timing_name`, or NULL. */
	const char *timing_file, *timing_name;
	const struct takt_image *builtin; /* the built-in image, or NULL */
	struct takt_core_draft **cores;	  /* cores of the directory, sorted by file name */
	size_t core_count;
	struct takt_timing_draft **timings; /* timings read so far */
	size_t timing_count;
	const char *installed_dir; /* of the learnt model that is this machine's core; or NULL */
	struct takt_text *depfile; /* unless NULL: the names of the files read are appended here */
};

/* A core with everything it inherits. */
struct takt_loaded_core {
	const struct takt_core_draft *core;
	const struct takt_row **rows;
	size_t row_count;
};

/* Read every core file of the directory. */
bool takt_loader_open(struct takt_loader *loader);
/* Find the directory's core of this name or alias; NULL if there is none. */
const struct takt_core_draft *takt_loader_find(const struct takt_loader *loader, const char *name);
/* True if the directory has timing/NAME.timing. */
bool takt_loader_has_timing(const struct takt_loader *loader, const char *name);
/* Merge a core with the cores and timings that it inherits from. */
bool takt_loader_load(struct takt_loader *loader, const struct takt_core_draft *core,
		      struct takt_loaded_core *ret_core);

/* ---- writing an image (image_write.c) ----------------------------------- */

/*
 * Write cores as an image, whose bytes the caller releases with takt_image_free(). Rows that
 * name ports their core lacks are reported as errors.
 */
bool takt_image_write(const struct takt_loaded_core *cores, size_t count, struct takt_arena *arena,
		      struct takt_diag *diag, struct takt_image_bytes *ret_bytes);

#endif
