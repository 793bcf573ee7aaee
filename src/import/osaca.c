/* SPDX-License-Identifier: MIT */
/*
 * Imports OSACA's machine models: a head with the ports, then `instruction_forms`, each with one
 * latency and the cycles that it keeps ports busy.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/osaca.h"
#include "import/single.h"

#define PORTS_MAX 64u
#define UNIT_PREFIX "osaca:" /* of OSACA's ports in a core file's `unit` lines */
#define GROUPS_MAX 16u
#define COUNT_MAX 60000u /* most µops or cycles in a row, as in the loader; larger ones are cut */

struct port {
	const char *name;
	uint32_t mask;
	bool resolved, dropped;
};

struct osaca {
	struct takt_import_table *table;
	struct port ports[PORTS_MAX]; /* as declared, then as mapped by takt_ports */
	size_t port_count;
	const char *load_ports[PORTS_MAX]; /* ports of the file's usual load */
	size_t load_port_count;
	double load_latency, vector_load_latency;
};

/* ---- ports ----------------------------------------------------------------- */

static bool all_digits(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!takt_is_digit(text[i]))
			return false;
	return size > 0 && size < 3;
}

/* Parse the core's own port names run together: "p0", "f45"; 0 if the core lacks one. */
static uint32_t own_ports(const struct takt_import_table *table, const char *text)
{
	uint32_t mask = 0;
	char letter = 0;

	for (; *text; text++) {
		int digit = takt_hex_digit(*text);
		uint32_t port;

		if (takt_is_lower(*text)) {
			letter = *text;
			continue;
		}
		port = digit >= 0 ? takt_import_port(table, letter, (unsigned)digit) : 0;
		if (!port)
			return 0;
		mask |= port;
	}
	return mask;
}

static struct port *find_port(struct osaca *osaca, const char *name, size_t size)
{
	for (size_t i = 0; i < osaca->port_count; i++)
		if (takt_string_is(osaca->ports[i].name, name, size))
			return &osaca->ports[i];
	return NULL;
}

static struct port *declare_port(struct osaca *osaca, const char *name)
{
	struct port *port = find_port(osaca, name, strlen(name));

	if (port || osaca->port_count == PORTS_MAX)
		return port;
	port = &osaca->ports[osaca->port_count++];
	port->name = takt_arena_string(&osaca->table->arena, name);
	return port;
}

/* Return the ports that the core file gives to a port of OSACA; 0 if it has no line for it. */
static uint32_t unit_ports(struct osaca *osaca, const char *name)
{
	struct takt_text unit = {0};
	uint32_t mask;

	takt_text_printf(&unit, UNIT_PREFIX "%s", name);
	mask = takt_model_unit_ports(osaca->table->model, unit.data);
	takt_text_release(&unit);
	return mask;
}

/*
 * Map a port of OSACA to the core's. The core file says which ports a name stands for, in lines
 * such as "unit osaca:4 a0". Without such a line, a number is the core's port p of this number; a
 * number with DV, or DIV, is a divider; a number with D is the port's data path, which is dropped
 * because takt does not model it separately. Other names must be the core's own.
 */
static bool resolve_port(struct osaca *osaca, struct port *port)
{
	const char *name = port->name;
	size_t size = strlen(name);

	if (port->resolved)
		return port->mask || port->dropped;
	port->resolved = true;
	port->mask = unit_ports(osaca, name);
	if (port->mask)
		return true;
	if (strcmp(name, "DIV") == 0 ||
	    (size > 2 && strcmp(name + size - 2, "DV") == 0 && all_digits(name, size - 2))) {
		port->mask = takt_import_divider(osaca->table);
	} else if (size > 1 && name[size - 1] == 'D' && all_digits(name, size - 1)) {
		port->dropped = true;
	} else if (all_digits(name, size)) {
		port->mask = takt_import_port(osaca->table, 'p', (unsigned)strtoul(name, NULL, 10));
	} else {
		port->mask = own_ports(osaca->table, name);
	}
	return port->mask || port->dropped;
}

