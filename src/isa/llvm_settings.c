/* SPDX-License-Identifier: MIT */
/*
 * Forms of vector instructions of RISC-V: how long these take depends on what the code before
 * them, or a comment, sets the vector unit to.
 */
#include <string.h>

#include "isa/isa.h"
#include "isa/llvm.h"

static bool has_settings(const struct takt_isa *isa)
{
	return isa->llvm && isa->llvm->processor(isa->target)->has_settings;
}

bool takt_vector_setting_is_known(const struct takt_isa *isa,
				  const struct takt_vector_setting *setting)
{
	struct takt_llvm_settings settings = {0};

	return !has_settings(isa) ||
	       isa->llvm->set(isa->target, setting->kind, setting->data, &settings);
}

/* A pass over code with its comments. */
struct pass {
	const struct takt_isa *isa;
	const struct takt_lead *lead;
	size_t next; /* comment */
	struct takt_llvm_settings settings;
};

static unsigned classify(struct pass *pass, const uint8_t *bytes, size_t size_bytes,
			 uint64_t address, uint32_t *ret_class)
{
	for (; pass->next < pass->lead->setting_count; pass->next++) {
		const struct takt_vector_setting *setting = &pass->lead->settings[pass->next];

		if (setting->address > address)
			break;
		(void)pass->isa->llvm->set(pass->isa->target, setting->kind, setting->data,
					   &pass->settings);
	}
	return pass->isa->llvm->classify(pass->isa->target, bytes, size_bytes, &pass->settings,
					 ret_class);
}

void takt_block_set_vectors(struct takt_block *block, const struct takt_lead *lead)
{
	static const struct takt_lead none;
	const takt_form_key mask = (takt_form_key)UINT16_MAX << TAKT_LLVM_CLASS_SHIFT;
	struct pass pass = {.isa = block->isa, .lead = lead ? lead : &none};
	const uint8_t *bytes = pass.lead->bytes;
	size_t left = pass.lead->size_bytes;
	uint32_t class;

	if (!has_settings(block->isa) || !block->count)
		return;
	while (left) {
		unsigned size =
			classify(&pass, bytes, left, block->insns[0].address - left, &class);

		/* What is no instruction is data, or the rest of one. */
		if (!size)
			size = block->isa->unit_bytes;
		size = size < left ? size : (unsigned)left;
		bytes += size;
		left -= size;
	}
	for (uint32_t i = 0; i < block->count; i++) {
		struct takt_insn *insn = &block->insns[i];

		if (classify(&pass, insn->bytes, insn->length_bytes, insn->address, &class))
			insn->form = (insn->form & ~mask) |
				     (takt_form_key) class << TAKT_LLVM_CLASS_SHIFT;
	}
}
