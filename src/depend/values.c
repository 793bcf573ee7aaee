/* SPDX-License-Identifier: MIT */
#include "depend/values.h"

/* A computation with all its inputs known. */
struct alu {
	enum takt_operation operation;
	unsigned size_bytes, size_bits;
	uint64_t mask, sign;
	uint64_t first, second, third;
	bool carry; /* the carry flag before */
	uint64_t low, high;
	uint16_t bits, known, changed; /* masks of flags; those not in `changed` do not change */
};

/* ---- flags ------------------------------------------------------------------------ */

static void set_flag(struct alu *alu, uint16_t flag, bool value)
{
	alu->changed |= flag;
	alu->known |= flag;
	alu->bits = (uint16_t)(value ? alu->bits | flag : alu->bits & ~flag);
}

static void forget_flags(struct alu *alu, uint16_t flags)
{
	alu->changed |= flags;
	alu->known = (uint16_t)(alu->known & ~flags);
}

static void set_szp(struct alu *alu, uint64_t result)
{
	set_flag(alu, TAKT_FLAG_ZERO, !(result & alu->mask));
	set_flag(alu, TAKT_FLAG_SIGN, result & alu->sign);
	set_flag(alu, TAKT_FLAG_PARITY, !(__builtin_popcountll(result & 0xff) & 1));
}

static void set_logic_flags(struct alu *alu, uint64_t result)
{
	set_szp(alu, result);
	set_flag(alu, TAKT_FLAG_CARRY, false);
	set_flag(alu, TAKT_FLAG_OVERFLOW, false);
}

/* ---- addition and logic ------------------------------------------------------------ */

static uint64_t add(struct alu *alu, uint64_t left, uint64_t right, bool carry)
{
	uint64_t sum = (left + right + carry) & alu->mask;

	set_szp(alu, sum);
	set_flag(alu, TAKT_FLAG_CARRY, carry ? sum <= left : sum < left);
	set_flag(alu, TAKT_FLAG_OVERFLOW, (left ^ sum) & (right ^ sum) & alu->sign);
	return sum;
}

static uint64_t subtract(struct alu *alu, uint64_t left, uint64_t right, bool borrow)
{
	uint64_t difference = (left - right - borrow) & alu->mask;

	set_szp(alu, difference);
	set_flag(alu, TAKT_FLAG_CARRY, borrow ? left <= right : left < right);
	set_flag(alu, TAKT_FLAG_OVERFLOW, (left ^ right) & (left ^ difference) & alu->sign);
	return difference;
}

static void add_sources(struct alu *alu)
{
	alu->low = add(alu, alu->first, alu->second, false);
	alu->high = alu->first;
}

static void add_carry(struct alu *alu)
{
	alu->low = add(alu, alu->first, alu->second, alu->carry);
}

static void subtract_sources(struct alu *alu)
{
	alu->low = subtract(alu, alu->first, alu->second, false);
}

static void subtract_borrow(struct alu *alu)
{
	alu->low = subtract(alu, alu->first, alu->second, alu->carry);
}

static void subtract_to_carry(struct alu *alu)
{
	alu->low = add(alu, alu->first, ~alu->second & alu->mask, true);
}

static void increment(struct alu *alu)
{
	alu->low = add(alu, alu->first, 1, false);
}

static void decrement(struct alu *alu)
{
	alu->low = subtract(alu, alu->first, 1, false);
}

static void negate(struct alu *alu)
{
	alu->low = subtract(alu, 0, alu->first, false);
}

static void invert(struct alu *alu)
{
	alu->low = ~alu->first;
}

static void move(struct alu *alu)
{
	alu->low = alu->first;
}

static void logic(struct alu *alu)
{
	uint64_t result = alu->operation == TAKT_OPERATION_OR	     ? alu->first | alu->second
			  : alu->operation == TAKT_OPERATION_XOR     ? alu->first ^ alu->second
			  : alu->operation == TAKT_OPERATION_AND_NOT ? ~alu->first & alu->second
								     : alu->first & alu->second;

	set_logic_flags(alu, result);
	if (alu->operation == TAKT_OPERATION_AND_NOT)
		forget_flags(alu, TAKT_FLAG_PARITY);
	alu->low = result;
}

static void insert(struct alu *alu)
{
	alu->low = (alu->first & ~alu->third) | (alu->second & alu->third);
}

