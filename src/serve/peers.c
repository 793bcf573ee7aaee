/* SPDX-License-Identifier: MIT */
/*
 * Asks other predictors of cycles, if they are installed. They get the instructions as takt writes
 * them, not the user's text: no directive of that reaches them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "serve/serve.h"
#include "takt-lab/evaluate.h"

#define CODE_BYTES_MAX ((size_t)32 << 10)
#define OUTPUT_BYTES_MAX ((size_t)16 << 20)
#define REASON_BYTES_MAX 200
#define PATH_BYTES 128
#define WORDS_MAX 10
#define MCA_ITERATIONS 100 /* llvm-mca's default */
#define OSACA "osaca"

/* A request's work: the code as text, and the files through which tools get it and answer. */
struct asking {
	const char *folder, *source, *output, *results;
	const struct takt_model *model;
	const struct serve_peer_core *core; /* NULL: no tool has the core */
};

/* ---- tools ------------------------------------------------------------------------- */

/* Versions of llvm-mca as Debian names them, the newest first. */
static const char *const mca_names[] = {"llvm-mca-21", "llvm-mca-20", "llvm-mca-19",
					"llvm-mca-18", "llvm-mca-17", "llvm-mca-16",
					"llvm-mca-15", "llvm-mca-14", "llvm-mca"};

static const char *find_mca(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(mca_names); i++)
		if (takt_program_exists(mca_names[i]))
			return mca_names[i];
	return NULL;
}

/* The words of a command, in memory that execvpe() may have. */
static int run(const struct asking *asking, const char *const *words)
{
	char *copies[WORDS_MAX + 1] = {NULL};
	struct takt_arena arena = {0};
	int status;

	for (size_t i = 0; words[i] && i < WORDS_MAX; i++)
		copies[i] = takt_arena_string(&arena, words[i]);
	status = takt_serve_program_run(&(struct serve_program){.words = copies,
								.input = asking->source,
								.output = asking->output,
								.folder = asking->folder});
	takt_arena_release(&arena);
	return status;
}

static int run_mca(const struct asking *asking, const char *program)
{
	struct takt_text cpu = {0};
	const char *words[] = {program,
			       NULL,
			       NULL,
			       "-iterations=100",
			       "-instruction-info=0",
			       "-resource-pressure=0",
			       NULL};
	int status;

	takt_text_printf(&cpu, "-mcpu=%s", asking->core->llvm);
	words[1] = takt_model_isa(asking->model) == &takt_isa_x86 ? "-mtriple=x86_64"
								  : "-mtriple=aarch64";
	words[2] = cpu.data;
	status = run(asking, words);
	takt_text_release(&cpu);
	return status;
}

static double read_mca(const char *output)
{
	static const char word[] = "Total Cycles:";
	const char *place = strstr(output, word);

	return place ? takt_strtod(place + strlen(word), NULL) / MCA_ITERATIONS : NAN;
}

static int run_osaca(const struct asking *asking, const char *program)
{
	const char *const words[] = {
		program,      "--arch",	       asking->core->osaca, "--ignore-unknown",
		"--yaml-out", asking->results, asking->source,	    NULL};

	return run(asking, words);
}

/* ---- answers ------------------------------------------------------------------------- */

/* Write a reason: the first line of what a tool said. */
static void write_reason(const char *said, struct takt_json *json)
{
	char line[REASON_BYTES_MAX];
	size_t size = said ? strcspn(said, "\n") : 0;

	snprintf(line, sizeof(line), "%.*s", (int)size, said ? said : "");
	takt_json_string(json, "reason", *line ? line : "it gave no figure");
}

static void write_prediction(const struct asking *asking, const char *tool, const char *method,
			     double cycles, struct takt_json *json)
{
	char *said = NULL;
	size_t size;

	takt_json_open_object(json, NULL);
	takt_json_string(json, "core", takt_model_name(asking->model));
	takt_json_string(json, "tool", tool);
	takt_json_string(json, "method", method);
	takt_json_number(json, "cycles", cycles);
	if (isnan(cycles)) {
		(void)takt_serve_file_read(asking->output, OUTPUT_BYTES_MAX, &said, &size);
		write_reason(said, json);
		free(said);
	}
	takt_json_close_object(json);
}

static double read_figure(const char *path, double (*read)(const char *text))
{
	double cycles = NAN;
	char *text;
	size_t size;

	if (takt_serve_file_read(path, OUTPUT_BYTES_MAX, &text, &size)) {
		cycles = read(text);
		free(text);
	}
	return cycles;
}

/* Remove files that an earlier run left, since programs append to none and create theirs. */
static void clean(const struct asking *asking)
{
	(void)remove(asking->output);
	(void)remove(asking->results);
}

