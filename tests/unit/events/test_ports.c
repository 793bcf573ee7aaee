/* SPDX-License-Identifier: MIT */
/* Codes of events that count µops by port, against libpfm4's. */
#include "events/backend.h"
#include "events/pmu.h"
#include "../tap.h"

/* Cores, as libpfm4 calls them. */
static const char *const cores[][2] = {{"SKL", "skl"}, {"SKX", "skx"}, {"CLX", "clx"},
				       {"HSW", "hsw"}, {"ICL", "icl"}, {"ICX", "icx"},
				       {"SPR", "spr"}};

static void check_event(const struct events_event *event, const char *core,
			pfm_encode_function encode, struct takt_arena *arena)
{
	char *name = takt_arena_printf(arena, "%s::%s", core, event->name);
	unsigned number, mask = 0;
	struct pfm_encoding wanted;
	const char *problem;

	*strchr(name, '.') = ':';
	problem = encode(name, &wanted);
	if (!ok(!problem, "%s is libpfm4's", name))
		return;
	ok(sscanf(event->encoding, "cpu/event=%x,umask=%x", &number, &mask) > 0 &&
		   (number | mask << 8) == (wanted.config & 0xffff),
	   "%s has its code", name);
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct events_library library;
	struct takt_arena arena = {0};
	pfm_encode_function encode;
	void *symbol;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	symbol = takt_module_symbol("takt-pfm", "takt_pfm_encode", NULL);
	if (!symbol) {
		takt_diag_free(diag);
		return tap_skip_all("no libpfm4");
	}
	memcpy(&encode, &symbol, sizeof(encode));
	if (takt_events_library_open(NULL, &arena, diag, &library) != TAKT_OK)
		abort();
	for (size_t i = 0; i < TAKT_COUNT_OF(cores); i++) {
		const struct events_family *family =
			takt_events_family_of_core(&library, cores[i][0]);

		if (!ok(family && family->port_count > 6, "%s has ports", cores[i][0]))
			continue;
		for (uint32_t k = 0; k < family->port_count; k++)
			check_event(
				takt_events_event_find(&library, family, family->ports[k].event),
				cores[i][1], encode, &arena);
	}
	takt_arena_release(&arena);
	takt_diag_free(diag);
	return tap_done();
}
