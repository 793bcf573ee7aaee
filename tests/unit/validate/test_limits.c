/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "validate/limits.h"

/* Derived from streams; LIKWID's factors, where its own files agree. */
static const struct {
	int line;
	const char *kernel;
	double traffic;
} rows[] = {
	{__LINE__, "load", 1},	       {__LINE__, "store", 2},	      {__LINE__, "copy", 1.5},
	{__LINE__, "update", 1},       {__LINE__, "ddot", 1},	      {__LINE__, "daxpy", 1},
	{__LINE__, "stream", 4.0 / 3}, {__LINE__, "triad", 5.0 / 4},  {__LINE__, "copy_sse_nt", 1},
	{__LINE__, "peakflops", 1},    {__LINE__, "triad_avx_nt", 1}, {__LINE__, "mixed_avx", 1.5},
};

static void check_traffic(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct kernel_request request;
		struct kernel_code code = {.size_bytes = 0};

		if (!ok(takt_kernel_request(rows[i].kernel, KERNEL_X86, NULL, &request) == TAKT_OK,
			"%s", rows[i].kernel))
			continue;
		takt_kernel_emit(&request, &code);
		tap_is_near(__FILE__, rows[i].line, takt_limit_traffic(&code, request.non_temporal),
			    rows[i].traffic, rows[i].kernel);
	}
}

static const char file[] = "# takt bench 1\n# cpu: A; B\n# note: x\n"
			   "kind,kernel,level,threads,cpus,pages,size_bytes,value,unit,per_cycle,"
			   "median,traffic,rounds,"
			   "disturbed\n"
			   "bandwidth,copy_sse,L2,2,0 1,huge,1024,12.5,GB/s,4.25,12,1.5,7,1\n"
			   "transfer,bounce,,2,0 1,,0,60,ns,180,61,1,7,0\n";

static void check_file(void)
{
	struct takt_machine_limits *limits;
	struct takt_text *text = takt_text_new();
	struct takt_diag *diag = takt_diag_new();

	if (ok(takt_machine_limits_parse(file, sizeof(file) - 1, "f", diag, &limits) == TAKT_OK,
	       "read")) {
		is_int(limits->count, 2, "rows");
		is_string(limits->items[0].cpus, "0 1", "processors");
		is_near(limits->items[0].traffic, 1.5, "traffic");
		is_int(limits->items[1].kind, TAKT_LIMIT_TRANSFER, "kind");
		takt_write_machine_limits(limits, TAKT_FORMAT_CSV, text);
		is_string(takt_text_data(text), file, "written again");
		takt_text_clear(text);
		takt_write_machine_limits(limits, TAKT_FORMAT_TEXT, text);
		ok(strstr(takt_text_data(text), "copy_sse") != NULL, "as text");
		takt_machine_limits_free(limits);
	}
	ok(takt_machine_limits_parse(file, 20, "f", diag, &limits) == TAKT_BAD_INPUT,
	   "half a file");
	is_int((long long)takt_diag_error_count(diag), 1, "one error");
	takt_text_free(text);
	takt_diag_free(diag);
}

/* Sizes beyond what can be written again are refused: 2^63 - 1 is the largest. */
static void check_sizes(void)
{
	static const struct {
		int line;
		const char *size;
		bool fits;
	} sizes[] = {
		{__LINE__, "9223372036854775807", true},
		{__LINE__, "9223372036854775808", false},
		{__LINE__, "18446744073709551616", false},
		{__LINE__, "155555555555555555024", false},
	};
	const char *size = strstr(file, "1024");

	for (size_t i = 0; i < TAKT_COUNT_OF(sizes); i++) {
		struct takt_diag *diag = takt_diag_new();
		struct takt_machine_limits *limits;
		char text[1024];
		int length = snprintf(text, sizeof(text), "%.*s%s%s", (int)(size - file), file,
				      sizes[i].size, size + strlen("1024"));
		bool fits = takt_machine_limits_parse(text, (size_t)length, "f", diag, &limits) ==
			    TAKT_OK;

		tap_ok_at(__FILE__, sizes[i].line, fits == sizes[i].fits, "%s bytes",
			  sizes[i].size);
		if (fits)
			takt_machine_limits_free(limits);
		takt_diag_free(diag);
	}
}

static void check_options(void)
{
	static const struct {
		int line;
		struct takt_machine_limits_options options;
	} bad[] = {
		{__LINE__, {.levels = "L9"}},
		{__LINE__, {.kernels = "nothing"}},
		{__LINE__, {.kernels = "load,triad_sse_fma"}},
		{__LINE__, {.threads = "0"}},
		{__LINE__, {.threads = "1,99999"}},
		{__LINE__, {.threads = ""}},
		{__LINE__, {.rounds = 1000}},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(bad); i++) {
		struct takt_diag *diag = takt_diag_new();
		struct takt_machine_limits *limits;

		tap_ok_at(__FILE__, bad[i].line,
			  takt_machine_limits_measure(&bad[i].options, diag, &limits) != TAKT_OK &&
				  takt_diag_error_count(diag) == 1,
			  "refused: %s", takt_diag_text(diag));
		takt_diag_free(diag);
	}
}

/* It runs, and figures make sense; how good they are depends on who else is here. */
static void check_run(void)
{
	const struct takt_machine_limits_options options = {
		.kinds = TAKT_LIMIT_BANDWIDTH | TAKT_LIMIT_LATENCY | TAKT_LIMIT_FLOPS,
		.levels = "L1",
		.kernels = "load",
		.threads = "1",
		.rounds = 2,
		.round_seconds = 1e-4};
	struct takt_diag *diag = takt_diag_new();
	struct takt_machine_limits *limits;

	if (takt_machine_limits_measure(&options, diag, &limits) != TAKT_OK) {
		tap_skip("timed", takt_diag_text(diag));
	} else {
		bool fine = limits->count > 0;

		for (uint32_t i = 0; i < limits->count; i++)
			fine = fine && limits->items[i].value > 0 &&
			       limits->items[i].per_cycle > 0 && limits->items[i].rounds >= 2;
		ok(fine, "%u figures", limits->count);
		takt_machine_limits_free(limits);
	}
	takt_diag_free(diag);
}

int main(void)
{
	check_traffic();
	check_file();
	check_sizes();
	check_options();
	check_run();
	return tap_done();
}
