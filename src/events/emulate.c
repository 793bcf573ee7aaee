/* SPDX-License-Identifier: MIT */
/* Runs a program under qemu with the oracle as observer. */
#include "events/events.h"

struct emulation {
	struct trace_observer observer; /* first, so that a pointer to it is one to the whole */
	const struct emulate_options *options;
	struct oracle *oracle;
};

static enum takt_status find_isa(const struct trace_guest *guest, struct takt_diag *diag,
				 const struct takt_isa **ret_isa)
{
	*ret_isa = takt_trace_guest_isa(guest);
	/* LLVM decodes RISC-V; a core must have the extensions that Linux distributions use. */
	if (!*ret_isa)
		return takt_isa_find(takt_isa_example_core("riscv64"), diag, ret_isa);
	return takt_isa_can_decode(*ret_isa, diag) ? TAKT_OK : TAKT_UNAVAILABLE;
}

static struct trace_sink *begin(struct trace_observer *observer,
				struct trace_dictionary *dictionary, struct trace_sink *next,
				struct takt_diag *diag)
{
	struct emulation *emulation = (struct emulation *)observer;
	const struct emulate_options *options = emulation->options;
	struct oracle_options wanted = options->oracle;
	const struct takt_isa *isa;

	if (find_isa(dictionary->guest, diag, &isa) != TAKT_OK)
		return NULL;
	if (!wanted.model && options->open_model) {
		wanted.model = options->open_model(options->context, dictionary->guest->name);
		if (!wanted.model)
			return NULL;
	}
	/* A program that qemu cannot run begins again natively. */
	takt_oracle_free(emulation->oracle);
	emulation->oracle = takt_oracle_new(dictionary, isa, &wanted, next);
	return takt_oracle_sink(emulation->oracle);
}

static void end(struct trace_observer *observer, const struct trace_dictionary *dictionary)
{
	struct emulation *emulation = (struct emulation *)observer;

	takt_oracle_finish(emulation->oracle);
	if (emulation->options->look)
		emulation->options->look(emulation->options->context, emulation->oracle,
					 dictionary);
}

enum takt_status takt_emulate(char *const *argv, const struct emulate_options *options,
			      struct takt_diag *diag, struct takt_trace_totals **ret_totals)
{
	struct emulation emulation = {.observer = {begin, end}, .options = options};
	enum takt_status status =
		options->log_path ? takt_trace_observe_log(options->log_path, options->trace,
							   &emulation.observer, diag, ret_totals)
				  : takt_trace_observe(argv, options->trace, &emulation.observer,
						       diag, ret_totals);

	takt_oracle_free(emulation.oracle);
	return status;
}
