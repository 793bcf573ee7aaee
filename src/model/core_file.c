/* SPDX-License-Identifier: MIT */
/*
 * Reads data/cores/NAME.core: a core's parameters, ports, fusion pairs, compose and default
 * rows.
 */
#include <string.h>

#include "model/draft.h"

static const char *const compose_names[TAKT_COMPOSE_COUNT] = {
	"load",	     "load-indexed",	  "load-vector",  "load-vector-indexed",
	"load-ymm",  "load-ymm-indexed",  "load-zmm",	  "load-zmm-indexed",
	"store",     "store-indexed",	  "store-vector", "store-vector-indexed",
	"store-ymm", "store-ymm-indexed", "store-zmm",	  "store-zmm-indexed",
};

const char *takt_compose_name(unsigned compose)
{
	return compose < TAKT_COMPOSE_COUNT ? compose_names[compose] : "";
}

static const char *const class_words[] = {
#define X(name, word) word,
	TAKT_CLASS_LIST(X)
#undef X
};

static const char *const fuse_not_words[] = {
#define X(name, word) word,
	TAKT_FUSE_NOT_LIST(X)
#undef X
};

/* Find the index of the word in a list; an unknown word is reported with the nearest known one. */
static bool find_name(struct takt_reader *reader, struct takt_word word, const char *what,
		      const char *const *names, uint32_t count, uint32_t *ret_index)
{
	for (uint32_t i = 0; i < count; i++) {
		if (takt_word_is(word, names[i])) {
			*ret_index = i;
			return true;
		}
	}
	takt_reader_error(reader, word, "unknown %s '%.*s'", what, TAKT_PRINTED(word));
	takt_note_names(reader->diag, takt_word_copy(reader, word), names, count);
	return false;
}

/* ---- names ---------------------------------------------------------------- */

static bool read_name(struct takt_reader *reader, const char **ret_name)
{
	struct takt_word word = takt_reader_word(reader), more = takt_reader_word(reader);

	if (!word.size)
		return takt_reader_error(reader, word, "name expected");
	if (more.size)
		return takt_reader_error(reader, more, "unexpected '%.*s'", TAKT_PRINTED(more));
	*ret_name = takt_word_copy(reader, word);
	return true;
}

/* Append the words of a line to those of earlier such lines, one blank between them. */
static bool add_words(struct takt_reader *reader, const char **words)
{
	struct takt_word word;

	while ((word = takt_reader_word(reader)).size)
		*words = takt_arena_printf(reader->arena, "%s%s%.*s", *words ? *words : "",
					   *words ? " " : "", TAKT_PRINTED(word));
	return true;
}

#define ANALOGY "by-analogy"

/* Read a range such as "4" or "0-4". */
static bool read_range(struct takt_reader *reader, struct takt_word word, uint16_t *ret_first,
		       uint16_t *ret_last)
{
	const char *dash = memchr(word.data, '-', word.size);
	struct takt_word first = word, last = word;
	uint32_t from, to;

	if (dash) {
		first.size = (size_t)(dash - word.data);
		last = (struct takt_word){dash + 1, word.size - first.size - 1};
	}
	if (!takt_word_number(first, UINT16_MAX, &from) ||
	    !takt_word_number(last, UINT16_MAX, &to) || from > to)
		return takt_reader_error(reader, word, "'%.*s' is neither a number nor a range",
					 TAKT_PRINTED(word));
	*ret_first = (uint16_t)from;
	*ret_last = (uint16_t)to;
	return true;
}

/* Read the rest of `… by-analogy words`, from the word after the numbers on. */
static bool read_analogy(struct takt_reader *reader, struct takt_word word,
			 const char **ret_analogy)
{
	struct takt_word rest;

	if (!word.size)
		return true;
	if (!takt_word_is(word, ANALOGY))
		return takt_reader_error(reader, word, "unexpected '%.*s'", TAKT_PRINTED(word));
	rest = takt_reader_rest(reader);
	if (!rest.size)
		return takt_reader_error(reader, word,
					 "'" ANALOGY "' needs words that say how the core differs");
	*ret_analogy = takt_word_copy(reader, rest);
	return true;
}

