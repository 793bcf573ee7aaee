/* SPDX-License-Identifier: MIT */
/*
 * record: declared records. A result is declared once, as a table with one entry for each field:
 * its key, its place in a struct, its unit and a sentence about it. JSON, CSV and the JSON Schema
 * follow from the table, and so does the reader of JSON.
 *
 *	#define RECORD struct takt_bounds
 *	static const struct takt_field bounds_fields[] = {
 *		TAKT_FIELD("ports", ports_cycles, "cycles", "Exact optimum of the ports."),
 *		TAKT_FIELD("part", front_end_part, NULL, "Slowest part of the front end."),
 *	};
 *	#undef RECORD
 *	static const struct takt_record bounds_record =
 *		TAKT_RECORD("bounds", "Limits of one execution of the block.", bounds_fields);
 *
 * The C type of the member decides the type in the JSON. The arguments after the sentence are
 * optional and set other members of struct takt_field: `.flags = TAKT_NULLABLE`.
 */
#ifndef TAKT_BASE_RECORD_H
#define TAKT_BASE_RECORD_H

#include "base/base.h"

enum takt_field_type {
	TAKT_FIELD_STRING,
	TAKT_FIELD_BOOL,
	TAKT_FIELD_UINT8,
	TAKT_FIELD_UINT16,
	TAKT_FIELD_UINT32,
	TAKT_FIELD_UINT64,
	TAKT_FIELD_INT32,
	TAKT_FIELD_INT64,
	TAKT_FIELD_DOUBLE,  /* NaN and infinities are null */
	TAKT_FIELD_ADDRESS, /* a uint64_t, written "0x4a" */
	TAKT_FIELD_BITS,    /* a uint32_t whose bits stand for words: an array of strings */
	TAKT_FIELD_RECORD,  /* a nested struct: an object */
	TAKT_FIELD_INLINE,  /* a nested struct whose fields stand among those of the outer one */
	TAKT_FIELD_LIST,    /* an array of values or records */
	TAKT_FIELD_MAP,	    /* an object whose keys are only known at run time */
};

enum takt_field_flags {
	TAKT_NULLABLE = 1 << 0,	   /* the value may be null, in a NULL pointer or NaN */
	TAKT_ZERO_NULL = 1 << 1,   /* 0, false and "" are null */
	TAKT_OPTIONAL = 1 << 2,	   /* a null value is left out with its key */
	TAKT_ABSENT_NULL = 1 << 3, /* null, and not left out, if the record lacks the field */
	TAKT_ONE_LINE = 1 << 4,	   /* JSON: the array or object is written on one line */
	TAKT_ROWS = 1 << 5,	   /* JSON: each record of the list is written on one line */
	TAKT_POINTER = 1 << 6,	/* the struct member, or each element of the list, is a pointer */
	TAKT_EMBEDDED = 1 << 7, /* the list is an array inside the struct */
	TAKT_WHOLE = 1 << 8,	/* a number without a fraction is written with all its digits */
	TAKT_NO_JSON = 1 << 9,	/* only in CSV */
	TAKT_NO_CSV = 1 << 10,	/* only in JSON */
	TAKT_QUOTED = 1 << 11,	/* CSV: in quotes even if it need not be */
	TAKT_ONE_BIT = 1 << 12, /* an enum of bits: 1 << i has the i-th word */
};

/* Context that a declaration's functions receive besides the record. */
struct takt_view {
	const void *root;	   /* the outermost record */
	struct takt_text *scratch; /* for strings that a function composes; empty */
};

struct takt_value {
	enum takt_value_kind {
		TAKT_VALUE_NULL,
		TAKT_VALUE_STRING,
		TAKT_VALUE_BOOL,
		TAKT_VALUE_INTEGER,
		TAKT_VALUE_NUMBER,
	} kind;
	union {
		const char *string;
		bool boolean;
		int64_t integer;
		double number;
	};
};

struct takt_value takt_value_string(const char *string); /* NULL: null */
struct takt_value takt_value_integer(int64_t integer);
struct takt_value takt_value_number(double number);

#define TAKT_RESOLVED_BYTES 512u

struct takt_record;

struct takt_field {
	const char *key;
	enum takt_field_type type;
	uint32_t offset;
	const char *unit; /* "cycles"; NULL: none */
	const char *text; /* a sentence about the field */
	uint32_t flags;	  /* enum takt_field_flags */
	/* The record has the field only if this member is not 0 (TAKT_IF); size 0: always. */
	uint32_t if_offset, if_size_bytes;
	/* False: the record has no such field; NULL: always true. */
	bool (*present)(const struct takt_view *view, const void *record);
	/* Computes the value, of the kind that `type` says; NULL: it is at `offset`. */
	struct takt_value (*compute)(const struct takt_view *view, const void *record);
	const char *constant; /* the string that is always the value; NULL: it may differ */
	/* The word of each value of an enum, or of each bit, from 0 to word_count - 1. */
	const char *(*word)(uint32_t value);
	uint32_t word_count;
	double factor;	    /* the number is multiplied by it; 0: 1 */
	const char *format; /* JSON: printf()'s format of the number; NULL: takt_json_number()'s */
	const char *csv;    /* CSV: printf()'s format of the number; NULL: "%.6g" */

