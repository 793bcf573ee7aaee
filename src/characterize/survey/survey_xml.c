/* SPDX-License-Identifier: MIT */
/*
 * Writes results with the elements and attributes of uops.info's instructions.xml, so that programs
 * that read that file can read this one; docs/instructions.xsd is the schema. Latencies are those
 * of the instruction alone: those through memory are not given as round trips, and the root element
 * says so.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "characterize/survey/survey.h"

/* Figures that differ by less are written as one. */
#define SAME_CYCLES 0.05

static const char *const kind_texts[] = {
#define X(name, text) text,
	TAKT_KIND_LIST(X)
#undef X
};

/* Append the value of an attribute, escaped. */
static void add_value(struct takt_text *text, const char *value)
{
	for (; *value; value++) {
		if (strchr("&<>\"", *value) || (unsigned char)*value < ' ')
			takt_text_printf(text, "&#%d;", (unsigned char)*value < ' ' ? ' ' : *value);
		else
			takt_text_add(text, value, 1);
	}
}

void takt_probe_xml_open(const char *machine, const char *date, struct takt_text *text)
{
	takt_text_printf(text,
			 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			 "<root date=\"%s\" memory=\"halves\" machine=\"",
			 date);
	add_value(text, machine);
	takt_text_add_string(text, "\">\n<extension name=\"all\">\n");
}

void takt_probe_xml_close(struct takt_text *text)
{
	takt_text_add_string(text, "</extension>\n</root>\n");
}

/* ---- names ---------------------------------------------------------------- */

static void add_upper(struct takt_text *text, const char *string)
{
	for (; *string; string++) {
		char letter = takt_to_upper(*string);

		takt_text_add(text, &letter, 1);
	}
}

static unsigned vector_bits(const struct takt_form *form)
{
	unsigned bits = 128;

	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++) {
		if (form->kinds[n] == TAKT_KIND_ZMM)
			bits = 512;
		else if (form->kinds[n] == TAKT_KIND_YMM && bits < 256)
			bits = 256;
	}
	return bits;
}

static void add_kind(const struct takt_form *form, uint8_t kind, struct takt_text *text)
{
	unsigned bits = kind == TAKT_KIND_M16B ? 16 : kind == TAKT_KIND_M32B ? 32 : 64;

	switch (kind) {
	case TAKT_KIND_M16B:
	case TAKT_KIND_M32B:
	case TAKT_KIND_M64B:
		takt_text_printf(text, "M%u_1to%u", bits, vector_bits(form) / bits);
		return;
	case TAKT_KIND_MXMM:
	case TAKT_KIND_MYMM:
	case TAKT_KIND_MZMM:
		takt_text_printf(text, "VSIB_%cMM", "XYZ"[kind - TAKT_KIND_MXMM]);
		return;
	default:
		add_upper(text, kind_texts[kind]);
	}
}

/* Return the text of a kind that is an address without an access; NULL for other kinds. */
static const char *address_text(uint8_t kind)
{
	static const char *const texts[] = {"B",    "B_D8",    "B_I", "B_I_D8", "IS_D32",
					    "B_IS", "B_IS_D8", "D",   "R"};

	return kind >= TAKT_KIND_A_B && kind <= TAKT_KIND_A_RIP ? texts[kind - TAKT_KIND_A_B]
								: NULL;
}

static const char *form_address(const struct takt_form *form)
{
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		if (address_text(form->kinds[n]))
			return address_text(form->kinds[n]);
	return NULL;
}

/* Append the name "VADDPS_ER_Z (ZMM, K, ZMM, ZMM)". */
static void add_name(const struct takt_form *form, struct takt_text *text)
{
	static const struct {
		unsigned flag;
		const char *suffix;
	} suffixes[] = {{TAKT_FORM_LOCK, "_LOCK"},   {TAKT_FORM_REP, "_REPE"},
			{TAKT_FORM_REPNE, "_REPNE"}, {TAKT_FORM_EVEX, "_EVEX"},
			{TAKT_FORM_ER, "_ER"},	     {TAKT_FORM_SAE, "_SAE"},
			{TAKT_FORM_Z, "_Z"}};
	const char *separator = " (";

	add_upper(text, takt_mnemonic_text(&takt_isa_x86, form->mnemonic));
	for (size_t i = 0; i < TAKT_COUNT_OF(suffixes); i++)
		if (form->flags & suffixes[i].flag)
			takt_text_add_string(text, suffixes[i].suffix);
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX && form->kinds[n]; n++) {
		if (form->kinds[n] == TAKT_KIND_XMM0 || address_text(form->kinds[n]))
			continue;
		takt_text_add_string(text, separator);
		add_kind(form, form->kinds[n], text);
		separator = ", ";
		if (n == 0 && form->flags & (TAKT_FORM_K | TAKT_FORM_Z))
			takt_text_add_string(text, ", K");
	}
	if (*separator == ',')
		takt_text_add_string(text, ")");
}