static bool unknown_port(struct osaca *osaca, uint32_t line, const char *name, size_t size)
{
	const struct takt_port_list *ports = &osaca->table->ports;
	struct takt_text names = {0};

	for (uint32_t i = 0; i < ports->count; i++)
		takt_text_printf(&names, " %s", ports->names[i]);
	takt_import_error(osaca->table, line, "port '%.*s' has no counterpart on %s", (int)size,
			  name, takt_model_name(osaca->table->model));
	takt_note(osaca->table->diag,
		  "the core has%s; say which one it is in a line before "
		  "'instruction_forms', as in \"takt_ports: {'%.*s': %s}\", or "
		  "leave it out with 'none'",
		  names.size_bytes ? names.data : " none", (int)size, name,
		  ports->count ? ports->names[0] : "p0");
	takt_text_release(&names);
	return false;
}

/* ---- the head ------------------------------------------------------------------ */

static bool read_port_names(struct osaca *osaca, const struct takt_yaml_node *list)
{
	for (const struct takt_yaml_node *node = list->first; node; node = node->next) {
		const char *name = takt_yaml_text(node);

		if (!name || !*name || !declare_port(osaca, name)) {
			takt_import_error(osaca->table, node->line,
					  "a port without a name, or more than %u", PORTS_MAX);
			takt_note(osaca->table->diag, "ports are a list such as ['0', '0DV', '1']");
			return false;
		}
	}
	return true;
}

/* Read a map of ports such as "takt_ports: {'8': f0, '8D': none}". */
static bool read_port_map(struct osaca *osaca, const struct takt_yaml_node *map)
{
	for (const struct takt_yaml_node *node = map->first; node; node = node->next) {
		const char *own = takt_yaml_text(node);
		struct port *port = node->key ? declare_port(osaca, node->key) : NULL;

		if (!port || !own)
			return unknown_port(osaca, node->line, "?", 1);
		port->resolved = true;
		port->dropped = strcmp(own, "none") == 0;
		port->mask = port->dropped ? 0 : own_ports(osaca->table, own);
		if (!port->mask && !port->dropped)
			return unknown_port(osaca, node->line, own, strlen(own));
	}
	return true;
}

static bool is_x86(const struct osaca *osaca)
{
	return takt_model_isa(osaca->table->model) == &takt_isa_x86;
}

static bool check_isa(struct osaca *osaca, const struct takt_yaml_node *node)
{
	const char *isa = takt_yaml_text(node), *own = is_x86(osaca) ? "x86" : "AArch64";

	if (isa && (is_x86(osaca) ? takt_compare_nocase(isa, "x86", 3) == 0
				  : takt_compare_nocase(isa, "aarch64", 8) == 0))
		return true;
	takt_import_error(osaca->table, node->line, "a model for '%.40s'", isa ? isa : "");
	takt_note(osaca->table->diag, "only models with 'isa: %s' fit %s", own,
		  takt_model_name(osaca->table->model));
	return false;
}

/* Read the ports of the first µop of the usual load: [[1, '23'], [1, ['2D', '3D']]]. */
static void read_load_ports(struct osaca *osaca, const struct takt_yaml_node *pressure)
{
	const struct takt_yaml_node *uop = pressure->first, *units;
	const char *text;

	if (!uop || !uop->first || !uop->first->next)
		return;
	units = uop->first->next;
	text = takt_yaml_text(units);
	for (; text && *text && osaca->load_port_count < PORTS_MAX; text++)
		osaca->load_ports[osaca->load_port_count++] =
			takt_arena_copy(&osaca->table->arena, text, 1);
	for (const struct takt_yaml_node *node = units->first; node; node = node->next) {
		const char *name = takt_yaml_text(node);

		if (name && osaca->load_port_count < PORTS_MAX)
			osaca->load_ports[osaca->load_port_count++] =
				takt_arena_string(&osaca->table->arena, name);
	}
}

static bool read_head(struct osaca *osaca, const char *key, const struct takt_yaml_node *node)
{
	if (strcmp(key, "isa") == 0)
		return check_isa(osaca, node);
	if (strcmp(key, "ports") == 0)
		return read_port_names(osaca, node);
	if (strcmp(key, "takt_ports") == 0)
		return read_port_map(osaca, node);
	if (strcmp(key, "load_throughput_default") == 0)
		read_load_ports(osaca, node);
	if (strcmp(key, "load_latency") == 0) {
		takt_yaml_number(takt_yaml_get(node, "gpr"), &osaca->load_latency);
		takt_yaml_number(takt_yaml_get(node, "xmm"), &osaca->vector_load_latency);
	}
	return true;
}

