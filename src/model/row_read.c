/* SPDX-License-Identifier: MIT */
/* Reads rows: `form | µops | attributes`, by the grammar of docs/formats/models.md. */
#include <string.h>

#include "model/draft.h"

#define RTHROUGHPUT_MAX_HUNDREDTHS UINT16_MAX /* larger figures are cut to it */

/* Attributes of a row. X(enumerator, name, has a value) */
#define ATTRIBUTE_LIST(X)                                                                          \
	X(ATTR_LAT, "lat", true)                                                                   \
	X(ATTR_SLOTS, "slots", true)                                                               \
	X(ATTR_MITE, "mite", true)                                                                 \
	X(ATTR_MS, "ms", true)                                                                     \
	X(ATTR_COMPLEX, "complex", false)                                                          \
	X(ATTR_SIMPLE, "simple", true)                                                             \
	X(ATTR_UOPS, "uops", true)                                                                 \
	X(ATTR_RTP, "rtp", true)                                                                   \
	X(ATTR_ZERO, "zero", false)                                                                \
	X(ATTR_BREAKS, "breaks", false)                                                            \
	X(ATTR_ELIM, "elim", false)                                                                \
	X(ATTR_SRC, "src", true)

enum attribute {
#define X(name, text, has_value) name,
	ATTRIBUTE_LIST(X)
#undef X
		ATTR_COUNT
};

static const char *const attribute_names[] = {
#define X(name, text, has_value) text,
	ATTRIBUTE_LIST(X)
#undef X
};

static const bool attribute_has_value[] = {
#define X(name, text, has_value) has_value,
	ATTRIBUTE_LIST(X)
#undef X
};

/* Return the part of `*rest` before the first `separator`, and leave the part after it. */
static struct takt_word cut(struct takt_word *rest, char separator)
{
	const char *found = rest->size ? memchr(rest->data, separator, rest->size) : NULL;
	struct takt_word piece = *rest;

	if (found) {
		piece.size = (size_t)(found - rest->data);
		rest->data = found + 1;
		rest->size -= piece.size + 1;
	} else {
		rest->data += rest->size;
		rest->size = 0;
	}
	return piece;
}

static struct takt_word trim(struct takt_word word)
{
	while (word.size && takt_is_blank(*word.data))
		word = (struct takt_word){word.data + 1, word.size - 1};
	while (word.size && takt_is_blank(word.data[word.size - 1]))
		word.size--;
	return word;
}

static bool read_form(struct takt_reader *reader, struct takt_word word, struct takt_row *row)
{
	size_t at = 0;
	const char *what = "";
	struct takt_word culprit;

	row->form =
		takt_form_parse(takt_reader_text(reader)->isa, word.data, word.size, &at, &what);
	if (row->form)
		return true;
	if (at > word.size)
		at = word.size;
	culprit = (struct takt_word){word.data + at, word.size - at};
	culprit.size = strcspn(takt_word_copy(reader, culprit), " \t,");
	takt_reader_error(reader, culprit, "%s '%.*s'", what, TAKT_PRINTED(culprit));
	takt_note(reader->diag, "forms are written as in '%s'; see docs/formats/forms.md",
		  takt_reader_text(reader)->isa == &takt_isa_x86 ? "add m64, r64"
								 : "add x, x, imm");
	return false;
}

/* Limit a count. Only a few system instructions exceed the limit, where it does not matter. */
static uint16_t cut_count(uint32_t number)
{
	return (uint16_t)(number < TAKT_COUNT_MAX ? number : TAKT_COUNT_MAX);
}

/* ---- µops --------------------------------------------------------------- */

static bool read_uop(struct takt_reader *reader, struct takt_word piece, struct takt_uops *uops)
{
	struct takt_word whole = piece, count = cut(&piece, '*');
	uint32_t number;

	if (!takt_word_number(count, TAKT_NUMBER_MAX, &number) || number == 0 || !piece.size) {
		takt_reader_error(reader, whole.size ? whole : piece,
				  "µops are written 'COUNT*PORTS', not '%.*s'",
				  TAKT_PRINTED(whole));
		takt_note(reader->diag, "for example 2*p0156+1*p23, '-' for none executed, or "
					"'none' to remove an inherited row");
		return false;
	}
	uops->count = cut_count(number);
	return takt_reader_ports(reader, piece, &uops->ports);
}

