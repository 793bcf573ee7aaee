/* SPDX-License-Identifier: MIT */
/* Encodings: their parts, and the numbers they are on a core. */
#include "events/backend.h"
#include "../tap.h"

static const struct {
	int line;
	const char *text, *isa;
	uint64_t config, config1;
	bool parses, encodes;
} rows[] = {
	{__LINE__, "cpu/event=0x51,umask=0x1/", "x86-64", 0x151, 0, true, true},
	{__LINE__, "cpu/event=0xa3,umask=0x0c,cmask=12/", "x86-64", 0xc000ca3, 0, true, true},
	{__LINE__, "cpu/event=0x0d,umask=3,cmask=1,edge=1,inv=1/", "x86-64", 0x184030d, 0, true,
	 true},
	{__LINE__, "cpu/event=0x18e,umask=7/", "x86-64", 0x10000078e, 0, true, true},
	{__LINE__, "cpu/event=0xb7,umask=1,offcore_rsp=0x3f80400001/", "x86-64", 0x1b7,
	 0x3f80400001, true, true},
	{__LINE__, "cpu/event=0x200/", "aarch64", 0x200, 0, true, true},
	{__LINE__, "cpu/event=0x80c1/", "aarch64", 0x80c1, 0, true, true},
	{__LINE__, "cpu/event=0x11,umask=1/", "aarch64", 0, 0, true, false},
	{__LINE__, "cpu/event=0x1000/", "x86-64", 0, 0, true, false},
	{__LINE__, "cpu/event=1,umask=0x100/", "x86-64", 0, 0, true, false},
	{__LINE__, "cpu/event=1,frob=1/", "x86-64", 0, 0, true, false},
	{__LINE__, "cpu/event/", "x86-64", 0, 0, true, false},
	{__LINE__, "uncore_imc/event=4,umask=3/", "x86-64", 0, 0, true, false},
	{__LINE__, "power/energy-pkg/", "x86-64", 0, 0, true, false},
	{__LINE__, "", "x86-64", 0, 0, false, false},
	{__LINE__, "cpu", "x86-64", 0, 0, false, false},
	{__LINE__, "cpu//", "x86-64", 0, 0, false, false},
	{__LINE__, "cpu/event=1", "x86-64", 0, 0, false, false},
	{__LINE__, "cpu/event=1/x", "x86-64", 0, 0, false, false},
	{__LINE__, "cpu/event=/", "x86-64", 0, 0, false, false},
	{__LINE__, "cpu/event=-1/", "x86-64", 0, 0, false, false},
	{__LINE__, "cpu/event=1,/", "x86-64", 0, 0, false, false},
	{__LINE__, "../x/event=1/", "x86-64", 0, 0, false, false},
	{__LINE__, "cpu/a,b,c,d,e,f,g,h,i,j,k,l,m/", "x86-64", 0, 0, false, false},
};

int main(void)
{
	struct takt_arena arena;

	takt_arena_init(&arena);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct events_encoding encoding;
		struct events_config config = {0, 0};
		bool parses = takt_events_encoding_parse(rows[i].text, &arena, &encoding);
		bool encodes =
			parses && takt_events_encoding_config(&encoding, rows[i].isa, &config);

		tap_ok_at(__FILE__, rows[i].line,
			  parses == rows[i].parses && encodes == rows[i].encodes &&
				  config.config == rows[i].config &&
				  config.config1 == rows[i].config1,
			  "'%s': %#llx, %#llx", rows[i].text, (unsigned long long)config.config,
			  (unsigned long long)config.config1);
	}
	takt_arena_release(&arena);
	return tap_done();
}