static bool read_cpuid(struct takt_reader *reader, struct takt_core_draft *core)
{
	struct takt_word family = takt_reader_word(reader), model = takt_reader_word(reader);
	struct takt_word stepping = takt_reader_word(reader);
	struct takt_image_cpuid cpuid = {.stepping_last = UINT16_MAX};
	const char **analogy = &core->cpuid_analogies[core->cpuid_count % TAKT_CPUIDS_MAX];
	uint32_t number;

	if (core->cpuid_count == TAKT_CPUIDS_MAX)
		return takt_reader_error(reader, family, "more than %u cpuid lines",
					 TAKT_CPUIDS_MAX);
	if (!takt_word_number(family, UINT16_MAX, &number) || !model.size) {
		takt_reader_error(reader, family, "cpuid needs a family and a model");
		takt_note(reader->diag, "for example: cpuid 6 85 0-4");
		return false;
	}
	cpuid.family = (uint16_t)number;
	if (!read_range(reader, model, &cpuid.model_first, &cpuid.model_last))
		return false;
	if (stepping.size && !takt_word_is(stepping, ANALOGY)) {
		if (!read_range(reader, stepping, &cpuid.stepping_first, &cpuid.stepping_last))
			return false;
		stepping = takt_reader_word(reader);
	}
	if (!read_analogy(reader, stepping, analogy))
		return false;
	core->cpuids[core->cpuid_count++] = cpuid;
	return true;
}

/* ---- ISA sets -------------------------------------------------------------- */

/*
 * True if the word names the ISA set or a family that it belongs to. "avx512f" stands for its
 * widths avx512f_128, avx512f_scalar and so on, but "avx" does not stand for avx_gfni.
 */
static bool is_set_of(const char *set, struct takt_word word)
{
	static const char *const widths[] = {"",     "_128", "_128n",  "_256",
					     "_512", "_kop", "_scalar"};

	/* A word may hold NULs, at which strncmp() would stop. */
	if (strnlen(set, word.size) < word.size || strncmp(set, word.data, word.size) != 0)
		return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(widths); i++)
		if (strcmp(set + word.size, widths[i]) == 0)
			return true;
	return false;
}

static bool add_isa_set(struct takt_reader *reader, struct takt_core_draft *core,
			struct takt_word word)
{
	uint16_t count = takt_isa_set_count();
	const char **names = TAKT_NEW_ARRAY(reader->arena, count, const char *);
	bool found = false;

	for (uint16_t i = 0; i < count && i < TAKT_IMAGE_ISA_WORDS * 64; i++) {
		names[i] = takt_isa_set_name(i);
		if (is_set_of(names[i], word)) {
			core->isa_sets[i / 64] |= (uint64_t)1 << i % 64;
			found = true;
		}
	}
	if (found)
		return true;
	takt_reader_error(reader, word, "unknown ISA set '%.*s'", TAKT_PRINTED(word));
	takt_note_names(reader->diag, takt_word_copy(reader, word), names, count);
	return false;
}

static bool read_extensions(struct takt_reader *reader, struct takt_core_draft *core)
{
	struct takt_word word;

	core->isa_sets_given = true;
	while ((word = takt_reader_word(reader)).size)
		if (!add_isa_set(reader, core, word))
			return false;
	return true;
}

/* ---- ports ------------------------------------------------------------------ */

static bool read_ports(struct takt_reader *reader, struct takt_core_draft *core)
{
	struct takt_word word;
	uint32_t bits;

	while ((word = takt_reader_word(reader)).size) {
		struct takt_port_list *ports = &core->ports;

		if (word.size != 2)
			return takt_reader_error(reader, word, "'%.*s' is not one port",
						 TAKT_PRINTED(word));
		for (uint32_t i = 0; i < ports->count; i++)
			if (takt_word_is(word, ports->names[i]))
				return takt_reader_error(reader, word, "port '%s' is named twice",
							 ports->names[i]);
		if (ports->count == TAKT_PORTS_MAX)
			return takt_reader_error(reader, word, "more than %d ports",
						 TAKT_PORTS_MAX);
		if (!takt_reader_ports(reader, word, &bits))
			return false;
		memcpy(ports->names[ports->count++], word.data, 2);
	}
	return true;
}

