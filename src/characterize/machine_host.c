/* SPDX-License-Identifier: MIT */
/* The processor at hand, by time alone; code runs in the sandbox of measure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/backend.h"

/* Differences of long runs are told to a fraction of a cycle. */
#define TOLERANCE 0.003
/* Beyond which a figure is not the worse for being disturbed: the rounds' median holds. */
#define SPREAD_MAX 0.01

/* What registers hold before a block. */
enum contents {
	USUAL,
	PREPARED, /* as some instructions need it */
	CONTENTS_COUNT
};

/*
 * Strings are of no length: all but the first of a run would be anyway, as they count down. Masks
 * let elements pass: a page that is never accessed is never mapped, and what is masked away from
 * no page takes hundreds of cycles. Indices are near the base.
 */
static const struct takt_register_value prepared[] = {
	{"rcx", 0},
	{"xmm0", 0},
	{"xmm13", 0xbff12345bf812345u},
	{"xmm14", 0xbff12345bf812345u},
	{"xmm15", 0xbff12345bf812345u},
};

struct host_machine {
	struct probe_machine machine;
	struct takt_bench *benches[CONTENTS_COUNT][2]; /* copies; loops. NULL: not needed yet */
};

static bool needs_preparation(const struct takt_insn *insn)
{
	static const char *const masked[] = {"vmaskmovps", "vmaskmovpd", "vpmaskmovd",
					     "vpmaskmovq", "maskmovdqu", "vmaskmovdqu"};
	struct takt_form form = takt_form_unpack(insn->form);

	return (insn->insn_class == TAKT_CLASS_STRING &&
		form.flags & (TAKT_FORM_REP | TAKT_FORM_REPNE)) ||
	       insn->insn_class == TAKT_CLASS_GATHER ||
	       takt_string_is_one_of(takt_mnemonic_text(&takt_isa_x86, form.mnemonic), masked,
				     TAKT_COUNT_OF(masked));
}

static enum contents contents_for(const uint8_t *bytes, size_t size_bytes)
{
	struct takt_insn insn;

	for (size_t at = 0; at < size_bytes; at += insn.length_bytes) {
		if (takt_decode(&takt_isa_x86, bytes + at, size_bytes - at, 0, &insn) != TAKT_OK)
			break;
		if (needs_preparation(&insn))
			return PREPARED;
	}
	return USUAL;
}

static enum takt_status open_bench(enum contents contents, bool loop, struct takt_diag *diag,
				   struct takt_bench **ret_bench)
{
	struct takt_measure_options options = {.mode = loop ? TAKT_MODE_LOOP : TAKT_MODE_UNROLL,
					       .tolerance = TOLERANCE};

	if (contents == PREPARED) {
		options.registers = prepared;
		options.register_count = TAKT_COUNT_OF(prepared);
	}
	return takt_bench_open(&options, diag, ret_bench);
}

/* NULL if there can be no more of them. */
static struct takt_bench *bench_for(struct host_machine *host, const uint8_t *bytes,
				    size_t size_bytes, bool loop)
{
	enum contents contents = contents_for(bytes, size_bytes);
	struct takt_bench **bench = &host->benches[contents][loop];

	if (!*bench && open_bench(contents, loop, NULL, bench) != TAKT_OK)
		*bench = NULL;
	return *bench;
}

static bool run(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes, bool loop,
		struct probe_outcome *ret_outcome)
{
	struct host_machine *host = (struct host_machine *)machine;
	struct takt_bench *bench = bench_for(host, bytes, size_bytes, loop);
	struct takt_measurement measurement;

	if (!bench) {
		*ret_outcome = (struct probe_outcome){.reason = "no second bench"};
		return false;
	}
	takt_measure(bench, bytes, size_bytes, &measurement);
	*ret_outcome = (struct probe_outcome){.cycles = measurement.cycles,
					      .spread = fmin(measurement.spread, SPREAD_MAX)};
	/* If rounds do not agree, the best known figure is good enough to go on with. */
	if (!isnan(measurement.cycles)) {
		ret_outcome->reason = "";
		return true;
	}
	ret_outcome->reason = *measurement.reason ? measurement.reason
						  : takt_measure_status_text(measurement.status);
	return false;
}

/* Measuring refuses a jump only if it would run everything before it. */
static bool supports(const struct probe_machine *machine, const struct takt_insn *insn)
{
	static const uint8_t jump[] = {0xeb, 0x00};
	const struct host_machine *host = (const struct host_machine *)machine;
	uint8_t bytes[TAKT_X86_LENGTH_MAX + sizeof(jump)];
	struct takt_measurement measurement;

	memcpy(bytes, insn->bytes, insn->length_bytes);
	memcpy(bytes + insn->length_bytes, jump, sizeof(jump));
	takt_measure(host->benches[USUAL][0], bytes, insn->length_bytes + sizeof(jump),
		     &measurement);
	return measurement.status == TAKT_MEASURE_CONTROL;
}

static void close_host(struct probe_machine *machine)
{
	struct host_machine *host = (struct host_machine *)machine;

	for (int contents = 0; contents < CONTENTS_COUNT; contents++)
		for (int loop = 0; loop < 2; loop++)
			takt_bench_close(host->benches[contents][loop]);
	free(host);
}

/* Experiments are made of x86-64's instructions. */
static bool runs_x86(struct takt_diag *diag)
{
#if defined(__x86_64__)
	(void)diag;
	return true;
#else
	takt_error(diag, "instructions of this processor cannot be characterised");
	takt_note(diag, "its set is another than x86-64; 'sim:CORE' works everywhere");
	return false;
#endif
}

enum takt_status takt_probe_host_open(struct takt_diag *diag, struct probe_machine **ret_machine)
{
	struct host_machine *host;
	struct takt_bench *bench;
	enum takt_status status = TAKT_UNAVAILABLE;

	if (runs_x86(diag))
		status = open_bench(USUAL, false, diag, &bench);

	if (status != TAKT_OK)
		return status;
	host = takt_xcalloc(1, sizeof(*host));
	host->machine = (struct probe_machine){.name = takt_bench_cpu(bench),
					       .run = run,
					       .supports = supports,
					       .close = close_host};
	host->benches[USUAL][0] = bench;
	*ret_machine = &host->machine;
	return TAKT_OK;
}