/* ---- shifts ------------------------------------------------------------------------ */

static void shift(struct alu *alu)
{
	unsigned count = (unsigned)alu->second & (alu->size_bytes == 8 ? 63 : 31);
	unsigned bits = alu->size_bits;
	uint64_t value = alu->first;
	bool out, overflow;

	alu->low = value;
	if (!count)
		return;
	switch ((int)alu->operation) {
	case TAKT_OPERATION_SHIFT_LEFT:
		alu->low = value << count;
		out = count <= bits && value >> (bits - count) & 1;
		overflow = ((alu->low & alu->sign) != 0) != out;
		break;
	case TAKT_OPERATION_SHIFT_RIGHT:
		alu->low = value >> count;
		out = value >> (count - 1) & 1;
		overflow = value & alu->sign;
		break;
	default:
		value = takt_extend_sign(value, alu->size_bytes);
		alu->low = (uint64_t)((int64_t)value >> count);
		out = (int64_t)value >> (count - 1) & 1;
		overflow = false;
		break;
	}
	set_szp(alu, alu->low);
	set_flag(alu, TAKT_FLAG_CARRY, out);
	set_flag(alu, TAKT_FLAG_OVERFLOW, overflow);
	if (count > 1)
		forget_flags(alu, TAKT_FLAG_OVERFLOW);
	if (count >= bits)
		forget_flags(alu, TAKT_FLAG_CARRY);
}

static void rotate(struct alu *alu)
{
	unsigned count = (unsigned)alu->second & (alu->size_bytes == 8 ? 63 : 31);
	unsigned turn = count % alu->size_bits;
	bool left = alu->operation == TAKT_OPERATION_ROTATE_LEFT;
	unsigned back = (alu->size_bits - turn) % alu->size_bits;
	bool top, next;

	alu->low = left ? alu->first << turn | alu->first >> back
			: alu->first >> turn | alu->first << back;
	alu->low &= alu->mask;
	if (!count)
		return;
	top = alu->low & alu->sign;
	next = alu->low & alu->sign >> 1;
	set_flag(alu, TAKT_FLAG_CARRY, left ? alu->low & 1 : top);
	set_flag(alu, TAKT_FLAG_OVERFLOW, left ? top != (alu->low & 1) : top != next);
	if (count > 1)
		forget_flags(alu, TAKT_FLAG_OVERFLOW);
}

/* ---- multiplication ---------------------------------------------------------------- */

static uint64_t high_half(uint64_t left, uint64_t right, bool is_signed)
{
	__extension__ unsigned __int128 product = left;
	uint64_t high;

	product *= right;
	high = (uint64_t)(product >> 64);
	if (is_signed && (int64_t)left < 0)
		high -= right;
	if (is_signed && (int64_t)right < 0)
		high -= left;
	return high;
}

static void multiply(struct alu *alu)
{
	bool is_signed = alu->operation != TAKT_OPERATION_MULTIPLY_WIDE;
	uint64_t left = alu->first, right = alu->second;
	bool over;

	if (is_signed) {
		left = takt_extend_sign(left, alu->size_bytes);
		right = takt_extend_sign(right, alu->size_bytes);
	}
	alu->low = left * right & alu->mask;
	alu->high = alu->size_bytes == 8 ? high_half(left, right, is_signed)
					 : left * right >> alu->size_bits & alu->mask;
	over = alu->high != (is_signed && alu->low & alu->sign ? alu->mask : 0);
	set_flag(alu, TAKT_FLAG_CARRY, over);
	set_flag(alu, TAKT_FLAG_OVERFLOW, over);
	forget_flags(alu, TAKT_FLAGS_SZP);
}

static void multiply_high(struct alu *alu)
{
	alu->low = high_half(alu->first, alu->second,
			     alu->operation == TAKT_OPERATION_MULTIPLY_HIGH_SIGNED);
}

static void multiply_add(struct alu *alu)
{
	uint64_t product = alu->first * alu->second;

	alu->low = alu->operation == TAKT_OPERATION_MULTIPLY_ADD ? alu->third + product
								 : alu->third - product;
}

static void divide(struct alu *alu)
{
	int64_t left = (int64_t)takt_extend_sign(alu->first, alu->size_bytes);
	int64_t right = (int64_t)takt_extend_sign(alu->second, alu->size_bytes);

	if (!alu->second)
		alu->low = 0;
	else if (alu->operation == TAKT_OPERATION_DIVIDE)
		alu->low = alu->first / alu->second;
	else /* the least number divided by -1 would overflow */
		alu->low = right == -1 ? 0 - alu->first : (uint64_t)(left / right);
}

