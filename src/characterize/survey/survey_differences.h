/* SPDX-License-Identifier: MIT */
/*
 * survey_differences: the lists in reports of surveys: forms grouped by a reason, and differences
 * grouped in classes by subject.
 */
#ifndef TAKT_CHARACTERIZE_SURVEY_DIFFERENCES_H
#define TAKT_CHARACTERIZE_SURVEY_DIFFERENCES_H

#include "characterize/survey/survey_write.h"

/* ---- reasons -------------------------------------------------------------- */

#define PROBE_REASONS_MAX 64u

/* Forms grouped by the same text; zero-initialise. */
struct probe_reasons {
	struct probe_reason {
		struct takt_text text, forms;
		size_t count;
	} list[PROBE_REASONS_MAX];
};

/* Add a form to a reason. Reasons that no longer fit are counted in the last one, as others. */
void takt_probe_reasons_add(struct probe_reasons *reasons, const char *text, const char *form);
/* Write the reasons, most frequent first; nothing if there are none. */
void takt_probe_reasons_write(struct probe_reasons *reasons, const char *title,
			      struct takt_text *text);
void takt_probe_reasons_release(struct probe_reasons *reasons);

/* ---- differences ---------------------------------------------------------- */

/* X(enumerator, title) */
#define PROBE_DIFFERENCE_LIST(X)                                                                   \
	X(PROBE_SLOWER, "throughput: takes longer")                                                \
	X(PROBE_FASTER, "throughput: takes less")                                                  \
	X(PROBE_FORWARDING,                                                                        \
	  "latency: only by how fast stored values are loaded, as plain loads do")                 \
	X(PROBE_MEMORY, "latency: through memory, otherwise")                                      \
	X(PROBE_ADDRESS, "latency: from an address")                                               \
	X(PROBE_FLAGS, "latency: from or to flags")                                                \
	X(PROBE_SELF, "latency: of a register to itself")                                          \
	X(PROBE_REGISTERS, "latency: between registers")                                           \
	X(PROBE_UOPS, "ports: another number of µops")                                             \
	X(PROBE_PORTS, "ports: as many µops, but elsewhere")

enum probe_difference {
#define X(name, title) name,
	PROBE_DIFFERENCE_LIST(X)
#undef X
		PROBE_DIFFERENCE_COUNT
};

#define PROBE_PLAIN_LOADS 8

/*
 * Differences of a survey from a reference, for forms that have a figure in both; zero-initialise.
 */
struct probe_differences {
	struct takt_agreement agreement;
	size_t port_uses, port_uses_equal;
	struct {
		size_t count;
		struct takt_text lines;
	} classes[PROBE_DIFFERENCE_COUNT];
	double load_less[PROBE_PLAIN_LOADS]; /* cycles of plain loads in the reference minus those
					      * measured */
};

/*
 * For a store and the load of the value it wrote, only the sum of latencies is known, and cores
 * differ in it. So if a value comes from memory, the difference of a plain load of that size is
 * subtracted first. takt_probe_plain_load_note() stores that difference if the form is such a load;
 * both figures are its latency in cycles.
 */
bool takt_probe_is_plain_load(const char *form);
void takt_probe_plain_load_note(struct probe_differences *differences, const char *form,
				double measured, double reference);

/* Begin a line of the class; the caller ends it with a line break. */
struct takt_text *takt_probe_difference_add(struct probe_differences *differences,
					    enum probe_difference class, const char *form);
/*
 * Count two latencies, which may be ranges; false if they differ by more than the error of surveys.
 */
bool takt_probe_latencies_agree(struct probe_differences *differences,
				const struct probe_pair *measured,
				const struct probe_pair *reference);
/*
 * Return the class of the two latencies' difference; `source` and `destination` are the measured
 * pair's.
 */
enum probe_difference takt_probe_latency_class(const struct probe_differences *differences,
					       const struct probe_form *form, uint8_t source,
					       uint8_t destination,
					       const struct probe_pair *measured,
					       const struct probe_pair *reference);
/* Write the shares that agree, and all classes with their lines. */
void takt_probe_differences_write(const struct probe_differences *differences,
				  struct takt_text *text);
void takt_probe_differences_release(struct probe_differences *differences);

#endif
