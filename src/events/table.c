/* SPDX-License-Identifier: MIT */
#include "events/table.h"

#include <string.h>

#include "events/backend.h"

#define CORES_MAX 64u
#define EVENTS_MAX 4096u
#define SOURCES_MAX 32u
#define PORTS_MAX 32u

struct table_reader {
	struct takt_reader base; /* first, so that a pointer to it is one to the whole */
	struct events_family family;
	struct events_event *events;
	uint32_t capacity;
	const char *cores[CORES_MAX];
	const char *sources[SOURCES_MAX];
	uint32_t source_count;
	struct events_port ports[PORTS_MAX];
	enum { IN_HEAD, IN_EVENTS, IN_PORTS } where;
};

static void read_cores(struct table_reader *reader)
{
	struct takt_reader *base = &reader->base;

	for (struct takt_word word = takt_reader_word(base); word.size;
	     word = takt_reader_word(base)) {
		if (reader->family.core_count == CORES_MAX) {
			takt_reader_error(base, word, "more than %u cores", CORES_MAX);
			return;
		}
		reader->cores[reader->family.core_count++] = takt_word_copy(base, word);
	}
}

static void read_source(struct table_reader *reader)
{
	struct takt_reader *base = &reader->base;
	struct takt_word tag = takt_reader_word(base);

	if (!takt_word_is_name(tag, "") || !takt_reader_rest(base).size)
		takt_reader_error(base, tag, "a source is a TAG and what it is");
	else if (reader->source_count == SOURCES_MAX)
		takt_reader_error(base, tag, "more than %u sources", SOURCES_MAX);
	else
		reader->sources[reader->source_count++] = takt_word_copy(base, tag);
}

static void read_head(struct table_reader *reader, struct takt_word key)
{
	struct takt_reader *base = &reader->base;
	struct takt_word value;
	const char **field = NULL;

	if (takt_word_is(key, "cores")) {
		read_cores(reader);
		return;
	}
	if (takt_word_is(key, "source")) {
		read_source(reader);
		return;
	}
	if (takt_word_is(key, "family"))
		field = &reader->family.name;
	else if (takt_word_is(key, "title"))
		field = &reader->family.title;
	else if (takt_word_is(key, "like"))
		field = &reader->family.like;
	else if (takt_word_is(key, "isa"))
		field = &reader->family.isa;
	value = takt_reader_rest(base);
	if (!field || !value.size) {
		takt_reader_error(base, key, field ? "what '%.*s'?" : "unknown line '%.*s'",
				  TAKT_PRINTED(key));
		takt_note(base->diag, "family, title, like, isa, cores, source, events or ports");
	} else if (*field) {
		takt_reader_error(base, key, "a second '%.*s'", TAKT_PRINTED(key));
	} else {
		*field = takt_word_copy(base, value);
	}
}

static bool row_is_fine(struct table_reader *reader, struct takt_word name, struct takt_word unit,
			struct takt_word tag, struct events_event *event)
{
	struct takt_reader *base = &reader->base;

	if (!takt_word_is_name(name, "_.:-"))
		return takt_reader_error(base, name, "this cannot be the name of an event");
	for (uint32_t i = 0; i < reader->family.event_count; i++)
		if (takt_word_is(name, reader->events[i].name))
			return takt_reader_error(base, name, "a second row of '%s'",
						 reader->events[i].name);
	if (!takt_events_unit_parse(unit.data, unit.size, &event->unit) || !unit.size)
		return takt_reader_error(base, unit, "unknown unit '%.*s'", TAKT_PRINTED(unit));
	if (!takt_events_is_encoding(event->encoding)) {
		takt_reader_error(base, unit, "'%s' is no encoding", event->encoding);
		takt_note(base->diag, "as in 'cpu/event=0x51,umask=0x1/'");
		return false;
	}
	if (!takt_string_is_one_of(event->source, reader->sources, reader->source_count)) {
		takt_reader_error(base, tag.size ? tag : name, "no source '%s' is declared",
				  event->source);
		takt_note(base->diag, "a line 'source %s WHAT' says what it is", event->source);
		return false;
	}
	if (reader->family.event_count < EVENTS_MAX)
		return true;
	return takt_reader_error(base, name, "more than %u events", EVENTS_MAX);
}