	/* RECORD, INLINE, and LIST of records */
	const struct takt_record *record;
	/* Returns the struct, perhaps made in `buffer` of TAKT_RESOLVED_BYTES; NULL: at `offset`.
	 */
	const void *(*resolve)(const struct takt_view *view, const void *record, void *buffer);

	/* LIST */
	enum takt_field_type item;
	uint32_t item_size_bytes, count_offset, count_size_bytes;
	uint32_t fixed_count; /* number of elements, unless count_size_bytes or `count` is set */
	uint32_t (*count)(const struct takt_view *view, const void *record);
	bool (*filter)(const struct takt_view *view, const void *item); /* false: leave it out */
	/*
	 * MAP, and LIST of computed values: gives the element at `index`, which counts from 0 until
	 * the function returns false. An element of a map whose key is NULL is left out.
	 */
	bool (*entry)(const struct takt_view *view, const void *record, uint32_t index,
		      const char **ret_key, struct takt_value *ret_value);
};

struct takt_record {
	const char *name; /* "analysis" */
	const char *text; /* a sentence about the record */
	const struct takt_field *fields;
	uint32_t field_count;
	/* CSV: no quotes; commas and newlines in strings become semicolons, for takt_csv_begin() */
	bool no_quotes;
};

#define TAKT_RECORD(name_, text_, fields_)                                                         \
	{                                                                                          \
		.name = name_, .text = text_, .fields = fields_,                                   \
		.field_count = TAKT_COUNT_OF(fields_)                                              \
	}

/* ---- entries of a table; RECORD is the struct ------------------------------------------- */

#define TAKT_MEMBER(member) (((RECORD *)NULL)->member)
#define TAKT_TYPE_OF(value)                                                                        \
	_Generic((value),                                                                          \
		char *: TAKT_FIELD_STRING,                                                         \
		const char *: TAKT_FIELD_STRING,                                                   \
		bool: TAKT_FIELD_BOOL,                                                             \
		uint8_t: TAKT_FIELD_UINT8,                                                         \
		uint16_t: TAKT_FIELD_UINT16,                                                       \
		uint32_t: TAKT_FIELD_UINT32,                                                       \
		uint64_t: TAKT_FIELD_UINT64,                                                       \
		int32_t: TAKT_FIELD_INT32,                                                         \
		int64_t: TAKT_FIELD_INT64,                                                         \
		double: TAKT_FIELD_DOUBLE)

/* Condition: the member is not 0, false or NULL. */
#define TAKT_IF(member)                                                                            \
	.if_offset = offsetof(RECORD, member), .if_size_bytes = sizeof(TAKT_MEMBER(member))

/* A value: key, member, unit, sentence … */
#define TAKT_FIELD(key_, member, ...)                                                              \
	{                                                                                          \
		.key = key_, .type = TAKT_TYPE_OF(TAKT_MEMBER(member)),                            \
		.offset = offsetof(RECORD, member), .unit = __VA_ARGS__                            \
	}
/* A value of another type than the member's C type: key, type, member, unit, sentence … */
#define TAKT_FIELD_AS(key_, type_, member, ...)                                                    \
	{                                                                                          \
		.key = key_, .type = type_, .offset = offsetof(RECORD, member),                    \
		.unit = __VA_ARGS__                                                                \
	}
/* An enum: key, member, function of words, their count, sentence … */
#define TAKT_ENUM(key_, member, word_, count_, ...)                                                \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_UINT32, .offset = offsetof(RECORD, member),        \
		.word = word_, .word_count = count_, .text = __VA_ARGS__                           \
	}
/* A string that is always the same, such as the name of a format: key, string, sentence … */
#define TAKT_CONSTANT(key_, constant_, ...)                                                        \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_STRING, .constant = constant_, .text = __VA_ARGS__ \
	}
/* A value that a function computes: key, type, function, unit, sentence … */
#define TAKT_COMPUTED(key_, type_, compute_, ...)                                                  \
	{                                                                                          \
		.key = key_, .type = type_, .compute = compute_, .unit = __VA_ARGS__               \
	}
/* A struct inside the struct, or with TAKT_POINTER elsewhere: key, member, record, sentence … */
#define TAKT_NESTED(key_, member, record_, ...)                                                    \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_RECORD, .offset = offsetof(RECORD, member),        \
		.record = record_, .text = __VA_ARGS__                                             \
	}
