/* SPDX-License-Identifier: MIT */
/* timing: functions to find a form's timing that timing.c and compose.c share. */
#ifndef TAKT_MODEL_TIMING_H
#define TAKT_MODEL_TIMING_H

#include "model/image.h"

/*
 * Find the row of the form, or of the first less specific form that has one. The bits of
 * `held` say which qualifiers hold: SAME 1, INDEXED 2, IMM0 4, SHORT 8.
 */
const struct takt_image_timing *takt_model_find(const struct takt_model *model, takt_form_key form,
						unsigned held);
bool takt_kind_is_broadcast(unsigned kind);

/* Compose a memory form's timing from its register form; false if there is no such form. */
bool takt_compose_form(const struct takt_model *model, const struct takt_insn *insn,
		       struct takt_timing_storage *storage, struct takt_timing *ret_timing);
/* Compose the class's default with the loads and stores of the instruction. */
void takt_compose_default(const struct takt_model *model, const struct takt_insn *insn,
			  struct takt_timing_storage *storage, struct takt_timing *ret_timing);

#endif
