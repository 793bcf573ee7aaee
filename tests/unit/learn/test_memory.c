/* SPDX-License-Identifier: MIT */
/* The rate of lines from memory, from limits that were measured. */
#include <string.h>

#include "learn/learn.h"
#include "unit/tap.h"

/* Return a parameter's result; its value is -1 if there is none. */
static const struct takt_learnt_parameter *find(const struct learn *learn, const char *name)
{
	static const struct takt_learnt_parameter none = {.value = -1};

	for (uint32_t i = 0; i < learn->parameter_count; i++)
		if (strcmp(learn->parameters[i].name, name) == 0)
			return &learn->parameters[i];
	return &none;
}

static struct takt_machine_limit limit(enum takt_limit_kind kind, const char *level,
				       const char *pages, double per_cycle, double median)
{
	/* The best round's value is 1 in its unit. */
	return (struct takt_machine_limit){.kind = kind,
					   .level = level,
					   .pages = pages,
					   .value = 1,
					   .per_cycle = per_cycle,
					   .median = median};
}

int main(void)
{
	const struct takt_machine_limit items[] = {
		limit(TAKT_LIMIT_LATENCY, "MEM", "small", 305, 1.2),
		limit(TAKT_LIMIT_BANDWIDTH, "MEM", "huge", 4, 0.8)};
	const struct takt_machine_limit noisy[] = {
		limit(TAKT_LIMIT_BANDWIDTH, "MEM", "huge", 4, 0.5)};
	const struct takt_machine_limits no_agreement = {.items = noisy, .count = 1};
	const struct takt_machine_limits limits = {.items = items, .count = TAKT_COUNT_OF(items)};
	struct takt_arena arena = {0};
	struct learn learn = {.arena = &arena};

	takt_arena_init(&arena);
	if (takt_model_open("SKL", NULL, NULL, &learn.nearest) != TAKT_OK)
		return 1;
	learn_core_init(&learn.core, learn.nearest);
	learn_apply_limits(&learn, &limits);
	is_int(find(&learn, "memory_line_cycles")->least, 16, "64 bytes, 4 in a cycle");
	is_int(find(&learn, "memory_line_cycles")->most, 20, "and 3.2 in the median");
	is_int(learn.core.params.memory_line_cycles, 16, "the core has it");
	is_int(find(&learn, "memory_extra_cycles")->value, -1,
	       "a latency is for programs to decide");
	learn_core_init(&learn.core, learn.nearest);
	learn_apply_limits(&learn, &no_agreement);
	is_int(find(&learn, "memory_line_cycles")->how, TAKT_LEARNT_UNSTABLE, "rounds disagree");
	is_int(learn.core.params.memory_line_cycles,
	       takt_model_params(learn.nearest)->memory_line_cycles, "the nearest core's stays");
	takt_model_close(learn.nearest);
	takt_arena_release(&arena);
	return tap_done();
}
