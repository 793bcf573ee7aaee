/* SPDX-License-Identifier: MIT */
/*
 * llvm: what LLVM's machine code layer says of one instruction, for every instruction set
 * but x86-64. The C++ side (llvm_target.cpp) is in modules that are loaded on first need:
 * takt-llvm-aarch64 has AArch64 alone, takt-llvm-any has whatever the installed LLVM has.
 * Plain records, so that no C++ type and no LLVM number leaves that file: registers are
 * given as locations (below), opcodes and scheduling classes as numbers of one target
 * that mean something only to it.
 */
#ifndef TAKT_ISA_LLVM_H
#define TAKT_ISA_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAKT_LLVM_LOCATIONS_MAX 114 /* those that fewest instructions can name share the last */
#define TAKT_LLVM_OPERANDS_MAX 24
#define TAKT_LLVM_IMPLICIT_MAX 16
#define TAKT_LLVM_PARTS_MAX 8 /* locations of one register: four for a tuple of four */
#define TAKT_LLVM_TEXT_MAX 192
#define TAKT_LLVM_UNITS_MAX 32
#define TAKT_LLVM_RESOURCES_MAX 16
#define TAKT_LLVM_ADVANCES_MAX 32
#define TAKT_LLVM_SETTINGS_MAX 4
#define TAKT_LLVM_CYCLES_UNKNOWN UINT16_MAX

/* One processor of one instruction set, as LLVM knows it. Thread-safe: it locks itself. */
struct takt_llvm_target;

/*
 * Locations of a target are numbered from 1: register units of LLVM, without those that
 * lie inside another one, so that two registers overlap exactly if they share a location.
 * 0 is none.
 */
struct takt_llvm_register {
	uint8_t part_count;
	uint16_t parts[TAKT_LLVM_PARTS_MAX]; /* locations, ascending; what exceeds is left out */
};

enum takt_llvm_operand_type {
	TAKT_LLVM_OTHER,
	TAKT_LLVM_REGISTER,
	TAKT_LLVM_IMMEDIATE, /* a number, or the distance to a label */
};

struct takt_llvm_operand {
	uint8_t type;          /* enum takt_llvm_operand_type */
	bool is_definition;    /* written */
	int8_t tied_to;        /* the definition that has to be the same register, or -1 */
	bool is_memory;        /* LLVM calls it part of a memory operand */
	bool is_zero_register; /* reads as zero, writes vanish: xzr, x0 of RISC-V */
	struct takt_llvm_register reg;
	int64_t immediate;
};

/*
 * As LLVM has them, which errs on the safe side: it says of nop and of barriers that they
 * load, store and more, and of mrs (in implicit writes) that it changes the flags.
 */
enum takt_llvm_flag {
	TAKT_LLVM_BRANCH = 1 << 0, /* any control transfer, calls and returns included */
	TAKT_LLVM_CONDITIONAL = 1 << 1,
	TAKT_LLVM_CALL = 1 << 2,
	TAKT_LLVM_RETURN = 1 << 3,
	TAKT_LLVM_INDIRECT = 1 << 4, /* the target is not in the instruction; returns, too */
	TAKT_LLVM_LOADS = 1 << 5,
	TAKT_LLVM_STORES = 1 << 6,
	TAKT_LLVM_SIDE_EFFECTS = 1 << 7,
	TAKT_LLVM_HAS_TARGET = 1 << 8,
	TAKT_LLVM_BARRIER = 1 << 9, /* control does not fall through */
};

struct takt_llvm_insn {
	uint32_t opcode;
	uint32_t scheduling_class; /* of this very instruction, variants resolved; 0: none */
	uint32_t flags;            /* enum takt_llvm_flag */
	uint8_t size_bytes;
	uint8_t operand_count, implicit_read_count, implicit_write_count;
	uint64_t target;           /* of direct branches */
	struct takt_llvm_operand operands[TAKT_LLVM_OPERANDS_MAX]; /* LLVM's order: definitions first */
	struct takt_llvm_register implicit_reads[TAKT_LLVM_IMPLICIT_MAX];
	struct takt_llvm_register implicit_writes[TAKT_LLVM_IMPLICIT_MAX];
	/*
	 * As its preferred alias, blanks single, no comment, as LLVM prints it. Immediates are
	 * decimal but for the masks of logical instructions; targets of branches, and of adr,
	 * are absolute addresses in hexadecimal.
	 */
	char text[TAKT_LLVM_TEXT_MAX];
};

/* A unit that executes µops. */
struct takt_llvm_unit {
	const char *name;    /* LLVM's resource, e.g. "V2UnitS0" */
	uint16_t number;     /* of several of that name */
	int16_t buffer_size; /* entries before it; 0: in order, -1: the common one */
};

struct takt_llvm_resource {
	uint32_t units;      /* mask: any one of these */
	uint16_t cycles;     /* that it is busy for */
};

/* What a definition takes. The kind is what advances refer to; 0 for none. */
struct takt_llvm_write {
	uint16_t cycles; /* or TAKT_LLVM_CYCLES_UNKNOWN */
	uint16_t kind;
};

/*
 * An operand that is wanted that much later, if the value comes from a write of that kind,
 * or of any kind (0). `use` is its number in `operands` less the number of definitions.
 */
struct takt_llvm_advance {
	uint8_t use;
	bool from_same_class; /* it holds between two instructions of this class */
	uint16_t kind;
	int16_t cycles; /* negative: wanted earlier */
};