static bool read_pseudo(struct takt_reader *reader, struct takt_core_draft *core)
{
	struct takt_word word = takt_reader_word(reader);

	for (uint32_t i = 0; i < core->ports.count; i++) {
		if (!takt_word_is(word, core->ports.names[i]))
			continue;
		core->ports.pseudo |= (uint32_t)1 << i;
		core->port_titles[i] = takt_word_copy(reader, takt_reader_rest(reader));
		return true;
	}
	takt_reader_error(reader, word, "unknown port '%.*s'", TAKT_PRINTED(word));
	takt_note(reader->diag, "name it in a 'ports' line above");
	return false;
}

/* ---- macro-fusion ------------------------------------------------------------ */

/* Find the mnemonic of the file's instruction set; 0, after an error, if there is none. */
static uint16_t read_mnemonic(struct takt_reader *reader, struct takt_word word)
{
	size_t at = 0;
	const char *what = "";
	takt_form_key form =
		takt_form_parse(takt_reader_text(reader)->isa, word.data, word.size, &at, &what);

	if (!form)
		takt_reader_error(reader, word, "%s '%.*s'", what, TAKT_PRINTED(word));
	return form ? takt_form_unpack(form).mnemonic : 0;
}

static bool add_fuse(struct takt_reader *reader, struct takt_core_draft *core,
		     struct takt_word word)
{
	uint16_t mnemonic = read_mnemonic(reader, word);

	if (!mnemonic)
		return false;
	if (core->fuse_count == TAKT_FUSES_MAX)
		return takt_reader_error(reader, word, "more than %u fusing mnemonics",
					 TAKT_FUSES_MAX);
	core->fuses[core->fuse_count++] = (struct takt_fuse){.mnemonic = mnemonic};
	return true;
}

/* Read the mnemonics before ':'; false, after an error, if there are none or nothing follows. */
static bool read_fuse_firsts(struct takt_reader *reader, struct takt_core_draft *core,
			     const char *what, const char *example)
{
	uint32_t first = core->fuse_count;
	struct takt_word word;

	core->fuses_given = true;
	while ((word = takt_reader_word(reader)).size && !takt_word_is(word, ":"))
		if (!add_fuse(reader, core, word))
			return false;
	if (word.size && core->fuse_count > first)
		return true;
	takt_reader_error(reader, word, "%s", what);
	takt_note(reader->diag, "for example: %s", example);
	return false;
}

/* Read a line such as "fuse test and : o no b …". */
static bool read_fuse(struct takt_reader *reader, struct takt_core_draft *core)
{
	uint32_t first = core->fuse_count;
	uint16_t conditions = 0;
	struct takt_word word;

	if (!read_fuse_firsts(reader, core, "fuse needs mnemonics, ':' and conditions",
			      takt_reader_text(reader)->isa == &takt_isa_x86
				      ? "fuse cmp add : b ae e ne"
				      : "fuse cmp adds : *"))
		return false;
	while ((word = takt_reader_word(reader)).size)
		if (!takt_condition_parse(takt_reader_text(reader)->isa, word.data, word.size,
					  &conditions))
			return takt_reader_error(reader, word, "unknown condition '%.*s'",
						 TAKT_PRINTED(word));
	for (uint32_t i = first; i < core->fuse_count; i++)
		core->fuses[i].conditions = conditions;
	return true;
}

/*
 * Read a line such as "fuse-pair aese : aesmc" or "fuse-load mov : add sub". The roles are those
 * of the mnemonics before and behind the colon.
 */
static bool read_fuse_pair(struct takt_reader *reader, struct takt_core_draft *core,
			   const char *what, const char *example, enum takt_fuse_role before,
			   enum takt_fuse_role behind)
{
	uint32_t first = core->fuse_count, second;
	struct takt_word word;

