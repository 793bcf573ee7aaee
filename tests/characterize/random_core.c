/* SPDX-License-Identifier: MIT */
/* See random_core.h. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "characterize/forms.h"
#include "random_core.h"

#define PORTS_MIN 4
#define PORTS_MAX 12
#define SETS_MAX 6
#define UOPS_MAX 3
#define LATENCY_MAX 7

struct core {
	uint64_t seed, numbers; /* of which so many were taken */
	unsigned ports, issue_width;
	uint32_t compute, load, store_address, store_data;
	uint32_t sets[SETS_MAX]; /* of the computing ports */
	unsigned set_count;
};

/* Below `limit`. */
static unsigned pick(struct core *core, unsigned limit)
{
	return (unsigned)(takt_hash64(core->seed ^ takt_hash64(++core->numbers)) % limit);
}

static uint32_t mask(unsigned first, unsigned count)
{
	return ((UINT32_C(1) << count) - 1) << first;
}

/* ---- the core ------------------------------------------------------------- */

static void choose_ports(struct core *core)
{
	unsigned loads, addresses, data = 1, compute;

	core->ports = PORTS_MIN + pick(core, PORTS_MAX - PORTS_MIN + 1);
	loads = core->ports < 6 ? 1 : 1 + pick(core, 3);
	addresses = core->ports < 7 ? 0 : pick(core, 3); /* 0: where loads go, too */
	compute = core->ports - loads - addresses - data;
	core->compute = mask(0, compute);
	core->load = mask(compute, loads);
	core->store_address = addresses ? mask(compute + loads, addresses) : core->load;
	core->store_data = mask(core->ports - data, data);
	core->issue_width = 4 + pick(core, 3);
}

static bool has_set(const struct core *core, uint32_t set)
{
	for (unsigned i = 0; i < core->set_count; i++)
		if (core->sets[i] == set)
			return true;
	return false;
}

/* As many ports as slots are issued can never be kept busy. */
static void choose_sets(struct core *core)
{
	unsigned wanted = 2 + pick(core, SETS_MAX - 1);

	for (unsigned tries = 0; tries < 64 && core->set_count < wanted; tries++) {
		uint32_t set =
			tries || pick(core, 2) ? pick(core, core->compute + 1) : core->compute;

		if (set && __builtin_popcount(set) < (int)core->issue_width && !has_set(core, set))
			core->sets[core->set_count++] = set;
	}
}

/* p0 … p5, q0 … q5. */
static void write_ports(FILE *file, uint32_t ports)
{
	char letter = '\0';

	for (unsigned p = 0; p < PORTS_MAX; p++) {
		char own = p < 6 ? 'p' : 'q';

		if (!(ports >> p & 1))
			continue;
		if (own != letter)
			putc(own, file);
		letter = own;
		fprintf(file, "%u", p % 6);
	}
}

static void write_port_list(FILE *file, const struct core *core)
{
	fputs("ports  ", file);
	for (unsigned p = 0; p < core->ports; p++) {
		putc(' ', file);
		write_ports(file, UINT32_C(1) << p);
	}
	putc('\n', file);
}

static void write_params(FILE *file, const struct core *core, unsigned port_choice)
{
	static const char *const widths[] = {"issue_width", "retire_width"};

	for (size_t i = 0; i < TAKT_COUNT_OF(widths); i++)
		fprintf(file, "%-24s %u e\n", widths[i], core->issue_width);
	fprintf(file, "port_choice %u e\n", port_choice);
}

static void write_accesses(FILE *file, const struct core *core)
{
	static const char *const loads[] = {"load", "load-vector", "load-ymm"};
	static const char *const stores[] = {"store", "store-vector", "store-ymm"};

	for (size_t i = 0; i < TAKT_COUNT_OF(loads); i++) {
		fprintf(file, "compose %s | 1*", loads[i]);
		write_ports(file, core->load);
		fputs(" | lat=5 src=e\n", file);
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(stores); i++) {
		fprintf(file, "compose %s | 1*", stores[i]);
		write_ports(file, core->store_address);
		fputs("+1*", file);
		write_ports(file, core->store_data);
		fputs(" | lat=1 src=e\n", file);
	}
}

