/* SPDX-License-Identifier: MIT */
#include "depend/interpreter.h"

#define RSP (TAKT_LOC_RSP - TAKT_LOC_GPR)
#define RBP 5

void takt_machine_reset(struct takt_machine *machine, uint64_t seed,
			const struct takt_entry_value *entry_values, uint32_t entry_value_count)
{
	for (unsigned i = 0; i < TAKT_GPR_COUNT; i++)
		machine->registers[i] = (struct takt_value){
			takt_hash64(takt_hash64(seed + i) ^ seed * 0x2545f4914f6cdd1du), true};
	for (uint32_t i = 0; i < entry_value_count; i++) {
		unsigned number = (unsigned)entry_values[i].location - TAKT_LOC_GPR;

		if (number < TAKT_GPR_COUNT)
			machine->registers[number].bits = entry_values[i].value;
	}
	machine->flags = (struct takt_flags){0};
}

/* ---- addresses -------------------------------------------------------------------- */

static struct takt_value locate(const struct takt_machine *machine, const struct takt_touch *touch)
{
	uint64_t address = touch->displacement;
	bool known = touch->named;

	if (touch->base != TAKT_NO_REGISTER) {
		const struct takt_value *base = &machine->registers[touch->base];

		address += base->bits;
		known &= base->known;
	}
	if (touch->index != TAKT_NO_REGISTER) {
		const struct takt_value *index = &machine->registers[touch->index];
		uint64_t bits = index->bits;

		if (touch->index_size_bytes == 4)
			bits = touch->index_signed ? takt_extend_sign(bits, 4) : (uint32_t)bits;
		address += bits * touch->scale;
		known &= index->known;
	}
	if (touch->is_narrow)
		address = (uint32_t)address;
	return (struct takt_value){known ? address : 0, known};
}

void takt_machine_locate(const struct takt_machine *machine, const struct takt_sliced_insn *sliced,
			 struct takt_value ret_addresses[TAKT_MEMORIES_MAX])
{
	for (unsigned m = 0; m < sliced->touch_count; m++)
		ret_addresses[m] = locate(machine, &sliced->touches[m]);
}

/* ---- operands ---------------------------------------------------------------------- */

static struct takt_value read_register(const struct takt_machine *machine,
				       struct takt_register_part part, unsigned size_bytes)
{
	struct takt_value value = {.known = false};

	if (part.number == TAKT_NO_REGISTER)
		return value;
	value = machine->registers[part.number];
	value.bits = value.bits >> part.shift & takt_size_mask(size_bytes);
	return value;
}

static struct takt_value read_plain(const struct takt_machine *machine,
				    const struct takt_sliced_insn *sliced,
				    const struct takt_term *term,
				    const struct takt_value *addresses)
{
	switch ((enum takt_operand_type)term->type) {
	case TAKT_OPERAND_REGISTER:
		return read_register(machine, term->part, term->size_bytes);
	case TAKT_OPERAND_IMMEDIATE:
		return (struct takt_value){term->immediate, true};
	case TAKT_OPERAND_MEMORY:
		if (sliced->operation == TAKT_OPERATION_ADDRESS)
			return addresses[term->memory];
		if (machine->shadow && addresses[term->memory].known && term->size_bytes &&
		    term->size_bytes <= 8)
			return takt_shadow_load(machine->shadow, addresses[term->memory].bits,
						term->size_bytes);
		break;
	case TAKT_OPERAND_NONE:
		break;
	}
	return (struct takt_value){.known = false};
}

static uint64_t modify(const struct takt_term *term, uint64_t bits)
{
	unsigned size_bits = 8u * term->size_bytes, shift_bits = term->shift_bits;
	bool is_signed = term->modifiers & TAKT_MODIFIER_SIGNED;

	if (is_signed)
		bits = takt_extend_sign(bits, term->size_bytes);
	if (term->modifiers & TAKT_MODIFIER_LEFT)
		bits <<= shift_bits;
	else if (term->modifiers & TAKT_MODIFIER_RIGHT)
		bits = is_signed ? (uint64_t)((int64_t)bits >> shift_bits) : bits >> shift_bits;
	else if (term->modifiers & TAKT_MODIFIER_ROTATE && shift_bits)
		bits = bits >> shift_bits | bits << (size_bits - shift_bits);
	if (term->modifiers & TAKT_MODIFIER_INVERT)
		bits = ~bits;
	return bits + (term->modifiers & TAKT_MODIFIER_INCREMENT ? 1 : 0);
}

static struct takt_value read_term(const struct takt_machine *machine,
				   const struct takt_sliced_insn *sliced,
				   const struct takt_term *term, const struct takt_value *addresses)
{
	struct takt_value value = read_plain(machine, sliced, term, addresses);

	if (term->modifiers && value.known)
		value.bits = modify(term, value.bits);
	return value;
}

/* Write a register; 8 and 16 bits leave the rest of the register alone, 32 bits clear it. */
static void write_register(struct takt_machine *machine, const struct takt_term *term,
			   struct takt_value value)
{
	struct takt_value *reg;

