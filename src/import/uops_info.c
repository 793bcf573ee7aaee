/* SPDX-License-Identifier: MIT */
/*
 * Imports uops.info's instructions.xml, with the elements extension, instruction, operand,
 * architecture, measurement and latency. One instruction is held at a time. The files that takt
 * characterize writes have the same elements (docs/instructions.xsd).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"
#include "import/uops_info.h"

#define ARCHITECTURES_MAX 64u

/* Attributes exist in three variants: plain, one register as all sources, indexed address. */
enum variant { PLAIN, SAME, INDEXED, VARIANT_COUNT };

static const char *const variant_suffixes[VARIANT_COUNT] = {"", "_same_reg", "_indexed"};

struct figures {
	bool present, has_ports;
	uint32_t uops, slots, mite, ms, divider_cycles;
	uint8_t simple, flags;
	double rthroughput;
	struct takt_uops ports[TAKT_IMPORT_UOPS_MAX];
	uint8_t port_count;
	bool known_ports; /* the core has all ports */
	struct takt_import_pairs pairs;
};

struct uops_info {
	struct takt_import_table *table;
	const char *arch;
	struct takt_uops_info_insn insn;
	bool in_insn, in_arch, in_measurement, found_arch, found_insn;
	bool has_halves; /* latencies are halves of round trips through memory, not whole ones */
	struct figures figures[VARIANT_COUNT];
	char *archs[ARCHITECTURES_MAX]; /* those in the file, to report that `arch` is missing */
	size_t arch_count;
};

/* ---- attributes ------------------------------------------------------------ */

struct attributes {
	const struct takt_xml_attribute *list;
	size_t count;
};

static const char *attribute(struct attributes attributes, const char *name, const char *suffix)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < attributes.count; i++)
		if (strncmp(attributes.list[i].name, name, size) == 0 &&
		    strcmp(attributes.list[i].name + size, suffix) == 0)
			return attributes.list[i].value;
	return NULL;
}

static void copy_string(char *to, size_t size_bytes, const char *from)
{
	size_t size = from ? strnlen(from, size_bytes - 1) : 0;

	if (size)
		memcpy(to, from, size);
	to[size] = '\0';
}

/* Read a count or a number of cycles, rounded; `fallback` if it is absent or no number. */
static uint32_t count_of(const char *value, uint32_t fallback)
{
	char *end;
	double number = value ? takt_strtod(value, &end) : 0;

	if (!value || end == value || !(number >= 0) || number > 1e6)
		return fallback;
	return (uint32_t)(number + 0.5);
}

static double cycles_of(const char *value)
{
	char *end;
	double number = value ? takt_strtod(value, &end) : 0;

	return value && end != value && number > 0 && number < 1e6 ? number : INFINITY;
}

/* ---- instruction and operands ------------------------------------------------ */

static bool is_set(struct attributes attributes, const char *name)
{
	const char *value = attribute(attributes, name, "");

	return value && strcmp(value, "1") == 0;
}

static void open_insn(struct uops_info *info, struct attributes attributes)
{
	struct takt_uops_info_insn *insn = &info->insn;

	insn->operand_count = 0;
	copy_string(insn->string, sizeof(insn->string), attribute(attributes, "string", ""));
	copy_string(insn->iform, sizeof(insn->iform), attribute(attributes, "iform", ""));
	copy_string(insn->agen, sizeof(insn->agen), attribute(attributes, "agen", ""));
	insn->masked = is_set(attributes, "mask");
	insn->zeroing = is_set(attributes, "zeroing");
	insn->zero_immediate = is_set(attributes, "immzero");
	insn->any_prefix = info->table->machine != NULL;
	info->in_insn = info->found_insn = true;
}

