/* SPDX-License-Identifier: MIT */
/*
 * Reads XML through libxml2's push parser: no tree, no network, no entities. The file is passed
 * in pieces, so that memory does not depend on its size.
 */
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>

#include "import/module.h"

#define PIECE_BYTES 65536
/*
 * Limit of a start tag, several times that of its attributes. It is needed because libxml2 compares
 * each attribute with all others of its element before it calls back.
 */
#define TAG_MAX_BYTES 65536u

struct reading {
	const struct takt_xml_events *events;
	xmlParserCtxtPtr parser;
	bool stopped; /* a callback stopped the reading, or an error was reported */
	bool ended;   /* the parser has got all of the file */
	unsigned depth;
	/* Offset in `text` of each open element's text; an inner element's text follows. */
	size_t text_starts[TAKT_XML_DEPTH_MAX];
	size_t text_size;
	char text[TAKT_XML_TEXT_MAX_BYTES];
	char values[TAKT_XML_TEXT_MAX_BYTES];
};

static uint32_t line_of(const struct reading *reading)
{
	return (uint32_t)xmlSAX2GetLineNumber(reading->parser);
}

static void stop(struct reading *reading)
{
	reading->stopped = true;
	xmlStopParser(reading->parser);
}

static void fail(struct reading *reading, const char *what, const char *remedy)
{
	if (reading->stopped)
		return;
	reading->events->error(reading->events->context, line_of(reading), what, remedy);
	stop(reading);
}

/* Copy attributes: libxml2 gives begin and end of each value, but callbacks get strings. */
static bool copy_attributes(struct reading *reading, const xmlChar **from, int count,
			    struct takt_xml_attribute *to)
{
	size_t used = 0;

	for (int i = 0; i < count; i++) {
		const char *begin = (const char *)from[5 * (size_t)i + 3];
		size_t size = (size_t)((const char *)from[5 * (size_t)i + 4] - begin);

		if (size >= sizeof(reading->values) - used)
			return false;
		memcpy(reading->values + used, begin, size);
		reading->values[used + size] = '\0';
		to[i] = (struct takt_xml_attribute){(const char *)from[5 * (size_t)i],
						    reading->values + used};
		used += size + 1;
	}
	return true;
}

static void on_open(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
		    int namespace_count, const xmlChar **namespaces, int count, int defaulted,
		    const xmlChar **from)
{
	struct takt_xml_attribute attributes[TAKT_XML_ATTRIBUTES_MAX];
	struct reading *reading = context;

	(void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
	if (reading->stopped)
		return;
	if (reading->depth == TAKT_XML_DEPTH_MAX) {
		fail(reading, "elements are nested too deeply",
		     "uops.info's files need six levels");
		return;
	}
	if (count > TAKT_XML_ATTRIBUTES_MAX) {
		fail(reading, "an element has too many attributes",
		     "uops.info's elements have some tens");
		return;
	}
	if (!copy_attributes(reading, from, count, attributes)) {
		fail(reading, "an element's attribute values are too long", NULL);
		return;
	}
	reading->text_starts[reading->depth++] = reading->text_size;
	if (!reading->events->open(reading->events->context, line_of(reading), (const char *)name,
				   attributes, (size_t)count))
		stop(reading);
}

static void on_close(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct reading *reading = context;
	size_t start;

	(void)prefix, (void)uri;
	if (reading->stopped || !reading->depth)
		return;
	start = reading->text_starts[--reading->depth];
	reading->text[reading->text_size] = '\0';
	reading->text_size = start;
	if (!reading->events->close(reading->events->context, line_of(reading), (const char *)name,
				    reading->text + start))
		stop(reading);
}

/* Append text to the open element. Text longer than any that matters is cut. */
static void on_text(void *context, const xmlChar *text, int size)
{
	struct reading *reading = context;
	size_t room = sizeof(reading->text) - 1 - reading->text_size;
	size_t added = (size_t)size < room ? (size_t)size : room;

	memcpy(reading->text + reading->text_size, text, added);
	reading->text_size += added;
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
	(void)name, (void)id, (void)system;
	fail(context, "document type declarations are not accepted",
	     "uops.info's files have none; remove the <!DOCTYPE …> and its entities");
}

static void on_error(void *context, xmlErrorPtr error)
{
	struct reading *reading = context;
	char what[256];
	size_t size;

	if (reading->stopped || error->level < XML_ERR_ERROR)
		return;
	/* libxml2 reports a file that ends within an element as extra content. */
	if (error->code == XML_ERR_DOCUMENT_END && reading->ended)
		snprintf(what, sizeof(what), "the file ends too early");
	else
		snprintf(what, sizeof(what), "not well-formed XML: %s",
			 error->message ? error->message : "");
	for (size = strlen(what); size && (what[size - 1] == '\n' || what[size - 1] == ' '); size--)
		what[size - 1] = '\0';
	reading->events->error(reading->events->context, (uint32_t)error->line, what,
			       "is the file complete? uops.info calls it instructions.xml");
	stop(reading);
}

/* ---- start tags that are too long --------------------------------------------- */

struct span {
	const char *begin, *end;
};

static bool starts(struct span span, const char *with)
{
	size_t size = strlen(with);

	return (size_t)(span.end - span.begin) >= size && memcmp(span.begin, with, size) == 0;
}

static const char *behind(struct span span, const char *what)
{
	const char *hit = memmem(span.begin, (size_t)(span.end - span.begin), what, strlen(what));

	return hit ? hit + strlen(what) : span.end;
}

/* Return the place after the '>' of a start tag; NULL if the tag is too long. */
static const char *behind_tag(struct span span)
{
	char quote = '\0';

	for (const char *at = span.begin; at < span.end; at++) {
		if (at - span.begin > (ptrdiff_t)TAG_MAX_BYTES)
			return NULL;
		if (quote)
			quote = *at == quote ? '\0' : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '>')
			return at + 1;
	}
	return span.end;
}

