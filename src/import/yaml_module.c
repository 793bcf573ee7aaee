/* SPDX-License-Identifier: MIT */
/* Reads YAML through libyaml's event parser: one document, no aliases. */
#include <stdio.h>

#include <yaml.h>

#include "import/module.h"

static void report(const struct takt_yaml_events *events, const yaml_parser_t *parser)
{
	size_t line =
		parser->error == YAML_READER_ERROR ? parser->mark.line : parser->problem_mark.line;
	char what[256];

	snprintf(what, sizeof(what), "not valid YAML: %s",
		 parser->problem ? parser->problem : "out of memory");
	events->error(events->context, (uint32_t)line + 1, what,
		      "OSACA's models are the YAML files in its osaca/data");
}

/* Pass an event on. False stops the reading; `*ret_whole` is set at the end of the stream. */
static bool hand_on(const struct takt_yaml_events *events, const yaml_event_t *event,
		    unsigned *documents, bool *ret_whole)
{
	uint32_t line = (uint32_t)event->start_mark.line + 1;

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return events->event(events->context, line, TAKT_YAML_SCALAR,
				     (const char *)event->data.scalar.value,
				     event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE);
	case YAML_SEQUENCE_START_EVENT:
		return events->event(events->context, line, TAKT_YAML_LIST, NULL, false);
	case YAML_MAPPING_START_EVENT:
		return events->event(events->context, line, TAKT_YAML_MAP, NULL, false);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return events->event(events->context, line, TAKT_YAML_END, NULL, false);
	case YAML_ALIAS_EVENT:
		events->error(events->context, line, "YAML aliases are not accepted",
			      "write out what the alias '*…' stands for");
		return false;
	case YAML_DOCUMENT_START_EVENT:
		if (++*documents == 1)
			return true;
		events->error(events->context, line, "a second YAML document begins here",
			      "a machine model is one document");
		return false;
	case YAML_STREAM_END_EVENT:
		*ret_whole = true;
		return false;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return true;
	}
	return true;
}

bool takt_import_yaml(const void *data, size_t size_bytes, const struct takt_yaml_events *events)
{
	yaml_parser_t parser;
	unsigned documents = 0;
	bool whole = false, more = true;

	if (!yaml_parser_initialize(&parser)) {
		events->error(events->context, 0, "libyaml cannot start", NULL);
		return false;
	}
	yaml_parser_set_input_string(&parser, data, size_bytes);
	while (more) {
		yaml_event_t event;

		if (!yaml_parser_parse(&parser, &event)) {
			report(events, &parser);
			break;
		}
		more = hand_on(events, &event, &documents, &whole);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return whole;
}
