/* SPDX-License-Identifier: MIT */
/* Builds blocks and records from single instructions. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "trace/import/import.h"
#include "trace/blocks/insn.h"

#define ACCESSES_MAX 32768u /* accesses of a block */
#define SYSCALL_UNKNOWN TRACE_VALUE_MASK
#define TABLE_SIZE_MIN 4096u

/* ---- decoding ---- */

static uint32_t word_of(const struct import_insn *insn)
{
	uint32_t word = 0;

	memcpy(&word, insn->bytes, insn->length < 4 ? insn->length : 4);
	return word;
}

static void note_x86(struct import_insn *insn)
{
	bool rep = false;
	uint8_t opcode, next;
	uint32_t at = 0;

	for (; at + 1u < insn->length; at++) {
		uint8_t byte = insn->bytes[at];

		if (byte == 0xf2 || byte == 0xf3)
			rep = true;
		else if (byte != 0x66 && byte != 0x67 && byte != 0x26 && byte != 0x2e &&
			 byte != 0x36 && byte != 0x3e && byte != 0x64 && byte != 0x65 &&
			 byte >> 4 != 4)
			break;
	}
	opcode = insn->bytes[at];
	next = insn->bytes[at + 1];
	insn->repeats =
		rep && ((opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf) ||
			(opcode >= 0x6c && opcode <= 0x6f));
	insn->is_syscall = (opcode == 0x0f && (next == 0x05 || next == 0x34)) ||
			   (opcode == 0xcd && next == 0x80);
	insn->is_call = opcode == 0xe8 || (opcode == 0xff && (next >> 3 & 7) == 2);
	insn->is_return = opcode == 0xc3 || opcode == 0xc2;
}

static void note_others(const struct trace_guest *guest, struct import_insn *insn)
{
	uint32_t word = word_of(insn);

	if (guest->machine == EM_AARCH64) {
		insn->is_syscall = (word & 0xffe0001f) == 0xd4000001;
		insn->is_call = word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000;
		insn->is_return = (word & 0xfffffc1f) == 0xd65f0000;
		return;
	}
	insn->is_syscall = word == 0x73;
	insn->is_call = ((word & 127) == 0x6f || (word & 127) == 0x67) && (word >> 7 & 31) == 1;
	insn->is_return = word == 0x8067 || (insn->length == 2 && word == 0x8082);
}

bool takt_import_decode(const struct trace_guest *guest, const uint8_t *bytes, size_t size_bytes,
			uint64_t address, struct import_insn *ret_insn)
{
	const struct takt_isa *isa = takt_trace_guest_isa(guest);
	struct import_insn insn = {.address = address};
	struct takt_insn_flow executed;

	if (isa) {
		if (!takt_insn_flow_decode(isa, bytes, size_bytes, &executed))
			return false;
		insn.length = executed.length_bytes;
	} else {
		if (size_bytes < 2)
			return false;
		insn.length = (bytes[0] & 3) == 3 ? 4 : 2;
	}
	if (insn.length > IMPORT_INSN_BYTES_MAX || insn.length > size_bytes)
		return false;
	memcpy(insn.bytes, bytes, insn.length);
	insn.flow = (uint8_t)trace_insn_flow(guest, insn.bytes, insn.length, address, &insn.target);
	if (guest->machine == EM_X86_64)
		note_x86(&insn);
	else
		note_others(guest, &insn);
	*ret_insn = insn;
	return true;
}

/* ---- passing on blocks and records ---- */

static bool send_records(struct import_builder *builder)
{
	size_t count = builder->record_count;

	builder->record_count = 0;
	if (builder->log)
		takt_trace_log_add_records(builder->log, 0, builder->records, count);
	return takt_trace_sequencer_feed(builder->sequencer, 0, builder->records, count) == count;
}

static bool add_record(struct import_builder *builder, uint64_t record)
{
	if (builder->record_count == TAKT_COUNT_OF(builder->records) && !send_records(builder))
		return false;
	builder->records[builder->record_count++] = record;
	return true;
}

void takt_import_builder_init(struct import_builder *builder, struct trace_sequencer *sequencer,
			      struct trace_log_writer *log, bool without_addresses)
{
	*builder = (struct import_builder){
		.guest = sequencer->dictionary->guest,
		.log = log,
		.dictionary = sequencer->dictionary,
		.sequencer = sequencer,
		.table_size = TABLE_SIZE_MIN,
		.table = takt_xcalloc(TABLE_SIZE_MIN, sizeof(uint32_t)),
		.places = without_addresses ? takt_import_places_new() : NULL,
	};
	add_record(builder, trace_record(TRACE_KIND_START, 0));
}

void takt_import_builder_release(struct import_builder *builder)
{
	takt_import_places_free(builder->places);
	free(builder->table);
	free(builder->accesses);
}

/* ---- blocks ---- */

static uint64_t hash_of(uint64_t address, const uint8_t *bytes, uint32_t size_bytes)
{
	return takt_hash64(address) ^ takt_hash_bytes(bytes, size_bytes);
}

static bool is_block(const struct import_builder *builder, const struct trace_block *block)
{
	return block->address == builder->address && block->insn_count == builder->insn_count &&
	       block->end - block->address == builder->size_bytes &&
	       memcmp(block->bytes, builder->bytes, builder->size_bytes) == 0 &&
	       memcmp(block->lengths, builder->lengths, builder->insn_count) == 0;
}

