/* SPDX-License-Identifier: MIT */
/* Ports of loads, stores and classes, and schedulers: of a core made here, and as shipped. */
#include "fixture.h"

#define TEXT_MAX 64

/* As in timing files: the letter once. */
static const char *ports_text(const struct takt_model *model, uint32_t ports, char text[TEXT_MAX])
{
	size_t length = 0;
	char letter = 0;

	for (uint32_t p = 0; p < takt_model_port_count(model); p++) {
		const char *name = takt_model_port_name(model, p);

		if (!(ports >> p & 1))
			continue;
		length += (size_t)snprintf(text + length, TEXT_MAX - length, "%s",
					   name + (*name == letter));
		letter = *name;
	}
	return length ? text : "-";
}

static struct takt_model *open_core(const char *core)
{
	struct takt_model *model;

	if (takt_model_open(core, NULL, NULL, &model) != TAKT_OK) {
		printf("Bail out! no %s\n", core);
		exit(EXIT_FAILURE);
	}
	return model;
}

/* ---- accesses ---------------------------------------------------------------------- */

static const struct {
	int line;
	const char *core;
	bool vector, indexed;
	uint16_t size_bytes;
	const char *access; /* load/units latency, store address, data/units */
} accesses[] = {
	{__LINE__, "SKL", false, false, 8, "p23/- 5, p237 p4/-"},
	{__LINE__, "SKL", false, true, 8, "p23/- 5, p23 p4/-"},
	{__LINE__, "SKL", true, false, 16, "p23/- 6, p237 p4/-"},
	{__LINE__, "SKL", true, false, 32, "p23/- 7, p237 p4/-"},
	{__LINE__, "SKL", true, true, 32, "p23/- 7, p23 p4/-"},
	{__LINE__, "SNB", false, false, 8, "p23/d12 5, p23 p4/-"},
	{__LINE__, "SPR", false, false, 8, "p23A/- 5, p78 p49/-"},
	{__LINE__, "SPR", true, false, 32, "p23A/- 8, p78 p49/-"},
	{__LINE__, "SPR", true, false, 64, "p23/- 8, p78 p49/-"},
	{__LINE__, "SPR", true, true, 64, "p23/- 8, p78 p49/-"},
	{__LINE__, "ZEN3", false, false, 8, "g012/- 4, g012 -/d56"},
	{__LINE__, "ZEN3", true, false, 16, "g012/d34 7, g012 f45/d56"},
	{__LINE__, "ZEN3", true, false, 32, "g012/d34 7, g012 f45/d56"},
};

static void check_access(const struct takt_model *model, int line, const char *what,
			 const struct takt_access_ports *got, const char *want)
{
	char load[TEXT_MAX], load_units[TEXT_MAX], address[TEXT_MAX], data[TEXT_MAX],
		units[TEXT_MAX], text[6 * TEXT_MAX];

	snprintf(text, sizeof(text), "%s/%s %d, %s %s/%s", ports_text(model, got->load, load),
		 ports_text(model, got->load_units, load_units), got->load_latency_cycles,
		 ports_text(model, got->store_address, address),
		 ports_text(model, got->store_data, data),
		 ports_text(model, got->store_units, units));
	tap_ok_at(__FILE__, line, strcmp(text, want) == 0, "%s: got '%s', want '%s'", what, text,
		  want);
}

static void test_accesses(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(accesses); i++) {
		struct takt_model *model = open_core(accesses[i].core);
		struct takt_access_ports ports;

		takt_model_access_ports(model, accesses[i].vector, accesses[i].size_bytes,
					accesses[i].indexed, &ports);
		check_access(model, accesses[i].line, accesses[i].core, &ports, accesses[i].access);
		takt_model_close(model);
	}
}

/* Rows that a core does not have are those of less special accesses. */
static void test_fallbacks(struct fixture *fixture)
{
	struct takt_model *model = fixture_core(fixture,
						"load_latency_int 3 e\nload_latency_vector 9 e\n"
						"compose load  | 1*p0      | src=e\n"
						"compose store | 1*p1+1*p2 | lat=1 src=e\n",
						"");
	struct takt_access_ports ports;

	if (!ok(model != NULL, "a core of two compose rows"))
		return;
	takt_model_access_ports(model, false, 8, false, &ports);
	check_access(model, __LINE__, "latency of the core", &ports, "p0/- 3, p1 p2/-");
	takt_model_access_ports(model, true, 64, true, &ports);
	check_access(model, __LINE__, "vector, indexed", &ports, "p0/- 9, p1 p2/-");
	takt_model_close(model);
}

static void test_none(struct fixture *fixture)
{
	struct takt_model *model = fixture_core(fixture, "load_latency_int 3 e\n", "");
	struct takt_access_ports ports;

	if (!ok(model != NULL, "a core without compose rows"))
		return;
	takt_model_access_ports(model, false, 8, false, &ports);
	check_access(model, __LINE__, "no ports", &ports, "-/- 3, - -/-");
	is_int(takt_model_class_ports(model, TAKT_CLASS_INT), 0, "none of a class");
	takt_model_close(model);
}

