/* SPDX-License-Identifier: MIT */
/* Texts of a database's rows: operands, ports. */
#include <stdlib.h>

#include "characterize/survey/survey_write.h"
#include "unit/tap.h"

static struct takt_port_list ports_of(const char *core)
{
	struct takt_port_list ports;
	struct takt_model *model;

	if (takt_model_open(core, NULL, NULL, &model) != TAKT_OK)
		abort();
	takt_model_ports(model, &ports);
	takt_model_close(model);
	return ports;
}

static uint32_t port(const struct takt_port_list *ports, const char *name)
{
	for (uint32_t i = 0; i < ports->count; i++)
		if (strcmp(ports->names[i], name) == 0)
			return UINT32_C(1) << i;
	abort();
}

static void check_ports(void)
{
	static const char *const wrong[] = {"1*p9", "p0", "1*", "1*p0+x", "1*{add r64, r64}"};
	struct takt_port_list adl = ports_of("ADL-P"), zen = ports_of("ZEN3"),
			      skl = ports_of("SKL");
	struct takt_uops uops[PROBE_UOPS_MAX];

	is_int(takt_probe_ports_read(&adl, "2*p06+1*p23A", uops), 2, "two kinds of µops");
	is_int(uops[0].count, 2, "how many of the first");
	ok(uops[1].ports == (port(&adl, "p2") | port(&adl, "p3") | port(&adl, "pA")),
	   "a port whose number is a letter");
	is_int(takt_probe_ports_read(&zen, "1*a03b1", uops), 1, "ports of two kinds");
	ok(uops[0].ports == (port(&zen, "a0") | port(&zen, "a3") | port(&zen, "b1")),
	   "with letters of their own");
	is_int(takt_probe_ports_read(&skl, "", uops), 0, "none");
	for (size_t i = 0; i < TAKT_COUNT_OF(wrong); i++)
		is_int(takt_probe_ports_read(&skl, wrong[i], uops), -1, wrong[i]);
}

static void check_merged(void)
{
	static const struct takt_uops split[] = {{1, 1, 0}, {3, 1, 0}, {1, 2, 0}, {8, 6, 0}},
				      merged[] = {{3, 1, 0}, {1, 3, 0}};
	const struct takt_port_list ports = {.count = 4, .pseudo = 8};
	struct takt_uops uops[PROBE_UOPS_MAX];
	unsigned total;
	int count = takt_probe_uops_merge(&ports, split, 4, uops, &total);

	is_int(count, 2, "two sets of ports, without the unit");
	is_int(total, 4, "four µops");
	ok(takt_probe_uops_same(uops, count, merged, 2), "the same in another order");
	ok(!takt_probe_uops_same(uops, count, merged, 1), "not with fewer");
}

static void check_slots(void)
{
	uint8_t slot = 0;

	ok(takt_probe_slot_read("2b", &slot) && slot == TAKT_SLOT_BASE, "a base register");
	ok(takt_probe_slot_read("3i", &slot) && slot == TAKT_SLOT_INDEX, "an index register");
	ok(takt_probe_slot_read("2", &slot) && slot == TAKT_SLOT_1 + 1, "an operand");
	ok(takt_probe_slot_read("rax", &slot) && slot == TAKT_SLOT_IMPLICIT + TAKT_LOC_GPR,
	   "an implicit register");
	ok(!takt_probe_slot_read("what", &slot), "nothing");
}

int main(void)
{
	check_ports();
	check_merged();
	check_slots();
	return tap_done();
}