static bool open_operand(struct uops_info *info, uint32_t line, struct attributes attributes)
{
	static const char *const types[] = {"reg", "mem", "agen", "imm", "relbr", "flags"};
	struct takt_uops_info_insn *insn = &info->insn;
	struct takt_uops_info_operand *operand = &insn->operands[insn->operand_count];
	const char *type = attribute(attributes, "type", "");
	size_t found = 0;

	if (insn->operand_count == TAKT_UOPS_INFO_OPERANDS_MAX)
		return takt_import_error(info->table, line, "'%s' has more than %u operands",
					 insn->string, TAKT_UOPS_INFO_OPERANDS_MAX);
	while (found < TAKT_COUNT_OF(types) && (!type || strcmp(type, types[found]) != 0))
		found++;
	if (found == TAKT_COUNT_OF(types)) {
		takt_import_error(info->table, line, "unknown operand type '%s'", type ? type : "");
		takt_note(info->table->diag, "types are reg, mem, agen, imm, relbr and flags");
		return false;
	}
	*operand = (struct takt_uops_info_operand){
		.number = count_of(attribute(attributes, "idx", ""), 0),
		.width_bits = (uint16_t)(count_of(attribute(attributes, "width", ""), 0) & 0xffff),
		.type = (uint8_t)found,
		.suppressed = is_set(attributes, "suppressed"),
	};
	copy_string(operand->base, sizeof(operand->base), attribute(attributes, "base", ""));
	insn->operand_count++;
	return true;
}

/* End an operand. Its text is a list of registers, of which the first tells the kind. */
static void close_operand(struct uops_info *info, const char *text)
{
	struct takt_uops_info_operand *operand;
	size_t size = strcspn(text, ", \n");

	if (!info->insn.operand_count)
		return;
	operand = &info->insn.operands[info->insn.operand_count - 1];
	if (size < sizeof(operand->name)) {
		memcpy(operand->name, text, size);
		operand->name[size] = '\0';
	}
}

/* ---- measurement --------------------------------------------------------------- */

/* Read ports such as "p05", "FP01" or, by a core's own letters, "a012b1"; 0 if it lacks one. */
static uint32_t read_port_set(const struct takt_import_table *table, const char **text)
{
	char letter = 'p';
	uint32_t ports = 0;

	while (**text) {
		uint32_t port;

		if (strncmp(*text, "FP", 2) == 0) {
			letter = 'f';
			*text += 2;
		} else if (**text >= 'a' && **text <= 'z') {
			letter = *(*text)++;
		}
		if (takt_is_lower(**text) || takt_hex_digit(**text) < 0)
			break;
		port = takt_import_port(table, letter, (unsigned)takt_hex_digit(**text));
		if (!port)
			return 0;
		ports |= port;
		++*text;
	}
	return ports;
}

/* Read µops such as "1*p05+2*p23"; sets known_ports if the core has all these ports. */
static void read_ports(const struct takt_import_table *table, const char *text,
		       struct figures *figures)
{
	figures->known_ports = true;
	while (*text) {
		char *end;
		unsigned long count = strtoul(text, &end, 10);
		uint32_t ports;

		text = end + (*end == '*');
		ports = *end == '*' && count && count < 10000 ? read_port_set(table, &text) : 0;
		if (!ports || figures->port_count == TAKT_IMPORT_UOPS_MAX - 1 ||
		    (*text && *text != '+')) {
			figures->known_ports = false;
			return;
		}
		figures->ports[figures->port_count++] =
			(struct takt_uops){.ports = ports, .count = (uint16_t)count};
		text += *text == '+';
	}
}