/* What the scheduling model says of a scheduling class. Cycles. */
struct takt_llvm_schedule {
	uint16_t uops;
	bool begins_group, ends_group;
	bool advances_cut; /* there are more, of other classes' writes */
	uint8_t resource_count, write_count, advance_count;
	/* Groups less what their members have already: µops, each on any unit of its mask. */
	struct takt_llvm_resource resources[TAKT_LLVM_RESOURCES_MAX];
	/* Explicit definitions in order, then implicit ones; those beyond take the longest. */
	struct takt_llvm_write writes[TAKT_LLVM_OPERANDS_MAX];
	/* Ascending by use, the greatest first: the first that fits counts. */
	struct takt_llvm_advance advances[TAKT_LLVM_ADVANCES_MAX];
};

/* What instructions of a scheduling class look like. */
struct takt_llvm_class_use {
	uint16_t definitions; /* registers written, the most */
	uint16_t loads, stores; /* opcodes that do nothing else with memory */
};

struct takt_llvm_processor {
	bool has_schedule;        /* LLVM has instruction tables for it */
	bool is_out_of_order;
	uint16_t issue_width, micro_op_buffer, load_latency, mispredict_penalty;
	uint8_t unit_count;       /* at most TAKT_LLVM_UNITS_MAX; more are left out */
	bool units_cut;
	struct takt_llvm_unit units[TAKT_LLVM_UNITS_MAX];
	uint16_t location_count;  /* locations are 1 … this */
	bool locations_shared;    /* the last one is of several registers, "special" */
	uint16_t class_count;     /* scheduling classes are 1 … this - 1, without resolved variants */
	bool has_settings;        /* classes may depend on settings */
};

/*
 * What vector instructions of RISC-V work on, where it changes how long they take. `kind`
 * and `data` are LLVM's: "RISCV-LMUL" "M2", "RISCV-SEW" "E32".
 */
struct takt_llvm_setting {
	char kind[24], data[8];
};

struct takt_llvm_settings {
	unsigned count;
	struct takt_llvm_setting list[TAKT_LLVM_SETTINGS_MAX]; /* one of a kind */
};

/* What an instruction has to do with settings. */
struct takt_llvm_setting_use {
	bool depends; /* its scheduling class is another one under other settings */
	bool sets;    /* it sets them */
	bool unknown; /* to what only a register tells (vsetvl), or to what no code may use */
};

/* Receives names, e.g. of processors; false stops. */
typedef bool (*takt_llvm_name_sink)(void *context, const char *name);
/* Receives what an error is about; the text is gone afterwards. */
typedef void (*takt_llvm_error_sink)(void *context, const char *message);

/*
 * The module's entry `takt_llvm_entry` gives this table. `triple` is LLVM's, e.g.
 * "aarch64-unknown-linux-gnu"; `cpu` "" means generic; `features` as clang's -mattr ("+all").
 */
struct takt_llvm_api {
	/* NULL after an error. The same for the same arguments; lives as long as the process. */
	struct takt_llvm_target *(*open)(const char *triple, const char *cpu, const char *features,
					 takt_llvm_error_sink report, void *context);
	const struct takt_llvm_processor *(*processor)(const struct takt_llvm_target *target);
	const char *(*location_name)(const struct takt_llvm_target *target, uint16_t location);
	const char *(*opcode_name)(const struct takt_llvm_target *target, uint32_t opcode);
	/* False if no instruction starts there. `with_text`: fill `text`, which costs most of it. */
	bool (*decode)(struct takt_llvm_target *target, const uint8_t *bytes, size_t size_bytes,
		       uint64_t address, bool with_text, struct takt_llvm_insn *ret_insn);
	/* False if the class has no figures. */
	bool (*schedule)(const struct takt_llvm_target *target, uint32_t scheduling_class,
			 struct takt_llvm_schedule *ret_schedule);
	/* Of the processor's `class_count` classes: from all opcodes that are instructions. */
	void (*uses)(const struct takt_llvm_target *target, struct takt_llvm_class_use *ret_uses);
	/*
	 * An instruction of that opcode with a register of its own in every place where one can
	 * stand; `variant` 0, 1, … chooses among immediates, until it returns -1. Returns the
	 * encoded size, 0 for what cannot be encoded, is a pseudo, or decodes as another opcode.
	 */
	int (*sample)(struct takt_llvm_target *target, uint32_t opcode, uint32_t variant,
		      uint8_t ret_bytes[16]);
	uint32_t (*opcode_count)(const struct takt_llvm_target *target);
	/* Triples' architectures ("riscv64"), processors of a triple that have tables. */
	void (*architectures)(takt_llvm_name_sink sink, void *context);
	bool (*processors)(const char *triple, takt_llvm_name_sink sink, void *context);
	/* Only of processors with settings. False, without effect, if there is no such setting. */
	bool (*set)(const struct takt_llvm_target *target, const char *kind, const char *data,
		    struct takt_llvm_settings *settings);
	/*
	 * The scheduling class of an instruction under settings, which it may change itself; they
	 * stay as they are if it sets them to what is unknown. Returns its size, 0 if no
	 * instruction starts there.
	 */
	unsigned (*classify)(struct takt_llvm_target *target, const uint8_t *bytes,
			     size_t size_bytes, struct takt_llvm_settings *settings,
			     uint32_t *ret_class, struct takt_llvm_setting_use *ret_use);
};

const struct takt_llvm_api *takt_llvm_entry(void);

#endif
