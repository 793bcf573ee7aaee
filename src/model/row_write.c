/* SPDX-License-Identifier: MIT */
/* Writes rows as text, in the syntax that row_read.c reads. */
#include "model/image.h"

#define FORM_COLUMNS 40u
#define UOPS_COLUMNS 32u

/* Pad to a column, counted in code points so that UTF-8 text aligns. */
static void pad_to(struct takt_text *text, size_t start, size_t columns)
{
	size_t width = text->size_bytes - start;

	if (width < columns)
		takt_text_pad(text, ' ', columns - width);
}

/* Write port names run together, each letter once, such as "p0156" or "a0123b1". */
static void write_ports(uint32_t mask, const struct takt_port_list *ports, struct takt_text *text)
{
	char letter = 0;

	for (uint32_t i = 0; i < ports->count && i < TAKT_PORTS_MAX; i++) {
		if (!(mask >> i & 1))
			continue;
		if (ports->names[i][0] != letter)
			takt_text_add(text, &ports->names[i][0], 1);
		letter = ports->names[i][0];
		takt_text_add(text, &ports->names[i][1], 1);
	}
}

void takt_uops_write(const struct takt_timing *timing, const struct takt_port_list *ports,
		     struct takt_text *text)
{
	if (timing->uops_count == 0)
		takt_text_add_string(text, "-");
	for (unsigned i = 0; i < timing->uops_count; i++) {
		takt_text_printf(text, "%s%u*", i ? "+" : "", timing->uops[i].count);
		write_ports(timing->uops[i].ports, ports, text);
	}
}

static void write_slot(const struct takt_isa *isa, takt_form_key form, uint8_t slot,
		       struct takt_text *text)
{
	unsigned operand = takt_form_address_operand(form);

	if (slot == TAKT_SLOT_ANY)
		takt_text_add_string(text, "*");
	else if (slot == TAKT_SLOT_ANY_ADDRESS)
		takt_text_add_string(text, "a");
	else if (slot == TAKT_SLOT_BASE || slot == TAKT_SLOT_INDEX)
		takt_text_printf(text, "%u%c", operand ? operand : 1,
				 slot == TAKT_SLOT_BASE ? 'b' : 'i');
	else
		takt_slot_write(isa, slot, text);
}

void takt_latencies_write(const struct takt_isa *isa, takt_form_key form,
			  const struct takt_timing *timing, struct takt_text *text)
{
	takt_text_printf(text, "%u", timing->latency_default);
	for (unsigned i = 0; i < timing->latency_count; i++) {
		takt_text_add_string(text, ",");
		write_slot(isa, form, timing->latencies[i].source, text);
		takt_text_add_string(text, ">");
		write_slot(isa, form, timing->latencies[i].destination, text);
		takt_text_printf(text, ":%u", timing->latencies[i].cycles);
	}
}

static void write_hundredths(unsigned value, struct takt_text *text)
{
	takt_text_printf(text, " rtp=%u", value / 100);
	if (value % 100)
		takt_text_printf(text, value % 10 ? ".%02u" : ".%u",
				 value % 10 ? value % 100 : value % 100 / 10);
}

static void write_counts(const struct takt_timing *timing, const struct takt_port_list *ports,
			 struct takt_text *text)
{
	unsigned executed = 0;

	for (unsigned i = 0; i < timing->uops_count; i++)
		if (!(timing->uops[i].ports & ports->pseudo))
			executed += timing->uops[i].count;
	if (timing->slots != timing->uop_total)
		takt_text_printf(text, " slots=%u", timing->slots);
	if (timing->mite != timing->slots)
		takt_text_printf(text, " mite=%u", timing->mite);
	if (timing->ms)
		takt_text_printf(text, " ms=%u", timing->ms);
	if (timing->flags & TAKT_TIMING_COMPLEX)
		takt_text_add_string(text, " complex");
	if (timing->simple_decoders != UINT8_MAX)
		takt_text_printf(text, " simple=%u", timing->simple_decoders);
	if (timing->uop_total != executed)
		takt_text_printf(text, " uops=%u", timing->uop_total);
	if (timing->rthroughput_hundredths)
		write_hundredths(timing->rthroughput_hundredths, text);
}

void takt_attributes_write(const struct takt_isa *isa, takt_form_key form,
			   const struct takt_timing *timing, const struct takt_port_list *ports,
			   const char *source_tag, struct takt_text *text)
{
	takt_text_add_string(text, "lat=");
	takt_latencies_write(isa, form, timing, text);
	write_counts(timing, ports, text);
	if (timing->flags & TAKT_TIMING_ZERO)
		takt_text_add_string(text, " zero");
	if (timing->flags & TAKT_TIMING_BREAKS)
		takt_text_add_string(text, " breaks");
	if (timing->flags & TAKT_TIMING_ELIM)
		takt_text_add_string(text, " elim");
	if (source_tag)
		takt_text_printf(text, " src=%s", source_tag);
}

void takt_timing_row_write(const struct takt_isa *isa, takt_form_key form,
			   const struct takt_timing *timing, const struct takt_port_list *ports,
			   const char *source_tag, struct takt_text *text)
{
	size_t start = text->size_bytes;

	takt_form_write(isa, form, text);
	pad_to(text, start, FORM_COLUMNS);
	takt_text_add_string(text, "| ");
	start = text->size_bytes;
	takt_uops_write(timing, ports, text);
	pad_to(text, start, UOPS_COLUMNS);
	takt_text_add_string(text, "| ");
	takt_attributes_write(isa, form, timing, ports, source_tag, text);
	takt_text_add_string(text, "\n");
}
