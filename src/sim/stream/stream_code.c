/* SPDX-License-Identifier: MIT */
/*
 * Code that grows: blocks as lists of record numbers. Equal records are kept once, in arrays that
 * never move, so that streams may run while more is added.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/stream/stream_code.h"
#include "sim/memo/memo.h"
#include "sim/stream/op_cache_windows.h"

#define INSNS_MAX UINT16_MAX /* most instructions of a block: accesses number them in 16 bits */
/* Capacities in elements; the unused part takes only address space. */
#define RECORDS_MAX (1u << 18)
#define UOPS_MAX (1u << 20)
#define SOURCES_MAX (1u << 21)
#define RESULTS_MAX (1u << 21)
#define TABLE_START 1024u
#define GROWTH_BYTES ((size_t)1 << 18)
#define HASH_FACTOR 0x9e3779b97f4a7c15u

/* ---- arrays that do not move ---------------------------------------------------------- */

static void reserve(struct sim_code_array *array, size_t capacity, size_t size_bytes)
{
	void *base = mmap(NULL, capacity * size_bytes, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		takt_out_of_memory(capacity * size_bytes);
	*array = (struct sim_code_array){
		.base = base, .size_bytes = size_bytes, .capacity = capacity};
}

static void release(struct sim_code_array *array)
{
	if (array->base)
		munmap(array->base, array->capacity * array->size_bytes);
	array->base = NULL;
}

/* Make `count` more elements usable; false if that is more than the array may have. */
static bool make_room(struct sim_code_array *array, size_t count)
{
	size_t wanted = (array->count + count) * array->size_bytes;
	size_t most = array->capacity * array->size_bytes;

	if (array->count + count > array->capacity)
		return false;
	if (wanted <= array->ready_bytes)
		return true;
	wanted = (wanted + GROWTH_BYTES - 1) / GROWTH_BYTES * GROWTH_BYTES;
	wanted = wanted < most ? wanted : most;
	if (mprotect(array->base, wanted, PROT_READ | PROT_WRITE))
		takt_out_of_memory(wanted);
	array->ready_bytes = wanted;
	return true;
}

/* Append elements, for which there must be room. */
static uint32_t append(struct sim_code_array *array, const void *added, size_t count)
{
	size_t first = array->count;

	if (count)
		memcpy(array->base + first * array->size_bytes, added, count * array->size_bytes);
	array->count += count;
	return (uint32_t)first;
}

/* ---- records ------------------------------------------------------------------------------ */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size_bytes)
{
	const unsigned char *at = bytes;

	for (; size_bytes >= 8; size_bytes -= 8, at += 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * HASH_FACTOR;
		hash ^= hash >> 29;
	}
	for (; size_bytes; size_bytes--)
		hash = (hash ^ *at++) * HASH_FACTOR;
	return hash;
}

#define HASH(hash, array, count) hash_bytes(hash, array, (count) * sizeof(*(array)))

static uint64_t hash_record(const struct sim_record *record)
{
	uint64_t hash = HASH(0, &record->insn, 1u);

	hash = HASH(hash, record->uops.uops, record->uops.count);
	hash = HASH(hash, record->flow.sources, record->flow.source_count);
	hash = HASH(hash, record->flow.results, record->flow.result_count);
	hash = HASH(hash, record->flow.memories, record->flow.memory_count);
	return hash ^ hash >> 32;
}

#define SAME(left, right, count) (!memcmp(left, right, (count) * sizeof(*(left))))

static bool is_same(const struct sim_code *code, uint32_t index, const struct sim_record *record)
{
	const struct sim_program *program = &code->program;
	const struct sim_insn *there = &program->insns[index];
	struct sim_insn insn;

	memcpy(&insn, there, sizeof(insn));
	insn.uops = insn.sources = insn.results = insn.memories = 0;
	/* Padding that differs only makes a record anew. NOLINTNEXTLINE(bugprone-suspicious*) */
	return SAME(&insn, &record->insn, 1u) &&
	       SAME(record->uops.uops, program->uops + there->uops, record->uops.count) &&
	       SAME(record->flow.sources, program->sources + there->sources,
		    record->flow.source_count) &&
	       SAME(record->flow.results, program->results + there->results,
		    record->flow.result_count) &&
	       SAME(record->flow.memories, program->memories + there->memories,
		    record->flow.memory_count);
}

static void grow_table(struct sim_code *code)
{
	uint32_t size = code->table_size ? code->table_size * 2 : TABLE_START;
	struct sim_code_entry *table = takt_xcalloc(size, sizeof(*table));

	for (uint32_t i = 0; i < code->table_size; i++) {
		struct sim_code_entry entry = code->table[i];
		uint32_t at = entry.hash & (size - 1);

		if (!entry.number)
			continue;
		while (table[at].number)
			at = (at + 1) & (size - 1);
		table[at] = entry;
	}
	free(code->table);
	code->table = table;
	code->table_size = size;
}

