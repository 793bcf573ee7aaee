/* SPDX-License-Identifier: MIT */
/*
 * The processor of this machine, measured by time and, if it has counters that takt knows, by µops.
 * Code runs in the sandbox of measure. The counters were never seen to count: see
 * docs/commands/characterize.md.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/inference/port_counters.h"

/* Relative differences of long runs, in which fractions of a cycle matter. */
#define TOLERANCE 0.003
/* Rounds of each experiment; each figure comes from several experiments. */
#define ROUNDS 5u
/* Spread beyond which other load does not make a figure worse: the median of the rounds holds. */
#define SPREAD_MAX 0.01
/* Attempts of a few seconds each, as long as other load disturbs the core. */
#define ATTEMPTS 20u

/* Contents of registers before a block. */
enum contents {
	USUAL,
	PREPARED, /* as string, gather and masked instructions need it */
	CONTENTS_COUNT
};

/* Addresses like any other, except that cl is not 0: shifts by 0 leave the flags as they are. */
#if defined(__aarch64__)
/* x13 is an index, which no address needs. */
static const struct takt_register_value usual[] = {{"x13", 0}};
#else
static const struct takt_register_value usual[] = {{"rcx", 0x11010108}};
#endif

/*
 * rcx is 0, as only the first string of a run would have a length: they count rcx down. Masks let
 * elements pass: a page that is never accessed is never mapped, and an access whose elements on
 * such a page are masked out takes hundreds of cycles. Indices are near the base.
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
	struct takt_measurer *measurers[CONTENTS_COUNT][2]; /* for copies, and for loops; NULL: not
							     * opened yet */
	struct probe_host_counters *counters;		    /* NULL: none */
	bool is_counted[CONTENTS_COUNT]; /* the bench of copies, not of loops, has
					  * counters */
	unsigned attempts;
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

static enum contents contents_for(const struct takt_isa *isa, const uint8_t *bytes,
				  size_t size_bytes)
{
	struct takt_insn insn;

	if (isa != &takt_isa_x86)
		return USUAL;
	for (size_t at = 0; at < size_bytes; at += insn.length_bytes) {
		if (takt_decode(&takt_isa_x86, bytes + at, size_bytes - at, 0, &insn) != TAKT_OK)
			break;
		if (needs_preparation(&insn))
			return PREPARED;
	}
	return USUAL;
}

static enum takt_status open_measurer(enum contents contents, bool loop, struct takt_diag *diag,
				      struct takt_measurer **ret_bench)
{
	struct takt_measure_options options = {.mode = loop ? TAKT_MODE_LOOP : TAKT_MODE_UNROLL,
					       .batches = 1, /* figures that matter are measured
							      * twice */
					       .rounds = ROUNDS,
					       .tolerance = TOLERANCE,
					       .fills_queues = true};

	options.registers = contents == PREPARED ? prepared : usual;
	options.register_count =
		contents == PREPARED ? TAKT_COUNT_OF(prepared) : TAKT_COUNT_OF(usual);
	return takt_measurer_open(&options, diag, ret_bench);
}

static bool attach(struct host_machine *host, struct takt_measurer *measurer,
		   enum contents contents)
{
	const struct takt_counters *counters =
		takt_probe_host_counters_for(host->counters, contents);

	if (counters)
		takt_measurer_attach(measurer, counters);
	return counters != NULL;
}

/* Return the bench for a block; NULL if no more can be opened. */
static struct takt_measurer *bench_for(struct host_machine *host, const uint8_t *bytes,
				       size_t size_bytes, bool loop)
{
	enum contents contents = contents_for(host->machine.isa, bytes, size_bytes);
	struct takt_measurer **measurer = &host->measurers[contents][loop];

	if (!*measurer && open_measurer(contents, loop, NULL, measurer) != TAKT_OK)
		*measurer = NULL;
	else if (host->counters && !loop && !host->is_counted[contents])
		host->is_counted[contents] = attach(host, *measurer, contents);
	return *measurer;
}

static bool count_uops(struct host_machine *host, struct takt_measurer *measurer,
		       const struct takt_measurement *measurement, struct probe_outcome *outcome)
{
	double counts[PROBE_COUNTERS_MAX];

	if (!takt_measurer_count(measurer, measurement, counts, &outcome->reason))
		return false;
	takt_probe_port_counters_spread(takt_probe_host_counters_table(host->counters), counts,
					outcome->port_uops, &outcome->uops);
	outcome->reason = "";
	return true;
}

/*
 * Run a block once. If rounds do not agree, the best estimate is good enough to go on with, unless
 * it may include assists.
 */
static bool run_once(struct host_machine *host, struct takt_measurer *measurer,
		     const uint8_t *bytes, size_t size_bytes, bool counted,
		     struct probe_outcome *ret_outcome)
{
	struct takt_measurement measurement;
	unsigned attempt = 0;

	do
		takt_measure(measurer, bytes, size_bytes, &measurement);
	while (measurement.status == TAKT_MEASURE_DISTURBED && ++attempt < host->attempts);
	*ret_outcome = (struct probe_outcome){.cycles = measurement.cycles,
					      .spread = fmin(measurement.spread, SPREAD_MAX),
					      .reason = ""};
	if (!isnan(measurement.cycles) && measurement.status != TAKT_MEASURE_DENORMAL)
		return !counted || count_uops(host, measurer, &measurement, ret_outcome);
	ret_outcome->reason = measurement.status == TAKT_MEASURE_DISTURBED ? PROBE_BUSY
			      : *measurement.reason			   ? measurement.reason
						    : takt_measure_status_text(measurement.status);
	return false;
}