	if (!read_fuse_firsts(reader, core, what, example))
		return false;
	second = core->fuse_count;
	word = takt_reader_word(reader);
	if (before == TAKT_FUSE_LOAD && takt_reader_text(reader)->isa != &takt_isa_x86)
		return takt_reader_error(reader, word, "fuse-load is for x86-64 alone");
	if (core->fuse_sets == TAKT_FUSE_SETS_MAX)
		return takt_reader_error(reader, word, "more than %u lines of fusing pairs",
					 TAKT_FUSE_SETS_MAX);
	do {
		if (!add_fuse(reader, core, word))
			return false;
	} while ((word = takt_reader_word(reader)).size);
	core->fuse_sets++;
	for (uint32_t i = first; i < core->fuse_count; i++) {
		core->fuses[i].role = (uint8_t)(i < second ? before : behind);
		core->fuses[i].set = (uint8_t)core->fuse_sets;
	}
	return true;
}

static bool read_fuse_not(struct takt_reader *reader, struct takt_core_draft *core)
{
	struct takt_word word;
	uint32_t index;

	core->fuses_given = true;
	while ((word = takt_reader_word(reader)).size) {
		if (!find_name(reader, word, "restriction", fuse_not_words, TAKT_FUSE_NOT_COUNT,
			       &index))
			return false;
		core->fuse_not |= 1u << index;
	}
	return true;
}

/* ---- compose and default rows ------------------------------------------------ */

static bool read_named_row(struct takt_reader *reader, enum takt_row_kind kind, const char *what,
			   const char *const *names, uint32_t count, const struct takt_row **rows)
{
	struct takt_word word = takt_reader_word(reader);
	struct takt_row *row;
	uint32_t index;

	if (!find_name(reader, word, what, names, count, &index))
		return false;
	if (rows[index])
		return takt_reader_error(reader, word, "'%s' has two rows", names[index]);
	row = TAKT_NEW(reader->arena, struct takt_row);
	if (!takt_row_read(reader, kind, row))
		return false;
	rows[index] = row;
	return true;
}

/* ---- parameters --------------------------------------------------------------- */

static bool read_value(struct takt_reader *reader, struct takt_word word, const char *unit,
		       int32_t *ret_value)
{
	bool yes_no = strcmp(unit, "yes/no") == 0, negative;
	uint32_t number;

	if (yes_no && (takt_word_is(word, "yes") || takt_word_is(word, "no"))) {
		*ret_value = takt_word_is(word, "yes");
		return true;
	}
	if (yes_no)
		return takt_reader_error(reader, word, "'yes' or 'no' expected, not '%.*s'",
					 TAKT_PRINTED(word));
	negative = takt_word_is(word, "-1");
	if (!negative && !takt_word_number(word, INT32_MAX, &number))
		return takt_reader_error(reader, word, "'%.*s' is not a number of %s",
					 TAKT_PRINTED(word), unit);
	*ret_value = negative ? -1 : (int32_t)number;
	return true;
}

/* Return the source of a line's figure: its `tag`, or the file's default; NULL, reported: none. */
static const struct takt_source_draft *source_of(struct takt_reader *reader, struct takt_word tag)
{
	size_t size = reader->size;

	if (tag.size)
		return takt_reader_find_source(reader, tag);
	if (takt_model_reader(reader)->default_source)
		return takt_model_reader(reader)->default_source;
	takt_reader_error(reader, tag, "no source");
	while (size && strchr(" \t", reader->line[size - 1]))
		size--;
	takt_note(reader->diag, "every figure has one: '%.*s TAG'", (int)size, reader->line);
	return NULL;
}

static bool read_param(struct takt_reader *reader, struct takt_core_draft *core, size_t param)
{
	struct takt_word value = takt_reader_word(reader), tag = takt_reader_word(reader);
	const struct takt_param_text *text = &takt_param_texts[param];

	if (core->param_sources[param])
		return takt_reader_error(reader, value, "'%s' is given twice", text->name);
	if (!read_value(reader, value, text->unit, &core->params[param]))
		return false;
	core->param_sources[param] = source_of(reader, tag);
	return core->param_sources[param] != NULL;
}

/* ---- schedulers --------------------------------------------------------------- */

#define SCHEDULER_ENTRIES_MAX 1024