/* ---- bits --------------------------------------------------------------------------- */

static void lowest_bit(struct alu *alu)
{
	uint64_t value = alu->first, result;
	bool carry = value == 0;

	if (alu->operation == TAKT_OPERATION_ISOLATE_LOWEST) {
		result = value & (0 - value);
		carry = value != 0;
	} else if (alu->operation == TAKT_OPERATION_CLEAR_LOWEST) {
		result = value & (value - 1);
	} else {
		result = value ^ (value - 1);
	}
	set_logic_flags(alu, result & alu->mask);
	set_flag(alu, TAKT_FLAG_CARRY, carry);
	forget_flags(alu, TAKT_FLAG_PARITY);
	alu->low = result;
}

static void clear_high(struct alu *alu)
{
	unsigned from = (uint8_t)alu->second;

	alu->low = from < alu->size_bits ? alu->first & (((uint64_t)1 << from) - 1) : alu->first;
	set_logic_flags(alu, alu->low);
	set_flag(alu, TAKT_FLAG_CARRY, from >= alu->size_bits);
	forget_flags(alu, TAKT_FLAG_PARITY);
}

static void count_bits(struct alu *alu)
{
	uint64_t value = alu->first;

	if (alu->operation == TAKT_OPERATION_COUNT_ONES) {
		alu->low = (uint64_t)__builtin_popcountll(value);
		set_logic_flags(alu, value);
		set_flag(alu, TAKT_FLAG_SIGN, false);
		set_flag(alu, TAKT_FLAG_PARITY, false);
		return;
	}
	if (!value)
		alu->low = alu->size_bits;
	else if (alu->operation == TAKT_OPERATION_COUNT_TRAILING)
		alu->low = (uint64_t)__builtin_ctzll(value);
	else
		alu->low = (uint64_t)__builtin_clzll(value) - (64 - alu->size_bits);
	set_flag(alu, TAKT_FLAG_CARRY, !value);
	set_flag(alu, TAKT_FLAG_ZERO, !alu->low);
	forget_flags(alu, TAKT_FLAG_SIGN | TAKT_FLAG_PARITY | TAKT_FLAG_OVERFLOW);
}

static void test_bit(struct alu *alu)
{
	uint64_t bit = (uint64_t)1 << (alu->second & (alu->size_bits - 1));

	set_flag(alu, TAKT_FLAG_CARRY, alu->first & bit);
	switch ((int)alu->operation) {
	case TAKT_OPERATION_BIT_SET:
		alu->low = alu->first | bit;
		break;
	case TAKT_OPERATION_BIT_RESET:
		alu->low = alu->first & ~bit;
		break;
	case TAKT_OPERATION_BIT_COMPLEMENT:
		alu->low = alu->first ^ bit;
		break;
	default:
		alu->low = alu->first;
		break;
	}
}

static void swap_bytes(struct alu *alu)
{
	alu->low = __builtin_bswap64(alu->first) >> (64 - alu->size_bits);
}

static void swap_parts(struct alu *alu)
{
	unsigned part_bits = 8 * (unsigned)alu->second;
	uint64_t swapped = __builtin_bswap64(alu->first) >> (64 - alu->size_bits);

	/* Swapping all bytes has reversed the order of the parts: put them back in order. */
	for (unsigned at = 0; at < alu->size_bits; at += part_bits)
		alu->low |= (swapped >> (alu->size_bits - part_bits - at) &
			     takt_size_mask((unsigned)alu->second))
			    << at;
}

static void reverse_bits(struct alu *alu)
{
	for (unsigned bit = 0; bit < alu->size_bits; bit++)
		alu->low |= (alu->first >> bit & 1) << (alu->size_bits - 1 - bit);
}

static void count_sign(struct alu *alu)
{
	uint64_t value = takt_extend_sign(alu->first, alu->size_bytes);
	uint64_t changes = value ^ (uint64_t)((int64_t)value >> 63);

	alu->low = changes ? (uint64_t)__builtin_clzll(changes) - 1 - (64 - alu->size_bits)
			   : alu->size_bits - 1;
}