/* Read a line "NAME UNIT ENCODING SOURCE [WHAT]". */
static void read_row(struct table_reader *reader)
{
	struct takt_reader *base = &reader->base;
	struct takt_word name = takt_reader_word(base);
	struct takt_word unit = takt_reader_word(base);
	struct takt_word encoding = takt_reader_word(base);
	struct takt_word tag = takt_reader_word(base);
	struct events_event event = {
		.encoding = takt_word_copy(base, encoding),
		.source = takt_word_copy(base, tag),
		.origins = TAKT_COUNTED,
	};

	if (!row_is_fine(reader, name, unit, tag, &event))
		return;
	event.name = takt_word_copy(base, name);
	event.unit_text = takt_word_is(unit, "1") ? "" : takt_word_copy(base, unit);
	event.what = takt_word_copy(base, takt_reader_rest(base));
	TAKT_GROW_IN(base->arena, reader->events, reader->family.event_count + 1, reader->capacity);
	reader->events[reader->family.event_count++] = event;
}

/* Read a line "PORTS EVENT". */
static void read_port(struct table_reader *reader)
{
	struct takt_reader *base = &reader->base;
	struct takt_word ports = takt_reader_word(base);
	struct takt_word event = takt_reader_word(base);

	if (!takt_word_is_name(ports, "") || !takt_word_is_name(event, "_.:-") ||
	    takt_reader_rest(base).size)
		takt_reader_error(base, ports,
				  "a row is PORTS and the event that counts their µops");
	else if (reader->family.port_count == PORTS_MAX)
		takt_reader_error(base, ports, "more than %u rows", PORTS_MAX);
	else
		reader->ports[reader->family.port_count++] =
			(struct events_port){takt_word_copy(base, ports),
					     takt_word_copy(base, event), base->lines.number};
}

static void read_line(struct table_reader *reader)
{
	struct takt_reader *base = &reader->base;
	bool is_row = takt_is_blank(base->line[0]);
	struct takt_word key;

	if (is_row && reader->where == IN_EVENTS) {
		read_row(reader);
		return;
	}
	if (is_row && reader->where == IN_PORTS) {
		read_port(reader);
		return;
	}
	key = takt_reader_word(base);
	if (takt_word_is(key, "events") && !takt_reader_rest(base).size)
		reader->where = IN_EVENTS;
	else if (takt_word_is(key, "ports") && !takt_reader_rest(base).size)
		reader->where = IN_PORTS;
	else
		read_head(reader, key);
}

enum takt_status takt_events_table_parse(const struct events_text *text, struct takt_arena *arena,
					 struct takt_diag *diag, struct events_family *ret_family)
{
	struct table_reader *reader = takt_arena_alloc(arena, 1, sizeof(*reader));
	struct takt_reader *base = &reader->base;

	takt_reader_init(base, text->path, text->text, text->size_bytes, arena, diag);
	if (!takt_reader_header(base, "events"))
		return TAKT_BAD_INPUT;
	while (takt_reader_line(base))
		read_line(reader);
	if (base->error_count)
		return TAKT_BAD_INPUT;
	if (!reader->family.name || !reader->family.title) {
		takt_error_at(diag, &(struct takt_place){.file = text->path},
			      "the family has no %s", reader->family.name ? "title" : "name");
		takt_note(diag, "add a line '%s …'", reader->family.name ? "title" : "family");
		return TAKT_BAD_INPUT;
	}
	reader->family.path = text->path;
	reader->family.events = reader->events;
	reader->family.cores = reader->cores;
	reader->family.ports = reader->ports;
	*ret_family = reader->family;
	return TAKT_OK;
}
