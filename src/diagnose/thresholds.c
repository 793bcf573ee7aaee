/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "diagnose/diagnose.h"

static const struct takt_threshold rows[] = {
#define X(field, name, usual, meaning) {name, meaning, usual},
#include "diagnose/thresholds.def"
#undef X
};

/* Return the index of a threshold, or -1. */
static int find(const char *name, size_t size_bytes)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		if (takt_string_is(rows[i].name, name, size_bytes))
			return (int)i;
	return -1;
}

static enum takt_status set(const char *setting, double *values, struct takt_diag *diag)
{
	size_t name_bytes = strcspn(setting, "=");
	int row = find(setting, name_bytes);
	double value;
	char *end;

	if (row < 0 || setting[name_bytes] != '=') {
		takt_error(diag, "'%s' sets no threshold", setting);
		takt_note(diag,
			  "write NAME=VALUE; 'takt diagnose --list-thresholds' lists the names");
		return TAKT_BAD_INPUT;
	}
	value = takt_strtod(setting + name_bytes + 1, &end);
	if (end == setting + name_bytes + 1 || *end || !isfinite(value) || value < 0) {
		takt_error(diag, "'%s' is no number from 0 on", setting + name_bytes + 1);
		takt_note(diag, "the usual value of '%s' is %g", rows[row].name, rows[row].usual);
		return TAKT_BAD_INPUT;
	}
	values[row] = value;
	return TAKT_OK;
}

enum takt_status takt_diagnose_thresholds_read(const char *const *settings, uint32_t count,
					       struct takt_diag *diag,
					       struct diagnose_thresholds *ret_thresholds)
{
	double values[TAKT_COUNT_OF(rows)];

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		values[i] = rows[i].usual;
	for (uint32_t i = 0; i < count; i++) {
		enum takt_status status = set(settings[i], values, diag);

		if (status != TAKT_OK)
			return status;
	}
	static_assert(sizeof(values) == sizeof(*ret_thresholds), "nothing but numbers");
	memcpy(ret_thresholds, values, sizeof(values));
	return TAKT_OK;
}

struct takt_threshold_listing takt_thresholds(void)
{
	return (struct takt_threshold_listing){rows, TAKT_COUNT_OF(rows)};
}

void takt_write_thresholds(struct takt_text *text)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		takt_text_printf(text, "%-12s  %6g  %s\n", rows[i].name, rows[i].usual,
				 rows[i].meaning);
}
