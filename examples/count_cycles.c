/* SPDX-License-Identifier: MIT */
/*
 * How to use the library: prints the headline and the busiest port of every region of
 * an object file.
 *
 *     cc count_cycles.c $(pkg-config --cflags --libs takt) -o count_cycles
 *     ./count_cycles SKX kernel.o
 */
#include <stdio.h>
#include <takt/takt.h>

/* An analysis is an open record: its fields are there to be read. */
static void print_analysis(const struct takt_analysis *analysis)
{
	uint32_t busiest = 0;

	for (uint32_t port = 1; port < analysis->port_count; port++)
		if (analysis->port_cycles[port] > analysis->port_cycles[busiest])
			busiest = port;
	printf("%s: %.2f cycles per iteration, limited by %s; busiest port %s, %.2f cycles\n",
	       analysis->region_name, analysis->cycles_per_iteration, analysis->limit,
	       analysis->port_names[busiest], analysis->port_cycles[busiest]);
}

/* Each opened object has one close; NULL is fine. */
static bool count_cycles(const char *core, const char *path, struct takt_diag *diag)
{
	struct takt_code_options what = {.path = path}; /* its marked parts, or its loops */
	struct takt_analysis_options how = {.mode = TAKT_MODE_AUTO};
	struct takt_model *model = NULL;
	struct takt_code *code = NULL;
	bool good = takt_model_open(core, NULL, diag, &model) == TAKT_OK &&
		    takt_code_open(&what, diag, &code) == TAKT_OK;

	for (size_t i = 0; good && i < takt_code_region_count(code); i++) {
		struct takt_analysis *analysis;

		if (takt_analyze(model, code, i, &how, diag, &analysis) != TAKT_OK)
			continue; /* why is in the diagnostics */
		print_analysis(analysis);
		takt_analysis_free(analysis);
	}
	takt_code_close(code);
	takt_model_close(model);
	return good && !takt_diag_error_count(diag);
}

int main(int argc, char **argv)
{
	struct takt_diag *diag = takt_diag_new();
	bool good = false;

	if (argc == 3)
		good = count_cycles(argv[1], argv[2], diag);
	else
		fprintf(stderr, "usage: %s CORE FILE\n", argv[0]);
	fputs(takt_diag_text(diag), stderr); /* the library itself prints nothing */
	takt_diag_free(diag);
	return good ? 0 : 1;
}
