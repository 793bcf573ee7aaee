/* SPDX-License-Identifier: MIT */
/* Writes the JSON Schema of each command's JSON into a directory: NAME.schema.json. */
#include <stdio.h>
#include <stdlib.h>

#include "base/record.h"
#include "characterize/characterize.h"
#include "evaluate/evaluate.h"
#include "learn/learn.h"
#include "model/model.h"
#include "report/report.h"
#include "trust/trust.h"
#include "validate/validate.h"

static const struct takt_schema *const schemas[] = {
	&takt_report_analyze_schema,  &takt_report_count_schema,   &takt_report_deps_schema,
	&takt_report_diagnose_schema, &takt_report_diff_schema,	   &takt_report_trace_schema,
	&takt_validate_schema,	      &takt_machine_limits_schema, &takt_characterize_schema,
	&takt_evaluate_schema,	      &takt_report_measure_schema, &takt_learn_schema,
	&takt_report_timeline_schema, &takt_report_predict_schema, &takt_report_identify_schema,
	&takt_model_list_schema,
};

static bool write_schema(const char *directory, const struct takt_schema *schema)
{
	struct takt_text path = {0}, text = {0};
	FILE *file;
	bool good;

	takt_text_printf(&path, "%s/%s.schema.json", directory, schema->name);
	takt_schema_write(schema, &text);
	file = fopen(path.data, "w");
	good = file && fwrite(text.data, 1, text.size_bytes, file) == text.size_bytes;
	if (file && fclose(file) != 0)
		good = false;
	if (!good)
		fprintf(stderr, "cannot write %s\n", path.data);
	takt_text_release(&path);
	takt_text_release(&text);
	return good;
}

int main(int argc, char **argv)
{
	bool good = argc == 2;

	for (size_t i = 0; good && i < TAKT_COUNT_OF(schemas); i++)
		good = write_schema(argv[1], schemas[i]);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