static bool run(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes, bool loop,
		struct probe_outcome *ret_outcome)
{
	struct host_machine *host = (struct host_machine *)machine;
	struct takt_measurer *measurer = bench_for(host, bytes, size_bytes, loop);
	bool counted = host->counters && !loop;

	if (!measurer) {
		*ret_outcome = (struct probe_outcome){.reason = "no second bench"};
		return false;
	}
	/* Sometimes a process is replaced between measuring and counting. */
	return run_once(host, measurer, bytes, size_bytes, counted, ret_outcome) ||
	       (counted && !isnan(ret_outcome->cycles) &&
		run_once(host, measurer, bytes, size_bytes, counted, ret_outcome));
}

/* True if the instruction can run: only then is the jump after it what a measurement refuses. */
static bool supports(const struct probe_machine *machine, const struct takt_insn *insn)
{
#if defined(__aarch64__)
	static const uint8_t jump[] = {0x01, 0x00, 0x00, 0x14};
#else
	static const uint8_t jump[] = {0xeb, 0x00};
#endif
	const struct host_machine *host = (const struct host_machine *)machine;
	uint8_t bytes[TAKT_X86_LENGTH_MAX + sizeof(jump)];
	struct takt_measurement measurement;

	memcpy(bytes, insn->bytes, insn->length_bytes);
	memcpy(bytes + insn->length_bytes, jump, sizeof(jump));
	takt_measure(host->measurers[USUAL][0], bytes, insn->length_bytes + sizeof(jump),
		     &measurement);
	return measurement.status == TAKT_MEASURE_CONTROL;
}

static const char *port_name(const struct probe_machine *machine, uint32_t port)
{
	const struct host_machine *host = (const struct host_machine *)machine;

	return takt_model_port_name(takt_probe_host_counters_model(host->counters), port);
}

static void close_host(struct probe_machine *machine)
{
	struct host_machine *host = (struct host_machine *)machine;

	for (int contents = 0; contents < CONTENTS_COUNT; contents++)
		for (int loop = 0; loop < 2; loop++)
			takt_measurer_close(host->measurers[contents][loop]);
	takt_probe_host_counters_close(host->counters);
	free(host);
}

/* Use the counters, unless they do not count a nop. */
static void use_counters(struct host_machine *host, struct takt_diag *diag)
{
	static const uint8_t nop[] = {0x90};
	struct probe_outcome outcome;

	const struct takt_model *model = takt_probe_host_counters_model(host->counters);
	uint32_t port_count = takt_model_port_count(model);
	uint32_t all = port_count == 32 ? UINT32_MAX : (UINT32_C(1) << port_count) - 1;

	host->machine.has_counters = true;
	host->machine.port_count = port_count;
	host->machine.port_name = port_name;
	host->machine.uncounted_ports = all & ~takt_model_pseudo_ports(model) &
					~takt_probe_host_counters_table(host->counters)->ports;
	host->machine.general_stores = takt_probe_store_ports(model, false);
	host->machine.vector_stores = takt_probe_store_ports(model, true);
	if (run(&host->machine, nop, sizeof(nop), false, &outcome))
		return;
	takt_note(diag, "no counters here: %s", outcome.reason);
	takt_measurer_attach(host->measurers[USUAL][0], NULL);
	takt_probe_host_counters_close(host->counters);
	host->counters = NULL;
	host->machine.has_counters = false;
}

/* Find the instruction set of this machine, if experiments can be made of its instructions. */
static bool find_isa(struct takt_diag *diag, const struct takt_isa **ret_isa)
{
	if (takt_isa_find(TAKT_HOST_ISA, NULL, ret_isa) == TAKT_OK &&
	    (*ret_isa == &takt_isa_x86 || *ret_isa == &takt_isa_aarch64))
		return takt_isa_can_decode(*ret_isa, diag);
	takt_error(diag, "instructions of this processor cannot be characterised");
	takt_note(diag, "its instruction set is neither x86-64 nor AArch64; 'sim:CORE' works "
			"everywhere");
	return false;
}

enum takt_status takt_probe_host_open(const struct probe_host_options *options,
				      struct takt_diag *diag, struct probe_machine **ret_machine)
{
	struct host_machine *host;
	struct takt_measurer *measurer;
	enum takt_status status = TAKT_UNAVAILABLE;
	const struct takt_isa *isa;

	if (find_isa(diag, &isa))
		status = open_measurer(USUAL, false, diag, &measurer);

	if (status != TAKT_OK)
		return status;
	host = takt_xcalloc(1, sizeof(*host));
	host->machine = (struct probe_machine){.name = takt_measurer_cpu(measurer),
					       .isa = isa,
					       .run = run,
					       .supports = supports,
					       .close = close_host};
	host->measurers[USUAL][0] = measurer;
	host->attempts = options->attempts ? options->attempts : ATTEMPTS;
	if (options->counters)
		host->counters = takt_probe_host_counters_open(diag);
	if (host->counters)
		use_counters(host, diag);
	*ret_machine = &host->machine;
	return TAKT_OK;
}
