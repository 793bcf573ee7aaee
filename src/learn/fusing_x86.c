/* SPDX-License-Identifier: MIT */
/*
 * Pairs of x86-64 instructions that may fuse. Registers have the roles of code_x86.c; rbp is only
 * read, too, and set before pairs with jumps.
 */
#include <string.h>

#include "learn/fusing.h"

#define CONDITION_EQUAL 4u
#define UNLIKELY 0x5a /* content of no memory */
#define FAR_DISPLACEMENT 1024
#define WIDE_NUMBER INT32_MIN
#define SHORT_JUMP 0x70u /* on condition 0 */
#define READ_LOCATION (TAKT_LOC_GPR + 5)
#define POINTER_LOCATION (TAKT_LOC_GPR + 6)
#define SOURCE_LOCATION (TAKT_LOC_GPR + 3)

/* Operands of the instruction that is no move; of a comparison from MEMORY on. */
enum operands {
	REGISTER,
	REGISTERS, /* of which the second is only read */
	NUMBER,	   /* a register and a constant of one byte */
	VECTORS,
	VECTORS_NUMBER,
	MEMORY, /* and a register */
	MEMORY_NUMBER,
	DISPLACED_NUMBER, /* the displacement has one byte */
	FAR_NUMBER,	  /* displacement and constant have four bytes */
};

/* Sets of pairs without a jump. */
enum { MOVES, LOADS, VECTOR_MOVES };

struct row {
	struct learn_pair pair; /* first: a pair leads to its row */
	enum operands operands;
	uint8_t condition;
	uint8_t destination, source; /* values of the operands before a jump */
};

/* A pair with a jump stands for the opposite condition, too, which reads the same flags. */
#define JUMP(mnemonic, operands_, condition_, word, destination_, source_, restriction_)           \
	{.pair = {.first = mnemonic,                                                               \
		  .second = word,                                                                  \
		  .role = TAKT_FUSE_JUMP,                                                          \
		  .conditions = 3u << ((condition_) & ~1u),                                        \
		  .restriction = restriction_},                                                    \
	 .operands = operands_,                                                                    \
	 .condition = condition_,                                                                  \
	 .destination = destination_,                                                              \
	 .source = source_},
#define PAIR(first_, second_, role_, operands_, set_, is_sample_, varies_first_)                   \
	{.pair = {.first = first_,                                                                 \
		  .second = second_,                                                               \
		  .role = role_,                                                                   \
		  .restriction = LEARN_NO_RESTRICTION,                                             \
		  .set = set_,                                                                     \
		  .is_sample = is_sample_,                                                         \
		  .varies_first = varies_first_},                                                  \
	 .operands = operands_},

#define FUSE_JUMP(mnemonic, operands, destination, source)                                         \
	JUMP(mnemonic, operands, 4, "e", destination, source, LEARN_NO_RESTRICTION)                \
	JUMP(mnemonic, operands, 2, "b", destination, source, LEARN_NO_RESTRICTION)                \
	JUMP(mnemonic, operands, 6, "be", destination, source, LEARN_NO_RESTRICTION)               \
	JUMP(mnemonic, operands, 8, "s", destination, source, LEARN_NO_RESTRICTION)                \
	JUMP(mnemonic, operands, 12, "l", destination, source, LEARN_NO_RESTRICTION)               \
	JUMP(mnemonic, operands, 14, "le", destination, source, LEARN_NO_RESTRICTION)              \
	JUMP(mnemonic, operands, 0, "o", destination, source, LEARN_NO_RESTRICTION)                \
	JUMP(mnemonic, operands, 10, "p", destination, source, LEARN_NO_RESTRICTION)