static bool read_uops(struct takt_reader *reader, struct takt_word word, struct takt_row *row)
{
	struct takt_uops uops[TAKT_ROW_UOPS_MAX] = {0}, *kept;
	uint8_t count = 0;

	if (takt_word_is(word, "none")) {
		row->removed = true;
		return true;
	}
	if (takt_word_is(word, "-"))
		return true;
	do {
		struct takt_word piece = cut(&word, '+');

		if (count == TAKT_ROW_UOPS_MAX)
			return takt_reader_error(reader, piece, "more than %u kinds of µops",
						 TAKT_ROW_UOPS_MAX);
		if (!read_uop(reader, piece, &uops[count++]))
			return false;
	} while (word.size);
	kept = TAKT_NEW_ARRAY(reader->arena, count, struct takt_uops);
	memcpy(kept, uops, count * sizeof(*kept));
	row->timing.uops = kept;
	row->timing.uops_count = count;
	return true;
}

/* ---- latencies ---------------------------------------------------------- */

/* True for an address register's slot: "2b" and "2i" are base and index of memory operand 2. */
static bool is_address_slot(struct takt_word word)
{
	return word.size == 2 && word.data[0] >= '1' && word.data[0] <= '5' &&
	       (word.data[1] == 'b' || word.data[1] == 'i');
}

static bool read_slot(struct takt_reader *reader, struct takt_word word, takt_form_key form,
		      uint8_t *ret_slot)
{
	if (takt_word_is(word, "*")) {
		*ret_slot = TAKT_SLOT_ANY;
		return true;
	}
	if (takt_word_is(word, "a")) {
		*ret_slot = TAKT_SLOT_ANY_ADDRESS;
		return true;
	}
	if (is_address_slot(word)) {
		if (takt_form_address_operand(form) != (unsigned)(word.data[0] - '0'))
			return takt_reader_error(reader, word, "operand %c has no address",
						 word.data[0]);
		*ret_slot = word.data[1] == 'b' ? TAKT_SLOT_BASE : TAKT_SLOT_INDEX;
		return true;
	}
	if (word.size &&
	    takt_slot_parse(takt_reader_text(reader)->isa, word.data, word.size, ret_slot))
		return true;
	takt_reader_error(reader, word, "unknown operand '%.*s'", TAKT_PRINTED(word));
	takt_note(reader->diag, "operands are 1 to 5, 1b and 1i (base and index of memory operand "
				"1), a, k, f, s, * or a register");
	return false;
}

static bool read_cycles(struct takt_reader *reader, struct takt_word word, uint16_t *ret_cycles)
{
	uint32_t number;

	if (!takt_word_number(word, TAKT_NUMBER_MAX, &number))
		return takt_reader_error(reader, word, "'%.*s' is not a number of cycles",
					 TAKT_PRINTED(word));
	*ret_cycles = cut_count(number);
	return true;
}

/* Read a latency that differs from the default, such as "1b>2:5". */
static bool read_exception(struct takt_reader *reader, struct takt_word piece, takt_form_key form,
			   struct takt_latency *ret_latency)
{
	struct takt_word cycles = piece, pair, source, whole = piece;
	struct takt_latency latency = {0};

	pair = cut(&cycles, ':');
	source = cut(&pair, '>');
	if (!cycles.size || !pair.size || !source.size)
		return takt_reader_error(reader, whole,
					 "latencies are written SOURCE>DESTINATION:CYCLES, "
					 "not '%.*s'",
					 TAKT_PRINTED(whole));
	if (!read_slot(reader, source, form, &latency.source) ||
	    !read_slot(reader, pair, form, &latency.destination) ||
	    !read_cycles(reader, cycles, &latency.cycles))
		return false;
	*ret_latency = latency;
	return true;
}