/* A twin of p2, and a load that takes two cycles less. */
static void test_changed(void)
{
	struct takt_model *model = open_core("SKL"), *changed;
	const struct takt_model_change change = {.twin_ports = 1u << 2, .load_cycles_less = 2};
	struct takt_access_ports ports;

	changed = takt_model_change(model, &change);
	takt_model_access_ports(changed, false, 8, false, &ports);
	is_int(ports.load, 1 << 2 | 1 << 3 | 1ll << (takt_model_port_count(changed) - 1),
	       "p2, p3 and the twin");
	is_int(ports.store_data, 1 << 4, "p4");
	is_int(ports.load_latency_cycles, 3, "5 - 2");
	is_int(takt_model_class_ports(changed, TAKT_CLASS_INT_MUL), 1 << 1, "p1 has no twin");
	takt_model_close(changed);
	takt_model_close(model);
}

/* ---- classes ----------------------------------------------------------------------- */

static const struct {
	int line;
	const char *core;
	enum takt_insn_class insn_class;
	const char *ports;
} classes[] = {
	{__LINE__, "SKL", TAKT_CLASS_INT, "p0156"},
	{__LINE__, "SKL", TAKT_CLASS_INT_MUL, "p1"},
	{__LINE__, "SKL", TAKT_CLASS_BRANCH, "p6"},
	/* The first entry; the divider is a unit. */
	{__LINE__, "SKL", TAKT_CLASS_INT_DIV, "p0156"},
	{__LINE__, "SKL", TAKT_CLASS_FP_DIV, "p0"},
	{__LINE__, "SKL", TAKT_CLASS_NOP, "-"},
	{__LINE__, "SPR", TAKT_CLASS_INT, "p0156B"},
	{__LINE__, "SPR", TAKT_CLASS_BRANCH, "p06"},
	{__LINE__, "ZEN3", TAKT_CLASS_INT, "a0123"},
	{__LINE__, "ZEN3", TAKT_CLASS_BRANCH, "a0b1"},
	{__LINE__, "ZEN3", TAKT_CLASS_FP_DIV, "f01"},
	{__LINE__, "ZEN3", TAKT_CLASS_GATHER, "g012"},
};

static void test_classes(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(classes); i++) {
		struct takt_model *model = open_core(classes[i].core);
		uint32_t ports = takt_model_class_ports(model, classes[i].insn_class);
		char text[TEXT_MAX];

		tap_is_string(__FILE__, classes[i].line, ports_text(model, ports, text),
			      classes[i].ports, classes[i].core);
		takt_model_close(model);
	}
}

/* ---- schedulers -------------------------------------------------------------------- */

static void test_schedulers_shipped(void)
{
	static const char *const ports[] = {"a0g0", "a1g1", "a2g2", "a3b1", "f024", "f135"};
	struct takt_model *model = open_core("ZEN3");
	const struct takt_scheduler *schedulers;
	uint32_t count, together = 0;
	char text[TEXT_MAX];

	schedulers = takt_model_schedulers(model, &count);
	is_int(count, TAKT_COUNT_OF(ports), "schedulers");
	for (uint32_t i = 0; i < count && i < TAKT_COUNT_OF(ports); i++) {
		is_string(ports_text(model, schedulers[i].ports, text), ports[i], "ports");
		is_int(schedulers[i].entries, i < 4 ? 24 : 32, "entries");
		is_int(schedulers[i].queue_entries, i < 4 ? 0 : 32, "entries of the queue");
		ok(strncmp(takt_model_source(model, schedulers[i].source), "vendor", 6) == 0,
		   "source");
		together += schedulers[i].entries + schedulers[i].queue_entries;
	}
	is_int(together, takt_model_params(model)->scheduler_entries, "together");
	takt_model_close(model);
	model = open_core("SKL");
	takt_model_schedulers(model, &count);
	is_int(count, 0, "one for all");
	takt_model_close(model);
}

static void test_schedulers_read(struct fixture *fixture)
{
	struct takt_model *model =
		fixture_core(fixture, "scheduler 10 p01 e\nscheduler 7 p2 e\n", "");
	const struct takt_scheduler *schedulers;
	uint32_t count;

	if (!ok(model != NULL, "a core of two schedulers"))
		return;
	schedulers = takt_model_schedulers(model, &count);
	is_int(count, 2, "two");
	is_int(schedulers[0].ports, 3, "p01");
	is_int(schedulers[0].entries, 10, "10");
	is_int(schedulers[1].ports, 4, "p2");
	is_int(schedulers[1].entries, 7, "7");
	takt_model_close(model);
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	test_accesses();
	test_fallbacks(&fixture);
	test_none(&fixture);
	test_changed();
	test_classes();
	test_schedulers_shipped();
	test_schedulers_read(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
