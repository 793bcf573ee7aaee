/* SPDX-License-Identifier: MIT */
/* Parser for files of metric groups (docs/formats/events.md, "Metric groups"). */
#include <string.h>

#include "events/events.h"

#define ROWS_MAX 64u

enum section { SECTION_HEAD, SECTION_EVENTS, SECTION_METRICS };

struct group_reader {
	struct takt_reader base; /* first, so that a pointer to it is one to the whole */
	struct events_group group;
	struct events_group_event events[ROWS_MAX];
	struct events_group_metric metrics[ROWS_MAX];
	enum section section;
};

/* True if `word` is the name, in which formulas write blanks as underscores. */
static bool is_same_name(const char *name, const char *word, size_t size)
{
	if (strlen(name) != size)
		return false;
	for (size_t i = 0; i < size; i++)
		if (name[i] != word[i] && !(name[i] == ' ' && word[i] == '_'))
			return false;
	return true;
}

/* Predefined names, by enum events_given. */
static const char *const given[EVENTS_GIVEN_COUNT] = {"time", "line"};

static int find_name(const void *context, const char *name, size_t size_bytes)
{
	const struct group_reader *reader = context;
	uint32_t events = reader->group.event_count;

	for (uint32_t i = 0; i < events; i++)
		if (is_same_name(reader->events[i].name, name, size_bytes))
			return (int)i;
	for (uint32_t i = 0; i < EVENTS_GIVEN_COUNT; i++)
		if (is_same_name(given[i], name, size_bytes))
			return (int)(events + i);
	for (uint32_t i = 0; i < reader->group.metric_count; i++)
		if (is_same_name(reader->metrics[i].name, name, size_bytes))
			return (int)(events + EVENTS_GIVEN_COUNT + i);
	return -1;
}

/* Read a line "NAME COUNTER". */
static void read_event(struct group_reader *reader)
{
	struct takt_reader *base = &reader->base;
	struct takt_word name = takt_reader_word(base);
	struct takt_word counter = takt_reader_word(base);
	struct takt_word rest = takt_reader_rest(base);

	if (!takt_word_is_name(name, "_") || takt_is_digit(name.data[0])) {
		takt_reader_error(base, name, "'%.*s' cannot be a name in formulas",
				  TAKT_PRINTED(name));
		takt_note(base->diag, "letters, digits and '_', the first one not a digit");
	} else if (takt_word_is(name, "min") || takt_word_is(name, "max") ||
		   find_name(reader, name.data, name.size) >= 0) {
		takt_reader_error(base, name, "the name '%.*s' is taken", TAKT_PRINTED(name));
	} else if (!counter.size || rest.size) {
		takt_reader_error(base, rest.size ? rest : name,
				  "an event is a NAME and a COUNTER");
	} else if (reader->group.event_count == ROWS_MAX) {
		takt_reader_error(base, name, "more than %u events", ROWS_MAX);
	} else {
		reader->events[reader->group.event_count++] = (struct events_group_event){
			takt_word_copy(base, name), takt_word_copy(base, counter),
			base->lines.number, (uint32_t)(counter.data - base->line) + 1};
	}
}

static void read_formula(struct group_reader *reader, struct events_group_metric metric,
			 struct takt_word text)
{
	const struct events_names names = {find_name, reader};
	struct takt_reader *base = &reader->base;
	struct events_problem problem;

	metric.text = takt_word_copy(base, text);
	metric.line = base->lines.number;
	metric.column = (uint32_t)(text.data - base->line) + 1;
	metric.formula =
		takt_events_formula_parse(text.data, text.size, &names, base->arena, &problem);
	if (!metric.formula) {
		struct takt_word at = {text.data + problem.at, problem.size};

		takt_reader_error(base, at, "%s", problem.what);
	}
	reader->metrics[reader->group.metric_count++] = metric;
}