static bool read_latency(struct takt_reader *reader, struct takt_word value, struct takt_row *row)
{
	struct takt_latency latencies[TAKT_ROW_LATENCIES_MAX], *kept;
	uint8_t count = 0;

	if (!read_cycles(reader, cut(&value, ','), &row->timing.latency_default))
		return false;
	while (value.size) {
		struct takt_word piece = cut(&value, ',');

		if (count == TAKT_ROW_LATENCIES_MAX)
			return takt_reader_error(reader, piece, "more than %u latencies",
						 TAKT_ROW_LATENCIES_MAX);
		if (!read_exception(reader, piece, row->form, &latencies[count++]))
			return false;
	}
	kept = TAKT_NEW_ARRAY(reader->arena, count, struct takt_latency);
	if (count)
		memcpy(kept, latencies, count * sizeof(*kept));
	row->timing.latencies = kept;
	row->timing.latency_count = count;
	return true;
}

/* ---- attributes ---------------------------------------------------------- */

/* Read a number such as "1.25" in hundredths, rounded. */
static bool read_hundredths(struct takt_reader *reader, struct takt_word value,
			    uint16_t *ret_hundredths)
{
	struct takt_word fraction = value, whole = cut(&fraction, '.');
	uint32_t ones, hundredths = 0, scale = 100;
	uint64_t total;

	if (!takt_word_number(whole, 1000000, &ones))
		return takt_reader_error(reader, value, "'%.*s' is not a number of cycles",
					 TAKT_PRINTED(value));
	for (size_t i = 0; i < fraction.size; i++) {
		uint32_t digit = (uint32_t)(fraction.data[i] - '0');

		if (digit > 9)
			return takt_reader_error(reader, value, "'%.*s' is not a number of cycles",
						 TAKT_PRINTED(value));
		scale /= 10;
		hundredths += digit * scale;
		if (i == 2 && digit >= 5)
			hundredths++;
	}
	total = (uint64_t)ones * 100 + hundredths;
	*ret_hundredths =
		(uint16_t)(total < RTHROUGHPUT_MAX_HUNDREDTHS ? total : RTHROUGHPUT_MAX_HUNDREDTHS);
	return true;
}

static bool read_count(struct takt_reader *reader, struct takt_word value, uint32_t most,
		       uint16_t *ret_count)
{
	uint32_t number;

	if (!takt_word_number(value, most, &number))
		return takt_reader_error(reader, value, "'%.*s' is not a number up to %u",
					 TAKT_PRINTED(value), most);
	*ret_count = cut_count(number);
	return true;
}

static bool read_simple(struct takt_reader *reader, struct takt_word value, struct takt_row *row)
{
	uint16_t number = 0;

	if (!read_count(reader, value, 254, &number))
		return false;
	row->timing.simple_decoders = (uint8_t)number;
	return true;
}

static bool set_flag(struct takt_row *row, enum takt_timing_flag flag)
{
	row->timing.flags |= (uint8_t)flag;
	return true;
}

static bool apply_attribute(struct takt_reader *reader, enum attribute attribute,
			    struct takt_word value, struct takt_row *row)
{
	switch (attribute) {
	case ATTR_LAT:
		return read_latency(reader, value, row);
	case ATTR_SLOTS:
		return read_count(reader, value, TAKT_NUMBER_MAX, &row->timing.slots);
	case ATTR_MITE:
		return read_count(reader, value, TAKT_NUMBER_MAX, &row->timing.mite);
	case ATTR_MS:
		return read_count(reader, value, TAKT_NUMBER_MAX, &row->timing.ms);
	case ATTR_COMPLEX:
		return set_flag(row, TAKT_TIMING_COMPLEX);
	case ATTR_SIMPLE:
		return read_simple(reader, value, row);
	case ATTR_UOPS:
		return read_count(reader, value, TAKT_NUMBER_MAX, &row->timing.uop_total);
	case ATTR_RTP:
		return read_hundredths(reader, value, &row->timing.rthroughput_hundredths);
	case ATTR_ZERO:
		return set_flag(row, TAKT_TIMING_ZERO);
	case ATTR_BREAKS:
		return set_flag(row, TAKT_TIMING_BREAKS);
	case ATTR_ELIM:
		return set_flag(row, TAKT_TIMING_ELIM);
	case ATTR_SRC:
		row->source = takt_reader_find_source(reader, value);
		return row->source != NULL;
	case ATTR_COUNT:
		break;
	}
	return false;
}

