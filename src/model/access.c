/* SPDX-License-Identifier: MIT */
/* Ports of loads, stores and classes, taken from a core's `compose` and `default` rows. */
#include <string.h>

#include "model/image.h"

#define YMM_BYTES 32u
#define ZMM_BYTES 64u

static unsigned compose_row(bool vector, uint16_t size_bytes, bool indexed)
{
	unsigned row = indexed ? TAKT_COMPOSE_INDEXED : 0;

	if (size_bytes >= ZMM_BYTES)
		return row | TAKT_COMPOSE_ZMM;
	if (size_bytes >= YMM_BYTES)
		return row | TAKT_COMPOSE_YMM;
	return vector ? row | TAKT_COMPOSE_VECTOR : row;
}

/* Split a row into its first entry on issue ports, the ports of the others, and pseudo ports. */
static void split_row(const struct takt_model *model, const struct takt_image_timing *stored,
		      uint32_t *ret_first, uint32_t *ret_rest, uint32_t *ret_units)
{
	uint32_t pseudo = takt_model_pseudo_ports(model);
	struct takt_timing timing;

	*ret_first = *ret_rest = *ret_units = 0;
	if (!stored)
		return;
	takt_timing_from_image(&model->image, stored, TAKT_MATCH_ROW, &timing);
	for (unsigned i = 0; i < timing.uops_count; i++) {
		uint32_t ports = takt_model_changed_ports(model, timing.uops[i].ports);

		if (ports & pseudo)
			*ret_units |= ports;
		else if (!*ret_first)
			*ret_first = ports;
		else
			*ret_rest |= ports;
	}
}

void takt_model_access_ports(const struct takt_model *model, bool vector, uint16_t size_bytes,
			     bool indexed, struct takt_access_ports *ret_ports)
{
	unsigned row = compose_row(vector, size_bytes, indexed);
	const struct takt_image_timing *load = model->compose[row];
	uint32_t rest;

	split_row(model, load, &ret_ports->load, &rest, &ret_ports->load_units);
	split_row(model, model->compose[row | TAKT_COMPOSE_STORE], &ret_ports->store_address,
		  &ret_ports->store_data, &ret_ports->store_units);
	ret_ports->load_latency_cycles = (uint16_t)(vector ? model->params.load_latency_vector
							   : model->params.load_latency_int);
	if (load && load->latency_default != UINT16_MAX)
		ret_ports->load_latency_cycles = load->latency_default;
	if (ret_ports->load_latency_cycles > model->load_cycles_less)
		ret_ports->load_latency_cycles =
			(uint16_t)(ret_ports->load_latency_cycles - model->load_cycles_less);
}

static bool is_wide(const struct takt_insn *insn)
{
	for (unsigned a = 0; a < insn->access_count; a++)
		if (insn->accesses[a].size_bytes == ZMM_BYTES)
			return true;
	return false;
}

void takt_timings_close_port(const struct takt_model *model, const struct takt_block *block,
			     struct takt_timing_storage *storage, struct takt_timing *timings)
{
	const int32_t port = model->params.port_closed_by_512;
	bool wide = false;

	if (port < 0 || port >= TAKT_PORTS_MAX)
		return;
	for (uint32_t i = 0; i < block->count && !wide; i++)
		wide = is_wide(&block->insns[i]);
	for (uint32_t i = 0; wide && i < block->count; i++) {
		struct takt_timing *timing = &timings[i];
		unsigned count = timing->uops_count;

		if (!(block->insns[i].flags & TAKT_INSN_VECTOR) ||
		    count > TAKT_COUNT_OF(storage->uops))
			continue;
		if (timing->uops != storage[i].uops)
			memcpy(storage[i].uops, timing->uops, count * sizeof(*timing->uops));
		for (unsigned k = 0; k < count; k++)
			if (storage[i].uops[k].ports & ~((uint32_t)1 << port))
				storage[i].uops[k].ports &= ~((uint32_t)1 << port);
		timing->uops = storage[i].uops;
	}
}

uint32_t takt_model_class_ports(const struct takt_model *model, enum takt_insn_class insn_class)
{
	const struct takt_image_timing *stored =
		takt_image_timing_at(&model->image, model->core->defaults[insn_class]);
	uint32_t ports, rest, units;

	split_row(model, stored, &ports, &rest, &units);
	return ports;
}
