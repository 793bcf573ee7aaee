/* SPDX-License-Identifier: MIT */
/*
 * llvm: instructions as LLVM's machine code layer describes them, for every instruction set
 * but x86-64. The C++ side (llvm_target.cpp) is in modules that are loaded on first need:
 * takt-llvm-aarch64, takt-llvm-riscv and others have one target each and load fast; takt-llvm-any
 * has all targets of the installed LLVM.
 * The interface consists of plain records, so that no C++ type and no LLVM number leaves
 * that file: registers are given as locations (below), opcodes and scheduling classes as
 * numbers that are valid for one target only.
 */
#ifndef TAKT_ISA_LLVM_H
#define TAKT_ISA_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAKT_LLVM_LOCATIONS_MAX 114 /* the registers that are named least share the last one */
#define TAKT_LLVM_OPERANDS_MAX 24
#define TAKT_LLVM_IMPLICIT_MAX 16
#define TAKT_LLVM_PARTS_MAX 8 /* locations of one register: four for a tuple of four */
#define TAKT_LLVM_TEXT_MAX 192
#define TAKT_LLVM_UNITS_MAX 32
#define TAKT_LLVM_RESOURCES_MAX 16
#define TAKT_LLVM_ADVANCES_MAX 32
#define TAKT_LLVM_SETTINGS_MAX 4
#define TAKT_LLVM_CYCLES_UNKNOWN UINT16_MAX

/* One processor of one instruction set, as LLVM knows it. Its functions lock it: thread-safe. */
struct takt_llvm_target;

/*
 * Locations of a target are numbered from 1; 0 is none. A location is a register unit of LLVM.
 * Units that lie inside another one have no location of their own, so that two registers
 * overlap exactly if they share a location.
 */
struct takt_llvm_register {
	uint8_t part_count;
	uint16_t parts[TAKT_LLVM_PARTS_MAX]; /* locations, ascending; further ones are left out */
};

enum takt_llvm_operand_type {
	TAKT_LLVM_OTHER,
	TAKT_LLVM_REGISTER,
	TAKT_LLVM_IMMEDIATE, /* a number, or the distance to a label */
};

struct takt_llvm_operand {
	uint8_t type;	    /* enum takt_llvm_operand_type */
	bool is_definition; /* the register is written */
	int8_t tied_to;	    /* index of the definition that must be the same register, or -1 */
	bool is_memory;	    /* part of a memory operand, according to LLVM */
	struct takt_llvm_register reg;
	int64_t immediate;
};

/*
 * Properties of an instruction according to LLVM, which errs on the safe side: nop and barriers
 * load, store and more, and mrs has the flags among its implicit writes.
 */
enum takt_llvm_flag {
	TAKT_LLVM_BRANCH = 1 << 0, /* any control transfer, calls and returns included */
	TAKT_LLVM_CONDITIONAL = 1 << 1,
	TAKT_LLVM_CALL = 1 << 2,
	TAKT_LLVM_RETURN = 1 << 3,
	TAKT_LLVM_INDIRECT = 1 << 4, /* the target is not encoded; returns have it, too */
	TAKT_LLVM_LOADS = 1 << 5,
	TAKT_LLVM_STORES = 1 << 6,
	TAKT_LLVM_SIDE_EFFECTS = 1 << 7,
	TAKT_LLVM_HAS_TARGET = 1 << 8,
	TAKT_LLVM_BARRIER = 1 << 9, /* control does not fall through */
};

struct takt_llvm_insn {
	uint32_t opcode;
	uint32_t scheduling_class; /* with variants resolved for these operands; 0: none */
	uint32_t flags;		   /* enum takt_llvm_flag */
	uint8_t size_bytes;
	uint8_t operand_count, implicit_read_count, implicit_write_count;
	uint64_t target; /* absolute target of direct branches */
	/* The operands in LLVM's order, definitions first. */
	struct takt_llvm_operand operands[TAKT_LLVM_OPERANDS_MAX];
	struct takt_llvm_register implicit_reads[TAKT_LLVM_IMPLICIT_MAX];
	struct takt_llvm_register implicit_writes[TAKT_LLVM_IMPLICIT_MAX];
	/*
	 * The instruction as LLVM prints it: its preferred alias, with single blanks and without
	 * comment. Immediates are decimal, except the masks of logical instructions; targets of
	 * branches, and of adr, are absolute addresses in hexadecimal.
	 */
	char text[TAKT_LLVM_TEXT_MAX];
};

/* A unit that executes µops. */
struct takt_llvm_unit {
	const char *name; /* name of LLVM's resource, e.g. "V2UnitS0" */
	uint16_t number;  /* index among the units of that name */
};

struct takt_llvm_resource {
	uint32_t units;	 /* mask of the units, any one of which is used */
	uint16_t cycles; /* cycles for which the unit is busy */
};

/* The latency of a definition. */
struct takt_llvm_write {
	uint16_t cycles; /* or TAKT_LLVM_CYCLES_UNKNOWN */
	uint16_t kind;	 /* number by which advances refer to the write; 0 for none */
};

/*
 * A read advance: the operand is needed `cycles` later than at issue if its value comes from a
 * write of `kind`, or of any kind (0). `use` is its index in `operands` minus the number of
 * definitions.
 */
struct takt_llvm_advance {
	uint8_t use;
	bool from_same_class; /* it applies between two instructions of this class */
	uint16_t kind;
	int16_t cycles; /* negative if the operand is needed earlier */
};

