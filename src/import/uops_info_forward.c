/* SPDX-License-Identifier: MIT */
/* Splits measured round trips through a store and a load into the halves that takt counts. */
#include <string.h>

#include "import/uops_info.h"

struct trips {
	uint32_t load_latency; /* cycles from the address of a general register's load */
	uint32_t load_half;    /* cycles of a round trip that are the load's */
	uint32_t round[2];     /* cycles of a round trip: general register, vector register */
};

static bool is_memory_slot(const struct takt_form *form, uint8_t slot)
{
	if (slot == TAKT_SLOT_STACK)
		return true;
	return slot < TAKT_FORM_OPERANDS_MAX &&
	       takt_kind_is_memory((enum takt_operand_kind)form->kinds[slot]);
}

static bool is_vector_form(const struct takt_form *form)
{
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (form->kinds[i] >= TAKT_KIND_MM && form->kinds[i] <= TAKT_KIND_K)
			return true;
	return false;
}

static bool is_slow_store(const struct takt_form *form)
{
	const char *mnemonic = takt_mnemonic_text(&takt_isa_x86, form->mnemonic);

	mnemonic += *mnemonic == 'v';
	return form->flags & (TAKT_FORM_LOCK | TAKT_FORM_REP | TAKT_FORM_REPNE) ||
	       strncmp(mnemonic, "movnt", 5) == 0 ||
	       (strcmp(mnemonic, "xchg") == 0 && is_memory_slot(form, 0));
}

static uint32_t measured(const struct takt_import_table *table, const char *form, uint8_t source,
			 uint8_t destination, uint32_t fallback)
{
	uint32_t cycles;

	for (size_t i = 0; i < table->row_count; i++)
		if (strcmp(table->rows[i].text, form) == 0 &&
		    takt_import_pair_find(table->rows[i].pairs, source, destination, &cycles))
			return cycles;
	return fallback;
}

static struct trips measure_trips(const struct takt_import_table *table)
{
	const struct takt_core_params *params = takt_model_params(table->model);
	uint32_t round = (uint32_t)params->store_forward_cycles;

	return (struct trips){
		.load_latency = measured(table, "mov r64, m64", TAKT_SLOT_BASE, TAKT_SLOT_1,
					 (uint32_t)params->load_latency_int),
		.load_half = round ? round - 1 : 0,
		.round = {measured(table, "mov m64, r64", TAKT_SLOT_1 + 1, TAKT_SLOT_1, round),
			  measured(table, "movaps m128, xmm", TAKT_SLOT_1 + 1, TAKT_SLOT_1, round)},
	};
}

static uint32_t less(uint32_t from, uint32_t by)
{
	return from > by ? from - by : 0;
}

/* True for registers that address implicit memory. */
static bool is_pointer(uint8_t slot)
{
	unsigned gpr = TAKT_SLOT_IMPLICIT + TAKT_LOC_GPR;

	return slot == gpr + 3 || (slot >= gpr + 4 && slot <= gpr + 7); /* rbx rsp rbp rsi rdi */
}

static bool is_address_of(uint8_t memory, uint8_t source)
{
	return memory == TAKT_SLOT_STACK ? is_pointer(source)
					 : source == TAKT_SLOT_BASE || source == TAKT_SLOT_INDEX;
}

static bool find_address(const struct takt_import_pairs *pairs, const struct takt_latency *value,
			 uint32_t *ret_cycles)
{
	for (uint32_t i = 0; i < pairs->count; i++) {
		const struct takt_latency *pair = &pairs->pairs[i];

		if (pair->destination == value->destination && pair->source != TAKT_SLOT_INDEX &&
		    is_address_of(value->source, pair->source)) {
			*ret_cycles = pair->cycles;
			return true;
		}
	}
	return false;
}

/*
 * Split a row's latencies. uops.info gives a load's value latency and a store's data latency each
 * as a whole trip through a store and a load, less one cycle. takt has the two halves of one trip:
 * one cycle for the store, the rest for the load. With general registers the load's half is the
 * core's parameter, not the measurement.
 */
static void split_row(struct takt_import_row *row, const struct trips *trips)
{
	struct takt_form form = takt_form_unpack(row->form);
	struct takt_import_pairs whole = *row->pairs;
	bool vector = is_vector_form(&form);
	uint32_t address;

	if (is_slow_store(&form))
		return;
	for (uint32_t i = 0; i < whole.count; i++) {
		struct takt_latency *pair = &row->pairs->pairs[i];
		bool from = is_memory_slot(&form, pair->source);
		bool to = is_memory_slot(&form, pair->destination);

		if (from && !to && !vector && find_address(&whole, pair, &address)) {
			pair->cycles =
				(uint16_t)(less(address, trips->load_latency) + trips->load_half);
		} else if (to && !from) {
			uint32_t excess = is_address_of(pair->destination, pair->source)
						  ? trips->load_half
						  : less(trips->round[vector], 1);
			uint32_t store = less(pair->cycles, excess);

			pair->cycles = (uint16_t)(store ? store : 1);
		}
	}
}

static void set_pair(struct takt_import_pairs *pairs, uint8_t source, uint32_t cycles)
{
	takt_import_pair_add(pairs, source, TAKT_SLOT_STACK, cycles);
	for (uint32_t i = 0; i < pairs->count; i++)
		if (pairs->pairs[i].source == source &&
		    pairs->pairs[i].destination == TAKT_SLOT_STACK)
			pairs->pairs[i].cycles = (uint16_t)cycles;
}

/* Set latencies of copies from memory to memory, through which no value's latency is measured. */
static void split_copy(struct takt_import_row *row, const struct trips *trips)
{
	struct takt_form form = takt_form_unpack(row->form);
	const char *mnemonic = takt_mnemonic_text(&takt_isa_x86, form.mnemonic);
	bool push = strcmp(mnemonic, "push") == 0 && is_memory_slot(&form, TAKT_SLOT_1);
	bool movs = strncmp(mnemonic, "movs", 4) == 0 && strlen(mnemonic) == 5 && !form.kinds[0];

	if (is_slow_store(&form) || !row->pairs->count || (!push && !movs))
		return;
	set_pair(row->pairs, push ? TAKT_SLOT_1 : TAKT_SLOT_STACK, trips->load_half + 1);
	set_pair(row->pairs, push ? TAKT_SLOT_BASE : TAKT_SLOT_IMPLICIT + TAKT_LOC_GPR + 6,
		 trips->load_latency + 1);
}

void takt_uops_info_split_round_trips(struct takt_import_table *table)
{
	struct trips trips = measure_trips(table);

	for (size_t i = 0; i < table->row_count; i++)
		split_row(&table->rows[i], &trips);
	for (size_t i = 0; i < table->row_count; i++)
		split_copy(&table->rows[i], &trips);
}
