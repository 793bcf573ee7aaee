/* SPDX-License-Identifier: MIT */
/* Encodings are taken, and other text is refused. */
#include "events/backend.h"
#include "../tap.h"

static const struct {
	int line;
	const char *text;
	bool good;
} rows[] = {
	{__LINE__, "cpu/event=0x51,umask=0x1/", true},
	{__LINE__, "cpu/event=0xa3,umask=0x0c,cmask=12/", true},
	{__LINE__, "cpu/event=0xb7,umask=1,offcore_rsp=0x3f80400001/", true},
	{__LINE__, "cpu/event/", true},
	{__LINE__, "uncore_imc/event=4,umask=3/", true},
	{__LINE__, "power/energy-pkg/", true},
	{__LINE__, "cpu/a,b,c,d,e,f,g,h,i,j,k,l/", true},
	{__LINE__, "", false},
	{__LINE__, "cpu", false},
	{__LINE__, "cpu//", false},
	{__LINE__, "cpu/event=1", false},
	{__LINE__, "cpu/event=1/x", false},
	{__LINE__, "cpu/event=/", false},
	{__LINE__, "cpu/event=-1/", false},
	{__LINE__, "cpu/event=1,/", false},
	{__LINE__, "../x/event=1/", false},
	{__LINE__, "cpu/a,b,c,d,e,f,g,h,i,j,k,l,m/", false},
};

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		tap_ok_at(__FILE__, rows[i].line,
			  takt_events_is_encoding(rows[i].text) == rows[i].good, "'%s'",
			  rows[i].text);
	return tap_done();
}
