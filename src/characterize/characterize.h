/* SPDX-License-Identifier: MIT */
/*
 * characterize: finds what each instruction of a machine costs by measuring code made for the
 * purpose: throughput, latency of each operand pair, ports. The method is that of Abel and Reineke,
 * "uops.info" (ASPLOS 2019). The interface is in takt-lab/characterize.h.
 */
#ifndef TAKT_CHARACTERIZE_H
#define TAKT_CHARACTERIZE_H

#include "model/model.h"

#include "takt-lab/characterize.h"

/* Form of the JSON (base/record.h). */
extern const struct takt_schema takt_characterize_schema;
/* survey_json.c: the results of all forms, which the schema has, too. */
extern const struct takt_record takt_probe_survey_record;
/* characterization_text.c: parts of an instruction's results, which surveys have, too. */
extern const struct takt_record takt_pair_latency_record, takt_variant_record;

/*
 * Read a form as in timing files, or an instruction (x86-64: in Intel's syntax), which stands for
 * its form. False after an error.
 */
bool takt_probe_form_read(const struct takt_isa *isa, const char *text, struct takt_diag *diag,
			  takt_form_key *ret_form);
/* Report that a form cannot be characterized here. */
void takt_probe_form_missing(const char *text, takt_form_key form, struct takt_diag *diag);

#endif