/* ---- operands ------------------------------------------------------------- */

#define OPERANDS_MAX 24u

/* Operands that are written to `text`, and their slots by operand number - 1. */
struct operands {
	struct takt_text *text;
	uint8_t slots[OPERANDS_MAX];
	unsigned count;
};

static void add_operand(struct operands *operands, uint8_t slot, const char *type, unsigned flags,
			const char *more, const char *name)
{
	if (operands->count == OPERANDS_MAX)
		return;
	operands->slots[operands->count++] = slot;
	takt_text_printf(operands->text, "<operand idx=\"%u\" type=\"%s\"%s%s%s>%s</operand>\n",
			 operands->count, type, flags & TAKT_READ ? " r=\"1\"" : "",
			 flags & TAKT_WRITE ? " w=\"1\"" : "", more, name);
}

static unsigned slot_flags(const struct probe_form *form, uint8_t slot)
{
	const struct takt_memory *memory = takt_probe_memory(form);
	unsigned flags = 0;

	for (unsigned i = 0; i < form->insn.access_count; i++)
		if (form->insn.accesses[i].slot == slot)
			flags |= form->insn.accesses[i].flags & (TAKT_READ | TAKT_WRITE);
	if (memory && memory->slot == slot)
		flags |= (memory->read ? TAKT_READ : 0u) | (memory->write ? TAKT_WRITE : 0u);
	return flags;
}

/*
 * Return the first register of a kind, which tells readers the kind; "" if it is no register kind.
 */
static const char *register_name(uint8_t kind)
{
	static const char *const names[][2] = {
		{"r8", "AL"},  {"r8h", "AH"},	 {"r16", "AX"},	  {"r32", "EAX"},  {"r64", "RAX"},
		{"mm", "MM0"}, {"xmm", "XMM0"},	 {"ymm", "YMM0"}, {"zmm", "ZMM0"}, {"k", "K1"},
		{"al", "AL"},  {"ax", "AX"},	 {"eax", "EAX"},  {"rax", "RAX"},  {"cl", "CL"},
		{"dx", "DX"},  {"xmm0", "XMM0"}, {"tmm", "TMM0"}};

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		if (strcmp(names[i][0], kind_texts[kind]) == 0)
			return names[i][1];
	return "";
}

static void add_written(const struct probe_form *form, const struct takt_form *unpacked, unsigned n,
			struct operands *operands)
{
	uint8_t kind = unpacked->kinds[n], slot = (uint8_t)(TAKT_SLOT_1 + n);
	unsigned flags = slot_flags(form, slot);
	const char *name = kind_texts[kind];
	char more[64] = "";

	if (address_text(kind)) {
		add_operand(operands, slot, "agen", flags, more, "");
	} else if (takt_kind_is_memory((enum takt_operand_kind)kind)) {
		unsigned bits =
			form->insn.memory_count ? form->insn.memories[0].size_bytes * 8u : 0;

		snprintf(more, sizeof(more), " width=\"%u\"", bits);
		add_operand(operands, slot, "mem", flags, more, "");
	} else if (name[0] == 'i' || name[0] == '1') {
		snprintf(more, sizeof(more), " width=\"%s\"", name[0] == 'i' ? name + 1 : "8");
		add_operand(operands, slot, "imm", 0, more, "");
	} else {
		add_operand(operands, slot, "reg", flags,
			    kind == TAKT_KIND_XMM0 ? " suppressed=\"1\"" : "", register_name(kind));
	}
}

/* Add the implicit memory operands of stack and string instructions. */
static void add_hidden_memory(const struct probe_form *form, struct operands *operands)
{
	for (unsigned i = 0; i < form->insn.memory_count; i++) {
		const struct takt_memory *memory = &form->insn.memories[i];
		struct takt_text more = {0};

		if (memory->slot != TAKT_SLOT_STACK || memory->base == TAKT_LOC_NONE)
			continue;
		takt_text_printf(&more, " width=\"%u\" suppressed=\"1\" base=\"",
				 memory->size_bytes * 8u);
		add_upper(&more, takt_location_name(&takt_isa_x86, memory->base));
		takt_text_add_string(&more, "\"");
		add_operand(operands, TAKT_SLOT_STACK, "mem",
			    (memory->read ? TAKT_READ : 0u) | (memory->write ? TAKT_WRITE : 0u),
			    takt_text_data(&more), "");
		takt_text_release(&more);
	}
}

