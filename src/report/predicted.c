/* SPDX-License-Identifier: MIT */
/* Predictions of many blocks: their JSON, written block by block. */
#include "report/record.h"

struct cores {
	const char *const *names;
	uint32_t count, cores_left_out;
};

#define RECORD struct cores
static const struct takt_field cores_fields[] = {
	TAKT_VERSION_FIELD,
	TAKT_LIST("cores", names, count, NULL, "The cores, by their canonical names.",
		  .flags = TAKT_ONE_LINE),
	TAKT_FIELD("cores_left_out", cores_left_out, NULL,
		   "With '--arch=all': cores of other instruction sets.",
		   .flags = TAKT_OPTIONAL | TAKT_ZERO_NULL),
};
#undef RECORD
static const struct takt_record cores_record = TAKT_RECORD("cores", NULL, cores_fields);

struct block {
	const char *hex;
	const double *cycles;
	uint32_t core_count;
};

#define RECORD struct block
static const struct takt_field block_fields[] = {
	TAKT_FIELD("hex", hex, NULL, "The block's bytes, as they were read."),
	TAKT_LIST("cycles", cycles, core_count, "cycles",
		  "Cycles of one iteration on each core; null if it cannot decode the block.",
		  .flags = TAKT_ONE_LINE),
};
#undef RECORD
static const struct takt_record block_record =
	TAKT_RECORD("block", "A block of machine code.", block_fields);

struct document {
	struct cores cores;
	const struct block *blocks;
	uint32_t count;
};

#define RECORD struct document
static const struct takt_field document_fields[] = {
	TAKT_INLINE(cores, &cores_record),
	TAKT_RECORDS("blocks", blocks, count, &block_record, "In the order of the input.",
		     .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record document_record =
	TAKT_RECORD("predictions", "Predicted cycles of blocks.", document_fields);

const struct takt_schema takt_report_predict_schema = {
	.name = "predict",
	.title = "takt predict --format=json",
	.records = {&document_record, &takt_paths_document_record},
};

void takt_write_predicted_json_begin(const char *const *cores, size_t core_count,
				     size_t cores_left_out, struct takt_text *text)
{
	const struct cores head = {.names = cores,
				   .count = (uint32_t)core_count,
				   .cores_left_out = (uint32_t)cores_left_out};
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_record_write_fields(&cores_record, &head, &head, &json);
	takt_json_open_array(&json, "blocks");
}

void takt_write_predicted_json(const char *hex, const double *cycles, size_t core_count,
			       bool is_first, struct takt_text *text)
{
	const struct block block = {
		.hex = hex, .cycles = cycles, .core_count = (uint32_t)core_count};
	struct takt_json json = {.text = text, .depth = 2, .first = is_first};

	takt_json_open_row(&json);
	takt_record_write_fields(&block_record, &block, &block, &json);
	takt_json_close_row(&json);
}

void takt_write_predicted_json_end(bool is_empty, struct takt_text *text)
{
	struct takt_json json = {.text = text, .depth = 2, .first = is_empty};

	takt_json_close_array(&json);
	takt_json_close_object(&json);
}