/* The same struct again, with other fields, as an object of its own: key, record, sentence … */
#define TAKT_SUBRECORD(key_, record_, ...)                                                         \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_RECORD, .record = record_, .text = __VA_ARGS__     \
	}
/* The fields of a struct inside the struct: member, record … */
#define TAKT_INLINE(member, ...)                                                                   \
	{                                                                                          \
		.type = TAKT_FIELD_INLINE, .offset = offsetof(RECORD, member),                     \
		.record = __VA_ARGS__                                                              \
	}
/* An array of values: key, pointer, number of elements, unit, sentence … */
#define TAKT_LIST(key_, member, count_, ...)                                                       \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_LIST, .offset = offsetof(RECORD, member),          \
		.item = TAKT_TYPE_OF(*TAKT_MEMBER(member)),                                        \
		.item_size_bytes = sizeof(*TAKT_MEMBER(member)),                                   \
		.count_offset = offsetof(RECORD, count_),                                          \
		.count_size_bytes = sizeof(TAKT_MEMBER(count_)), .unit = __VA_ARGS__               \
	}
/* An array whose number of elements `.count` or `.fixed_count` says: key, pointer, unit … */
#define TAKT_LIST_OF(key_, member, ...)                                                            \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_LIST, .offset = offsetof(RECORD, member),          \
		.item = TAKT_TYPE_OF(*TAKT_MEMBER(member)),                                        \
		.item_size_bytes = sizeof(*TAKT_MEMBER(member)), .unit = __VA_ARGS__               \
	}
/* An array of values inside the struct: key, member, unit, sentence, flags … */
#define TAKT_ARRAY(key_, member, unit_, text_, ...)                                                \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_LIST, .offset = offsetof(RECORD, member),          \
		.item = TAKT_TYPE_OF(*TAKT_MEMBER(member)),                                        \
		.item_size_bytes = sizeof(*TAKT_MEMBER(member)),                                   \
		.fixed_count = TAKT_COUNT_OF(TAKT_MEMBER(member)), .unit = unit_, .text = text_,   \
		.flags = TAKT_EMBEDDED | __VA_ARGS__                                               \
	}
/* An array of records: key, pointer, number of elements, record, sentence … */
#define TAKT_RECORDS(key_, member, count_, record_, ...)                                           \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_LIST, .offset = offsetof(RECORD, member),          \
		.item = TAKT_FIELD_RECORD, .item_size_bytes = sizeof(*TAKT_MEMBER(member)),        \
		.count_offset = offsetof(RECORD, count_),                                          \
		.count_size_bytes = sizeof(TAKT_MEMBER(count_)), .record = record_,                \
		.text = __VA_ARGS__                                                                \
	}
/* Elements that a function gives, with keys or without: key, type, function, unit, sentence … */
#define TAKT_MAP(key_, item_, entry_, ...)                                                         \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_MAP, .item = item_, .entry = entry_,               \
		.unit = __VA_ARGS__                                                                \
	}
#define TAKT_ENTRIES(key_, item_, entry_, ...)                                                     \
	{                                                                                          \
		.key = key_, .type = TAKT_FIELD_LIST, .item = item_, .entry = entry_,              \
		.unit = __VA_ARGS__                                                                \
	}

/* ---- writing (record.c) ------------------------------------------------------------------ */

/* Write the fields of a struct into an object that is open. */
void takt_record_write_fields(const struct takt_record *record, const void *data, const void *root,
			      struct takt_json *json);
/* Append a struct as a JSON document. */
void takt_record_write_json(const struct takt_record *record, const void *data,
			    struct takt_text *text);
/* Append the line of column names. */
void takt_record_write_csv_header(const struct takt_record *record, struct takt_text *text);
/* Append `count` structs, `size_bytes` apart, as lines of CSV. `root` is for the functions. */
void takt_record_write_csv(const struct takt_record *record, const void *data, size_t count,
			   size_t size_bytes, const void *root, struct takt_text *text);

/*
 * Find a field by its key, and the struct that it is in; fields inside INLINE ones count, too, and
 * "loop.cycles" is one inside "loop", which must be there.
 */
const struct takt_field *takt_record_find(const struct takt_record *record, const char *key,
					  void *data, void **ret_data);

/* Return the value of a field that is neither a record nor a list; a string may be in the scratch.
 */
struct takt_value takt_field_value(const struct takt_view *view, const struct takt_field *field,
				   const void *data);
/* True if some records lack the field. */
bool takt_field_is_conditional(const struct takt_field *field);

/* ---- schemas (record_schema.c) ------------------------------------------------------------ */

/* The form of a command's JSON: one of up to three records. */
struct takt_schema {
	const char *name;  /* "analyze": the file is NAME.schema.json */
	const char *title; /* "takt analyze --format=json" */
	const struct takt_record *records[3];
};

/* Append the JSON Schema (draft 2020-12). */
void takt_schema_write(const struct takt_schema *schema, struct takt_text *text);

#endif