static void grow_table(struct import_builder *builder)
{
	const struct trace_dictionary *dictionary = builder->dictionary;

	builder->table_size *= 2;
	free(builder->table);
	builder->table = takt_xcalloc(builder->table_size, sizeof(uint32_t));
	for (uint32_t i = 0; i < dictionary->count; i++) {
		const struct trace_block *block = dictionary->blocks[i];
		uint64_t at = hash_of(block->address, block->bytes,
				      (uint32_t)(block->end - block->address));

		while (builder->table[at & (builder->table_size - 1)])
			at++;
		builder->table[at & (builder->table_size - 1)] = i + 1;
	}
}

static void register_block(struct import_builder *builder)
{
	const struct trace_block_header header = {
		.address = builder->address,
		.size_bytes = builder->size_bytes,
		.insn_count = (uint16_t)builder->insn_count,
		.flags = builder->last.repeats ? TRACE_BLOCK_REPEATS : 0,
	};
	uint8_t entry[sizeof(header) + TRACE_INSNS_MAX + IMPORT_BLOCK_BYTES_MAX + 8] = {0};
	uint8_t *lengths = entry + sizeof(header);
	size_t size = trace_block_bytes(&header);

	memcpy(entry, &header, sizeof(header));
	memcpy(lengths, builder->lengths, builder->insn_count);
	memcpy(lengths + builder->insn_count, builder->bytes, builder->size_bytes);
	takt_trace_dictionary_add(builder->dictionary, entry, size);
	if (builder->log)
		takt_trace_log_add_blocks(builder->log, entry, size);
}

static uint32_t find_block(struct import_builder *builder)
{
	uint64_t at = hash_of(builder->address, builder->bytes, builder->size_bytes);
	uint32_t number;

	for (;; at++) {
		number = builder->table[at & (builder->table_size - 1)];
		if (number == 0)
			break;
		if (is_block(builder, builder->dictionary->blocks[number - 1]))
			return number - 1;
	}
	number = builder->dictionary->count;
	register_block(builder);
	builder->table[at & (builder->table_size - 1)] = number + 1;
	if (2 * builder->dictionary->count > builder->table_size)
		grow_table(builder);
	return number;
}

/* Complete the block that is being built. */
static bool end_block(struct import_builder *builder)
{
	bool fine;

	if (builder->insn_count == 0)
		return true;
	fine = !builder->places ||
	       takt_import_place(builder->places, &builder->last, builder->bytes,
				 builder->size_bytes, &builder->address);
	fine = fine && add_record(builder, trace_record(TRACE_KIND_BLOCK, find_block(builder)));
	for (size_t i = 0; i < builder->access_count && fine; i++)
		fine = add_record(builder, builder->accesses[i]);
	if (fine && builder->last.is_syscall)
		fine = add_record(builder, trace_record(TRACE_KIND_SYSCALL, SYSCALL_UNKNOWN));
	builder->insn_count = builder->size_bytes = 0;
	builder->access_count = 0;
	return fine;
}

static bool continues(const struct import_builder *builder, const struct import_insn *insn)
{
	const struct import_insn *last = &builder->last;

	return builder->insn_count < TRACE_INSNS_MAX && last->flow == TRACE_FLOW_NEXT &&
	       !last->repeats && !last->is_syscall &&
	       (builder->places || insn->address == builder->address + builder->size_bytes);
}

bool takt_import_add_insn(struct import_builder *builder, const struct import_insn *insn)
{
	if (builder->insn_count && !continues(builder, insn) && !end_block(builder))
		return false;
	if (builder->insn_count == 0)
		builder->address = insn->address;
	builder->lengths[builder->insn_count++] = insn->length;
	memcpy(builder->bytes + builder->size_bytes, insn->bytes, insn->length);
	builder->size_bytes += insn->length;
	builder->last = *insn;
	return true;
}

/* Return the code of the greatest size that a record can hold and that is at most `size_bytes`. */
static uint64_t size_code(uint64_t size_bytes)
{
	if (size_bytes >= 8)
		return size_bytes >= 64 ? TRACE_SIZE_64 : size_bytes / 8 + 2;
	return size_bytes >= 4 ? 2 : size_bytes >= 2;
}

bool takt_import_add_access(struct import_builder *builder, uint64_t address, uint64_t size_bytes,
			    bool is_store)
{
	int64_t high = (int64_t)address >> 47;

	if (builder->insn_count == 0 || size_bytes == 0 || size_bytes > 4096 ||
	    (high != 0 && high != -1))
		return false;
	while (size_bytes) {
		uint64_t code = size_bytes == 10 ? TRACE_SIZE_10 : size_code(size_bytes);

		if (builder->access_count == ACCESSES_MAX)
			return false;
		TAKT_GROW(builder->accesses, builder->access_count + 1, builder->access_capacity);
		builder->accesses[builder->access_count++] =
			TRACE_ACCESS | (uint64_t)(builder->insn_count - 1) << TRACE_INSN_SHIFT |
			(is_store ? TRACE_STORE : 0) | code << TRACE_SIZE_SHIFT |
			(address & TRACE_VALUE_MASK);
		address += trace_size_bytes[code];
		size_bytes -= trace_size_bytes[code];
	}
	return true;
}

bool takt_import_add_break(struct import_builder *builder, uint64_t address)
{
	return end_block(builder) && add_record(builder, trace_record(TRACE_KIND_BREAK, address));
}

bool takt_import_finish(struct import_builder *builder)
{
	return end_block(builder) && add_record(builder, trace_record(TRACE_KIND_END, 0)) &&
	       send_records(builder);
}