static void read_figures(const struct takt_import_table *table, struct attributes attributes,
			 const char *suffix, struct figures *figures)
{
	const char *uops = attribute(attributes, "uops", suffix);
	const char *slots = attribute(attributes, "uops_retire_slots", suffix);
	const char *ports = attribute(attributes, "ports", suffix);
	const char *simple = attribute(attributes, "available_simple_decoders", suffix);
	double loop = cycles_of(attribute(attributes, "TP_loop", suffix));
	double unrolled = cycles_of(attribute(attributes, "TP_unrolled", suffix));

	*figures = (struct figures){.present = uops != NULL, .has_ports = ports && *ports};
	figures->uops = count_of(uops, 0);
	figures->slots = count_of(slots, figures->uops);
	figures->mite = count_of(attribute(attributes, "uops_MITE", suffix), figures->slots);
	figures->ms = count_of(attribute(attributes, "uops_MS", suffix), 0);
	if (figures->slots < figures->ms)
		figures->slots = figures->ms; /* a few system instructions retire fewer slots */
	figures->slots += figures->slots == 0;
	figures->divider_cycles = count_of(attribute(attributes, "div_cycles", suffix), 0);
	if (count_of(attribute(attributes, "complex_decoder", suffix), 0))
		figures->flags |= TAKT_TIMING_COMPLEX;
	figures->simple = (uint8_t)(simple ? count_of(simple, 0) & 0x7f : UINT8_MAX);
	figures->rthroughput = loop < unrolled ? loop : unrolled;
	read_ports(table, ports ? ports : "", figures);
}

static void open_measurement(struct uops_info *info, struct attributes attributes)
{
	for (unsigned i = 0; i < VARIANT_COUNT; i++)
		read_figures(info->table, attributes, variant_suffixes[i], &info->figures[i]);
	info->in_measurement = true;
}

/* Read a latency: the exact one or, if it varies, the largest. */
static bool latency_of(struct attributes attributes, const char *suffix, const char *variant,
		       uint32_t *ret_cycles)
{
	static const char *const names[] = {"cycles", "max_cycles"};
	char whole[64];
	size_t size = strlen(suffix);

	copy_string(whole, sizeof(whole), suffix);
	copy_string(whole + size, sizeof(whole) - size, variant);
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
		uint32_t cycles = count_of(attribute(attributes, names[i], whole), UINT32_MAX);

		if (cycles != UINT32_MAX) {
			*ret_cycles = cycles;
			return true;
		}
	}
	return false;
}

static const struct takt_uops_info_operand *
operand_at(const struct uops_info *info, struct attributes attributes, const char *name)
{
	uint32_t number = count_of(attribute(attributes, name, ""), UINT32_MAX);

	for (uint32_t i = 0; i < info->insn.operand_count; i++)
		if (info->insn.operands[i].number == number)
			return &info->insn.operands[i];
	return NULL;
}

static void add_pair(struct figures *figures, uint8_t source, uint8_t destination, uint32_t cycles)
{
	if (source != TAKT_NO_SLOT && destination != TAKT_NO_SLOT)
		takt_import_pair_add(&figures->pairs, source, destination, cycles);
}

static void read_latency(struct figures *figures, struct attributes attributes, const char *variant,
			 const struct takt_uops_info_operand *from, uint8_t to)
{
	uint32_t cycles;

	if (latency_of(attributes, "", variant, &cycles)) {
		bool address = from->type == TAKT_UOPS_INFO_ADDRESS;

		add_pair(figures, address ? from->base_slot : from->slot, to, cycles);
		if (address)
			add_pair(figures, from->index_slot, to, cycles);
	}
	if (latency_of(attributes, "_addr", variant, &cycles))
		add_pair(figures, from->base_slot, to, cycles);
	if (latency_of(attributes, "_addr_index", variant, &cycles))
		add_pair(figures, from->index_slot, to, cycles);
	if (latency_of(attributes, "_mem", variant, &cycles))
		add_pair(figures, from->slot, to, cycles);
}

static void open_latency(struct uops_info *info, struct attributes attributes)
{
	const struct takt_uops_info_operand *from = operand_at(info, attributes, "start_op");
	const struct takt_uops_info_operand *to = operand_at(info, attributes, "target_op");

	if (!from || !to)
		return;
	/* Slots are set by takt_uops_info_form(), which ran when the measurement began. */
	read_latency(&info->figures[PLAIN], attributes, "", from, to->slot);
	read_latency(&info->figures[SAME], attributes, "_same_reg", from, to->slot);
}