/* ---- port pressure ---------------------------------------------------------------- */

struct group {
	uint32_t mask;
	double cycles;
};

struct pressure {
	struct group groups[GROUPS_MAX];
	size_t count;
	bool unreadable; /* it is not [[CYCLES, 'PORTS'], …] */
};

/* True if every character is a port. */
static bool is_run(struct osaca *osaca, const char *text)
{
	for (; *text; text++)
		if (!find_port(osaca, text, 1))
			return false;
	return true;
}

/*
 * Add the ports of a node: the name of one, or, outside of a list, the run together names of some
 * that have one character: '13' is the ports 1 and 3, and ['13'] is the port 13.
 */
static bool add_ports(struct osaca *osaca, const struct takt_yaml_node *node, bool in_list,
		      uint32_t *mask)
{
	const char *text = takt_yaml_text(node);
	bool run = text && is_run(osaca, text);
	bool whole = text && (!run || (in_list && find_port(osaca, text, strlen(text))));

	if (!text || !*text)
		return unknown_port(osaca, node->line, "", 0);
	while (*text) {
		size_t size = whole ? strlen(text) : 1;
		struct port *port = find_port(osaca, text, size);

		if (!port && whole)
			port = declare_port(osaca, text);
		if (!port || !resolve_port(osaca, port))
			return unknown_port(osaca, node->line, text, size);
		*mask |= port->mask;
		text += size;
	}
	return true;
}

/* Add a group such as [1, '015'] or [1, ['2D', '3D']]. */
static bool add_group(struct osaca *osaca, const struct takt_yaml_node *item,
		      struct pressure *pressure)
{
	const struct takt_yaml_node *cycles = item->first, *units = cycles ? cycles->next : NULL;
	struct group group = {0};

	if (item->kind != TAKT_YAML_LIST || !units || !takt_yaml_number(cycles, &group.cycles) ||
	    group.cycles < 0 || group.cycles > 1e9 || pressure->count == GROUPS_MAX) {
		pressure->unreadable = true;
		return true;
	}
	if (units->kind == TAKT_YAML_SCALAR && !add_ports(osaca, units, false, &group.mask))
		return false;
	for (const struct takt_yaml_node *unit = units->first; unit; unit = unit->next)
		if (!add_ports(osaca, unit, true, &group.mask))
			return false;
	if (group.mask && group.cycles > 0)
		pressure->groups[pressure->count++] = group;
	return true;
}

/* Join equal fractions of a cycle: a third on each of three ports is one µop on any of them. */
static void join_fractions(struct pressure *pressure)
{
	for (size_t i = 0; i < pressure->count; i++) {
		struct group *first = &pressure->groups[i];
		double part = first->cycles;
		size_t kept = i + 1;

		if (part >= 1)
			continue;
		for (size_t j = i + 1; j < pressure->count; j++) {
			if (fabs(pressure->groups[j].cycles - part) < 0.01) {
				first->mask |= pressure->groups[j].mask;
				first->cycles += pressure->groups[j].cycles;
			} else {
				pressure->groups[kept++] = pressure->groups[j];
			}
		}
		pressure->count = kept;
	}
}

static void join_equal(struct pressure *pressure)
{
	for (size_t i = 0; i < pressure->count; i++) {
		for (size_t j = i + 1; j < pressure->count;) {
			if (pressure->groups[j].mask != pressure->groups[i].mask) {
				j++;
				continue;
			}
			pressure->groups[i].cycles += pressure->groups[j].cycles;
			pressure->groups[j] = pressure->groups[--pressure->count];
		}
	}
}

static bool read_pressure(struct osaca *osaca, const struct takt_yaml_node *list,
			  struct pressure *pressure)
{
	*pressure = (struct pressure){0};
	for (const struct takt_yaml_node *item = list->first; item; item = item->next)
		if (!add_group(osaca, item, pressure))
			return false;
	join_fractions(pressure);
	join_equal(pressure);
	return true;
}

