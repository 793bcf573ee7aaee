/* SPDX-License-Identifier: MIT */
/*
 * The signature of a program: a hash of all that the pipeline knows of a repeated block. Registers
 * count by the order in which they appear, since none of a kind differs from another but rsp, which
 * the stack engine knows.
 */
#include <string.h>

#include "sim/block/block.h"

struct signer {
	struct sim_signature signature;
	const struct sim_program *program;
	uint8_t numbers[SIM_PART_COUNT]; /* of registers, those of a kind from 1 on; 0: none yet */
	uint8_t last[2];		 /* last number of general and vector registers */
};

/* A member that is added belongs into the signature, unless the pipeline does not look at it. */
_Static_assert(sizeof(struct sim_insn) == 80 && sizeof(struct sim_uop) == 32 &&
		       sizeof(struct sim_source) == 5 && sizeof(struct sim_result) == 10 &&
		       sizeof(struct sim_memory) == 40 && sizeof(struct sim_memory_edge) == 12,
	       "the signature is of the members that there were");

/* Bases of the names of registers, above all parts; those of a register have its number. */
enum { GENERAL = 256, VECTOR = 512, HIGH8 = 768, LOW = 1024 };

static inline void add(struct signer *signer, uint64_t word)
{
	uint64_t *words = signer->signature.words;

	words[0] = (words[0] ^ word) * 0x9e3779b97f4a7c15u;
	words[1] = (words[1] + word) * 0xc2b2ae3d27d4eb4fu;
	words[0] ^= words[0] >> 32;
	words[1] ^= words[1] >> 29;
}

/* Add four numbers of no more than 16 bits. */
static inline void add_four(struct signer *signer, uint64_t first, uint64_t second, uint64_t third,
			    uint64_t fourth)
{
	add(signer, first << 48 | second << 32 | third << 16 | fourth);
}

/* Return the number of a register among those of its kind, in the order of appearance; 0: rsp. */
static uint64_t number_of(struct signer *signer, unsigned location)
{
	bool vector = takt_location_is_vector(location);

	if (location == TAKT_LOC_RSP)
		return 0;
	if (!signer->numbers[location])
		signer->numbers[location] = ++signer->last[vector];
	return signer->numbers[location];
}

/* Return what stands for a part in the signature. */
static uint64_t name_of(struct signer *signer, uint8_t part)
{
	if (takt_location_is_gpr(part))
		return GENERAL + number_of(signer, part);
	if (takt_location_is_vector(part))
		return VECTOR + number_of(signer, part);
	if (takt_location_is_high8(part))
		return HIGH8 + number_of(signer, part - TAKT_LOC_HIGH8 + TAKT_LOC_GPR);
	if (part >= TAKT_PART_LOW && part < TAKT_PART_COUNT)
		return LOW + number_of(signer, part - TAKT_PART_LOW + TAKT_LOC_GPR);
	return part;
}

static void add_uops(struct signer *signer, const struct sim_insn *insn)
{
	for (unsigned u = 0; u < insn->uop_count; u++) {
		const struct sim_uop *uop = &signer->program->uops[insn->uops + u];

		add(signer, (uint64_t)uop->ports << 32 | uop->unit_ports);
		add_four(signer, uop->unit_cycles, uop->port_cycles, uop->schedulers,
			 uop->first_source);
		add_four(signer,
			 (uint64_t)uop->unit_all << 8 | (uint64_t)uop->branch << 1 | uop->joins,
			 (uint64_t)uop->kind << 8 | uop->group,
			 (uint64_t)uop->memory << 8 | uop->source_count, uop->choice);
		add(signer, uop->banks);
	}
}

static void add_operands(struct signer *signer, const struct sim_insn *insn)
{
	const struct sim_program *program = signer->program;

	for (unsigned s = 0; s < insn->source_count; s++) {
		const struct sim_source *source = &program->sources[insn->sources + s];

		add_four(signer, name_of(signer, source->part), source->group, source->extra_cycles,
			 (source->merges ? 2u : 0u) | (source->is_byte ? 1u : 0u));
	}
	for (unsigned r = 0; r < insn->result_count; r++) {
		const struct sim_result *result = &program->results[insn->results + r];

		add_four(signer, name_of(signer, result->part), result->from_load,
			 program->used[result->part], insn->group_count);
		for (unsigned g = 0; g < insn->group_count; g++)
			add(signer, result->latency_cycles[g]);
	}
	for (unsigned g = 0; g < insn->group_count; g++)
		add_four(signer, insn->group_ends[g], insn->free_groups, insn->lead_cycles[g],
			 insn->done_cycles[g]);
}

static void add_memory(struct signer *signer, const struct sim_memory *memory)
{
	add_four(signer, memory->load_cycles, memory->address_cycles, memory->forward_cycles,
		 memory->non_temporal_cycles);
	add_four(signer, memory->bytes <= 2,
		 (memory->load ? 1u : 0u) | (memory->store ? 2u : 0u) | (memory->fast ? 4u : 0u) |
			 (memory->same_piece ? 8u : 0u) | (memory->other_line ? 16u : 0u) |
			 (memory->split_load ? 32u : 0u) | (memory->split_store ? 64u : 0u),
		 memory->renamed_cycles, 0);
	add(signer, (uint64_t)memory->edge_count << 32 | memory->store_index);
	for (uint32_t e = 0; e < memory->edge_count; e++) {
		const struct sim_memory_edge *edge =
			&signer->program->edges[memory->first_edge + e];

		add(signer, (uint64_t)edge->store_index << 32 | edge->iterations);
		add(signer, (edge->fails ? 2u : 0u) | (edge->renamed ? 1u : 0u));
	}
}

static void add_insn(struct signer *signer, const struct sim_insn *insn)
{
	const struct takt_core_params *params = signer->program->params;
	/* Rules of choice without kinds of slots do not look at the ports of what takes none. */
	uint32_t idle_ports =
		params->port_choice == 12 || insn->flags & SIM_INSN_MOVE ? insn->idle_ports : 0;

	add(signer, (uint64_t)insn->flags << 32 | idle_ports);
	add_four(signer, (uint64_t)insn->length_bytes << 8 | insn->first_length_bytes,
		 (uint64_t)insn->opcode_offset_bytes << 8 | insn->second_opcode_offset_bytes,
		 (uint64_t)insn->constant_count << 8 | insn->simple_decoders,
		 (uint64_t)insn->mite_slots << 8 | (insn->plain ? 4u : 0u) |
			 (insn->copies ? 2u : 0u) | (insn->merges ? 1u : 0u));
	add_four(signer, insn->microcode_slots, insn->issue_slots, insn->serial_cycles,
		 insn->uop_count);
	add_four(signer,
		 insn->copied < TAKT_PART_COUNT ? name_of(signer, insn->copied) : insn->copied,
		 (uint64_t)insn->source_count << 8 | insn->result_count,
		 (uint64_t)insn->late_cycles << 8 | insn->group_count,
		 (uint64_t)insn->memory_count << 8 | insn->store_count);
	add_uops(signer, insn);
	add_operands(signer, insn);
	for (unsigned m = 0; m < insn->memory_count; m++)
		add_memory(signer, &signer->program->memories[insn->memories + m]);
}

struct sim_signature sim_program_sign(const struct sim_program *program,
				      const struct sim_options *options)
{
	struct signer signer = {.program = program};

	add_four(&signer, options->loop, options->ideal_front_end, options->alignment_bytes,
		 program->insn_count);
	add(&signer, options->iterations_max);
	for (uint32_t i = 0; i < program->insn_count; i++)
		add_insn(&signer, &program->insns[i]);
	return signer.signature;
}
