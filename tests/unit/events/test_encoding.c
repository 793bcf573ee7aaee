/* SPDX-License-Identifier: MIT */
/* Encodings are read into a PMU and terms, and other text is refused. */
#include "events/backend.h"
#include "../tap.h"

static const struct {
	int line;
	const char *text, *terms; /* NULL: refused */
} rows[] = {
	{__LINE__, "cpu/event=0x51,umask=0x1/", "cpu event=81 umask=1"},
	{__LINE__, "cpu/event=0xa3,umask=0x0c,cmask=12/", "cpu event=163 umask=12 cmask=12"},
	{__LINE__, "cpu/event=0xb7,umask=1,offcore_rsp=0x3f80400001/",
	 "cpu event=183 umask=1 offcore_rsp=272734617601"},
	{__LINE__, "cpu/event/", "cpu event"},
	{__LINE__, "uncore_imc/event=4,umask=3/", "uncore_imc event=4 umask=3"},
	{__LINE__, "power/energy-pkg/", "power energy-pkg"},
	{__LINE__, "", NULL},
	{__LINE__, "cpu", NULL},
	{__LINE__, "cpu//", NULL},
	{__LINE__, "cpu/event=1", NULL},
	{__LINE__, "cpu/event=1/x", NULL},
	{__LINE__, "cpu/event=/", NULL},
	{__LINE__, "cpu/event=-1/", NULL},
	{__LINE__, "cpu/event=1,/", NULL},
	{__LINE__, "../x/event=1/", NULL},
	{__LINE__, "cpu/a,b,c,d,e,f,g,h,i,j,k,l,m/", NULL},
};

int main(void)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct events_encoding encoding;
		struct takt_text text = {0};
		bool parses = takt_events_encoding_parse(rows[i].text, &arena, &encoding);

		if (parses)
			takt_text_add_string(&text, encoding.pmu);
		for (uint32_t k = 0; parses && k < encoding.term_count; k++) {
			takt_text_printf(&text, " %s", encoding.terms[k].name);
			if (encoding.terms[k].has_value)
				takt_text_printf(&text, "=%llu",
						 (unsigned long long)encoding.terms[k].value);
		}
		tap_ok_at(__FILE__, rows[i].line,
			  parses ? rows[i].terms && strcmp(text.data, rows[i].terms) == 0
				 : !rows[i].terms,
			  "'%s'", rows[i].text);
		takt_text_release(&text);
	}
	takt_arena_release(&arena);
	return tap_done();
}
