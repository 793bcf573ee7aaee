/* SPDX-License-Identifier: MIT */
/* Hashes all data of a core that predictions depend on. */

#include "model/image.h"

/* Hash a row's contents, without their place in the image and their source. */
static uint64_t digest_timing(const struct takt_image *image, uint32_t number)
{
	const struct takt_image_timing *timing = takt_image_timing_at(image, number);
	struct takt_image_timing plain;
	uint64_t hash;

	if (!timing)
		return 0;
	plain = *timing;
	plain.uops_index = plain.latency_index = 0;
	plain.source = 0;
	hash = takt_hash_bytes(&plain, sizeof(plain));
	hash = takt_hash64(hash ^ takt_hash_bytes(image->uops + timing->uops_index,
						  timing->uops_count * sizeof(*image->uops)));
	return takt_hash64(hash ^
			   takt_hash_bytes(image->latencies + timing->latency_index,
					   timing->latency_count * sizeof(*image->latencies)));
}

static uint64_t add(uint64_t hash, uint64_t value)
{
	return takt_hash64(hash ^ value);
}

static uint64_t digest_core(const struct takt_model *model)
{
	const struct takt_image_core *core = model->core;
	uint64_t hash = takt_hash_bytes(&model->params, sizeof(model->params));

	hash = add(hash, core->port_count);
	hash = add(hash, core->pseudo_ports);
	hash = add(hash, takt_hash_bytes(core->ports, sizeof(core->ports)));
	if (model->spared_ports)
		hash = add(hash, model->spared_ports);
	hash = add(hash, takt_hash_bytes(core->isa_sets, sizeof(core->isa_sets)));
	for (uint32_t i = 0; i < TAKT_COMPOSE_COUNT; i++)
		hash = add(hash, digest_timing(&model->image, core->compose[i]));
	for (uint32_t i = 0; i < TAKT_IMAGE_CLASSES_MAX; i++)
		hash = add(hash, digest_timing(&model->image, core->defaults[i]));
	hash = add(hash, core->fuse_not);
	hash = add(hash, takt_hash_bytes(model->image.fuses + core->fuse_index,
					 core->fuse_count * sizeof(*model->image.fuses)));
	for (uint32_t i = 0; i < core->scheduler_count; i++) {
		hash = add(hash, core->schedulers[i].ports);
		hash = add(hash, core->schedulers[i].entries);
		hash = add(hash, core->schedulers[i].queue_entries);
	}
	return hash;
}

uint64_t takt_model_digest(const struct takt_model *model)
{
	uint64_t hash = digest_core(model), rows = 0;

	/* Rows are summed, because their order in the image depends on other cores' forms. */
	for (uint32_t i = 0; i < model->image.forms_count; i++)
		if (model->column[i])
			rows += takt_hash64(model->image.forms[i] ^
					    digest_timing(&model->image, model->column[i]));
	return add(hash, rows);
}