	if (term->part.number == TAKT_NO_REGISTER)
		return;
	reg = &machine->registers[term->part.number];
	if (term->size_bytes < 4) {
		uint64_t mask = takt_size_mask(term->size_bytes) << term->part.shift;

		value.bits = (reg->bits & ~mask) | (value.bits << term->part.shift & mask);
		value.known &= reg->known;
	}
	reg->known = value.known;
	reg->bits = value.known ? value.bits : 0;
}

static void write_term(struct takt_machine *machine, const struct takt_term *term,
		       struct takt_value value)
{
	if (term->type == TAKT_OPERAND_REGISTER)
		write_register(machine, term, value);
}

/* ---- instructions  */

/* Read the sources of a known operation, truncated or extended to its size. */
static struct takt_computation gather(const struct takt_machine *machine,
				      const struct takt_sliced_insn *sliced,
				      const struct takt_value *addresses)
{
	struct takt_computation computation = {
		.operation = sliced->operation,
		.size_bytes = sliced->size_bytes,
		.condition = sliced->condition,
		.same = sliced->same,
		.no_flags = !sliced->flags,
		.first = read_term(machine, sliced, &sliced->first, addresses),
		.second = read_term(machine, sliced, &sliced->second, addresses)};

	if (sliced->third.type)
		computation.third = read_term(machine, sliced, &sliced->third, addresses);
	if (sliced->operation == TAKT_OPERATION_MOVE_SIGNED && computation.first.known)
		computation.first.bits =
			takt_extend_sign(computation.first.bits, sliced->first.size_bytes);
	return computation;
}

static void change_flags(struct takt_machine *machine, const struct takt_sliced_insn *sliced,
			 struct takt_flags flags)
{
	uint16_t kept = (uint16_t)~sliced->flags;

	machine->flags.bits =
		(uint16_t)((machine->flags.bits & kept) | (flags.bits & sliced->flags));
	machine->flags.known =
		(uint16_t)((machine->flags.known & kept) | (flags.known & sliced->flags));
}

static struct takt_value add(struct takt_value value, int64_t addend)
{
	return (struct takt_value){value.known ? value.bits + (uint64_t)addend : 0, value.known};
}

static void change_registers(struct takt_machine *machine, const struct takt_sliced_insn *sliced)
{
	for (uint32_t left = sliced->forgets; left; left &= left - 1)
		machine->registers[__builtin_ctz(left)] = (struct takt_value){.known = false};
	for (uint32_t left = sliced->advances; left; left &= left - 1) {
		struct takt_value *reg = &machine->registers[__builtin_ctz(left)];

		*reg = add(*reg, sliced->size_bytes);
	}
	if (sliced->operation == TAKT_OPERATION_LEAVE)
		machine->registers[RSP] = add(machine->registers[RBP], sliced->size_bytes);
	else if (sliced->writeback_base != TAKT_NO_REGISTER)
		machine->registers[sliced->writeback_base] =
			add(machine->registers[sliced->writeback_base], sliced->writeback_bytes);
}

static void store(struct takt_machine *machine, const struct takt_sliced_insn *sliced,
		  const struct takt_value *addresses, const struct takt_outcome *outcome,
		  uint32_t writer)
{
	for (unsigned m = 0; m < sliced->touch_count; m++) {
		struct takt_value value = {.known = false};

		if (!sliced->touches[m].write || !addresses[m].known)
			continue;
		if (sliced->low.type == TAKT_OPERAND_MEMORY && sliced->low.memory == m)
			value = outcome->result.low;
		else if (sliced->high.type == TAKT_OPERAND_MEMORY && sliced->high.memory == m)
			value = outcome->result.high;
		takt_shadow_store(machine->shadow, addresses[m].bits, sliced->touches[m].size_bytes,
				  value, writer + m);
	}
}

static void execute(struct takt_machine *machine, const struct takt_sliced_insn *sliced,
		    const struct takt_value *addresses, struct takt_outcome *ret_outcome)
{
	struct takt_flags flags = machine->flags;

	ret_outcome->flags = flags;
	if (sliced->operation == TAKT_OPERATION_UNKNOWN) {
		ret_outcome->computation =
			(struct takt_computation){.operation = TAKT_OPERATION_UNKNOWN};
		ret_outcome->result = (struct takt_result){.low = {.known = false}};
		change_flags(machine, sliced, (struct takt_flags){0});
		change_registers(machine, sliced);
		return;
	}
	ret_outcome->computation = gather(machine, sliced, addresses);
	ret_outcome->result = takt_compute(&ret_outcome->computation, &flags);
	if (sliced->flags)
		change_flags(machine, sliced, flags);
	change_registers(machine, sliced);
	write_term(machine, &sliced->high, ret_outcome->result.high);
	write_term(machine, &sliced->low, ret_outcome->result.low);
}

void takt_machine_execute(struct takt_machine *machine, const struct takt_sliced_insn *sliced,
			  const struct takt_value addresses[TAKT_MEMORIES_MAX], uint32_t writer,
			  struct takt_outcome *ret_outcome)
{
	if (sliced->operation != TAKT_OPERATION_NONE)
		execute(machine, sliced, addresses, ret_outcome);
	if (machine->shadow && sliced->stores)
		store(machine, sliced, addresses, ret_outcome, writer);
}
