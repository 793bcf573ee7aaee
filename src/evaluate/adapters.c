/* SPDX-License-Identifier: MIT */
/* Cycles of blocks by other tools (llvm-mca, OSACA, uiCA), and by measurement on this machine. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "evaluate/evaluate.h"

#define SECONDS_MAX 60	 /* time limit for a tool */
#define REASON_BYTES 300 /* of a failed tool's output, kept as the reason */

/* ---- llvm-mca ---- */

#define MCA_ITERATIONS 100 /* llvm-mca's default */

static bool write_block(const struct takt_flow_block *block, struct takt_text *text)
{
	const uint8_t *next = block->bytes, *end = next + block->size_bytes;
	struct takt_insn insn;

	for (uint64_t address = block->offset; next < end; next += insn.length_bytes) {
		if (takt_decode(&takt_isa_x86, next, (size_t)(end - next), address, &insn) !=
		    TAKT_OK)
			return false;
		takt_insn_write(&insn, TAKT_SYNTAX_ATT, text);
		takt_text_add_string(text, "\n");
		address += insn.length_bytes;
	}
	return true;
}

/* Sum up executions × cycles of all blocks; the report has "Total Cycles:" of a region for each. */
static double lift_report(const char *report, const struct evaluate_code *code)
{
	static const char word[] = "Total Cycles:";
	double sum = 0;

	for (size_t i = 0; i < code->graph.block_count; i++) {
		report = strstr(report, word);
		if (!report)
			return NAN;
		report += strlen(word);
		sum += takt_strtod(report, NULL) / MCA_ITERATIONS *
		       (double)code->graph.blocks[i].executions;
	}
	return sum;
}

double takt_blocks_mca(const struct evaluate_predictor *predictor, const struct evaluate_code *code,
		       const char **ret_remark)
{
	const char *const argv[] = {predictor->program,
				    "-mtriple=x86_64",
				    "-mcpu=native",
				    "-iterations=100",
				    "-instruction-info=0",
				    "-resource-pressure=0",
				    NULL};
	struct takt_text input = {0}, output = {0};
	double cycles = NAN;
	bool fine = true;

	for (size_t i = 0; fine && i < code->graph.block_count; i++) {
		takt_text_printf(&input, "# LLVM-MCA-BEGIN %zu\n", i);
		fine = write_block(&code->graph.blocks[i], &input);
		takt_text_add_string(&input, "# LLVM-MCA-END\n");
	}
	if (fine && takt_program_run(argv, takt_text_data(&input), SECONDS_MAX, &output) == 0)
		cycles = lift_report(takt_text_data(&output), code);
	if (isnan(cycles))
		*ret_remark = takt_arena_printf(code->arena, "%.300s", takt_text_data(&output));
	takt_text_release(&output);
	takt_text_release(&input);
	return cycles;
}

/* ---- tools that read a file for each block ---- */

static bool write_file(const char *path, const void *data, size_t size_bytes)
{
	FILE *file = fopen(path, "wb");
	bool fine = file && fwrite(data, 1, size_bytes, file) == size_bytes;

	if (file && fclose(file) != 0)
		fine = false;
	return fine;
}

/* Run a tool on a file, which is deleted; return its output in the arena, or NULL with a reason. */
static const char *ask(const struct evaluate_code *code, const char *path, const char *const *argv,
		       const char **ret_remark)
{
	struct takt_text output = {0};
	const char *said;
	int status;

	status = takt_program_run(argv, NULL, SECONDS_MAX, &output);
	unlink(path);
	said = takt_text_move(&output, code->arena);
	if (status == 0)
		return said;
	*ret_remark = takt_arena_printf(code->arena, "%.*s", REASON_BYTES, said);
	return NULL;
}

double takt_block_uica(const struct evaluate_predictor *predictor, const struct evaluate_code *code,
		       const struct takt_flow_block *block, const char **ret_remark)
{
	const char *path = takt_arena_printf(code->arena, "%s.bin", code->scratch), *said;
	const char *const argv[] = {predictor->program,		  path,	     "-raw", "-arch",
				    takt_model_name(code->model), "-TPonly", NULL};
	double cycles;
	char *end;

	*ret_remark = "there is no room for a file";
	if (!write_file(path, block->bytes, block->size_bytes))
		return NAN;
	said = ask(code, path, argv, ret_remark);
	if (!said)
		return NAN;
	cycles = takt_strtod(said, &end);
	*ret_remark = end == said ? takt_arena_printf(code->arena, "%.*s", REASON_BYTES, said) : "";
	return end == said ? NAN : cycles;
}

