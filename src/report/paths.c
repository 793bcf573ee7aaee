/* SPDX-License-Identifier: MIT */
/* Predictions of functions from the paths through their loops: CSV and JSON. */
#include <stdlib.h>

#include "report/record.h"

/* A loop's fields, in a record of its own or in a row. */
#define LOOP_FIELDS                                                                                \
	TAKT_FIELD("name", IN(name), NULL, "The function, or a loop by its offset in it."),        \
		TAKT_FIELD_AS("address", TAKT_FIELD_ADDRESS, IN(address), NULL,                    \
			      "Address of its first instruction, as '--trips' takes it."),         \
		TAKT_FIELD("line", IN(line), NULL,                                                 \
			   "Source line of that instruction; empty if unknown.",                   \
			   .flags = TAKT_ZERO_NULL),                                               \
		TAKT_FIELD("depth", IN(depth), NULL,                                               \
			   "Number of loops around it, and 1; 0: a call of the function."),        \
		TAKT_FIELD("entries", IN(entries), NULL, "How often it is entered in a call."),    \
		TAKT_FIELD("iterations", IN(iterations), NULL,                                     \
			   "Iterations per entry, on average."),                                   \
		TAKT_FIELD("trips", IN(trips), NULL,                                               \
			   "Origin of the iterations: \"code\", \"given\" or \"assumed\"; empty "  \
			   "for a "                                                                \
			   "call."),                                                               \
		TAKT_FIELD("paths", IN(path_count), NULL,                                          \
			   "Paths through it that were simulated."),                               \
		TAKT_FIELD("cycles", IN(cycles), "cycles",                                         \
			   "Cycles of an iteration with its inner loops, or of a call; empty for " \
			   "a call "                                                               \
			   "that was not followed to its end.",                                    \
			   .flags = TAKT_NULLABLE, .csv = "%.2f"),

#define RECORD struct takt_path_loop
#define IN(member) member
static const struct takt_field loop_fields[] = {LOOP_FIELDS};
#undef IN
#undef RECORD
const struct takt_record takt_path_loop_record =
	TAKT_RECORD("path_loop", "A loop of a function, or a call of it.", loop_fields);

#define RECORD struct takt_paths
static const struct takt_field paths_fields[] = {
	TAKT_FIELD("function", function, NULL, "Its name."),
	TAKT_FIELD("arch", arch, NULL, "The core, by its canonical name."),
	TAKT_FIELD("complete", complete, NULL, "A call was followed to its end."),
	TAKT_RECORDS("loops", loops, loop_count, &takt_path_loop_record,
		     "The call, then its loops in the order of addresses."),
};
#undef RECORD
static const struct takt_record paths_record =
	TAKT_RECORD("paths", "A function on a core.", paths_fields);

struct document {
	const struct takt_paths *functions;
	uint32_t count;
};

#define RECORD struct document
static const struct takt_field document_fields[] = {
	TAKT_VERSION_FIELD,
	TAKT_RECORDS("functions", functions, count, &paths_record,
		     "For each function of the name, the cores in their order."),
};
#undef RECORD
const struct takt_record takt_paths_document_record =
	TAKT_RECORD("path_predictions", "Predicted cycles of functions.", document_fields);

void takt_write_paths_json(const struct takt_paths *const *paths, size_t count,
			   struct takt_text *text)
{
	struct takt_paths *list = takt_xcalloc(count, sizeof(*list));
	const struct document document = {list, (uint32_t)count};
	struct takt_json json;

	for (size_t i = 0; i < count; i++)
		list[i] = *paths[i];
	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_record_write_fields(&takt_paths_document_record, &document, &document, &json);
	takt_json_close_object(&json);
	free(list);
}

struct row {
	const char *arch;
	struct takt_path_loop loop;
};

#define RECORD struct row
#define IN(member) loop.member
static const struct takt_field row_fields[] = {
	TAKT_FIELD("arch", arch, NULL, "The core, by its canonical name."), LOOP_FIELDS};
#undef IN
#undef RECORD
static const struct takt_record row_record =
	TAKT_RECORD("row", "A loop of a function on a core.", row_fields);

void takt_write_paths_csv(const struct takt_paths *paths, bool header, struct takt_text *text)
{
	if (header)
		takt_record_write_csv_header(&row_record, text);
	for (uint32_t i = 0; i < paths->loop_count; i++) {
		const struct row row = {paths->arch, paths->loops[i]};

		takt_record_write_csv(&row_record, &row, 1, sizeof(row), &row, text);
	}
}