/* Read a line "NAME [UNIT] = FORMULA". */
static void read_metric(struct group_reader *reader)
{
	struct takt_reader *base = &reader->base;
	struct takt_word all = takt_reader_rest(base), name = all, unit, formula;
	const char *open = memchr(all.data, '[', all.size), *close, *end = all.data + all.size;
	const char *equals;
	struct events_group_metric metric;

	close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
	equals = close ? memchr(close, '=', (size_t)(end - close)) : NULL;
	if (!equals) {
		takt_reader_error(base, all, "not a metric");
		takt_note(base->diag, "NAME [UNIT] = FORMULA");
		return;
	}
	name.size = (size_t)(open - name.data);
	while (name.size && takt_is_blank(name.data[name.size - 1]))
		name.size--;
	unit = (struct takt_word){open + 1, (size_t)(close - open) - 1};
	base->at = (size_t)(equals - base->line) + 1;
	formula = takt_reader_rest(base);
	if (!takt_word_is_name(name, " _-/.,")) {
		takt_reader_error(base, name.size ? name : all,
				  "this cannot be the name of a metric");
	} else if (find_name(reader, name.data, name.size) >= 0) {
		takt_reader_error(base, name, "the name '%.*s' is taken", TAKT_PRINTED(name));
	} else if (!takt_events_unit_parse(unit.data, unit.size, &metric.unit)) {
		takt_reader_error(base, unit, "unknown unit '%.*s'", TAKT_PRINTED(unit));
		takt_note(base->diag, "of 1, %%, B, s, cycles, FLOP, J, W, Hz, with n, u, m, k, M, "
				      "G, T before them and '/' between: MB/s");
	} else if (reader->group.metric_count == ROWS_MAX) {
		takt_reader_error(base, name, "more than %u metrics", ROWS_MAX);
	} else {
		metric.name = takt_word_copy(base, name);
		metric.unit_text = takt_word_copy(base, unit);
		read_formula(reader, metric, formula);
	}
}

/* Read the prose: all remaining lines, without their indentation. */
static void read_prose(struct group_reader *reader)
{
	struct takt_text prose = {0};
	const char *line;
	size_t size;

	while (takt_lines_next(&reader->base.lines, &line, &size)) {
		while (size && takt_is_blank(*line)) {
			line++;
			size--;
		}
		takt_text_add(&prose, line, size);
		takt_text_add_string(&prose, "\n");
	}
	while (prose.size_bytes && prose.data[prose.size_bytes - 1] == '\n')
		prose.size_bytes--;
	reader->group.prose = takt_text_move(&prose, reader->base.arena);
}

static void read_head(struct group_reader *reader)
{
	struct takt_reader *base = &reader->base;
	struct takt_word key = takt_reader_word(base);
	struct takt_word value = takt_reader_rest(base);
	const char **field = NULL;

	if (takt_word_is(key, "name"))
		field = &reader->group.name;
	else if (takt_word_is(key, "title"))
		field = &reader->group.title;
	if (!field || !value.size) {
		takt_reader_error(base, key, field ? "what '%.*s'?" : "unknown line '%.*s'",
				  TAKT_PRINTED(key));
		takt_note(base->diag, "name, title, events, metrics or text");
	} else if (*field) {
		takt_reader_error(base, key, "a second %.*s", TAKT_PRINTED(key));
	} else {
		*field = takt_word_copy(base, value);
	}
}

static void read_line(struct group_reader *reader)
{
	struct takt_reader *base = &reader->base;
	bool indented = takt_is_blank(base->line[0]);
	struct takt_word all = {base->line, base->size};

	if (indented && reader->section == SECTION_EVENTS)
		read_event(reader);
	else if (indented && reader->section == SECTION_METRICS)
		read_metric(reader);
	else if (takt_word_is(all, "events"))
		reader->section = SECTION_EVENTS;
	else if (takt_word_is(all, "metrics"))
		reader->section = SECTION_METRICS;
	else if (takt_word_is(all, "text"))
		read_prose(reader);
	else
		read_head(reader);
}

static bool is_complete(struct group_reader *reader)
{
	const struct takt_place place = {.file = reader->base.path};
	const struct events_group *group = &reader->group;
	const char *missing = !group->name	     ? "name"
			      : !group->title	     ? "title"
			      : !group->event_count  ? "events"
			      : !group->metric_count ? "metrics"
						     : NULL;

	if (missing)
		takt_error_at(reader->base.diag, &place, "the group has no %s", missing);
	return !missing;
}

enum takt_status takt_events_group_parse(const char *path, const char *text, size_t size_bytes,
					 struct takt_arena *arena, struct takt_diag *diag,
					 const struct events_group **ret_group)
{
	struct group_reader *reader = takt_arena_alloc(arena, 1, sizeof(*reader));
	struct takt_reader *base = &reader->base;

	takt_reader_init(base, path, text, size_bytes, arena, diag);
	if (!takt_reader_header(base, "group"))
		return TAKT_BAD_INPUT;
	while (takt_reader_line(base))
		read_line(reader);
	if (base->error_count || !is_complete(reader))
		return TAKT_BAD_INPUT;
	reader->group.path = path;
	reader->group.events = reader->events;
	reader->group.metrics = reader->metrics;
	if (!reader->group.prose)
		reader->group.prose = "";
	*ret_group = &reader->group;
	return TAKT_OK;
}