/* ---- rows ------------------------------------------------------------------------ */

static bool is_independent(const struct figures *figures)
{
	for (uint32_t i = 0; i < figures->pairs.count; i++)
		if (figures->pairs.pairs[i].cycles)
			return false;
	return figures->pairs.count > 0;
}

/* Add the latency of string instructions' pointers, which is not measured: one cycle. */
static void add_pointer_steps(const struct takt_uops_info_insn *insn, takt_form_key form,
			      struct figures *figures)
{
	static const char *const names[] = {"lods", "stos", "scas", "movs", "cmps"};
	struct takt_form parts = takt_form_unpack(form);
	const char *mnemonic = takt_mnemonic_text(&takt_isa_x86, parts.mnemonic);

	if (strlen(mnemonic) != 5 || parts.kinds[0] || parts.flags)
		return;
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		for (uint32_t j = 0; strncmp(mnemonic, names[i], 4) == 0 && j < insn->operand_count;
		     j++)
			if (insn->operands[j].base_slot != TAKT_NO_SLOT)
				add_pair(figures, insn->operands[j].base_slot,
					 insn->operands[j].base_slot, 1);
}

static void add_row(struct uops_info *info, takt_form_key form, struct figures *figures,
		    uint32_t rank)
{
	struct takt_import_row row = {.form = form, .rank = rank, .pairs = &figures->pairs};
	uint32_t divider = takt_import_divider(info->table);
	double hundredths = figures->rthroughput * 100 + 0.5;

	if (figures->divider_cycles && divider) {
		double busy = figures->divider_cycles;

		/* If throughput is lower than the divider's cycles say, the divider limits it. */
		if (figures->rthroughput < 10000 && figures->rthroughput > busy)
			busy = round(figures->rthroughput);
		figures->ports[figures->port_count++] =
			(struct takt_uops){.ports = divider, .count = (uint16_t)busy};
	}
	row.timing = (struct takt_timing){
		.uops = figures->ports,
		.uops_count = figures->port_count,
		.latency_default = figures->uops ? 1 : 0,
		.slots = (uint16_t)(figures->slots & 0xffff),
		.mite = (uint16_t)(figures->mite & 0xffff),
		.ms = (uint16_t)(figures->ms & 0xffff),
		.uop_total = (uint16_t)(figures->uops & 0xffff),
		.rthroughput_hundredths = (uint16_t)(hundredths < UINT16_MAX ? hundredths : 0),
		.flags = figures->flags,
		.simple_decoders = figures->simple,
	};
	takt_import_add(info->table, &row);
}

static takt_form_key with_flag(takt_form_key form, enum takt_form_flag flag)
{
	return form | takt_form_pack(&(struct takt_form){.flags = (uint16_t)flag});
}

/* Fill figures that a variant lacks from the plain one. */
static void complete_variants(struct figures *plain, struct figures *same, struct figures *indexed)
{
	if (!same->present && same->pairs.count) {
		struct takt_import_pairs pairs = same->pairs;

		*same = *plain;
		same->pairs = pairs;
		same->flags &= (uint8_t)~TAKT_TIMING_ELIM;
		same->present = true;
	} else if (same->present && !same->pairs.count) {
		same->pairs = plain->pairs;
	}
	if (same->present && is_independent(same))
		same->flags |= same->has_ports ? TAKT_TIMING_BREAKS : TAKT_TIMING_ZERO;
	if (!same->divider_cycles)
		same->divider_cycles = plain->divider_cycles;
	if (!indexed->divider_cycles)
		indexed->divider_cycles = plain->divider_cycles;
	indexed->pairs = plain->pairs;
}