static void add_hidden(const struct probe_form *form, struct operands *operands)
{
	unsigned flags = slot_flags(form, TAKT_SLOT_FLAGS);

	add_hidden_memory(form, operands);

	for (unsigned i = 0; i < form->insn.access_count; i++) {
		const struct takt_access *access = &form->insn.accesses[i];
		struct takt_text name = {0};
		bool known = access->slot <= TAKT_SLOT_FLAGS || access->location == TAKT_LOC_NONE;

		for (unsigned k = 0; k < operands->count && !known; k++)
			known = operands->slots[k] == access->slot;
		if (known)
			continue;
		add_upper(&name, takt_location_name(&takt_isa_x86, access->location));
		add_operand(operands, access->slot, "reg", slot_flags(form, access->slot),
			    " suppressed=\"1\"", takt_text_data(&name));
		takt_text_release(&name);
	}
	if (flags)
		add_operand(operands, TAKT_SLOT_FLAGS, "flags", flags, " suppressed=\"1\"", "");
}

static void add_operands(const struct probe_form *form, const struct takt_form *unpacked,
			 struct operands *operands)
{
	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX && unpacked->kinds[n]; n++) {
		add_written(form, unpacked, n, operands);
		if (n == 0 && unpacked->flags & (TAKT_FORM_K | TAKT_FORM_Z))
			add_operand(operands, TAKT_SLOT_MASK, "reg", TAKT_READ, "", "K1");
	}
	add_hidden(form, operands);
}

/* ---- figures -------------------------------------------------------------- */

/*
 * Return the operand's number; 0 if there is none. `*ret_part` names the part that the figure is
 * of.
 */
static unsigned find_operand(const struct operands *operands, const char *slot_text, bool source,
			     const struct probe_form *form, const char **ret_part)
{
	const struct takt_memory *memory = takt_probe_memory(form);
	size_t size = strlen(slot_text);
	uint8_t slot;

	*ret_part = "";
	if (size == 2 && takt_is_digit(*slot_text)) {
		slot = (uint8_t)(*slot_text - '1');
		*ret_part = slot_text[1] == 'b' ? "_addr" : "_addr_index";
	} else if (!takt_slot_parse(&takt_isa_x86, slot_text, size, &slot)) {
		return 0;
	} else if (source && memory && memory->slot == slot) {
		*ret_part = "_mem";
	}
	for (unsigned i = 0; i < operands->count; i++)
		if (operands->slots[i] == slot)
			return i + 1;
	return 0;
}

/* Add the fewest and the most cycles of a division, if its values matter. */
static void add_division(const struct probe_found *found, const struct probe_pair *pair,
			 struct takt_text *text)
{
	const struct probe_variant *variant;
	char detail[2 * sizeof(pair->source)];

	snprintf(detail, sizeof(detail), "%s>%s", pair->source, pair->destination);
	variant = takt_probe_found(found, PROBE_DIVISION_LATENCY, detail);
	if (!variant || fabs(variant->other - variant->figure) < SAME_CYCLES)
		return;
	takt_text_printf(text, "min_cycles=\"%.0f\" max_cycles=\"%.0f\" ",
			 fmin(variant->figure, variant->other),
			 fmax(variant->figure, variant->other));
}

/* Add the latency of equal registers, for explicit registers that may be equal. */
static void add_same_latency(const struct probe_found *found, const struct probe_form *form,
			     const struct probe_pair *pair, struct takt_text *text)
{
	const struct probe_variant *variant = takt_probe_found(found, PROBE_SAME_LATENCY, "");

	if (variant && !takt_probe_memory(form) && takt_is_digit(*pair->source) && !pair->source[1])
		takt_text_printf(text, "cycles_same_reg=\"%.0f\" ", variant->figure);
}

/* Add the throughput of instances on one register, and no µops for zero idioms. */
static void add_same_figures(const struct probe_found *found, struct takt_text *text)
{
	const struct probe_variant *variant = takt_probe_found(found, PROBE_SAME_THROUGHPUT, "");

	if (variant)
		takt_text_printf(text, " TP_loop_same_reg=\"%.2f\" TP_unrolled_same_reg=\"%.2f\"",
				 variant->figure, variant->figure);
	if (takt_probe_found(found, PROBE_ZERO_IDIOM, ""))
		takt_text_add_string(text, " uops_same_reg=\"0\"");
}

/* Add that only the first decoder takes the form, and how many others decode beside it. */
static void add_decoders(const struct probe_found *found, struct takt_text *text)
{
	for (unsigned i = 0; i < found->count; i++) {
		const struct probe_variant *variant = &found->list[i];

		if (variant->kind == PROBE_COMPLEX)
			takt_text_printf(text,
					 " complex_decoder=\"1\" available_simple_decoders=\"%s\"",
					 variant->detail);
		else if (variant->kind == PROBE_MICROCODE)
			takt_text_add_string(text, " complex_decoder=\"1\"");
	}
}

