/* SPDX-License-Identifier: MIT */
/*
 * String instructions with rep that move or fill memory: the cycles that they take beyond the
 * figures of their rows, by the number of bytes.
 */
#include "model/model.h"

#define PREFIX_REP 0xf3u
#define OPCODE_MOVS 0xa4u /* even: bytes; odd: wider elements */
#define OPCODE_STOS 0xaau
#define RCX (TAKT_LOC_GPR + 1)
#define COUNT_UNKNOWN (-1)
/* More slots are not modelled: 2,000 cycles of a core that issues 8 a cycle. */
#define SLOTS_MAX 16000u

enum takt_string_kind takt_insn_string_kind(const struct takt_insn *insn)
{
	const uint8_t *opcode = insn->bytes + insn->opcode_offset_bytes;
	bool repeats = false;

	if (insn->insn_class != TAKT_CLASS_STRING)
		return TAKT_STRING_OTHER;
	for (const uint8_t *prefix = insn->bytes; prefix < opcode; prefix++)
		repeats |= *prefix == PREFIX_REP;
	if (repeats && (*opcode | 1) == (OPCODE_MOVS | 1))
		return TAKT_STRING_MOVE;
	return repeats && (*opcode | 1) == (OPCODE_STOS | 1) ? TAKT_STRING_FILL : TAKT_STRING_OTHER;
}

uint64_t takt_string_cycles(const struct takt_core_params *params, enum takt_string_kind kind,
			    unsigned element_bytes, uint64_t count)
{
	int32_t rate = kind == TAKT_STRING_FILL ? params->string_fill_bytes : params->string_bytes;
	int32_t most = params->string_short_bytes, start = params->string_start_cycles;
	uint64_t bytes = count * element_bytes;

	if (element_bytes > 1 && params->string_short_wide_bytes)
		most = params->string_short_wide_bytes;
	if (element_bytes > 1 && params->string_start_wide_cycles)
		start = params->string_start_wide_cycles;
	if (bytes <= (uint64_t)most)
		return 0;
	return (uint64_t)start + bytes / (uint64_t)(rate > 0 ? rate : 1);
}

/* Follow the value of rcx through an instruction: only constants that the block sets are known. */
static int64_t count_behind(const struct takt_insn *insn, int64_t count)
{
	if (insn->insn_class == TAKT_CLASS_STRING)
		return COUNT_UNKNOWN;
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (!(access->flags & TAKT_WRITE) || access->location != RCX)
			continue;
		if (takt_insn_operation(insn) != TAKT_OPERATION_MOVE ||
		    !insn->immediate_size_bytes || access->size_bytes < 4)
			return COUNT_UNKNOWN;
		count = access->size_bytes == 4 ? (int64_t)(uint32_t)insn->immediate
						: insn->immediate;
	}
	return count;
}

static uint64_t microcode_width(const struct takt_core_params *params)
{
	int32_t width = params->microcode_width;

	return (uint64_t)(width > 0 ? width : params->issue_width);
}

void takt_timings_count_strings(const struct takt_model *model, const struct takt_block *block,
				struct takt_timing *timings)
{
	const struct takt_core_params *params = takt_model_params(model);
	int64_t count = COUNT_UNKNOWN;

	if (params->string_short_bytes <= 0)
		return;
	for (uint32_t i = 0; i < block->count; i++) {
		const struct takt_insn *insn = &block->insns[i];
		enum takt_string_kind kind = takt_insn_string_kind(insn);
		struct takt_timing *timing = &timings[i];
		uint64_t slots;

		if (kind != TAKT_STRING_OTHER && count > 0 && count <= UINT32_MAX) {
			slots = microcode_width(params) *
				takt_string_cycles(params, kind, insn->memories[0].size_bytes,
						   (uint64_t)count);
			if (slots > SLOTS_MAX)
				slots = SLOTS_MAX;
			/* Some rows give all slots to decoders and microcode both (code.c). */
			if (timing->mite >= timing->slots)
				timing->mite = (uint16_t)(timing->mite + slots);
			timing->slots = (uint16_t)(timing->slots + slots);
			timing->ms = (uint16_t)(timing->ms + slots);
		}
		count = count_behind(insn, count);
	}
}