static bool has_room(struct sim_code *code, const struct sim_record *record)
{
	return make_room(&code->insns, 1) && make_room(&code->items, 1) &&
	       make_room(&code->uops, record->uops.count) &&
	       make_room(&code->sources, record->flow.source_count) &&
	       make_room(&code->results, record->flow.result_count) &&
	       make_room(&code->memories, record->flow.memory_count);
}

static uint32_t add_record(struct sim_code *code, struct sim_record *record)
{
	struct takt_code_item item = sim_code_item(code->program.params, &record->insn);
	struct sim_insn *insn = &record->insn;

	insn->uops = append(&code->uops, record->uops.uops, record->uops.count);
	insn->sources = append(&code->sources, record->flow.sources, record->flow.source_count);
	insn->results = append(&code->results, record->flow.results, record->flow.result_count);
	insn->memories = append(&code->memories, record->flow.memories, record->flow.memory_count);
	append(&code->items, &item, 1);
	code->program.insn_count++;
	return append(&code->insns, insn, 1);
}

/* Find the number of an equal record, or of a new one; false if there is no room for it. */
static bool intern(struct sim_code *code, struct sim_record *record, uint32_t *ret_number)
{
	uint32_t hash = (uint32_t)hash_record(record), at;

	if (code->insns.count * 2 >= code->table_size)
		grow_table(code);
	at = hash & (code->table_size - 1);
	for (; code->table[at].number; at = (at + 1) & (code->table_size - 1))
		if (code->table[at].hash == hash &&
		    is_same(code, code->table[at].number - 1, record)) {
			*ret_number = code->table[at].number - 1;
			return true;
		}
	if (!has_room(code, record))
		return false;
	*ret_number = add_record(code, record);
	code->table[at] = (struct sim_code_entry){hash, *ret_number + 1};
	return true;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/*
 * Mark the operands that memory renaming may serve. It is asked as for a store and a load that are
 * both this operand, since programs repeat themselves.
 */
/* Return the mask of a general register; 0: it is none. */
static uint32_t general_register(uint8_t location)
{
	return takt_location_is_gpr(location) ? (uint32_t)1 << (location - TAKT_LOC_GPR) : 0;
}

static void set_renaming(const struct sim_code *code, const struct takt_block *block, uint32_t i,
			 struct sim_record *record)
{
	const struct takt_core_params *params = code->program.params;

	for (uint8_t m = 0; m < record->flow.memory_count; m++) {
		const struct takt_memory_edge edge = {.store = i,
						      .load = i,
						      .store_memory = m,
						      .load_memory = m,
						      .overlap = TAKT_OVERLAP_CONTAINED};

		if (!takt_memory_edge_is_renamed(code->program.model, block, &edge, true))
			continue;
		record->flow.memories[m].renamed_base = params->store_forward_renamed_loops
								? SIM_RENAMED_ANY
								: block->insns[i].memories[m].base;
		record->flow.memories[m].address_registers =
			general_register(block->insns[i].memories[m].base) |
			general_register(block->insns[i].memories[m].index);
	}
}

static void find_timings(struct sim_code *code, const struct takt_block *block,
			 struct takt_timing *timings)
{
	struct takt_timing_storage *storage =
		TAKT_NEW_ARRAY(&code->scratch, block->count, struct takt_timing_storage);

	for (uint32_t i = 0; i < block->count; i++)
		takt_model_timing(code->program.model, &block->insns[i], &storage[i], &timings[i]);
	takt_timings_close_port(code->program.model, block, storage, timings);
}

/*
 * True if the first of `count` instructions fuses with the next; on some cores a jump at the
 * beginning of a line does not.
 */
static bool is_pair(const struct sim_code *code, uint64_t address, const struct takt_insn *insn,
		    uint32_t count)
{
	const struct takt_core_params *params = code->program.params;

	return takt_model_fuses_next(code->program.model, insn, count) &&
	       (params->fuse_across_lines || (address + insn->length_bytes) % TAKT_LINE_BYTES);
}

/* Add the records of a block's instructions to `records`; false if there is no room. */
static bool add_insns(struct sim_code *code, uint64_t address, const struct takt_block *block,
		      uint32_t *records, uint32_t *ret_count)
{
	struct takt_timing *timings =
		TAKT_NEW_ARRAY(&code->scratch, block->count, struct takt_timing);
	struct takt_writers names;
	uint32_t count = 0;

	find_timings(code, block, timings);
	takt_writers_init(&names, code->program.params);
	for (uint32_t i = 0; i < block->count; i++) {
		const struct takt_insn *insn = &block->insns[i];
		bool pair = is_pair(code, address, insn, block->count - i);
		const struct sim_record_source source = {.insn = insn,
							 .second = pair ? insn + 1 : NULL,
							 .timing = &timings[i],
							 .second_timing = &timings[i + pair]};
		struct takt_timing_storage storage;
		struct sim_record record;

		if (pair && insn[1].flags & TAKT_INSN_BRANCH)
			takt_timing_fuse(code->program.model, insn, &storage, &timings[i + 1]);

		/* Unset bytes must not tell a record from its equals. */
		memset(&record, 0, sizeof(record));
		sim_record_make(&code->program, &source, &names, &record);
		set_renaming(code, block, i, &record);
		address += record.insn.length_bytes;
		if (!intern(code, &record, &records[count++]))
			return false;
		takt_writers_step(&names, insn);
		if (pair)
			takt_writers_step(&names, insn + 1);
		i += pair;
	}
	*ret_count = count;
	return true;
}

/* Describe each window, now that it is known where the next one begins. */
static void describe_windows(const struct sim_code *code, const struct sim_code_block *block,
			     struct sim_code_window *windows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = windows[i].record;
		uint32_t end = i + 1 < count ? windows[i + 1].record : block->record_count;

		sim_window_describe(code->program.params, sim_code_items(code),
				    block->records + first, end - first,
				    block->address + windows[i].offset_bytes, &windows[i]);
	}
}