#define FUSE_OPERANDS(restriction, operands, word)                                                 \
	JUMP("cmp", operands, CONDITION_EQUAL, word, 7, UNLIKELY, TAKT_FUSE_NOT_##restriction)
#define FUSE_MOVED(mnemonic, operands)                                                             \
	PAIR("mov", mnemonic, TAKT_FUSE_FIRST, operands, MOVES, true, false)
#define FUSE_LOADED(mnemonic, operands)                                                            \
	PAIR("mov", mnemonic, TAKT_FUSE_LOAD, operands, LOADS, true, false)
#define FUSE_VECTOR(mnemonic, operands, is_sample)                                                 \
	PAIR("movaps", mnemonic, TAKT_FUSE_FIRST, operands, VECTOR_MOVES, is_sample, false)
#define FUSE_VECTOR_MOVE(mnemonic)                                                                 \
	PAIR(mnemonic, NULL, TAKT_FUSE_FIRST, VECTORS, VECTOR_MOVES, false, true)
static const struct row rows[] = {
#include "learn/fusing_x86.def"
};

const struct learn_pair *learn_x86_pair(uint32_t index)
{
	return index < TAKT_COUNT_OF(rows) ? &rows[index].pair : NULL;
}

/* ---- code ------------------------------------------------------------------------------ */

static struct takt_x86_operand general(uint8_t location)
{
	return (struct takt_x86_operand){.kind = TAKT_KIND_R64, .location = location};
}

static struct takt_x86_operand vector(unsigned number)
{
	return (struct takt_x86_operand){.kind = TAKT_KIND_XMM,
					 .location = (uint8_t)(TAKT_LOC_VECTOR + number)};
}

static struct takt_x86_operand number(int64_t value)
{
	return (struct takt_x86_operand){.value = value};
}

static struct takt_x86_operand memory(int64_t displacement)
{
	return (struct takt_x86_operand){
		.location = POINTER_LOCATION, .size_bytes = 8, .value = displacement};
}

/* Return the general register, and the vector register, that a copy writes. */
static uint8_t own_general(uint32_t index)
{
	static const uint8_t numbers[] = {2, 7, 8, 9, 10, 11, 12, 13};

	return (uint8_t)(TAKT_LOC_GPR + numbers[index % TAKT_COUNT_OF(numbers)]);
}

static unsigned own_vector(uint32_t index)
{
	return 2 + index % 6;
}

static void encode(const char *mnemonic, const struct takt_x86_operand *operands, unsigned count,
		   struct learn_pair_insn *insn)
{
	insn->size_bytes = takt_x86_encode(mnemonic, false, operands, count, insn->bytes);
}

/* Encode the instruction that is no move, with the operands of its row. */
static void encode_operation(const char *mnemonic, enum operands kind, uint32_t index,
			     struct learn_pair_insn *insn)
{
	const struct takt_x86_operand own = general(own_general(index)),
				      xmm = vector(own_vector(index)),
				      word = memory((int64_t)(index % 8 * 8 + 8));
	const struct takt_x86_operand operands[][3] = {
		[REGISTER] = {own},
		[REGISTERS] = {own, general(READ_LOCATION)},
		[NUMBER] = {own, number(3)},
		[VECTORS] = {xmm, vector(9)},
		[VECTORS_NUMBER] = {xmm, vector(9), number(1)},
		[MEMORY] = {memory(0), general(READ_LOCATION)},
		[MEMORY_NUMBER] = {memory(0), number(UNLIKELY)},
		[DISPLACED_NUMBER] = {word, number(UNLIKELY)},
		[FAR_NUMBER] = {memory(FAR_DISPLACEMENT), number(WIDE_NUMBER)},
	};
	const unsigned count = kind == REGISTER ? 1 : kind == VECTORS_NUMBER ? 3 : 2;

	encode(mnemonic, operands[kind], count, insn);
}

static void encode_move(const struct row *row, uint32_t index, struct learn_pair_insn *insn)
{
	const struct takt_x86_operand own = general(own_general(index)),
				      xmm = vector(own_vector(index));
	const struct takt_x86_operand moves[][2] = {
		[MOVES] = {own, general(SOURCE_LOCATION)},
		[LOADS] = {own, memory((int64_t)(index % 8 * 8))},
		[VECTOR_MOVES] = {xmm, vector(8)},
	};

	encode(row->pair.first, moves[row->pair.set], 2, insn);
}

/* Encode `mov r32, number`. */
static void encode_set(uint8_t location, uint8_t value, struct learn_pair_insn *insn)
{
	struct takt_x86_operand operands[] = {general(location), number(value)};

	operands[0].kind = TAKT_KIND_R32;
	encode("mov", operands, TAKT_COUNT_OF(operands), insn);
}

bool learn_x86_pair_copy(const struct learn_pair *pair, const struct learn_pair *behind,
			 uint32_t index, struct learn_pair_copy *ret_copy)
{
	const struct row *row = (const struct row *)pair, *second = (const struct row *)behind;

	memset(ret_copy, 0, sizeof(*ret_copy));
	if (pair->role == TAKT_FUSE_JUMP) {
		encode_set(own_general(index), row->destination, &ret_copy->before);
		encode_operation(pair->first, row->operands, index, &ret_copy->first);
		ret_copy->second =
			(struct learn_pair_insn){{(uint8_t)(SHORT_JUMP | row->condition), 0}, 2};
	} else {
		encode_move(row, index, &ret_copy->first);
		encode_operation(behind->second, second->operands, index, &ret_copy->second);
	}
	return ret_copy->first.size_bytes && ret_copy->second.size_bytes;
}

void learn_x86_pair_start(const struct learn_pair *pair, struct learn_code *code)
{
	/* mov ebp, number; test ebp, ebp, which clears the carry that inc and dec keep; nops */
	uint8_t bytes[16] = {0xbd, 0,	 0, 0, 0, 0x85, 0xed, 0x0f,
			     0x1f, 0x80, 0, 0, 0, 0,	0x66, 0x90};

	if (pair->role != TAKT_FUSE_JUMP)
		return;
	bytes[1] = ((const struct row *)pair)->source;
	learn_code_add(code, bytes, sizeof(bytes));
}