static bool read_attribute(struct takt_reader *reader, struct takt_word word, struct takt_row *row,
			   uint32_t *seen)
{
	struct takt_word value = word, name = cut(&value, '=');
	bool given = name.size != word.size;

	for (unsigned i = 0; i < ATTR_COUNT; i++) {
		if (!takt_word_is(name, attribute_names[i]))
			continue;
		if (given != attribute_has_value[i])
			return takt_reader_error(reader, word, "'%s' %s", attribute_names[i],
						 given ? "takes no value"
						       : "needs '=' and a value");
		if (*seen & 1u << i)
			return takt_reader_error(reader, word, "'%s' is given twice",
						 attribute_names[i]);
		*seen |= 1u << i;
		return apply_attribute(reader, (enum attribute)i, value, row);
	}
	takt_reader_error(reader, name, "unknown attribute '%.*s'", TAKT_PRINTED(name));
	takt_note_names(reader->diag, takt_word_copy(reader, name), attribute_names, ATTR_COUNT);
	return false;
}

static void set_defaults(struct takt_reader *reader, enum takt_row_kind kind, struct takt_row *row)
{
	bool compose = kind == TAKT_ROW_COMPOSE;

	*row = (struct takt_row){
		.timing = {.latency_default = compose ? TAKT_LATENCY_UNSET : 1,
			   .slots = TAKT_ROW_UNSET,
			   .mite = TAKT_ROW_UNSET,
			   .uop_total = TAKT_ROW_UNSET,
			   .simple_decoders = UINT8_MAX},
		.source = takt_model_reader(reader)->default_source,
		.text = takt_reader_text(reader),
		.line = reader->lines.number,
	};
}

/* The fields of a row are separated by bars. */
bool takt_row_read(struct takt_reader *reader, enum takt_row_kind kind, struct takt_row *ret_row)
{
	struct takt_word rest = takt_reader_rest(reader), whole = rest;
	struct takt_word form = trim(cut(&rest, '|')), uops;
	struct takt_row row;
	uint32_t seen = 0;

	set_defaults(reader, kind, &row);
	if (whole.size && !memchr(whole.data, '|', whole.size)) {
		takt_reader_error(reader, whole, "'|' expected");
		takt_note(reader->diag, "a row is 'form | µops | attributes'");
		return false;
	}
	uops = trim(cut(&rest, '|'));
	if (kind == TAKT_ROW_FORM ? !read_form(reader, form, &row) : form.size != 0)
		return kind != TAKT_ROW_FORM &&
		       takt_reader_error(reader, form, "unexpected '%.*s'", TAKT_PRINTED(form));
	if (!read_uops(reader, uops, &row))
		return false;
	reader->at = (size_t)(rest.data - reader->line);
	for (;;) {
		struct takt_word word = takt_reader_word(reader);

		if (!word.size)
			break;
		if (!read_attribute(reader, word, &row, &seen))
			return false;
	}
	if (kind != TAKT_ROW_COMPOSE && !(seen & 1u << ATTR_LAT) && row.timing.uops_count == 0 &&
	    (row.timing.uop_total == TAKT_ROW_UNSET || row.timing.uop_total == 0))
		row.timing.latency_default = 0;
	if (!row.source && !row.removed) {
		takt_reader_error(reader, whole, "no source");
		takt_note(reader->diag, "every figure has one: add src=TAG, or a line "
					"'default-source TAG' above");
		return false;
	}
	*ret_row = row;
	return true;
}