/* Return the place after the markup that begins here; NULL for a start tag that is too long. */
static const char *behind_markup(struct span span)
{
	static const char *const pairs[][2] = {
		{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"</", ">"}, {"<!", ">"}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (starts(span, pairs[i][0]))
			return behind(span, pairs[i][1]);
	return behind_tag(span);
}

static bool check_tags(struct span span, const struct takt_xml_events *events)
{
	const char *data = span.begin, *next;
	uint32_t line = 1;

	while ((span.begin = memchr(span.begin, '<', (size_t)(span.end - span.begin)))) {
		next = behind_markup(span);
		if (next) {
			span.begin = next;
			continue;
		}
		for (; data < span.begin; data++)
			line += *data == '\n';
		events->error(events->context, line, "an element has too many attributes",
			      "uops.info's elements have some tens");
		return false;
	}
	return true;
}

bool takt_import_xml(const void *data, size_t size_bytes, const struct takt_xml_events *events)
{
	struct reading reading = {.events = events};
	const char *next = data;
	xmlSAXHandler handler = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = on_open,
		.endElementNs = on_close,
		.characters = on_text,
		.internalSubset = on_doctype,
		.serror = on_error,
	};
	bool whole;

	if (!check_tags((struct span){next, next + size_bytes}, events))
		return false;
	reading.parser = xmlCreatePushParserCtxt(&handler, &reading, NULL, 0, NULL);
	if (!reading.parser) {
		events->error(events->context, 0, "libxml2 cannot start", NULL);
		return false;
	}
	xmlCtxtUseOptions(reading.parser, XML_PARSE_NONET | XML_PARSE_NODICT);
	while (size_bytes && !reading.stopped) {
		size_t piece = size_bytes < PIECE_BYTES ? size_bytes : PIECE_BYTES;

		xmlParseChunk(reading.parser, next, (int)piece, 0);
		next += piece;
		size_bytes -= piece;
	}
	reading.ended = true;
	if (!reading.stopped)
		xmlParseChunk(reading.parser, NULL, 0, 1);
	if (!reading.stopped && !reading.parser->wellFormed)
		fail(&reading, "not well-formed XML", NULL);
	whole = !reading.stopped;
	xmlFreeParserCtxt(reading.parser);
	return whole;
}
