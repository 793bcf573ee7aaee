/* SPDX-License-Identifier: MIT */
/* Collects latencies per operand pair and finds their shortest notation (docs/formats/models.md).
 */
#include "import/table.h"

static struct takt_latency *find(struct takt_import_pairs *pairs, uint8_t source,
				 uint8_t destination)
{
	for (uint32_t i = 0; i < pairs->count; i++)
		if (pairs->pairs[i].source == source && pairs->pairs[i].destination == destination)
			return &pairs->pairs[i];
	return NULL;
}

void takt_import_pair_add(struct takt_import_pairs *pairs, uint8_t source, uint8_t destination,
			  uint32_t cycles)
{
	struct takt_latency *found = find(pairs, source, destination);
	uint16_t kept = (uint16_t)(cycles < UINT16_MAX / 2 ? cycles : UINT16_MAX / 2);

	if (found) {
		if (found->cycles < kept)
			found->cycles = kept;
	} else if (pairs->count < TAKT_IMPORT_PAIRS_MAX) {
		pairs->pairs[pairs->count++] = (struct takt_latency){source, destination, kept};
	}
}

bool takt_import_pair_find(const struct takt_import_pairs *pairs, uint8_t source,
			   uint8_t destination, uint32_t *ret_cycles)
{
	for (uint32_t i = 0; i < pairs->count; i++) {
		if (pairs->pairs[i].source == source &&
		    pairs->pairs[i].destination == destination) {
			*ret_cycles = pairs->pairs[i].cycles;
			return true;
		}
	}
	return false;
}

static bool is_address(uint8_t slot)
{
	return slot == TAKT_SLOT_BASE || slot == TAKT_SLOT_INDEX;
}

/* Find the single destination of all pairs from a source, or ANY. */
static uint8_t destination_of(const struct takt_import_pairs *pairs, uint8_t source, bool address)
{
	uint8_t found = TAKT_SLOT_ANY;
	bool first = true;

	for (uint32_t i = 0; i < pairs->count; i++) {
		const struct takt_latency *pair = &pairs->pairs[i];

		if (address ? !is_address(pair->source) : pair->source != source)
			continue;
		if (!first && found != pair->destination)
			return TAKT_SLOT_ANY;
		found = pair->destination;
		first = false;
	}
	return found;
}

/* Find the latency that most pairs of a source have; at equal counts the default is preferred. */
static uint16_t common_of(const struct takt_import_pairs *pairs, uint8_t source,
			  uint16_t latency_default, uint32_t *ret_times)
{
	uint16_t common = latency_default;
	uint32_t most = 0;

	for (uint32_t i = 0; i < pairs->count; i++) {
		uint32_t times = 0;

		if (pairs->pairs[i].source != source)
			continue;
		for (uint32_t j = 0; j < pairs->count; j++)
			times += pairs->pairs[j].source == source &&
				 pairs->pairs[j].cycles == pairs->pairs[i].cycles;
		if (times > most || (times == most && pairs->pairs[i].cycles == latency_default)) {
			most = times;
			common = pairs->pairs[i].cycles;
		}
	}
	*ret_times = most;
	return common;
}

static uint32_t write_source(const struct takt_import_pairs *pairs, uint8_t source,
			     uint16_t latency_default, struct takt_latency *exceptions)
{
	uint32_t times, count = 0;
	uint16_t common = common_of(pairs, source, latency_default, &times);

	if (common != latency_default && times > 1)
		exceptions[count++] = (struct takt_latency){source, TAKT_SLOT_ANY, common};
	else
		common = latency_default;
	for (uint32_t i = 0; i < pairs->count; i++)
		if (pairs->pairs[i].source == source && pairs->pairs[i].cycles != common)
			exceptions[count++] = pairs->pairs[i];
	return count;
}

/* True, with the latency, if base and index have the same latency to all destinations. */
static bool addresses_agree(const struct takt_import_pairs *pairs, uint16_t *ret_cycles)
{
	bool any = false;

	for (uint32_t i = 0; i < pairs->count; i++) {
		if (!is_address(pairs->pairs[i].source))
			continue;
		if (any && pairs->pairs[i].cycles != *ret_cycles)
			return false;
		*ret_cycles = pairs->pairs[i].cycles;
		any = true;
	}
	return any;
}

static bool is_first_of_source(const struct takt_import_pairs *pairs, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (pairs->pairs[i].source == pairs->pairs[index].source)
			return false;
	return true;
}

static uint32_t compress_with(const struct takt_import_pairs *pairs, uint16_t latency_default,
			      struct takt_latency *exceptions)
{
	uint16_t address = 0;
	bool together = addresses_agree(pairs, &address);
	uint32_t count = 0;

	if (together && address != latency_default)
		exceptions[count++] = (struct takt_latency){
			TAKT_SLOT_ANY_ADDRESS, destination_of(pairs, 0, true), address};
	for (uint32_t i = 0; i < pairs->count; i++)
		if (is_first_of_source(pairs, i) &&
		    !(together && is_address(pairs->pairs[i].source)))
			count += write_source(pairs, pairs->pairs[i].source, latency_default,
					      exceptions + count);
	return count;
}

uint32_t takt_import_pairs_compress(const struct takt_import_pairs *pairs,
				    struct takt_latency *exceptions, uint16_t *ret_default)
{
	struct takt_latency tried[2 * TAKT_IMPORT_PAIRS_MAX];
	uint32_t best = UINT32_MAX;

	*ret_default = 1;
	/* At equal counts a register's latency is the default, for pairs that were not measured. */
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < pairs->count; i++) {
			uint32_t count;

			if (is_address(pairs->pairs[i].source) != (pass == 1))
				continue;
			count = compress_with(pairs, pairs->pairs[i].cycles, tried);
			if (count >= best || count > TAKT_IMPORT_PAIRS_MAX)
				continue;
			best = count;
			*ret_default = pairs->pairs[i].cycles;
		}
	}
	return pairs->count ? compress_with(pairs, *ret_default, exceptions) : 0;
}
