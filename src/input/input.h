/* SPDX-License-Identifier: MIT */
/*
 * input: reads code and selects the regions to analyze. Code comes from ELF files, assembly text
 * (assembled by LLVM in a confined process, started on first need), raw bytes or hex. Regions are
 * selected by markers, line ranges, functions, address ranges or as innermost loops. The result
 * is a list of straight-line regions; see takt_code in takt.h.
 */
#ifndef TAKT_INPUT_H
#define TAKT_INPUT_H

#include <signal.h>

#include "isa/isa.h"

#define TAKT_REGION_INSNS_MAX 4000000u
/* Longer lines, often of many instructions, are not shown. */
#define TAKT_LINE_TEXT_MAX_BYTES 200u

/* Source position of an instruction. */
struct takt_source_line {
	const char *file; /* NULL if not known */
	uint32_t line;	  /* 0 if not known */
	const char *text; /* the user's line of assembly, trimmed; NULL: other input, or too long */
};

/* Find the source line of the instruction to which takt_decode_block() gives the address. */
struct takt_source_line takt_code_line(const struct takt_code *code, size_t region_index,
				       uint64_t address);
const struct takt_isa *takt_code_isa(const struct takt_code *code);
/* Return the file and the section that the region came from, for messages. */
const char *takt_code_file(const struct takt_code *code);
const char *takt_region_section(const struct takt_code *code, size_t region_index);

/*
 * Map an address in a region, of which parts may have been copied together, to the address in its
 * section.
 */
uint64_t takt_code_original(const struct takt_code *code, size_t region_index, uint64_t address);
/*
 * Find the straight code through which control comes from the function's start to a nest. Without
 * such code, return false.
 */
bool takt_region_approach(const struct takt_code *code, size_t region_index,
			  const uint8_t **ret_bytes, size_t *ret_size_bytes);

/* Bytes of a section and their address in it. */
struct takt_code_span {
	const uint8_t *bytes;
	size_t size_bytes;
	uint64_t address;
};

/*
 * Return the demangled C++ name, allocated in the arena, or `symbol` itself if it is not a mangled
 * name or demangling fails.
 */
const char *takt_demangle(const char *symbol, struct takt_arena *arena);
/*
 * True if a symbol is `wanted`, or is demangled to it with more around it: "ns::f" is called all of
 * "_ZN2ns1fEi" and "int ns::f<int>(int)". The arena holds what is demangled.
 */
bool takt_symbol_is_called(const char *symbol, const char *wanted, struct takt_arena *arena);

/* Find the function around a region's first instruction; false if no symbol says where it is. */
bool takt_region_function(const struct takt_code *code, size_t region_index,
			  struct takt_code_span *ret_span);

/* Return the vector settings of a region for takt_block_set_vectors(), in the arena. */
struct takt_lead takt_region_lead(const struct takt_code *code, size_t region_index,
				  struct takt_arena *arena);

/* ---- the LLVM shim (src/input/llvm_shim.cpp, in each of the LLVM modules) ---- */

#define TAKT_SHIM_OBJECT_MAX_BYTES ((size_t)256 << 20)
#define TAKT_SHIM_REPORTS_MAX 100u /* most errors in one text; the work ends there */
#define TAKT_SHIM_SPENT 2	   /* returned instead of 1 if memory was lost as well */
#define TAKT_SHIM_NO_PLACE UINT64_MAX

/* Place in the object of an instruction or a label of the text. */
struct takt_assembled_insn {
	uint32_t section; /* index in the object's section header table */
	uint32_t offset;  /* offset in that section */
	uint32_t line;	  /* 1-based line of the source, 0 if a macro made it */
};

enum takt_shim_report_kind {
	TAKT_SHIM_ERROR,
	TAKT_SHIM_READS_FILE, /* a directive that is refused because it would read a file */
	TAKT_SHIM_TOO_MUCH,   /* the text makes more than a limit allows */
};

/* Reasons for the assembler to give up. */
enum takt_shim_cause {
	TAKT_SHIM_TIME = 1,
	TAKT_SHIM_MEMORY,
	TAKT_SHIM_STACK,
	TAKT_SHIM_CRASH,
};

/* Called once per error. `line` and `column` are 1-based; 0 if there is no line. */
typedef void (*takt_shim_report)(void *context, enum takt_shim_report_kind kind, uint32_t line,
				 uint32_t column, const char *message);

struct takt_shim_request {
	const char *triple, *cpu, *features;
	const char *source, *source_name;
	const char *label_prefix; /* labels with this prefix are listed in the result */
	int intel_syntax;	  /* 1: Intel without register prefixes; 0: AT&T */
	takt_shim_report report;
	void *context;
	const volatile sig_atomic_t *is_late;	     /* checked between statements */
	void (*give_up)(enum takt_shim_cause cause); /* does not return */
};

struct takt_shim_result {
	unsigned char *object;
	size_t object_size_bytes;
	struct takt_assembled_insn *insns; /* ascending by section, offset */
	size_t insn_count;
	struct takt_assembled_insn *labels; /* in the order of the text */
	size_t label_count;
};

/*
 * Entry "takt_shim_assemble": assemble NUL-terminated text for an LLVM triple into an in-memory
 * ELF object; the arrays are malloc'ed and belong to the caller. Return 0 on success. Not
 * reentrant.
 */
typedef int (*takt_shim_assemble_function)(const struct takt_shim_request *request,
					   struct takt_shim_result *ret_result);

/*
 * Entry "takt_shim_place": return the offset in the source of the statement that is being
 * assembled; TAKT_SHIM_NO_PLACE before and after that, such as while sections are laid out. It
 * may allocate memory.
 */
typedef uint64_t (*takt_shim_place_function)(void);

/* ---- natural loops of a control-flow graph (natural_loops.c) ---- */

struct takt_flow_edge {
	uint32_t from, to; /* nodes by index */
	uint64_t count;	   /* executions */
};

struct takt_flow_node {
	uint32_t next_edge;	/* the first outgoing edge that the search has not followed */
	uint32_t entered, left; /* time at which the search did, from 1; 0: not yet */
	bool is_head;		/* a back edge leads to the node */
};

struct takt_flow_graph {
	const struct takt_flow_edge *edges; /* sorted by takt_flow_compare_edges() */
	uint32_t edge_count, node_count;
	struct takt_flow_node *nodes;
	uint32_t *stack; /* nodes that the search is in */
	uint32_t clock;
};

/* Compare edges by `from`, then `to`, for qsort(). */
int takt_flow_compare_edges(const void *left, const void *right);
void takt_flow_init(struct takt_flow_graph *flow, uint32_t node_count,
		    const struct takt_flow_edge *edges, uint32_t edge_count,
		    struct takt_arena *arena);
/* Search from a node, unless an earlier search reached it, and mark the heads of loops. */
void takt_flow_search(struct takt_flow_graph *flow, uint32_t root);
/*
 * After all searches: set `inside`, by node, to the nodes of the loop of a head, and return their
 * number. `ret_back_count` is the sum of the executions of the loop's back edges.
 */
uint32_t takt_flow_find_body(const struct takt_flow_graph *flow, uint32_t head, bool *inside,
			     uint64_t *ret_back_count);

#endif