/* The figures of a scheduling class in LLVM's scheduling model. */
struct takt_llvm_schedule {
	uint16_t uops;
	bool advances_cut; /* the model has more, for values that other classes write */
	uint8_t resource_count, write_count, advance_count;
	/* µops, each on any unit of its mask; a group's entry is without its members' entries. */
	struct takt_llvm_resource resources[TAKT_LLVM_RESOURCES_MAX];
	/* Explicit definitions in order, then implicit ones; further ones have the longest. */
	struct takt_llvm_write writes[TAKT_LLVM_OPERANDS_MAX];
	/* Sorted by ascending use, then by descending cycles: the first that applies counts. */
	struct takt_llvm_advance advances[TAKT_LLVM_ADVANCES_MAX];
};

/* The instructions that have a scheduling class. */
struct takt_llvm_class_use {
	uint16_t definitions;	/* largest number of explicitly written registers */
	uint16_t loads, stores; /* number of opcodes that only load, and that only store */
};

struct takt_llvm_processor {
	bool has_schedule; /* LLVM has instruction tables for it */
	bool is_out_of_order;
	uint16_t issue_width, micro_op_buffer, load_latency, mispredict_penalty;
	uint8_t unit_count; /* at most TAKT_LLVM_UNITS_MAX; further units are left out */
	bool units_cut;
	struct takt_llvm_unit units[TAKT_LLVM_UNITS_MAX];
	uint16_t location_count; /* locations are 1 … location_count */
	bool locations_shared;	 /* several registers share the last location, "special" */
	uint16_t class_count;	 /* classes are 1 … class_count - 1, without resolved variants */
	bool has_settings;	 /* classes may depend on settings */
};

/*
 * A setting of the vector unit of RISC-V that changes how long vector instructions take. `kind`
 * and `data` are LLVM's words: "RISCV-LMUL" "M2", "RISCV-SEW" "E32".
 */
struct takt_llvm_setting {
	char kind[24], data[8];
};

struct takt_llvm_settings {
	unsigned count;
	struct takt_llvm_setting list[TAKT_LLVM_SETTINGS_MAX]; /* at most one of each kind */
};

/* Uses and changes of vector settings by an instruction. */
struct takt_llvm_setting_use {
	bool depends; /* its scheduling class depends on the settings */
	bool sets;    /* it changes the settings */
	bool unknown; /* the new settings are in a register (vsetvl), or are reserved values */
};

/* Receives names, e.g. of processors; returns false to stop. */
typedef bool (*takt_llvm_name_sink)(void *context, const char *name);
/* Receives the message of an error; the text is valid only during the call. */
typedef void (*takt_llvm_error_sink)(void *context, const char *message);

/*
 * The functions of a module, which takt_llvm_entry() returns. `triple` is LLVM's, e.g.
 * "aarch64-unknown-linux-gnu"; `cpu` "" means generic; `features` has the syntax of llc's -mattr
 * ("+all").
 */
struct takt_llvm_api {
	/*
	 * Open a target, the same one for the same arguments; NULL after an error. It lives as
	 * long as the process.
	 */
	struct takt_llvm_target *(*open)(const char *triple, const char *cpu, const char *features,
					 takt_llvm_error_sink report, void *context);
	const struct takt_llvm_processor *(*processor)(const struct takt_llvm_target *target);
	const char *(*location_name)(const struct takt_llvm_target *target, uint16_t location);
	const char *(*opcode_name)(const struct takt_llvm_target *target, uint32_t opcode);
	/* Decode; false if no instruction starts there. Filling `text` takes most of the time. */
	bool (*decode)(struct takt_llvm_target *target, const uint8_t *bytes, size_t size_bytes,
		       uint64_t address, bool with_text, struct takt_llvm_insn *ret_insn);
	/* Get the figures of a class; false if it has none. */
	bool (*schedule)(const struct takt_llvm_target *target, uint32_t scheduling_class,
			 struct takt_llvm_schedule *ret_schedule);
	/* Describe the processor's `class_count` classes, from all opcodes except pseudos. */
	void (*uses)(const struct takt_llvm_target *target, struct takt_llvm_class_use *ret_uses);
	/*
	 * Encode an instruction of that opcode, with different registers for its operands where
	 * possible; `variant` 0, 1, … chooses among immediates. Returns the encoded size; -1 if
	 * there are no more variants; 0 for a pseudo, or if the variant cannot be encoded or
	 * decodes as another opcode.
	 */
	int (*sample)(struct takt_llvm_target *target, uint32_t opcode, uint32_t variant,
		      uint8_t ret_bytes[16]);
	uint32_t (*opcode_count)(const struct takt_llvm_target *target);
	/* List architectures ("riscv64"), and the processors of a triple that have tables. */
	void (*architectures)(takt_llvm_name_sink sink, void *context);
	bool (*processors)(const char *triple, takt_llvm_name_sink sink, void *context);
	/* Add a setting; only for processors with settings. False if there is no such setting. */
	bool (*set)(const struct takt_llvm_target *target, const char *kind, const char *data,
		    struct takt_llvm_settings *settings);
	/*
	 * Find the scheduling class of an instruction under settings, and apply the settings that
	 * it makes; if these are unknown, the old ones stay. Returns its size, 0 if no instruction
	 * starts there.
	 */
	unsigned (*classify)(struct takt_llvm_target *target, const uint8_t *bytes,
			     size_t size_bytes, struct takt_llvm_settings *settings,
			     uint32_t *ret_class, struct takt_llvm_setting_use *ret_use);
};

const struct takt_llvm_api *takt_llvm_entry(void);

/* Return the name of the module for a set "llvm:TRIPLE:CPU". */
const char *takt_llvm_module(const char *name);

#endif