/* Read entries such as "24", or "32+16": its own, and those that it adds to the shared queue. */
static bool read_entries(struct takt_word word, struct takt_scheduler *scheduler)
{
	const char *plus = memchr(word.data, '+', word.size);
	struct takt_word queue = {0};
	uint32_t count, queued = 0;

	if (plus) {
		queue = (struct takt_word){plus + 1, (size_t)(word.data + word.size - plus - 1)};
		word.size = (size_t)(plus - word.data);
	}
	if (!takt_word_number(word, SCHEDULER_ENTRIES_MAX, &count) || !count ||
	    (plus && (!takt_word_number(queue, UINT8_MAX, &queued) || !queued)))
		return false;
	scheduler->entries = (uint16_t)count;
	scheduler->queue_entries = (uint8_t)queued;
	return true;
}

/* Read a scheduler such as "24 a0g0 v": entries, ports, source. */
static bool read_scheduler(struct takt_reader *reader, struct takt_core_draft *core)
{
	struct takt_word entries = takt_reader_word(reader), ports = takt_reader_word(reader);
	struct takt_word tag = takt_reader_word(reader);
	struct takt_scheduler *scheduler = &core->schedulers[core->scheduler_count];

	if (core->scheduler_count == TAKT_SCHEDULERS_MAX)
		return takt_reader_error(reader, entries, "more than %d schedulers",
					 TAKT_SCHEDULERS_MAX);
	if (!read_entries(entries, scheduler))
		return takt_reader_error(reader, entries, "'%.*s' is no number of entries",
					 TAKT_PRINTED(entries));
	if (!takt_reader_ports(reader, ports, &scheduler->ports))
		return false;
	core->scheduler_text = takt_reader_text(reader);
	core->scheduler_sources[core->scheduler_count] = source_of(reader, tag);
	return core->scheduler_sources[core->scheduler_count++] != NULL;
}

/* Read a line such as "unit N1UnitL l01" or "unit osaca:6 l0": LLVM's or OSACA's name for these
 * ports. */
static bool read_unit(struct takt_reader *reader, struct takt_core_draft *core)
{
	struct takt_word name = takt_reader_word(reader), ports = takt_reader_word(reader);

	if (core->unit_count == TAKT_UNITS_MAX)
		return takt_reader_error(reader, name, "more than %u units", TAKT_UNITS_MAX);
	if (!takt_reader_ports(reader, ports, &core->units[core->unit_count].ports))
		return false;
	core->unit_text = takt_reader_text(reader);
	core->unit_names[core->unit_count++] = takt_word_copy(reader, name);
	return true;
}

/* ---- lines -------------------------------------------------------------------- */

/* Kinds of line in a core file. X(enumerator, first word) */
#define LINE_LIST(X)                                                                               \
	X(LINE_NAME, "name")                                                                       \
	X(LINE_TITLE, "title")                                                                     \
	X(LINE_ALIASES, "aliases")                                                                 \
	X(LINE_ANALOGIES, "analogies")                                                             \
	X(LINE_VENDOR, "vendor")                                                                   \
	X(LINE_CPUID, "cpuid")                                                                     \
	X(LINE_ISA, "isa")                                                                         \
	X(LINE_TIMING, "timing")                                                                   \
	X(LINE_BASE, "base")                                                                       \
	X(LINE_EXTENSIONS, "extensions")                                                           \
	X(LINE_SOURCE, "source")                                                                   \
	X(LINE_DEFAULT_SOURCE, "default-source")                                                   \
	X(LINE_PORTS, "ports")                                                                     \
	X(LINE_PSEUDO, "pseudo")                                                                   \
	X(LINE_SCHEDULER, "scheduler")                                                             \
	X(LINE_UNIT, "unit")                                                                       \
	X(LINE_FUSE, "fuse")                                                                       \
	X(LINE_FUSE_PAIR, "fuse-pair")                                                             \
	X(LINE_FUSE_LOAD, "fuse-load")                                                             \
	X(LINE_FUSE_NOT, "fuse-not")                                                               \
	X(LINE_COMPOSE, "compose")                                                                 \
	X(LINE_DEFAULT, "default")

enum line {
#define X(name, word) name,
	LINE_LIST(X)
#undef X
		LINE_COUNT
};

static const char *const line_words[] = {
#define X(name, word) word,
	LINE_LIST(X)
#undef X
};