static void widen_sign(struct alu *alu)
{
	alu->low = takt_extend_sign(alu->first, alu->size_bytes / 2);
}

static void spread_sign(struct alu *alu)
{
	alu->low = alu->first;
	alu->high = alu->first & alu->sign ? alu->mask : 0;
}

/* ---- all of them -------------------------------------------------------------------- */

static const struct semantics {
	void (*execute)(struct alu *alu); /* NULL: results are unknown */
	bool two;			  /* it has at least two sources */
	bool carry;			  /* it reads the carry flag */
	bool linear;			  /* low is a sum of the sources times constants */
	bool three;			  /* it has three sources */
} semantics[TAKT_OPERATION_COUNT] = {
#define ONE(operation, execute, linear)                                                            \
	[TAKT_OPERATION_##operation] = {execute, false, false, linear, false}
#define TWO(operation, execute, linear)                                                            \
	[TAKT_OPERATION_##operation] = {execute, true, false, linear, false}
#define THREE(operation, execute) [TAKT_OPERATION_##operation] = {execute, true, false, false, true}
	ONE(MOVE, move, true),
	ONE(MOVE_SIGNED, move, true),
	ONE(ADDRESS, move, true),
	ONE(PUSH, move, true),
	ONE(POP, move, true),
	ONE(LEAVE, move, true),
	TWO(ADD, add_sources, true),
	TWO(EXCHANGE_ADD, add_sources, true),
	TWO(SUBTRACT, subtract_sources, true),
	TWO(SUBTRACT_CARRY, subtract_to_carry, true),
	TWO(COMPARE, subtract_sources, false),
	[TAKT_OPERATION_ADD_CARRY] = {add_carry, true, true, false, false},
	[TAKT_OPERATION_SUBTRACT_BORROW] = {subtract_borrow, true, true, false, false},
	ONE(INCREMENT, increment, true),
	ONE(DECREMENT, decrement, true),
	ONE(NEGATE, negate, true),
	ONE(NOT, invert, true),
	TWO(AND, logic, false),
	TWO(TEST, logic, false),
	TWO(OR, logic, false),
	TWO(XOR, logic, false),
	TWO(AND_NOT, logic, false),
	THREE(INSERT, insert),
	TWO(SHIFT_LEFT, shift, false),
	TWO(SHIFT_RIGHT, shift, false),
	TWO(SHIFT_SIGNED, shift, false),
	TWO(ROTATE_LEFT, rotate, false),
	TWO(ROTATE_RIGHT, rotate, false),
	TWO(MULTIPLY, multiply, false),
	TWO(MULTIPLY_WIDE, multiply, false),
	TWO(MULTIPLY_WIDE_SIGNED, multiply, false),
	TWO(MULTIPLY_HIGH, multiply_high, false),
	TWO(MULTIPLY_HIGH_SIGNED, multiply_high, false),
	THREE(MULTIPLY_ADD, multiply_add),
	THREE(MULTIPLY_SUBTRACT, multiply_add),
	TWO(DIVIDE, divide, false),
	TWO(DIVIDE_SIGNED, divide, false),
	ONE(BYTE_SWAP, swap_bytes, false),
	TWO(BYTE_SWAP_PARTS, swap_parts, false),
	ONE(REVERSE_BITS, reverse_bits, false),
	ONE(WIDEN_SIGN, widen_sign, true),
	ONE(SPREAD_SIGN, spread_sign, false),
	ONE(ISOLATE_LOWEST, lowest_bit, false),
	ONE(CLEAR_LOWEST, lowest_bit, false),
	ONE(MASK_LOWEST, lowest_bit, false),
	TWO(SELECT, NULL, false), /* this and the next four: takt_compute() computes them itself */
	TWO(EXCHANGE, NULL, true),
	TWO(MOVE_PAIR, NULL, true),
	TWO(COMPARE_IF, NULL, false),
	TWO(ADD_IF, NULL, false),
	TWO(CLEAR_HIGH, clear_high, false),
	ONE(COUNT_ONES, count_bits, false),
	ONE(COUNT_LEADING, count_bits, false),
	ONE(COUNT_SIGN, count_sign, false),
	ONE(COUNT_TRAILING, count_bits, false),
	TWO(BIT_TEST, test_bit, false),
	TWO(BIT_SET, test_bit, false),
	TWO(BIT_RESET, test_bit, false),
	TWO(BIT_COMPLEMENT, test_bit, false),
#undef ONE
#undef TWO
#undef THREE
};

struct takt_value takt_condition_test(int condition, const struct takt_flags *flags)
{
	static const uint16_t wanted[] = {
		TAKT_FLAG_OVERFLOW,
		TAKT_FLAG_CARRY,
		TAKT_FLAG_ZERO,
		TAKT_FLAG_CARRY | TAKT_FLAG_ZERO,
		TAKT_FLAG_SIGN,
		TAKT_FLAG_PARITY,
		TAKT_FLAG_SIGN | TAKT_FLAG_OVERFLOW,
		TAKT_FLAG_SIGN | TAKT_FLAG_OVERFLOW | TAKT_FLAG_ZERO,
		TAKT_FLAG_CARRY | TAKT_FLAG_ZERO,
		0,
	};
	uint16_t mask;
	bool holds;

	if (condition < 0 || condition >> 1 >= (int)TAKT_COUNT_OF(wanted))
		return (struct takt_value){.known = false};
	mask = wanted[condition >> 1];
	if ((flags->known & mask) != mask)
		return (struct takt_value){.known = false};
	switch (condition & ~1) {
	case TAKT_CONDITION_LESS:
	case TAKT_CONDITION_LESS_OR_ZERO:
		holds = !(flags->bits & TAKT_FLAG_SIGN) != !(flags->bits & TAKT_FLAG_OVERFLOW);
		holds |= (flags->bits & mask & TAKT_FLAG_ZERO) != 0;
		break;
	case TAKT_CONDITION_CARRY_NOT_ZERO:
		holds = (flags->bits & mask) == TAKT_FLAG_CARRY;
		break;
	case TAKT_CONDITION_ALWAYS:
		holds = true;
		break;
	default:
		holds = flags->bits & mask;
		break;
	}
	return (struct takt_value){holds != (condition & 1), true};
}

static struct takt_result choose(const struct takt_computation *computation,
				 const struct takt_flags *flags)
{
	struct takt_value holds = takt_condition_test(computation->condition, flags);
	struct takt_result result = {.low = holds};

	if (computation->operation == TAKT_OPERATION_SELECT && holds.known)
		result.low = holds.bits ? computation->second : computation->first;
	if (result.low.known)
		result.low.bits &= takt_size_mask(computation->size_bytes);
	return result;
}

/* True if the result does not depend on what the register holds, such as xor with itself. */
static bool cancels(const struct takt_computation *computation)
{
	return computation->same && (computation->operation == TAKT_OPERATION_XOR ||
				     computation->operation == TAKT_OPERATION_SUBTRACT ||
				     computation->operation == TAKT_OPERATION_SUBTRACT_CARRY ||
				     computation->operation == TAKT_OPERATION_COMPARE);
}

static bool all_known(const struct takt_computation *computation, const struct takt_flags *flags)
{
	const struct semantics *how = &semantics[computation->operation];

	if (!how->execute || cancels(computation))
		return how->execute;
	return computation->first.known && (computation->second.known || !how->two) &&
	       (computation->third.known || !how->three) &&
	       (flags->known & TAKT_FLAG_CARRY || !how->carry);
}

/* Return both results of an exchange or a pair; one may be known without the other. */
static struct takt_result move_two(const struct takt_value *low, const struct takt_value *high,
				   unsigned size_bytes)
{
	uint64_t mask = takt_size_mask(size_bytes);

	return (struct takt_result){.low = {low->bits & mask, low->known},
				    .high = {high->bits & mask, high->known}};
}

/* Compute moves, additions and subtractions whose flags are not needed: most of what there is to
 * compute. False for other operations. */
static bool compute_plain(const struct takt_computation *computation,
			  struct takt_result *ret_result)
{
	const struct takt_value *first = &computation->first, *second = &computation->second;
	struct takt_value low = {first->bits, first->known};

	switch ((int)computation->operation) {
	case TAKT_OPERATION_MOVE:
	case TAKT_OPERATION_MOVE_SIGNED:
	case TAKT_OPERATION_ADDRESS:
	case TAKT_OPERATION_PUSH:
	case TAKT_OPERATION_POP:
		break;
	case TAKT_OPERATION_ADD:
		low.bits += second->bits;
		low.known &= second->known;
		break;
	case TAKT_OPERATION_SUBTRACT:
	case TAKT_OPERATION_SUBTRACT_CARRY:
		low.bits -= second->bits;
		low.known = (low.known && second->known) || computation->same;
		break;
	default:
		return false;
	}
	low.bits = low.known ? low.bits & takt_size_mask(computation->size_bytes) : 0;
	*ret_result = (struct takt_result){.low = low};
	return true;
}

/* Compute an operation whose inputs are all known. */
static struct takt_result compute_exactly(const struct takt_computation *computation,
					  struct takt_flags *flags)
{
	struct alu alu = {.operation = (enum takt_operation)computation->operation,
			  .size_bytes = computation->size_bytes,
			  .size_bits = computation->size_bytes * 8u,
			  .mask = takt_size_mask(computation->size_bytes),
			  .carry = flags->bits & TAKT_FLAG_CARRY,
			  .bits = flags->bits};

	alu.sign = alu.mask ^ alu.mask >> 1;
	alu.first = computation->first.bits & alu.mask;
	alu.second = cancels(computation) ? alu.first : computation->second.bits & alu.mask;
	alu.third = computation->third.bits & alu.mask;
	semantics[alu.operation].execute(&alu);
	flags->bits = alu.bits;
	flags->known = (uint16_t)((flags->known & ~alu.changed) | (alu.known & alu.changed));
	return (struct takt_result){.low = {alu.low & alu.mask, true}, .high = {alu.high, true}};
}

static struct takt_result compute(const struct takt_computation *computation,
				  struct takt_flags *flags)
{
	if (all_known(computation, flags))
		return compute_exactly(computation, flags);
	flags->known = 0;
	return (struct takt_result){.low = {.known = false}};
}

struct takt_flags takt_flags_read(uint64_t bits)
{
	return (struct takt_flags){
		(uint16_t)((bits & 8 ? TAKT_FLAG_SIGN : 0) | (bits & 4 ? TAKT_FLAG_ZERO : 0) |
			   (bits & 2 ? TAKT_FLAG_CARRY : 0) | (bits & 1 ? TAKT_FLAG_OVERFLOW : 0)),
		TAKT_FLAGS_ALL};
}

/* Set the flags of a conditional comparison: those of the comparison or, if the condition does
 * not hold, the constant ones that the instruction gives. */
static struct takt_result compare_if(const struct takt_computation *computation,
				     struct takt_flags *flags)
{
	struct takt_value holds = takt_condition_test(computation->condition, flags);
	struct takt_computation comparison = *computation;

	if (!holds.known)
		flags->known = 0;
	else if (!holds.bits)
		*flags = takt_flags_read(computation->third.bits);
	if (!holds.bits)
		return (struct takt_result){.low = {.known = false}};
	comparison.operation = computation->operation == TAKT_OPERATION_COMPARE_IF
				       ? TAKT_OPERATION_SUBTRACT_CARRY
				       : TAKT_OPERATION_ADD;
	return compute(&comparison, flags);
}

struct takt_result takt_compute(const struct takt_computation *computation,
				struct takt_flags *flags)
{
	struct takt_result plain;

	if (computation->no_flags && compute_plain(computation, &plain))
		return plain;
	switch ((int)computation->operation) {
	case TAKT_OPERATION_SELECT:
	case TAKT_OPERATION_SET:
		return choose(computation, flags);
	case TAKT_OPERATION_EXCHANGE:
		return move_two(&computation->second, &computation->first, computation->size_bytes);
	case TAKT_OPERATION_MOVE_PAIR:
		return move_two(&computation->first, &computation->second, computation->size_bytes);
	case TAKT_OPERATION_COMPARE_IF:
	case TAKT_OPERATION_ADD_IF:
		return compare_if(computation, flags);
	default:
		return compute(computation, flags);
	}
}

bool takt_operation_is_linear(enum takt_operation operation, bool first_stays, bool second_stays)
{
	switch ((int)operation) {
	case TAKT_OPERATION_SHIFT_LEFT:
		return second_stays;
	case TAKT_OPERATION_MULTIPLY:
	case TAKT_OPERATION_MULTIPLY_ADD:
	case TAKT_OPERATION_MULTIPLY_SUBTRACT:
		return first_stays || second_stays;
	default:
		return semantics[operation].linear;
	}
}

bool takt_operation_has_two_sources(enum takt_operation operation)
{
	return semantics[operation].two;
}