static void ask_mca(const struct asking *asking, struct takt_json *json)
{
	const char *tool = find_mca();
	double cycles = NAN;

	if (!tool || !asking->core->llvm)
		return;
	clean(asking);
	if (run_mca(asking, tool) == 0)
		cycles = read_figure(asking->output, read_mca);
	write_prediction(asking, tool, "total cycles of 100 iterations, divided by 100", cycles,
			 json);
}

static void ask_osaca(const struct asking *asking, struct takt_json *json)
{
	double cycles = NAN;

	if (!takt_program_exists(OSACA) || !asking->core->osaca)
		return;
	clean(asking);
	if (run_osaca(asking, OSACA) == 0)
		cycles = read_figure(asking->results, takt_osaca_cycles);
	write_prediction(asking, OSACA,
			 "the larger of the busiest port and the loop-carried dependence", cycles,
			 json);
}

/* ---- the code -------------------------------------------------------------------------- */

static bool read_hex(const char *hex, struct takt_arena *arena, struct takt_diag *diag,
		     uint8_t **ret_bytes, size_t *ret_size)
{
	size_t size = hex ? strlen(hex) : 0;
	uint8_t *bytes;

	if (!size || size % 2 || size / 2 > CODE_BYTES_MAX ||
	    hex[strspn(hex, "0123456789abcdefABCDEF")]) {
		takt_error(diag, "'hex' must have the bytes of the code, up to 32 KiB");
		return false;
	}
	bytes = TAKT_NEW_ARRAY(arena, size / 2, uint8_t);
	for (size_t i = 0; i < size / 2; i++) {
		char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

		bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
	*ret_bytes = bytes;
	*ret_size = size / 2;
	return true;
}

/* Write the instructions in the syntax that both tools read. */
static bool write_code(const struct takt_isa *isa, const uint8_t *bytes, size_t size,
		       struct takt_diag *diag, struct takt_text *text)
{
	struct takt_insn insn;

	for (size_t at = 0; at < size; at += insn.length_bytes) {
		if (takt_decode(isa, bytes + at, size - at, at, &insn) != TAKT_OK) {
			takt_error(diag, "the bytes at %zu are no instruction", at);
			return false;
		}
		takt_insn_write(&insn, TAKT_SYNTAX_ATT, text);
		takt_text_add_string(text, "\n");
	}
	return true;
}

static const struct serve_peer_core *find_core(const char *name)
{
	for (size_t i = 0; i < takt_peer_core_count; i++)
		if (strcmp(takt_peer_cores[i].name, name) == 0)
			return &takt_peer_cores[i];
	return NULL;
}

static bool predict_on(struct asking *asking, const char *name, const uint8_t *bytes, size_t size,
		       struct takt_json *json, struct takt_diag *diag)
{
	struct takt_model *model;
	struct takt_text text = {0};
	bool fine;

	if (takt_model_open(name, NULL, diag, &model) != TAKT_OK)
		return false;
	asking->model = model;
	asking->core = find_core(takt_model_name(model));
	fine = !asking->core || write_code(takt_model_isa(model), bytes, size, diag, &text);
	if (fine && asking->core) {
		(void)remove(asking->source);
		if (takt_serve_file_write(asking->source, text.data, text.size_bytes)) {
			ask_mca(asking, json);
			ask_osaca(asking, json);
		}
	}
	takt_text_release(&text);
	takt_model_close(model);
	return fine;
}

bool takt_serve_predict(const struct serve_query *query, struct takt_json *json,
			struct takt_diag *diag)
{
	char folder[PATH_BYTES / 2], source[PATH_BYTES], output[PATH_BYTES], results[PATH_BYTES];
	struct asking asking = {
		.folder = folder, .source = source, .output = output, .results = results};
	struct takt_arena arena = {0};
	uint8_t *bytes;
	size_t size;
	bool fine;

	fine = read_hex(query->hex, &arena, diag, &bytes, &size);
	if (fine && !takt_serve_folder_make(folder, sizeof(folder))) {
		takt_error(diag, "cannot make a folder for temporary files: %s", strerror(errno));
		fine = false;
	}
	if (fine) {
		snprintf(source, sizeof(source), "%s/code.s", folder);
		snprintf(output, sizeof(output), "%s/output", folder);
		snprintf(results, sizeof(results), "%s/results.yml", folder);
		takt_json_open_array(json, "predictions");
		for (size_t i = 0; fine && i < query->core_count; i++)
			fine = predict_on(&asking, query->cores[i], bytes, size, json, diag);
		takt_json_close_array(json);
		takt_serve_remove_folder(folder);
	}
	takt_arena_release(&arena);
	return fine;
}

void takt_serve_peers_write(struct takt_json *json)
{
	const char *mca = find_mca();

	takt_json_open_array(json, "predictors");
	if (mca)
		takt_json_string(json, NULL, mca);
	if (takt_program_exists(OSACA))
		takt_json_string(json, NULL, OSACA);
	takt_json_close_array(json);
}
