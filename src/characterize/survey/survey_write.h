/* SPDX-License-Identifier: MIT */
/* survey_write: functions that the writers of a survey's results share. */
#ifndef TAKT_CHARACTERIZE_SURVEY_WRITE_H
#define TAKT_CHARACTERIZE_SURVEY_WRITE_H

#include "characterize/survey/survey.h"

/* ---- survey_read.c: texts of a row ---------------------------------------- */

/*
 * Read an operand's name; "2b" is the base register of the memory operand, of which there is only
 * one. False if it is malformed.
 */
bool takt_probe_slot_read(const char *text, uint8_t *ret_slot);
/* Read "1*p01+1*p23". Return the number of entries, -1 if it is malformed. */
int takt_probe_ports_read(const struct takt_port_list *ports, const char *text,
			  struct takt_uops uops[PROBE_UOPS_MAX]);
/*
 * Merge µops to one entry for each set of ports, leaving out pseudo ports. Return the number of
 * entries.
 */
int takt_probe_uops_merge(const struct takt_port_list *ports, const struct takt_uops *from,
			  unsigned count, struct takt_uops to[PROBE_UOPS_MAX], unsigned *ret_total);
/* True if two merged lists are equal in any order. */
bool takt_probe_uops_same(const struct takt_uops *left, int left_count,
			  const struct takt_uops *right, int right_count);
/* Find the form of the row, and the model's timing of it; NULL if there is no such form. */
const struct probe_form *takt_probe_row_timing(const struct takt_model *model,
					       const struct probe_forms *forms,
					       const struct probe_row *row,
					       struct takt_timing_storage *storage,
					       struct takt_timing *ret_timing);

/*
 * Explain why a measured form has no latencies; "" if it has, was not measured, or is no form.
 */
const char *takt_probe_row_no_latency(const struct probe_forms *forms, const struct probe_row *row);

/* ---- survey_classes.c ----------------------------------------------------- */

/* The ports in a model of a survey's classes. */
struct probe_class_ports {
	bool are_known;
	struct probe_class_sets sets;
	/*
	 * Ports of most one-µop instructions of each class; 0: none has the measured number of
	 * ports.
	 */
	uint32_t narrow[PROBE_CLASSES_MAX], wide[PROBE_CLASSES_MAX];
};

enum probe_agreement { PROBE_AGREES, PROBE_DIFFERS, PROBE_NOTHING_KNOWN };

TAKT_MUST_CHECK enum takt_status
takt_probe_class_ports_find(struct probe_store *store, const struct takt_model *model,
			    const struct takt_port_list *ports, const struct probe_forms *forms,
			    struct takt_diag *diag, struct probe_class_ports *ret_ports);
/*
 * Compare the model's merged µops with the measured number of µops on each class's ports, and
 * return the total number in `ret_total`.
 */
enum probe_agreement takt_probe_class_ports_compare(const struct probe_class_ports *ports,
						    const struct probe_form *form, const char *text,
						    const struct takt_uops *wanted,
						    int wanted_count, unsigned *ret_total);
/*
 * Convert measured µops to µops with named ports. Return the number of kinds, -1 if not all ports
 * have names.
 */
int takt_probe_class_ports_uops(const struct probe_class_ports *ports,
				const struct probe_form *form, const char *text,
				struct takt_uops ret_uops[PROBE_UOPS_MAX]);

/* The model's ports, and those of the classes that the surveys of a machine and of it found. */
struct probe_corrector_ports {
	struct takt_port_list model;
	struct probe_class_ports machine, reference;
};

/*
 * survey_correct_ports.c: return the number of µops that the machine's survey found, if the
 * simulator's survey found those of the model, the two differ, and those that were found explain
 * the machine's time where those of the model explain the simulator's; else 0.
 */
int takt_probe_correct_ports(const struct probe_corrector_ports *ports,
			     const struct probe_form *form, const struct probe_row *row,
			     const struct probe_row *other, const struct takt_timing *timing,
			     struct takt_uops ret_uops[PROBE_UOPS_MAX]);
/*
 * True if the simulator's survey found the form's ports to be those of the model that it played:
 * only then does a difference from the machine's say anything.
 */
bool takt_probe_ports_are_sound(const struct takt_port_list *ports,
				const struct probe_class_ports *reference,
				const struct probe_form *form, const struct probe_row *other,
				const struct takt_timing *timing);
/* Write all classes; nothing if there are none. */
void takt_probe_class_ports_write(const struct probe_class_ports *class_ports,
				  const struct takt_port_list *ports, struct takt_text *text);

/* ---- survey_json.c -------------------------------------------------------- */

/* Write all forms with their latencies and variants as JSON. */
TAKT_MUST_CHECK enum takt_status
takt_probe_json_write(struct probe_store *store, struct takt_diag *diag, struct takt_text *text);

/* ---- survey_report.c ------------------------------------------------------ */

/*
 * Write how many forms were measured, which failed and why, and, unless `model` is NULL, the
 * differences from it, by class. `forms` are those of `model`.
 */
TAKT_MUST_CHECK enum takt_status takt_probe_report_write(struct probe_store *store,
							 const struct takt_model *model,
							 const struct probe_forms *forms,
							 struct takt_diag *diag,
							 struct takt_text *text);

#endif
