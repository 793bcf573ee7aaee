/* SPDX-License-Identifier: MIT */
/*
 * Forms of vector instructions of RISC-V: how long these take depends on the settings of the
 * vector unit, which the code before them makes, or a comment gives.
 */

#include "isa/isa.h"
#include "isa/llvm.h"

bool takt_isa_has_vector_settings(const struct takt_isa *isa)
{
	return isa->llvm && isa->llvm->processor(isa->target)->has_settings;
}

bool takt_vector_setting_is_known(const struct takt_isa *isa,
				  const struct takt_vector_setting *setting)
{
	struct takt_llvm_settings settings = {0};

	return !takt_isa_has_vector_settings(isa) ||
	       isa->llvm->set(isa->target, setting->kind, setting->data, &settings);
}

/* A pass over code with its comments. */
struct pass {
	const struct takt_isa *isa;
	const struct takt_lead *lead;
	size_t next; /* index of the next comment's setting */
	bool said;   /* the settings are those of a comment */
	struct takt_llvm_settings settings;
};

/*
 * Find the scheduling class of an instruction, and follow the settings. Those of a comment stay
 * valid after instructions that make the settings unknown.
 */
static unsigned classify(struct pass *pass, const uint8_t *bytes, size_t size_bytes,
			 uint64_t address, uint32_t *ret_class,
			 struct takt_llvm_setting_use *ret_use)
{
	unsigned size;

	for (; pass->next < pass->lead->setting_count; pass->next++) {
		const struct takt_vector_setting *setting = &pass->lead->settings[pass->next];

		if (setting->address > address)
			break;
		pass->said = pass->isa->llvm->set(pass->isa->target, setting->kind, setting->data,
						  &pass->settings);
	}
	size = pass->isa->llvm->classify(pass->isa->target, bytes, size_bytes, &pass->settings,
					 ret_class, ret_use);
	if (ret_use->sets && !ret_use->unknown)
		pass->said = false;
	if (ret_use->unknown && !pass->said)
		pass->settings = (struct takt_llvm_settings){0};
	return size;
}

static void pass_lead(struct pass *pass, const struct takt_block *block)
{
	const uint8_t *bytes = pass->lead->bytes;
	size_t left = pass->lead->size_bytes;
	struct takt_llvm_setting_use use;
	uint32_t class;

	while (left) {
		unsigned size =
			classify(pass, bytes, left, block->insns[0].address - left, &class, &use);

		/* Bytes that do not decode are data, or the rest of an instruction. */
		if (!size)
			size = block->isa->unit_bytes;
		size = size < left ? size : (unsigned)left;
		bytes += size;
		left -= size;
	}
}

static void pass_block(struct pass *pass, struct takt_block *block, struct takt_vector_use *ret_use)
{
	const takt_form_key mask = (takt_form_key)UINT16_MAX << TAKT_LLVM_CLASS_SHIFT;

	*ret_use = (struct takt_vector_use){0};
	for (uint32_t i = 0; i < block->count; i++) {
		struct takt_insn *insn = &block->insns[i];
		struct takt_llvm_setting_use use;
		uint32_t class;

		if (!classify(pass, insn->bytes, insn->length_bytes, insn->address, &class, &use))
			continue;
		insn->form = (insn->form & ~mask) | (takt_form_key) class << TAKT_LLVM_CLASS_SHIFT;
		ret_use->depends |= use.depends && !ret_use->sets;
		ret_use->unsettled += use.depends && !pass->settings.count;
		ret_use->sets |= use.sets;
	}
}

void takt_block_set_vectors(struct takt_block *block, const struct takt_lead *lead)
{
	static const struct takt_lead none;
	struct pass pass = {.isa = block->isa, .lead = lead ? lead : &none};
	struct takt_vector_use use;

	if (!takt_isa_has_vector_settings(block->isa) || !block->count)
		return;
	pass_lead(&pass, block);
	pass_block(&pass, block, &use);
}

void takt_block_follow_vectors(struct takt_block *block, struct takt_llvm_settings *settings,
			       struct takt_vector_use *ret_use)
{
	static const struct takt_lead none;
	struct pass pass = {.isa = block->isa, .lead = &none, .settings = *settings};

	*ret_use = (struct takt_vector_use){0};
	if (!takt_isa_has_vector_settings(block->isa))
		return;
	pass_block(&pass, block, ret_use);
	*settings = pass.settings;
}