/* Return the form with a 64-bit destination, for results of 32 bits that also exist with REX.W. */
static takt_form_key wide_result(takt_form_key key)
{
	static const char *const names[] = {"movmskpd", "movmskps", "pmovmskb",
					    "pextrb",	"pextrw",   "extractps"};
	struct takt_form form = takt_form_unpack(key);
	const char *mnemonic = takt_mnemonic_text(&takt_isa_x86, form.mnemonic);

	mnemonic += *mnemonic == 'v';
	for (size_t i = 0; form.kinds[0] == TAKT_KIND_R32 && i < TAKT_COUNT_OF(names); i++) {
		if (strcmp(mnemonic, names[i]) == 0) {
			form.kinds[0] = TAKT_KIND_R64;
			return takt_form_pack(&form);
		}
	}
	return 0;
}

/* Added to the rank of a derived form, so that a row that was measured itself is preferred. */
#define RANK_DERIVED 16u

/* Add a row for each variant that was measured separately. */
static void add_rows(struct uops_info *info, takt_form_key form, uint32_t rank)
{
	struct figures *plain = &info->figures[PLAIN], *same = &info->figures[SAME];
	struct figures *indexed = &info->figures[INDEXED];

	complete_variants(plain, same, indexed);
	if (same->present && same->known_ports)
		add_row(info, with_flag(form, TAKT_FORM_SAME), same, rank);
	if (indexed->present && indexed->known_ports)
		add_row(info, with_flag(form, TAKT_FORM_INDEXED), indexed, rank);
	add_row(info, form, plain, rank);
	if (wide_result(form))
		add_row(info, wide_result(form), plain, rank + RANK_DERIVED);
}

static bool has_memory(takt_form_key key)
{
	struct takt_form form = takt_form_unpack(key);

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (takt_kind_is_memory((enum takt_operand_kind)form.kinds[i]))
			return true;
	return false;
}

static void close_measurement(struct uops_info *info)
{
	struct takt_import_table *table = info->table;
	struct figures *plain = &info->figures[PLAIN];
	const char *reason = "", *string = info->insn.string;
	uint32_t rank = 0;
	takt_form_key form = takt_uops_info_form(&info->insn, &rank, &reason);

	info->in_measurement = false;
	if (!plain->uops && !plain->has_ports && plain->pairs.count)
		plain->flags |= TAKT_TIMING_ELIM;
	if (!form) {
		takt_import_skip(table, reason, string);
	} else if (!plain->present) {
		takt_import_skip(table, "no count of µops", string);
	} else if (!plain->known_ports) {
		takt_import_skip(table, "ports that the core does not have", string);
	} else if (!plain->has_ports && plain->uops) {
		takt_import_skip(table, "µops whose ports are not known", string);
	} else if (strncmp(string, "RET", 3) == 0) {
		takt_import_skip(table, "figures that include the stores of a call before", string);
	} else if (info->insn.zero_immediate && has_memory(form)) {
		/* A row for this would hide the [indexed] one. */
		takt_import_skip(table, "a zero immediate beside memory", string);
	} else if (info->insn.zero_immediate) {
		add_row(info, with_flag(form, TAKT_FORM_IMM0), plain, rank);
	} else {
		add_pointer_steps(&info->insn, form, plain);
		add_rows(info, form, rank);
	}
}

/* ---- elements -------------------------------------------------------------------------- */

static void open_architecture(struct uops_info *info, const char *name)
{
	info->in_arch = takt_string_equal_nocase(name, info->arch);
	info->found_arch |= info->in_arch;
	for (size_t i = 0; i < info->arch_count; i++)
		if (strcmp(info->archs[i], name) == 0)
			return;
	if (info->arch_count < ARCHITECTURES_MAX)
		info->archs[info->arch_count++] = takt_arena_string(&info->table->arena, name);
}