static void add_high8_latencies(const struct probe_found *found, const struct probe_form *form,
				const struct operands *operands, struct takt_text *text)
{
	for (unsigned i = 0; i < found->count; i++) {
		const struct probe_variant *variant = &found->list[i];
		const char *part;
		char slots[2][2] = {{variant->detail[0]}, {variant->detail[2]}};
		unsigned from, to;

		if (variant->kind != PROBE_HIGH8_LATENCY)
			continue;
		from = find_operand(operands, slots[0], true, form, &part);
		to = find_operand(operands, slots[1], false, form, &part);
		if (from && to)
			takt_text_printf(text,
					 "<latency start_op=\"%u\" target_op=\"%u\" "
					 "cycles=\"%.0f\"%s/>\n",
					 from, to, variant->figure,
					 variant->figure - variant->other < SAME_CYCLES
						 ? ""
						 : " cycles_is_upper_bound=\"1\"");
	}
}

static void add_latencies(const struct probe_form *form, const struct probe_row *row,
			  const struct probe_found *found, const struct operands *operands,
			  struct takt_text *text)
{
	const char *latencies = row->latencies;
	struct probe_pair pair;

	while (takt_probe_pair_next(&latencies, &pair)) {
		const char *part, *of_target;
		unsigned from = find_operand(operands, pair.source, true, form, &part);
		unsigned to = find_operand(operands, pair.destination, false, form, &of_target);

		if (!from || !to)
			continue;
		takt_text_printf(text, "<latency start_op=\"%u\" target_op=\"%u\" ", from, to);
		add_same_latency(found, form, &pair, text);
		add_division(found, &pair, text);
		if (pair.most - pair.least < SAME_CYCLES)
			takt_text_printf(text, "cycles%s=\"%.0f\"/>\n", part, pair.most);
		else
			takt_text_printf(text,
					 "cycles%s=\"%.0f\" cycles%s_is_upper_bound=\"1\" "
					 "cycles%s_lower_bound=\"%.0f\"/>\n",
					 part, pair.most, part, part, pair.least);
	}
}

/* Append ports; uops.info calls those of floating-point units FP. */
static void add_ports(const char *ports, struct takt_text *text)
{
	for (; *ports; ports++) {
		if (*ports == 'f')
			takt_text_add_string(text, "FP");
		else
			takt_text_add(text, ports, 1);
	}
}

static void add_measurement(const struct probe_row *row, const struct probe_found *found,
			    struct takt_text *text)
{
	takt_text_printf(text, "<measurement TP_loop=\"%.2f\" TP_unrolled=\"%.2f\"",
			 row->throughput, row->throughput);
	if (!isnan(row->uops)) {
		takt_text_printf(text, " uops=\"%.0f\"", row->uops);
		if (!*row->doubt) {
			takt_text_add_string(text, " ports=\"");
			add_ports(row->ports, text);
			takt_text_printf(text, "\" TP_ports=\"%.2f\"", row->ports_cycles);
		}
	}
	add_decoders(found, text);
	add_same_figures(found, text);
	takt_text_add_string(text, ">\n");
}

void takt_probe_xml_row(const struct probe_forms *forms, const struct probe_row *row,
			const struct probe_found *found, const char *architecture,
			struct takt_text *text)
{
	const struct probe_form *form = takt_probe_form_named(forms, row->form);
	bool high8 = strstr(row->form, kind_texts[TAKT_KIND_R8H]) != NULL;
	struct operands operands = {.text = text};
	struct takt_form unpacked;
	const char *address;

	if (!form)
		return;
	unpacked = takt_form_unpack(form->sample.form);
	address = form_address(&unpacked);
	takt_text_add_string(text, "<instruction string=\"");
	add_name(&unpacked, text);
	takt_text_add_string(text, "\" asm=\"");
	add_upper(text, takt_mnemonic_text(&takt_isa_x86, unpacked.mnemonic));
	takt_text_add_string(text, "\" isa-set=\"");
	add_upper(text, takt_isa_set_name(form->insn.isa_set));
	takt_text_printf(text, "\"%s%s%s%s%s%s>\n", address ? " agen=\"" : "",
			 address ? address : "", address ? "\"" : "",
			 unpacked.flags & (TAKT_FORM_K | TAKT_FORM_Z) ? " mask=\"1\"" : "",
			 unpacked.flags & TAKT_FORM_Z ? " zeroing=\"1\"" : "",
			 high8 ? " high8=\"1\"" : "");
	add_operands(form, &unpacked, &operands);
	takt_text_printf(text, "<architecture name=\"%s\">\n", architecture);
	add_measurement(row, found, text);
	add_latencies(form, row, found, &operands, text);
	add_high8_latencies(found, form, &operands, text);
	takt_text_add_string(text, "</measurement>\n</architecture>\n</instruction>\n");
}
