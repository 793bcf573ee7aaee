/* SPDX-License-Identifier: MIT */
/*
 * Imports what ibench and asmbench print. Both name an instruction with its operands by letters,
 * `vaddpd-x_x_y`, in OSACA's order, and give latency and reciprocal throughput:
 *
 *	vaddpd-x_x_x-LT:  4.013 (clock cycles)    [DEBUG - result: 1.000000]	ibench
 *	vaddpd-x_x_x								asmbench
 *	Latency: 4.013 cy
 *	Throughput: 0.501 cy
 *
 * They do not know ports: these are those of the core's own rows.
 */
#include <math.h>
#include <string.h>

#include "import/osaca.h"

#define NAME_MAX_BYTES 64u
#define CYCLES_MAX 60000.0
#define RTHROUGHPUT_MAX 650.0

struct ibench {
	struct takt_import_table *table;
	struct takt_reader reader;
	char name[NAME_MAX_BYTES];  /* the instruction that figures are read of */
	double latency, throughput; /* negative: not known */
	uint32_t line;
};

/* ---- operands ----------------------------------------------------------------------- */

/* A map of an operand, as a YAML file would have it. */
static struct takt_yaml_node *make_map(struct takt_arena *arena)
{
	struct takt_yaml_node *node = TAKT_NEW(arena, struct takt_yaml_node);

	node->kind = TAKT_YAML_MAP;
	return node;
}

static void set(struct takt_arena *arena, struct takt_yaml_node *map, const char *key,
		const char *text)
{
	struct takt_yaml_node *node = TAKT_NEW(arena, struct takt_yaml_node);

	*node = (struct takt_yaml_node){
		.kind = TAKT_YAML_SCALAR, .quoted = true, .key = key, .text = text};
	node->next = map->first;
	map->first = node;
}

/* Read `m` with letters for its parts: base, offset, index, scale, pre- and post-indexed. */
static bool read_memory(struct takt_arena *arena, const char *parts, struct takt_yaml_node *map)
{
	if (strspn(parts, "boisrp") != strlen(parts))
		return false;
	set(arena, map, "class", "memory");
	set(arena, map, "base", strchr(parts, 'b') ? "x" : "");
	set(arena, map, "offset", strchr(parts, 'o') ? "imd" : "");
	set(arena, map, "index", strchr(parts, 'i') ? "x" : "");
	set(arena, map, "scale", strchr(parts, 's') ? "*" : "1");
	set(arena, map, "pre_indexed", strchr(parts, 'r') ? "true" : "false");
	set(arena, map, "post_indexed", strchr(parts, 'p') ? "true" : "false");
	return true;
}

static bool read_register(struct takt_arena *arena, const char *code, bool x86,
			  struct takt_yaml_node *map)
{
	static const char *const x86_names[][2] = {
		{"r", "gpr"}, {"x", "xmm"}, {"y", "ymm"}, {"z", "zmm"}};
	char prefix[2] = {code[0], '\0'};

	set(arena, map, "class", "register");
	for (size_t i = 0; x86 && i < TAKT_COUNT_OF(x86_names); i++)
		if (strcmp(code, x86_names[i][0]) == 0) {
			set(arena, map, "name", x86_names[i][1]);
			return true;
		}
	if (x86 || !strchr("wxbhsdqvz", *code) || strlen(code) > 2)
		return false;
	set(arena, map, "prefix", takt_arena_copy(arena, prefix, 1));
	if (code[1])
		set(arena, map, "shape", takt_arena_copy(arena, code + 1, 1));
	return !code[1] || strchr("vz", *code) != NULL;
}

/* Read the operands of a name, `r_mboi_x`, as a list; NULL if it has other letters. */
static const struct takt_yaml_node *read_operands(struct takt_arena *arena, const char *text,
						  bool x86)
{
	struct takt_yaml_node *list = make_map(arena), **end = &list->first;

	while (*text) {
		size_t size = strcspn(text, "_");
		const char *code = takt_arena_copy(arena, text, size);
		struct takt_yaml_node *map = make_map(arena);

		if (!size)
			return NULL;
		if (strcmp(code, "i") == 0) {
			set(arena, map, "class", "immediate");
			set(arena, map, "imd", "int");
		} else if (*code == 'm' ? !read_memory(arena, code + 1, map)
					: !read_register(arena, code, x86, map)) {
			return NULL;
		}
		*end = map;
		end = &map->next;
		text += size + (text[size] == '_');
	}
	return list;
}

/* ---- rows --------------------------------------------------------------------------- */

static void add_row(const struct ibench *ibench, takt_form_key form)
{
	struct takt_import_table *table = ibench->table;
	struct takt_insn insn = {.isa = takt_model_isa(table->model), .form = form};
	struct takt_latency latencies[TAKT_IMPORT_PAIRS_MAX];
	struct takt_import_row row = {.form = form};
	struct takt_timing_storage storage;
	struct takt_timing own;

	takt_model_timing(table->model, &insn, &storage, &own);
	if (own.match != TAKT_MATCH_ROW) {
		takt_import_skip(table, "a form that the core has no row for",
				 takt_arena_string(&table->arena, ibench->name));
		return;
	}
	row.timing = own;
	if (ibench->throughput >= 0)
		row.timing.rthroughput_hundredths = (uint16_t)lround(ibench->throughput * 100);
	if (ibench->latency >= 0) {
		row.timing.latencies = latencies;
		row.timing.latency_count = 0;
		row.timing.latency_default = (uint16_t)lround(ibench->latency);
		for (unsigned i = 0; i < own.latency_count && i < TAKT_IMPORT_PAIRS_MAX; i++)
			if (own.latencies[i].destination != TAKT_SLOT_ANY)
				latencies[row.timing.latency_count++] = own.latencies[i];
	}
	takt_import_add(table, &row);
}

