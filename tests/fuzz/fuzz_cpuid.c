/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of CPUID's answers, and the choice of a core by what was read. */
#include <stdlib.h>
#include <string.h>

#include "model/host.h"
#include "model/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct takt_image *builtin(void)
{
	static struct takt_image image;
	static bool opened;
	const char *error;

	if (!opened && !takt_image_open(takt_image_builtin(), &image, &error))
		abort();
	opened = true;
	return &image;
}

/* Answers come from strangers, and are printed on terminals. */
static void want_printable(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			abort();
}

static void choose(struct takt_loader *loader, const struct takt_cpuid *cpuid)
{
	struct takt_recognition got = {.taken = NULL};

	if (takt_host_recognize(loader, cpuid, false, &got)) {
		if (!got.taken || !*got.taken || (*got.note == 0) != (*got.reason == 0))
			abort();
		want_printable(got.processor);
		want_printable(got.note);
	} else if (takt_diag_error_count(loader->diag) != 1) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct takt_arena arena = {0};
	struct takt_loader loader = {
		.arena = &arena, .diag = takt_diag_new(), .builtin = builtin()};
	struct takt_cpuid cpuid;

	if (takt_cpuid_parse("fuzz", (const char *)data, size, &arena, loader.diag, &cpuid))
		choose(&loader, &cpuid);
	else if (takt_diag_error_count(loader.diag) != 1)
		abort();
	takt_diag_free(loader.diag);
	takt_arena_release(&arena);
	return 0;
}
