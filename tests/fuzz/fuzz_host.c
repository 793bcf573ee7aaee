/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the user's files about this machine: the core that its timings are nearest to, and
 * the learnt model that is installed. The first byte chooses; the lines that name the processor are
 * put before the rest, unless it is 2 or more.
 */
#include <stdlib.h>
#include <string.h>

#include "model/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names come from a file that anybody may have written, and are printed on terminals. */
static void want_name(const char *name)
{
	if (*name && !takt_host_name_is_fine((struct takt_word){name, strlen(name)}))
		abort();
}

static void read_timings(const struct takt_cpu *cpu, const char *text, size_t size,
			 struct takt_arena *arena)
{
	struct takt_host_timings got;

	if (!takt_host_timings_parse(cpu, text, size, arena, &got))
		return;
	want_name(got.core);
	want_name(got.next);
	if (!*got.core || !(got.distance >= 0) || !(got.next_distance >= 0))
		abort();
}

static void read_learnt(const struct takt_cpu *cpu, const char *text, size_t size,
			struct takt_arena *arena)
{
	const char *core;

	if (!takt_learnt_parse(cpu, text, size, arena, &core))
		return;
	want_name(core);
	if (!*core)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct takt_cpu cpu = {.vendor = "AnyVendor", .family = 1, .model = 2};
	struct takt_arena arena = {0};
	struct takt_text key = {0};
	char *text;

	if (size == 0)
		return 0;
	if (data[0] < 2)
		takt_host_write_key(data[0] ? "takt-learnt 1" : "takt-host 1", &cpu, &key);
	text = malloc(key.size_bytes + size); /* without a byte more, so that reading on is found */
	if (!text)
		abort();
	if (key.size_bytes)
		memcpy(text, key.data, key.size_bytes);
	memcpy(text + key.size_bytes, data + 1, size - 1);
	(data[0] & 1 ? read_learnt : read_timings)(&cpu, text, key.size_bytes + size - 1, &arena);
	free(text);
	takt_text_release(&key);
	takt_arena_release(&arena);
	return 0;
}