/* ---- rows -------------------------------------------------------------------------- */

struct figures {
	struct takt_uops uops[TAKT_IMPORT_UOPS_MAX];
	struct takt_timing timing;
	uint32_t latency;
	bool has_latency;
};

static void read_figures(struct osaca *osaca, const struct takt_yaml_node *form,
			 const struct pressure *pressure, struct figures *figures)
{
	struct takt_timing *timing = &figures->timing;
	double uops = 0, latency = 0, throughput = 0;
	uint32_t total = 0;

	*figures = (struct figures){0};
	for (size_t i = 0; i < pressure->count && i < TAKT_IMPORT_UOPS_MAX; i++) {
		long count = lround(fmin(pressure->groups[i].cycles, COUNT_MAX));

		figures->uops[i].ports = pressure->groups[i].mask;
		figures->uops[i].count = (uint16_t)(count > 0 ? count : 1);
		if (!(pressure->groups[i].mask & osaca->table->ports.pseudo))
			total += figures->uops[i].count;
		timing->uops_count++;
	}
	/* More cycles than µops mean ports that stay busy. */
	if (takt_yaml_number(takt_yaml_get(form, "uops"), &uops) && uops >= 1 && uops < total)
		total = (uint32_t)lround(uops);
	figures->has_latency = takt_yaml_number(takt_yaml_get(form, "latency"), &latency) &&
			       latency >= 0 && latency < COUNT_MAX;
	figures->latency = figures->has_latency ? (uint32_t)lround(latency) : 1;
	if (takt_yaml_number(takt_yaml_get(form, "throughput"), &throughput) && throughput > 0 &&
	    throughput < 650)
		timing->rthroughput_hundredths = (uint16_t)lround(throughput * 100);
	timing->uop_total = (uint16_t)(total < COUNT_MAX ? total : COUNT_MAX);
	timing->simple_decoders = UINT8_MAX;
}

static bool is_vector(takt_form_key key)
{
	struct takt_form form = takt_form_unpack(key);

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (form.kinds[i] >= TAKT_KIND_MM && form.kinds[i] <= TAKT_KIND_K)
			return true;
	return false;
}

static void add_row(struct osaca *osaca, takt_form_key form, const struct figures *figures)
{
	enum takt_import_use use = takt_import_use_of_form(form);
	struct takt_import_row row = {.form = form, .timing = figures->timing};
	double load = is_vector(form) ? osaca->vector_load_latency : osaca->load_latency;

	row.timing.uops = figures->uops;
	if (row.timing.uops_count == 0)
		row.timing.flags |= TAKT_TIMING_ELIM;
	takt_import_single_latency(osaca->table, &row, use, figures->latency,
				   load >= 1 && load < 100 ? (uint32_t)lround(load)
							   : TAKT_ADVANCE_UNKNOWN);
	takt_import_fused_slots(osaca->table, &row, use);
	takt_import_add(osaca->table, &row);
}

/*
 * Add a row for AArch64. OSACA has one latency; what the core's own row says of a single
 * destination, such as the base register that is written back, remains.
 */
static void add_aarch64_row(struct osaca *osaca, takt_form_key form, const struct figures *figures)
{
	struct takt_insn insn = {.isa = takt_model_isa(osaca->table->model), .form = form};
	struct takt_import_row row = {.form = form, .timing = figures->timing};
	struct takt_latency latencies[TAKT_IMPORT_PAIRS_MAX];
	struct takt_timing_storage storage;
	struct takt_timing own;

	takt_model_timing(osaca->table->model, &insn, &storage, &own);
	row.timing.uops = figures->uops;
	row.timing.latency_default = (uint16_t)figures->latency;
	row.timing.latencies = latencies;
	for (unsigned i = 0; i < own.latency_count && i < TAKT_IMPORT_PAIRS_MAX; i++)
		if (own.latencies[i].destination != TAKT_SLOT_ANY)
			latencies[row.timing.latency_count++] = own.latencies[i];
	row.timing.slots = row.timing.uop_total ? row.timing.uop_total : 1;
	row.timing.mite = row.timing.slots;
	takt_import_add(osaca->table, &row);
}