static bool read_known_line(struct takt_reader *reader, enum line line,
			    struct takt_core_draft *core)
{
	switch (line) {
	case LINE_NAME:
		return read_name(reader, &core->name);
	case LINE_TITLE:
		core->title = takt_word_copy(reader, takt_reader_rest(reader));
		return true;
	case LINE_ALIASES:
		return add_words(reader, &core->aliases);
	case LINE_ANALOGIES:
		return add_words(reader, &core->analogies);
	case LINE_VENDOR:
		return read_name(reader, &core->vendor);
	case LINE_CPUID:
		return read_cpuid(reader, core);
	case LINE_ISA:
		return takt_reader_isa(reader, &core->isa);
	case LINE_TIMING:
		core->timing_line = reader->lines.number;
		return read_name(reader, &core->timing);
	case LINE_BASE:
		core->base_line = reader->lines.number;
		return read_name(reader, &core->base);
	case LINE_EXTENSIONS:
		return read_extensions(reader, core);
	case LINE_SOURCE:
		return takt_reader_source(reader);
	case LINE_DEFAULT_SOURCE:
		return takt_reader_default_source(reader);
	case LINE_PORTS:
		return read_ports(reader, core);
	case LINE_PSEUDO:
		return read_pseudo(reader, core);
	case LINE_SCHEDULER:
		return read_scheduler(reader, core);
	case LINE_FUSE:
		return read_fuse(reader, core);
	case LINE_UNIT:
		return read_unit(reader, core);
	case LINE_FUSE_PAIR:
		return read_fuse_pair(reader, core, "fuse-pair needs mnemonics, ':' and others",
				      "fuse-pair aese : aesmc", TAKT_FUSE_FIRST, TAKT_FUSE_SECOND);
	case LINE_FUSE_LOAD:
		return read_fuse_pair(reader, core, "fuse-load needs mnemonics, ':' and others",
				      "fuse-load mov : add sub", TAKT_FUSE_LOAD, TAKT_FUSE_LOADED);
	case LINE_FUSE_NOT:
		return read_fuse_not(reader, core);
	case LINE_COMPOSE:
		return read_named_row(reader, TAKT_ROW_COMPOSE, "compose row", compose_names,
				      TAKT_COMPOSE_COUNT, core->compose);
	case LINE_DEFAULT:
		return read_named_row(reader, TAKT_ROW_DEFAULT, "class", class_words,
				      TAKT_CLASS_COUNT, core->defaults);
	case LINE_COUNT:
		break;
	}
	return false;
}

static bool read_line(struct takt_reader *reader, struct takt_core_draft *core)
{
	struct takt_word word = takt_reader_word(reader);
	const char *names[LINE_COUNT + TAKT_PARAM_COUNT];

	for (unsigned i = 0; i < LINE_COUNT; i++) {
		if (takt_word_is(word, line_words[i]))
			return read_known_line(reader, (enum line)i, core);
		names[i] = line_words[i];
	}
	for (size_t i = 0; i < TAKT_PARAM_COUNT; i++) {
		if (takt_word_is(word, takt_param_texts[i].name))
			return read_param(reader, core, i);
		names[LINE_COUNT + i] = takt_param_texts[i].name;
	}
	takt_reader_error(reader, word, "unknown parameter '%.*s'", TAKT_PRINTED(word));
	takt_note_names(reader->diag, takt_word_copy(reader, word), names, TAKT_COUNT_OF(names));
	return false;
}

bool takt_core_read(struct takt_model_text *text, struct takt_arena *arena, struct takt_diag *diag,
		    struct takt_core_draft **ret_core)
{
	struct takt_core_draft *core = TAKT_NEW(arena, struct takt_core_draft);
	struct takt_model_reader model;
	struct takt_reader *reader = &model.reader;

	takt_model_reader_init(&model, text, arena, diag);
	core->text = text;
	if (!takt_reader_header(reader, "core"))
		return false;
	while (takt_reader_line(reader))
		read_line(reader, core);
	if (!core->name && reader->error_count == 0)
		takt_reader_error(reader, (struct takt_word){0}, "no 'name' line");
	if (reader->error_count)
		return false;
	*ret_core = core;
	return true;
}
