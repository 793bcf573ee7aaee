/* SPDX-License-Identifier: MIT */
#include "characterize/machine/backend.h"
#include "unit/tap.h"

static const uint8_t add[] = {0x48, 0x01, 0xd8};		   /* add rax, rbx */
static const uint8_t imul[] = {0x48, 0x0f, 0xaf, 0xc3};		   /* imul rax, rbx */
static const uint8_t store[] = {0x49, 0x89, 0x5e, 0x40};	   /* mov [r14+64], rbx */
static const uint8_t all[] = {0x48, 0x01, 0xc8, 0x48, 0x01, 0xd1}; /* uses rax, rcx, rdx */

static struct probe_machine *open_sim(const struct takt_model *model, bool counters, double noise)
{
	const struct probe_sim_options options = {.counters = counters, .noise = noise, .seed = 7};

	return takt_probe_sim_open(model, &options);
}

static double cycles(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes,
		     bool loop)
{
	struct probe_outcome outcome;

	return machine->run(machine, bytes, size_bytes, loop, &outcome) ? outcome.cycles : NAN;
}

static void test_time(const struct takt_model *model)
{
	struct probe_machine *machine = open_sim(model, false, 0);
	static const uint8_t bad[] = {0x06};
	struct probe_outcome outcome;

	is_near(cycles(machine, add, sizeof(add), false), 1, "a chain of additions");
	is_near(cycles(machine, imul, sizeof(imul), false), 3, "a chain of products");
	is_near(cycles(machine, imul, sizeof(imul), true), 3, "the same in a loop");
	is_near(cycles(machine, all, sizeof(all), true), 1, "a loop counts in what is free");
	ok(!machine->run(machine, bad, sizeof(bad), false, &outcome) && *outcome.reason,
	   "what is not code is refused");
	takt_probe_machine_close(machine);
}

static void test_counters(const struct takt_model *model)
{
	struct probe_machine *machine = open_sim(model, true, 0);
	struct probe_outcome outcome;
	double sum = 0;

	ok(machine->run(machine, store, sizeof(store), false, &outcome), "a store runs");
	for (uint32_t p = 0; p < machine->port_count; p++) {
		sum += outcome.port_uops[p];
		if (strcmp(machine->port_name(machine, p), "p4") == 0)
			/* A twentieth for the experiment's own instructions, here and below. */
			ok(fabs(outcome.port_uops[p] - 1) < 0.05, "its data goes to p4");
	}
	ok(fabs(sum - 2) < 0.05, "it is two µops");
	takt_probe_machine_close(machine);
}

static void test_noise(const struct takt_model *model)
{
	struct probe_machine *machine = open_sim(model, false, 0.1);
	double first = cycles(machine, imul, sizeof(imul), false), next = first;

	for (int i = 0; i < 20 && next == first; i++)
		next = cycles(machine, imul, sizeof(imul), false);
	/* Up to a tenth, as asked for. */
	ok(first >= 3 && first <= 3.3, "noise makes times longer, up to a limit: %.3f", first);
	ok(next != first, "and differs");
	takt_probe_machine_close(machine);
}

int main(void)
{
	struct takt_model *model;

	if (ok(takt_model_open("SKL", NULL, NULL, &model) == TAKT_OK, "a core")) {
		test_time(model);
		test_counters(model);
		test_noise(model);
		takt_model_close(model);
	}
	return tap_done();
}
