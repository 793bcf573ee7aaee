/* SPDX-License-Identifier: MIT */
/* survey_write: what the writers of a survey's results share. */
#ifndef TAKT_CHARACTERIZE_SURVEY_WRITE_H
#define TAKT_CHARACTERIZE_SURVEY_WRITE_H

#include "characterize/survey.h"

/* ---- survey_read.c: texts of a row ---------------------------------------- */

/* "2b": of the memory operand there is only one. False if it is none. */
bool takt_probe_slot_read(const char *text, uint8_t *ret_slot);
/* "1*p01+1*p23". Returns how many there are, -1 if it is nothing like that. */
int takt_probe_ports_read(const struct takt_port_list *ports, const char *text,
			  struct takt_uops uops[PROBE_UOPS_MAX]);
/* One entry for each set of ports, without those of units. Returns how many. */
int takt_probe_uops_merge(const struct takt_port_list *ports, const struct takt_uops *from,
			  unsigned count, struct takt_uops to[PROBE_UOPS_MAX], unsigned *ret_total);
/* Of merged ones, whatever their order. */
bool takt_probe_uops_same(const struct takt_uops *left, int left_count,
			  const struct takt_uops *right, int right_count);
/* The form of the row and the model's row of it; NULL if there is no such form. */
const struct probe_form *takt_probe_row_timing(const struct takt_model *model,
					       const struct probe_forms *forms,
					       const struct probe_row *row,
					       struct takt_timing_storage *storage,
					       struct takt_timing *ret_timing);

/* ---- survey_classes.c ----------------------------------------------------- */

/* What the classes of a survey are in a model. */
struct probe_class_ports {
	bool are_known;
	struct probe_class_sets sets;
	/* Ports of most instructions of a class that are one µop; 0: of none so many. */
	uint32_t narrow[PROBE_CLASSES_MAX], wide[PROBE_CLASSES_MAX];
};

enum probe_agreement { PROBE_AGREES, PROBE_DIFFERS, PROBE_NOTHING_KNOWN };

TAKT_MUST_CHECK enum takt_status takt_probe_class_ports_find(
	struct probe_store *store, const struct takt_model *model,
	const struct takt_port_list *ports, const struct probe_forms *forms, struct takt_diag *diag,
	struct probe_class_ports *ret_ports);
/*
 * Whether the model's µops, merged, take as many of each class's ports as was measured; and how
 * many were.
 */
enum probe_agreement takt_probe_class_ports_compare(const struct probe_class_ports *ports,
						    const struct probe_form *form, const char *text,
						    const struct takt_uops *wanted,
						    int wanted_count, unsigned *ret_total);
/* µops with names for their ports. Returns how many kinds there are, -1 if not all have names. */
int takt_probe_class_ports_uops(const struct probe_class_ports *ports,
				const struct probe_form *form, const char *text,
				struct takt_uops ret_uops[PROBE_UOPS_MAX]);
/* All classes; nothing if there are none. */
void takt_probe_class_ports_write(const struct probe_class_ports *class_ports,
				  const struct takt_port_list *ports, struct takt_text *text);

/* ---- survey_report.c ------------------------------------------------------ */

/*
 * How many forms were measured, which failed and why, and, unless `model` is NULL, what differs
 * from it, by classes. `forms` are those of `model`.
 */
TAKT_MUST_CHECK enum takt_status takt_probe_report_write(struct probe_store *store,
							 const struct takt_model *model,
							 const struct probe_forms *forms,
							 struct takt_diag *diag,
							 struct takt_text *text);

#endif