/* Add the rows of the instruction whose figures were read, if there is one. */
static void finish(struct ibench *ibench)
{
	struct takt_import_table *table = ibench->table;
	bool x86 = takt_model_isa(table->model) == &takt_isa_x86;
	takt_form_key forms[TAKT_OSACA_FORMS_MAX];
	char *dash = strchr(ibench->name, '-');
	const struct takt_yaml_node *operands;
	const char *reason;
	size_t count;

	if (!*ibench->name)
		return;
	if (ibench->latency < 0 && ibench->throughput < 0) {
		takt_import_skip(table, "no figures",
				 takt_arena_string(&table->arena, ibench->name));
	} else {
		const char *name = takt_arena_copy(&table->arena, ibench->name,
						   dash ? (size_t)(dash - ibench->name)
							: strlen(ibench->name));

		operands = read_operands(&table->arena, dash ? dash + 1 : "", x86);
		count = !operands ? 0
			: x86	  ? takt_osaca_forms(name, operands, forms, &reason)
				  : takt_osaca_forms_aarch64(table->model, name, operands, forms,
							     &reason);
		if (!operands)
			reason = "operands of unknown letters";
		if (!count)
			takt_import_skip(table, reason,
					 takt_arena_string(&table->arena, ibench->name));
		for (size_t i = 0; i < count; i++)
			add_row(ibench, forms[i]);
	}
	ibench->name[0] = '\0';
}

/* ---- lines -------------------------------------------------------------------------- */

/* Begin the figures of an instruction, unless it is the one whose figures are being read. */
static bool begin(struct ibench *ibench, struct takt_word name)
{
	if (name.size >= NAME_MAX_BYTES)
		return takt_reader_error(&ibench->reader, name, "a name of more than %u characters",
					 NAME_MAX_BYTES - 1);
	if (takt_string_is(ibench->name, name.data, name.size))
		return true;
	finish(ibench);
	memcpy(ibench->name, name.data, name.size);
	ibench->name[name.size] = '\0';
	ibench->latency = ibench->throughput = -1;
	return true;
}

static bool read_cycles(struct ibench *ibench, bool is_latency)
{
	struct takt_word word = takt_reader_word(&ibench->reader);
	double most = is_latency ? CYCLES_MAX : RTHROUGHPUT_MAX, cycles;
	char text[32], *end;

	if (!word.size || word.size >= sizeof(text))
		return takt_reader_error(&ibench->reader, word, "expected a number of cycles");
	memcpy(text, word.data, word.size);
	text[word.size] = '\0';
	cycles = takt_strtod(text, &end);
	if (*end || !(cycles >= 0) || cycles > most)
		return takt_reader_error(&ibench->reader, word,
					 "expected a number of cycles from 0 to %.0f", most);
	*(is_latency ? &ibench->latency : &ibench->throughput) = cycles;
	return true;
}

static bool read_line(struct ibench *ibench)
{
	struct takt_word word = takt_reader_word(&ibench->reader), name;

	if (takt_word_is(word, "Using")) /* "Using frequency 2.50GHz." */
		return true;
	if (takt_word_is(word, "Latency:") || takt_word_is(word, "Throughput:")) {
		if (!*ibench->name)
			return takt_reader_error(&ibench->reader, word,
						 "figures without an instruction");
		return read_cycles(ibench, takt_word_is(word, "Latency:"));
	}
	name = (struct takt_word){word.data, word.size > 4 ? word.size - 4 : 0};
	if (name.size && memcmp(name.data + name.size, "-LT:", 4) == 0)
		return begin(ibench, name) && read_cycles(ibench, true);
	if (name.size && memcmp(name.data + name.size, "-TP:", 4) == 0)
		return begin(ibench, name) && read_cycles(ibench, false);
	if (takt_reader_rest(&ibench->reader).size || !takt_word_is_name(word, "-_."))
		return takt_reader_error(&ibench->reader, word,
					 "neither ibench nor asmbench prints such a line");
	return begin(ibench, word);
}

bool takt_import_ibench(struct takt_import_table *table, const void *data, size_t size_bytes)
{
	struct ibench *ibench = TAKT_NEW(&table->arena, struct ibench);

	ibench->table = table;
	takt_reader_init(&ibench->reader, table->file, data, size_bytes, &table->arena,
			 table->diag);
	while (takt_reader_line(&ibench->reader))
		if (!read_line(ibench)) {
			takt_note(table->diag, "lines are 'NAME-OPERANDS-LT: CYCLES' and '…-TP: "
					       "CYCLES' of ibench, or 'NAME-OPERANDS', 'Latency: "
					       "CYCLES', 'Throughput: CYCLES' of asmbench");
			return false;
		}
	finish(ibench);
	return true;
}