static void write_core(FILE *file, struct core *core)
{
	static const char *const defaults[] = {"int",	 "int-mul", "int-div",	   "branch",
					       "move",	 "vec-int", "vec-shuffle", "fp-add",
					       "fp-mul", "fp-div",  "convert",	   "mask",
					       "x87",	 "crypto",  "string",	   "system"};
	fputs("takt core 1\nname " RANDOM_CORE_NAME "\nbase ZEN3\ntiming random\n"
	      "source e estimated  at random\n",
	      file);
	write_port_list(file, core);
	/* At rename, by a rule made for so many ports, or when a port is free. */
	write_params(file, core, __builtin_popcount(core->compute) <= 4 && pick(core, 2) ? 8 : 0);
	write_accesses(file, core);
	for (size_t i = 0; i < TAKT_COUNT_OF(defaults); i++) {
		fprintf(file, "default %s | 1*", defaults[i]);
		write_ports(file, core->sets[0]);
		fputs(" | lat=1 src=e\n", file);
	}
	fputs("default gather | 4*", file);
	write_ports(file, core->load);
	fputs(" | lat=9 src=e\ndefault nop | - | lat=0 slots=1 src=e\n", file);
}

/* ---- its instructions ----------------------------------------------------- */

static bool is_one_of(const struct probe_form *form, const char *const *mnemonics, size_t count)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	return takt_string_is_one_of(takt_mnemonic_text(&takt_isa_x86, unpacked.mnemonic),
				     mnemonics, count);
}

/* What chains are made of is one µop everywhere; of general registers, in one cycle. */
static bool is_link(const struct probe_form *form)
{
	static const char *const links[] = {"pshufd", "vpshufd", "movshdup", "vpermilpd"};

	return is_one_of(form, links, TAKT_COUNT_OF(links));
}

static bool is_simple(const struct probe_form *form)
{
	static const char *const simple[] = {"movsx", "movsxd", "xor", "test"};

	return is_one_of(form, simple, TAKT_COUNT_OF(simple));
}

static bool has_row(const struct probe_form *form)
{
	static const uint8_t without[] = {TAKT_CLASS_NOP, TAKT_CLASS_STRING, TAKT_CLASS_GATHER};

	return !form->insn.memory_count && !memchr(without, form->insn.insn_class, sizeof(without));
}

/* The same for all forms of a mnemonic, as it mostly is. */
static void write_row(FILE *file, const struct core *core, const struct probe_form *form)
{
	struct core own = *core;
	unsigned kind, count, latency;

	own.seed ^= takt_hash64(takt_form_unpack(form->sample.form).mnemonic);
	own.numbers = 0;
	kind = pick(&own, 16);
	count = is_simple(form) || is_link(form) || kind < 11 ? 1 : kind < 15 ? 2 : UOPS_MAX;
	fprintf(file, "%s | ", form->text);
	for (unsigned i = 0; i < count; i++) {
		fputs(i ? "+1*" : "1*", file);
		write_ports(file, own.sets[pick(&own, own.set_count)]);
	}
	latency = is_simple(form) ? 1 : 1 + pick(&own, LATENCY_MAX);
	fprintf(file, " | lat=%u\n", latency);
}

static void write_timing(FILE *file, const struct core *core)
{
	struct probe_forms forms;
	struct takt_arena arena = {0};

	takt_probe_forms_find(&arena, &forms);
	fputs("takt timing 1\nname random\nsource e estimated  at random\ndefault-source e\n\n",
	      file);
	for (size_t i = 0; i < forms.count; i++)
		if (has_row(&forms.forms[i]))
			write_row(file, core, &forms.forms[i]);
	takt_arena_release(&arena);
}

/* ---- files ---------------------------------------------------------------- */

#define PATH_MAX_BYTES 512

static FILE *create(const char *directory, const char *below, const char *name)
{
	char path[PATH_MAX_BYTES];

	snprintf(path, sizeof(path), "%s/%s", directory, below);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", directory, below, name);
	return fopen(path, "w");
}

bool random_core_write(const char *directory, uint64_t seed)
{
	struct core core = {.seed = takt_hash64(seed)};
	FILE *core_file = create(directory, "cores", "random.core");
	FILE *timing_file = create(directory, "timing", "random.timing");
	bool fine = core_file && timing_file;

	choose_ports(&core);
	choose_sets(&core);
	if (fine) {
		write_core(core_file, &core);
		write_timing(timing_file, &core);
	}
	fine &= core_file && fclose(core_file) == 0;
	fine &= timing_file && fclose(timing_file) == 0;
	return fine;
}

void random_core_remove(const char *directory)
{
	static const char *const names[] = {"cores/random.core", "timing/random.timing"};
	static const char *const directories[] = {"cores", "timing"};
	char path[PATH_MAX_BYTES];

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(directories); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, directories[i]);
		rmdir(path);
	}
	rmdir(directory);
}