/* Note where the block enters windows of the op cache. */
static void find_windows(struct sim_code *code, struct sim_code_block *block)
{
	const struct takt_core_params *params = code->program.params;
	uint32_t bytes = (uint32_t)params->op_cache_window_bytes, offset = 0, count = 0;
	struct sim_code_window *windows;
	uint64_t last = 0;

	if (params->op_cache_width <= 0 || params->op_cache_window_bytes <= 0)
		return;
	windows = TAKT_NEW_ARRAY(&code->scratch, block->record_count, struct sim_code_window);
	for (uint32_t i = 0; i < block->record_count; i++) {
		uint64_t number = (block->address + offset) / bytes;

		if (!i || number != last)
			windows[count++] =
				(struct sim_code_window){.record = i, .offset_bytes = offset};
		last = number;
		offset += code->program.insns[block->records[i]].length_bytes;
	}
	describe_windows(code, block, windows, count);
	block->windows = takt_arena_grow(&code->arena, windows, count, count, sizeof(*windows));
	block->window_count = count;
}

static void keep_block(struct sim_code *code, struct sim_code_block *block)
{
	TAKT_GROW(code->blocks, code->block_count + 1, code->block_capacity);
	block->number = code->block_count;
	code->blocks[code->block_count++] = block;
}

struct sim_code_block *takt_sim_code_add(struct sim_code *code, uint64_t address,
					 const struct takt_insn *insns, uint32_t insn_count)
{
	struct takt_block block = {.count = insn_count};
	struct sim_code_block *made;
	uint32_t *records, count;

	if (!insn_count || insn_count > INSNS_MAX)
		return NULL;
	takt_arena_clear(&code->scratch);
	block.isa = insns->isa;
	block.insns = TAKT_NEW_ARRAY(&code->scratch, insn_count, struct takt_insn);
	memcpy(block.insns, insns, insn_count * sizeof(*insns));
	records = TAKT_NEW_ARRAY(&code->scratch, insn_count, uint32_t);
	if (!add_insns(code, address, &block, records, &count))
		return NULL;
	made = TAKT_NEW(&code->arena, struct sim_code_block);
	*made = (struct sim_code_block){
		.records = takt_arena_grow(&code->arena, records, count, count, sizeof(*records)),
		.record_count = count,
		.insn_count = insn_count,
		.address = address,
		.insn_parts = TAKT_NEW_ARRAY(&code->arena, insn_count, uint64_t),
	};
	find_windows(code, made);
	keep_block(code, made);
	return made;
}

/* ---- all of it ------------------------------------------------------------------------------- */

struct sim_code *takt_sim_code_new(const struct takt_model *model)
{
	struct sim_code *code = takt_xcalloc(1, sizeof(*code));

	sim_program_init(&code->program, model);
	reserve(&code->insns, RECORDS_MAX, sizeof(struct sim_insn));
	reserve(&code->items, RECORDS_MAX, sizeof(struct takt_code_item));
	reserve(&code->uops, UOPS_MAX, sizeof(struct sim_uop));
	reserve(&code->sources, SOURCES_MAX, sizeof(struct sim_source));
	reserve(&code->results, RESULTS_MAX, sizeof(struct sim_result));
	reserve(&code->memories, RECORDS_MAX, sizeof(struct sim_memory));
	code->program.insns = (const void *)code->insns.base;
	code->program.uops = (const void *)code->uops.base;
	code->program.sources = (const void *)code->sources.base;
	code->program.results = (const void *)code->results.base;
	code->program.memories = (const void *)code->memories.base;
	return code;
}

void takt_sim_code_settle(struct sim_code *code)
{
	sim_memo_table_free(code->memos);
	code->memos = NULL;
	release(&code->insns);
	release(&code->items);
	release(&code->uops);
	release(&code->sources);
	release(&code->results);
	release(&code->memories);
	free(code->table);
	code->table = NULL;
	takt_arena_release(&code->scratch);
}

void takt_sim_code_free(struct sim_code *code)
{
	if (!code)
		return;
	takt_sim_code_settle(code);
	free(code->blocks);
	takt_arena_release(&code->arena);
	free(code);
}