/* Read the attributes that only takt's own files have. */
static void open_root(struct uops_info *info, struct attributes attributes)
{
	const char *memory = attribute(attributes, "memory", "");
	const char *machine = attribute(attributes, "machine", "");

	info->has_halves = memory && strcmp(memory, "halves") == 0;
	if (machine)
		info->table->machine = takt_arena_string(&info->table->arena, machine);
}

static bool open_element(void *context, uint32_t line, const char *name,
			 const struct takt_xml_attribute *list, size_t count)
{
	struct attributes attributes = {list, count};
	struct uops_info *info = context;
	const char *arch = attribute(attributes, "name", "");
	const char *reason;
	uint32_t rank;

	if (strcmp(name, "root") == 0) {
		open_root(info, attributes);
	} else if (strcmp(name, "instruction") == 0) {
		open_insn(info, attributes);
	} else if (strcmp(name, "operand") == 0 && info->in_insn) {
		return open_operand(info, line, attributes);
	} else if (strcmp(name, "architecture") == 0 && info->in_insn) {
		open_architecture(info, arch ? arch : "");
	} else if (strcmp(name, "measurement") == 0 && info->in_arch) {
		takt_uops_info_form(&info->insn, &rank, &reason); /* for the slots */
		open_measurement(info, attributes);
	} else if (strcmp(name, "latency") == 0 && info->in_measurement) {
		open_latency(info, attributes);
	}
	return true;
}

static bool close_element(void *context, uint32_t line, const char *name, const char *text)
{
	struct uops_info *info = context;

	(void)line;
	if (strcmp(name, "operand") == 0)
		close_operand(info, text);
	else if (strcmp(name, "measurement") == 0 && info->in_measurement)
		close_measurement(info);
	else if (strcmp(name, "architecture") == 0)
		info->in_arch = false;
	else if (strcmp(name, "instruction") == 0)
		info->in_insn = false;
	return true;
}

static void report(void *context, uint32_t line, const char *what, const char *remedy)
{
	struct uops_info *info = context;

	takt_import_error(info->table, line, "%s", what);
	if (remedy)
		takt_note(info->table->diag, "%s", remedy);
}

/* ---- the file ---------------------------------------------------------------------------- */

static bool check_found(struct uops_info *info)
{
	struct takt_text names = {0};

	if (info->found_arch)
		return true;
	if (!info->found_insn) {
		takt_import_error(info->table, 0, "no instruction in it");
		takt_note(info->table->diag, "uops.info's file is called instructions.xml");
		return false;
	}
	takt_import_error(info->table, 0, "no measurement of '%s' in it", info->arch);
	if (!takt_nearest_names(info->arch, (const char *const *)info->archs, info->arch_count, 3,
				&names))
		for (size_t i = 0; i < info->arch_count; i++)
			takt_text_printf(&names, "%s%s", i ? " " : "", info->archs[i]);
	takt_note(info->table->diag, "it has %s: give one as uops.info:FILE.xml:ARCH",
		  names.size_bytes ? names.data : "no architecture");
	takt_text_release(&names);
	return false;
}

bool takt_import_uops_info(struct takt_import_table *table, const char *arch, const void *data,
			   size_t size_bytes)
{
	struct uops_info *info;
	struct takt_xml_events events = {
		.open = open_element, .close = close_element, .error = report};
	union {
		void *address;
		takt_xml_reader read;
	} entry = {.address = takt_module_symbol("takt-import", "takt_import_xml", table->diag)};
	bool whole;

	if (!entry.address) {
		table->unavailable = true;
		takt_note(table->diag, "install takt with its import module (libxml2, libyaml)");
		return false;
	}
	info = TAKT_NEW(&table->arena, struct uops_info);
	info->table = table;
	info->arch = arch;
	events.context = info;
	whole = entry.read(data, size_bytes, &events) && check_found(info);
	if (whole && !info->has_halves)
		takt_uops_info_split_round_trips(table);
	return whole;
}
