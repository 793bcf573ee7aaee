/* SPDX-License-Identifier: MIT */
/* What a result says, and which texts are none. */
#include "trace/trace.h"
#include "../tap.h"

#include "result_text.h"

static enum takt_status read_text(const char *text, struct takt_diag *diag,
				  struct takt_trace_totals **ret_totals)
{
	return takt_trace_result_read((const uint8_t *)text, strlen(text), "result", diag,
				      ret_totals);
}

static void check_totals(const struct takt_trace_totals *totals)
{
	is_string(totals->guest, "x86-64", "guest");
	is_string(totals->core, "SKX", "core");
	is_string(totals->settings, "--cache", "settings");
	ok(totals->models_caches && !totals->models_branches, "what older options modelled");
	is_int((long long)totals->all.insns, 1000, "instructions");
	is_int((long long)totals->all.uops, 1100, "uops");
	is_int((long long)totals->all.cycles, 500, "cycles");
	is_int((long long)totals->all.syscalls, 3, "system calls");
	is_int((long long)totals->all.losses[0], 400, "retiring");
	is_int(totals->exit_status, -1, "exit status");
	is_int(totals->signal, 6, "signal");
	ok(totals->became_other, "became another");
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		if (strcmp(takt_trace_loss_name(i), "memory") == 0)
			is_int((long long)totals->all.losses[i], 100, "memory, by its name");
}

static void check_profile(const struct takt_trace_profile *profile)
{
	is_int(profile->function_count, 2, "functions");
	is_string(profile->functions[1].name, "sum(int)", "name");
	is_string(profile->functions[1].symbol, "_Z3sumi", "symbol");
	is_string(profile->functions[1].file, "/bin/old", "file");
	is_int((long long)profile->functions[1].address, 0x401010, "address");
	is_int((long long)profile->functions[1].calls, 100, "calls");
	is_int((long long)profile->functions[1].self.cycles, 300, "cycles of its own");
	is_int((long long)profile->functions[0].total_cycles, 500, "cycles with others");
	is_int(profile->block_count, 3, "blocks");
	is_int(profile->blocks[2].function, 1, "function of a block");
	is_int((long long)profile->blocks[2].offset, 5, "offset");
	is_int(profile->blocks[2].insn_count, 2, "length");
	is_int(profile->blocks[2].size_bytes, 3, "bytes");
	is_int(profile->blocks[2].bytes[1], 0xc0, "a byte");
	is_int((long long)profile->blocks[2].executions, 100, "executions");
	is_int((long long)profile->blocks[1].weight.losses[0], 225, "losses of a block");
}

/* What the writer writes is what is read. */
static void read_back(void)
{
	static const struct takt_trace_sample sample = {
		.half_width_cycles = 1234.5, .units = 7, .simulated_insns = 70000};
	const struct takt_trace_totals written = {
		.guest = "x86-64",
		.core = "SKX",
		.settings = "--ideal=caches",
		.models_branches = true,
		.all = {.insns = 1000, .uops = 1100, .cycles = 15, .losses = {1, 2, 3, 4, 5}},
		.sample = &sample,
	};
	struct takt_text *text = takt_text_new();
	struct takt_trace_totals *totals = NULL;

	takt_write_trace_json(&written, text);
	if (ok(read_text(takt_text_data(text), NULL, &totals) == TAKT_OK, "read back")) {
		ok(memcmp(totals->all.losses, written.all.losses, sizeof(written.all.losses)) == 0,
		   "losses");
		ok(totals->sample && memcmp(totals->sample, &sample, sizeof(sample)) == 0,
		   "the sample");
		ok(!totals->models_caches && totals->models_branches, "what is modelled");
	}
	takt_trace_result_close(totals);
	takt_text_free(text);
}

static void refuse(void)
{
	static const struct {
		int line;
		const char *text, *message;
	} rows[] = {
		{__LINE__, "", "an object is expected here"},
		{__LINE__, "{}", "this is no trace result"},
		{__LINE__, "{\"schema\": \"takt-trace-2\"}", "is not \"takt-trace-1\""},
		{__LINE__, "{\"schema\": null}", "is not \"takt-trace-1\""},
		{__LINE__, "{\"schema\": \"takt-trace-1\"} x", "something follows the end"},
		{__LINE__, "{\"schema\": \"takt-trace-1\", \"cycles\": 1.5}", "a whole number"},
		{__LINE__,
		 "{\"schema\": \"takt-trace-1\", \"sample\": {\"half_width_cycles\": 1e999}}",
		 "a number is expected"},
		{__LINE__, "{\"schema\": \"takt-trace-1\", \"exit_status\": 4294967296}",
		 "too large"},
		{__LINE__, "{\"schema\": \"takt-trace-1\", \"functions\": [{}]}", "has no name"},
		{__LINE__, "{\"schema\": \"takt-trace-1\", \"functions\": {}}",
		 "an array is expected"},
		{__LINE__,
		 "{\"schema\": \"takt-trace-1\", \"functions\": [{\"name\": \"f\", \"address\": "
		 "\"x\"}]}",
		 "an address"},
		{__LINE__, "{\"schema\": \"takt-trace-1\", \"blocks_run\": [{\"function\": 0}]}",
		 "of no function"},
		{__LINE__,
		 "{\"schema\": \"takt-trace-1\", \"functions\": [{\"name\": \"f\"}], "
		 "\"blocks_run\": [{\"function\": 0, \"bytes\": \"90f\"}]}",
		 "half a byte"},
		{__LINE__,
		 "{\"schema\": \"takt-trace-1\", \"functions\": [{\"name\": \"f\"}], "
		 "\"blocks_run\": [{\"function\": 0, \"bytes\": \"9g\"}]}",
		 "hexadecimal digits"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_trace_totals *totals = NULL;
		struct takt_diag *diag = takt_diag_new();
		enum takt_status status = read_text(rows[i].text, diag, &totals);

		if (!tap_ok_at(__FILE__, rows[i].line,
			       status == TAKT_BAD_INPUT && !totals &&
				       takt_diag_error_count(diag) == 1 &&
				       strstr(takt_diag_text(diag), rows[i].message),
			       "refused: %s", rows[i].message))
			tap_note("got: %s", takt_diag_text(diag));
		takt_diag_free(diag);
	}
}

static void refuse_what_is_cut_off(void)
{
	struct takt_trace_totals *totals = NULL;
	size_t refused = 0, size = strlen(RESULT_TEXT) - 1;

	for (size_t i = 0; i < size; i++)
		refused += takt_trace_result_read((const uint8_t *)RESULT_TEXT, i, "result", NULL,
						  &totals) == TAKT_BAD_INPUT;
	is_int((long long)refused, (long long)size, "each beginning of a result is refused");
	ok(!totals, "and leaves totals alone");
}

int main(void)
{
	struct takt_trace_totals *totals = NULL;

	if (ok(read_text(RESULT_TEXT, NULL, &totals) == TAKT_OK, "read")) {
		check_totals(totals);
		if (ok(totals->profile != NULL, "has a profile"))
			check_profile(totals->profile);
	}
	takt_trace_result_close(totals);
	ok(read_text("{\"schema\": \"takt-trace-1\", \"cycles\": null}", NULL, &totals) == TAKT_OK,
	   "totals alone");
	ok(!totals->profile && !totals->core && totals->all.cycles == 0, "have no profile");
	takt_trace_result_close(totals);
	takt_trace_result_close(NULL);
	read_back();
	refuse();
	refuse_what_is_cut_off();
	return tap_done();
}
