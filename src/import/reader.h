/* SPDX-License-Identifier: MIT */
/*
 * reader: the interface between import and its modules. A module knows its library and nothing of
 * takt: it calls back for every element, event or table row. A callback that returns false stops
 * the reading; the reader then returns false without an error of its own.
 */
#ifndef TAKT_IMPORT_READER_H
#define TAKT_IMPORT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- takt-import.so: takt_import_xml ------------------------------------- */

struct takt_xml_attribute {
	const char *name, *value;
};

#define TAKT_XML_ATTRIBUTES_MAX 192
#define TAKT_XML_DEPTH_MAX 32
#define TAKT_XML_TEXT_MAX_BYTES 16384 /* limit of one element's text, and of its attributes */

/* Strings live until the callback returns. */
struct takt_xml_events {
	void *context;
	bool (*open)(void *context, uint32_t line, const char *name,
		     const struct takt_xml_attribute *attributes, size_t count);
	/* `text` is all text directly inside the element. */
	bool (*close)(void *context, uint32_t line, const char *name, const char *text);
	void (*error)(void *context, uint32_t line, const char *what, const char *remedy);
};

typedef bool (*takt_xml_reader)(const void *data, size_t size_bytes,
				const struct takt_xml_events *events);

/* ---- takt-import.so: takt_import_yaml ------------------------------------ */

enum takt_yaml_event {
	TAKT_YAML_SCALAR,
	TAKT_YAML_LIST, /* a list begins, which END ends */
	TAKT_YAML_MAP,	/* a map begins, which END ends */
	TAKT_YAML_END,
};

struct takt_yaml_events {
	void *context;
	/* `text` is a NUL-terminated scalar, else NULL; `quoted` distinguishes '~' from ~. */
	bool (*event)(void *context, uint32_t line, enum takt_yaml_event event, const char *text,
		      bool quoted);
	void (*error)(void *context, uint32_t line, const char *what, const char *remedy);
};

typedef bool (*takt_yaml_reader)(const void *data, size_t size_bytes,
				 const struct takt_yaml_events *events);

/* ---- takt-llvm.so: takt_shim_tables -------------------------------------- */

#define TAKT_LLVM_UNITS_MAX 16

/* Cycles of one resource that its smaller groups do not already account for. */
struct takt_llvm_resource {
	/* Names of its units, and the number of units that each name stands for. */
	const char *units[TAKT_LLVM_UNITS_MAX];
	uint16_t unit_sizes[TAKT_LLVM_UNITS_MAX];
	uint32_t unit_count;
	double cycles;
};

/* One opcode with sample operands, in which every register operand has a different register. */
struct takt_llvm_row {
	const char *opcode;
	const uint8_t *bytes;
	size_t size_bytes;
	const struct takt_llvm_resource *resources;
	size_t resource_count;
	uint32_t latency_cycles;
	uint32_t uops;
	uint32_t advance_cycles; /* cycles that register sources may come later than the address */
};

struct takt_llvm_events {
	void *context;
	bool (*row)(void *context, const struct takt_llvm_row *row);
	/* An opcode without scheduling data, or one that cannot be encoded. */
	void (*skip)(void *context, const char *opcode, const char *reason);
	/* The CPU is not one of `names`. */
	void (*unknown_cpu)(void *context, const char *const *names, size_t count);
	void (*error)(void *context, const char *what);
};

typedef bool (*takt_llvm_tables)(const char *cpu, const struct takt_llvm_events *events);

#endif
