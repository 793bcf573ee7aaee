/* SPDX-License-Identifier: MIT */
/* The front end's limits; that the simulator keeps them is for the invariants. */
#include "../model/fixture.h"
#include "bounds/bounds.h"

#define INSNS_MAX 32
#define BYTES_MAX 128

#define NOPS_9 "909090909090909090"
#define LEA_8 "488d848000010000" /* lea rax, [rax+rax*4+256] */
#define MOV_5 "b801000000"
#define COMPARE "663d1601" /* cmp ax, 278 */

#define INTEL                                                                                      \
	"predecode_width 5 e\nlength_change_cycles 3 e\nop_cache_width 6 e\n"                      \
	"op_cache_window_lines 3 e\nop_cache_reread no e\nfetch_bytes 16 e\n"
#define LOOPS INTEL "loop_buffer yes e\nloop_buffer_copies 88886544 e\n"
#define STRAIGHT                                                                                   \
	"op_cache_straight yes e\nop_cache_width 8 e\nop_cache_line_slots 8 e\n"                   \
	"op_cache_line_places 20 e\nop_cache_lines_per_cycle 1 e\nissue_width 6 e\n"

#define AHEAD                                                                                      \
	"op_cache_width 9 e\nop_cache_line_slots 9 e\nop_cache_window_bytes 64 e\n"                \
	"op_cache_windows_ahead 8 e\nop_cache_lines_per_cycle 1 e\nissue_width 6 e\n"

static const struct {
	int line;
	const char *core, *hex;
	bool loop;
	double cycles;
	const char *component, *what;
} rows[] = {
	{__LINE__, INTEL, LEA_8 LEA_8 LEA_8, false, 1.5, "predecoder", "two of 8 bytes a cycle"},
	{__LINE__, INTEL, MOV_5, false, .3125, "predecoder", "3.2 of 5 bytes a cycle"},
	{__LINE__, INTEL, COMPARE, false, 3.25, "predecoder", "length-changing prefixes"},
	{__LINE__, INTEL, "90", false, .25, "issue", "nops"},
	{__LINE__, INTEL, "f1f1", false, 2, "decoders", "complex ones"},
	{__LINE__, INTEL, NOPS_9 "75f5", true, 2.5, "issue", "ten out of the op cache"},
	{__LINE__, INTEL "issue_width 8 e\n", NOPS_9 "75f5", true, 2, "op cache",
	 "one window is not read twice in a cycle"},
	{__LINE__, LOOPS, "90909075fb", true, 1, "issue", "four in the loop buffer"},
	{__LINE__, LOOPS, "9090909075fa", true, 4. / 3, "loop buffer", "five, six times"},
	{__LINE__, AHEAD, NOPS_9 "75f5", true, 2, "op cache", "two lines of one window"},
	{__LINE__, AHEAD, LEA_8 LEA_8 LEA_8 LEA_8 LEA_8 LEA_8 LEA_8 NOPS_9 "75bd", true, 17. / 6,
	 "issue", "two lines, of two windows"},
	{__LINE__, STRAIGHT, LEA_8 LEA_8 LEA_8, false, .5, "issue", "three constants"},
	{__LINE__, STRAIGHT, "48b8efcdab8967452301", false, .2, "op cache", "two in each"},
};

static double bound_of(const struct takt_model *model, const char *hex, bool loop,
		       const char **ret_component)
{
	struct takt_front_end_options options = {.loop = loop};
	struct takt_front_end_bounds bounds;
	struct takt_timing_storage storage[INSNS_MAX];
	struct takt_timing timings[INSNS_MAX];
	struct takt_arena arena = {0};
	struct takt_block block;
	uint8_t bytes[BYTES_MAX];
	size_t size = 0;
	unsigned byte;

	for (; sscanf(hex + 2 * size, "%2x", &byte) == 1; size++)
		bytes[size] = (uint8_t)byte;
	if (takt_decode_block(&takt_isa_x86,
			      &(struct takt_code_bytes){bytes, size, 0, "test", NULL}, &arena, NULL,
			      &block) != TAKT_OK)
		return -1;
	for (uint32_t i = 0; i < block.count; i++)
		takt_model_timing(model, &block.insns[i], &storage[i], &timings[i]);
	takt_front_end_bound(model, &block, timings, &options, &arena, &bounds);
	*ret_component = bounds.component;
	takt_arena_release(&arena);
	return bounds.cycles;
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_model *model =
			fixture_core(&fixture, rows[i].core,
				     "nop | - | slots=1 lat=0\nlea r64, [b+i*s+d] | 1*p01 | lat=1\n"
				     "mov r32, i32 | 1*p01 | lat=1\nmov r64, i64 | 1*p01 | lat=1\n"
				     "cmp ax, i16 | 1*p01 | lat=1\njne rel | 1*p0 | lat=1\n"
				     "int1 | 2*p0 | lat=1 slots=2 complex simple=0\n");
		const char *component = "";
		double cycles = model ? bound_of(model, rows[i].hex, rows[i].loop, &component) : -1;

		tap_is_near(__FILE__, rows[i].line, cycles, rows[i].cycles, rows[i].what);
		tap_is_string(__FILE__, rows[i].line, component, rows[i].component, rows[i].what);
		takt_model_close(model);
	}
	fixture_close(&fixture);
	return tap_done();
}