/* Find the largest number after a colon between two places of results in YAML. */
static double largest_number(const char *begin, const char *end)
{
	double largest = NAN;

	for (; begin < end; begin++) {
		char *after;
		double value;

		if (*begin != ':')
			continue;
		value = takt_strtod(begin + 1, &after);
		if (after > begin + 1 && after <= end)
			largest = fmax(largest, value);
	}
	return largest;
}

double takt_osaca_cycles(const char *results)
{
	const char *summary = strstr(results, "Summary:");
	const char *ports = summary ? strstr(summary, "PortPressure:") : NULL;
	const char *path = ports ? strstr(ports, "CriticalPath:") : NULL;
	const char *carried = summary ? strstr(summary, "LCD:") : NULL;
	double port_cycles = path ? largest_number(ports, path) : NAN;
	double carried_cycles =
		carried ? largest_number(carried, carried + strcspn(carried, "\n")) : NAN;

	return isnan(port_cycles) || isnan(carried_cycles) ? NAN
							   : fmax(port_cycles, carried_cycles);
}

static double read_osaca(const char *path)
{
	struct takt_file file;
	struct takt_text text = {0};
	double cycles;

	if (takt_file_open(path, NULL, &file) != TAKT_OK)
		return NAN;
	takt_text_add(&text, (const char *)file.data, file.size_bytes);
	cycles = takt_osaca_cycles(takt_text_data(&text));
	takt_text_release(&text);
	takt_file_close(&file);
	return cycles;
}

double takt_block_osaca(const struct evaluate_predictor *predictor,
			const struct evaluate_code *code, const struct takt_flow_block *block,
			const char **ret_remark)
{
	const char *path = takt_arena_printf(code->arena, "%s.s", code->scratch);
	const char *results = takt_arena_printf(code->arena, "%s.yml", code->scratch);
	const char *const argv[] = {predictor->program,
				    "--arch",
				    takt_model_name(code->model),
				    "--ignore-unknown",
				    "--yaml-out",
				    results,
				    path,
				    NULL};
	struct takt_text text = {0};
	double cycles = NAN;
	bool fine;

	*ret_remark = "there is no room for a file";
	fine = write_block(block, &text) &&
	       write_file(path, takt_text_data(&text), text.size_bytes);
	takt_text_release(&text);
	if (fine && ask(code, path, argv, ret_remark)) {
		*ret_remark = "its results are invalid";
		cycles = read_osaca(results);
	}
	unlink(results);
	return cycles;
}

/* ---- this machine, measured as BHive does: copies of a block without its branch ---- */

#define TRIES 3		 /* for blocks whose measurement is disturbed by other load */
#define SECONDS_EACH 0.5 /* time limit of one measurement */

static size_t size_without_branch(const struct takt_flow_block *block)
{
	const uint8_t *next = block->bytes, *end = next + block->size_bytes;
	struct takt_insn_flow step = {0};

	for (; next < end; next += step.length_bytes)
		if (!takt_insn_flow_decode(&takt_isa_x86, next, (size_t)(end - next), &step))
			return block->size_bytes;
	return block->size_bytes - (step.flow == TAKT_FLOW_NEXT ? 0 : step.length_bytes);
}

static bool open_bench(const struct evaluate_code *code, const char **ret_remark)
{
	const struct takt_measure_options options = {.mode = TAKT_MODE_UNROLL,
						     .initial = TAKT_INITIAL_SAME,
						     .time_limit_seconds = SECONDS_EACH};
	struct takt_diag *diag = takt_diag_new();

	if (!*code->bench && takt_measurer_open(&options, diag, code->bench) != TAKT_OK)
		*ret_remark =
			takt_arena_printf(code->arena, "%.*s", REASON_BYTES, takt_diag_text(diag));
	takt_diag_free(diag);
	return *code->bench != NULL;
}

double takt_block_measure(const struct evaluate_predictor *predictor,
			  const struct evaluate_code *code, const struct takt_flow_block *block,
			  const char **ret_remark)
{
	struct takt_measurement result = {.status = TAKT_MEASURE_DISTURBED};
	size_t size = size_without_branch(block);

	(void)predictor;
	if (size == 0)
		return 0;
	if (!open_bench(code, ret_remark))
		return NAN;
	for (int i = 0; i < TRIES && result.status == TAKT_MEASURE_DISTURBED; i++)
		takt_measure(*code->bench, block->bytes, size, &result);
	if (result.status == TAKT_MEASURE_OK)
		return result.cycles;
	*ret_remark = takt_measure_status_text(result.status);
	return NAN;
}