static void add_mnemonic(struct osaca *osaca, const char *mnemonic,
			 const struct takt_yaml_node *operands, const struct figures *figures)
{
	takt_form_key forms[TAKT_OSACA_FORMS_MAX];
	const char *reason;
	bool x86 = is_x86(osaca);
	size_t count = x86 ? takt_osaca_forms(mnemonic, operands, forms, &reason)
			   : takt_osaca_forms_aarch64(osaca->table->model, mnemonic, operands,
						      forms, &reason);

	if (count == 0)
		takt_import_skip(osaca->table, reason, mnemonic);
	for (size_t i = 0; i < count; i++)
		if (x86)
			add_row(osaca, forms[i], figures);
		else
			add_aarch64_row(osaca, forms[i], figures);
}

/*
 * True if a form without port pressure is a move that is eliminated at rename: it has no µop.
 * Otherwise its ports were not measured.
 */
static bool is_eliminated(const struct takt_yaml_node *form, const char *mnemonic)
{
	double uops;

	return takt_yaml_number(takt_yaml_get(form, "uops"), &uops) && uops == 0 &&
	       strstr(mnemonic, "mov") != NULL;
}

static const char *first_name(const struct takt_yaml_node *name)
{
	const char *text = takt_yaml_text(name && name->first ? name->first : name);

	return text ? text : "?";
}

static bool read_form(struct osaca *osaca, const struct takt_yaml_node *form)
{
	const struct takt_yaml_node *name = takt_yaml_get(form, "name");
	const struct takt_yaml_node *operands = takt_yaml_get(form, "operands");
	const struct takt_yaml_node *list = takt_yaml_get(form, "port_pressure");
	struct pressure pressure;
	struct figures figures;

	if (!name) {
		takt_import_error(osaca->table, form->line, "an instruction form without a name");
		takt_note(osaca->table->diag, "each begins with a line '- name: vaddpd'");
		return false;
	}
	if (!list || takt_yaml_text(list) || list->kind == TAKT_YAML_SCALAR) {
		takt_import_skip(osaca->table, "no port pressure", first_name(name));
		return true;
	}
	if (list->kind == TAKT_YAML_MAP) {
		takt_import_skip(osaca->table, "alternatives of port pressure", first_name(name));
		return true;
	}
	if (!read_pressure(osaca, list, &pressure))
		return false;
	if (pressure.unreadable) {
		takt_import_skip(osaca->table, "port pressure that cannot be read",
				 first_name(name));
		return true;
	}
	if (pressure.count == 0 && !is_eliminated(form, first_name(name))) {
		takt_import_skip(osaca->table, "no port pressure", first_name(name));
		return true;
	}
	read_figures(osaca, form, &pressure, &figures);
	if (!figures.has_latency)
		takt_import_skip(osaca->table, "a latency (1 is assumed)", first_name(name));
	if (takt_yaml_text(name))
		add_mnemonic(osaca, takt_yaml_text(name), operands, &figures);
	for (const struct takt_yaml_node *one = name->first; one; one = one->next)
		add_mnemonic(osaca, first_name(one), operands, &figures);
	return true;
}

static bool on_entry(void *context, const char *key, const struct takt_yaml_node *node)
{
	struct osaca *osaca = context;

	return strcmp(key, "instruction_forms") == 0 ? read_form(osaca, node)
						     : read_head(osaca, key, node);
}

static uint32_t load_ports(struct osaca *osaca)
{
	uint32_t ports = 0;

	for (size_t i = 0; i < osaca->load_port_count; i++) {
		const char *name = osaca->load_ports[i];
		struct port *port = find_port(osaca, name, strlen(name));

		if (port && resolve_port(osaca, port))
			ports |= port->mask;
	}
	return ports;
}

bool takt_import_osaca(struct takt_import_table *table, const void *data, size_t size_bytes)
{
	struct osaca *osaca = TAKT_NEW(&table->arena, struct osaca);
	struct takt_yaml_walk walk = {
		.table = table,
		.list_key = "instruction_forms",
		.context = osaca,
		.entry = on_entry,
	};

	osaca->table = table;
	if (!takt_yaml_walk(&walk, data, size_bytes))
		return false;
	if (is_x86(osaca))
		takt_import_match_loads(table, load_ports(osaca));
	return true;
}
