/* SPDX-License-Identifier: MIT */
/*
 * isa: turns bytes into instructions. An instruction has its form (the key into machine
 * models), every location that it reads or writes, with the operand that names it, and its
 * memory operands. Zydis decodes x86-64; gaps in its operand roles are closed here
 * (docs/x86-roles.md). LLVM decodes AArch64 and every other set, in modules that are loaded
 * on first need.
 */
#ifndef TAKT_ISA_H
#define TAKT_ISA_H

#include "base/base.h"

/* ---- instruction sets --------------------------------------------------- */

/* An instruction set. Immutable; lives as long as the process. */
struct takt_isa {
	const char *name;	/* "x86-64", "aarch64", "llvm:riscv64:sifive-u74" */
	const char *title;	/* name for people: "x86-64", "AArch64", "riscv64" */
	uint8_t unit_bytes;	/* instruction lengths and addresses are multiples of this */
	uint8_t stack_location; /* enum takt_location of the stack pointer; 0 if not known */
	/* Set for x86-64: parts of registers are written alone, and the x87 stack rotates. */
	bool has_register_parts;
	const struct takt_isa_functions *functions; /* private to isa */
	const struct takt_llvm_api *llvm;	    /* for sets that LLVM alone decodes */
	struct takt_llvm_target *target;
};

extern const struct takt_isa takt_isa_x86, takt_isa_aarch64;

/* Return a core, as an example, for "x86-64", "aarch64" or "riscv64"; NULL for other sets. */
const char *takt_isa_example_core(const char *isa);

/* Name of the instruction set of the machine that takt runs on. */
#if defined(__aarch64__)
#define TAKT_HOST_ISA "aarch64"
#elif defined(__riscv)
#define TAKT_HOST_ISA "riscv64"
#else
#define TAKT_HOST_ISA "x86-64"
#endif

/*
 * Find an instruction set by name: "x86-64", "aarch64" or "llvm:TRIPLE:CPU" (without CPU:
 * generic). The last loads a module. Returns UNAVAILABLE if the module is not installed, and
 * NOT_FOUND if LLVM does not know the triple or the CPU; both are reported.
 */
TAKT_MUST_CHECK enum takt_status takt_isa_find(const char *name, struct takt_diag *diag,
					       const struct takt_isa **ret_isa);

/*
 * True if code of one set is code of the other: they are equal, or LLVM decodes both and they are
 * one architecture's, for processors whose extensions and scheduling classes may differ.
 */
bool takt_isa_is_kin(const struct takt_isa *isa, const struct takt_isa *other);

/*
 * True if instructions of the set can be decoded. False, reported, if the module that decodes them
 * is missing; takt_decode() then returns TAKT_UNAVAILABLE for all of them.
 */
bool takt_isa_can_decode(const struct takt_isa *isa, struct takt_diag *diag);

/* ---- locations: registers and flags that carry dependences ------------- */

/*
 * A location is a whole architectural register, a flag group, or a piece that
 * some cores rename by itself (ah). An access to eax or al has the location of rax; the
 * access says how much of it is written. Reading or writing ah has HIGH8 alone; the module
 * depend decides what a later read of rax waits for. mm registers share the x87
 * locations. st(i) is numbered from the top of the stack before the instruction, but in
 * writes of an instruction that pushes, from the new top. See docs/x86-roles.md.
 *
 * AArch64: GPR + n is xn, GPR + 31 is sp; VECTOR + n is vn and zn; MASK + n is pn; SZAP is
 * nzcv; MXCSR is fpcr and fpsr. The zero register has no location. For sets that LLVM alone
 * decodes, locations from OPEN on are those of llvm.h, in the same order; lower ones are unused.
 */
enum takt_location {
	TAKT_LOC_NONE = 0,
	TAKT_LOC_CF = 1,
	TAKT_LOC_OF,
	TAKT_LOC_SZAP, /* sign, zero, adjust, parity: renamed together */
	TAKT_LOC_DF,
	TAKT_LOC_MXCSR,
	TAKT_LOC_X87_STATUS, /* condition codes, control and status word */
	TAKT_LOC_SYSTEM,     /* everything else: segment, control registers, xcr0, … */
	TAKT_LOC_GPR = 8,    /* rax rcx rdx rbx rsp rbp rsi rdi r8 … r15 */
	TAKT_LOC_RSP = TAKT_LOC_GPR + 4,
	TAKT_LOC_HIGH8 = 40,  /* ah ch dh bh, where they are accessed as such */
	TAKT_LOC_VECTOR = 44, /* x/y/zmm0 … 31 */
	TAKT_LOC_MASK = 76,   /* k0 … k7 */
	TAKT_LOC_X87 = 92,    /* st(i) as written; depend rotates the stack */
	TAKT_LOC_TILE = 100,  /* tmm0 … 7; za */
	TAKT_LOC_FFR = 108,   /* first-fault register */
	TAKT_LOC_OPEN,
	TAKT_LOC_COUNT = 224 /* slots and parts of locations have to fit into a byte */
};

/* Kinds of locations of x86-64 and AArch64; sets that LLVM alone decodes have other numbers. */
static inline bool takt_location_is_gpr(unsigned location)
{
	return location >= TAKT_LOC_GPR && location < TAKT_LOC_HIGH8;
}

static inline bool takt_location_is_high8(unsigned location)
{
	return location >= TAKT_LOC_HIGH8 && location < TAKT_LOC_VECTOR;
}

static inline bool takt_location_is_vector(unsigned location)
{
	return location >= TAKT_LOC_VECTOR && location < TAKT_LOC_MASK;
}

static inline bool takt_location_is_mask(unsigned location)
{
	return location >= TAKT_LOC_MASK && location < TAKT_LOC_X87;
}

static inline bool takt_location_is_x87(unsigned location)
{
	return location >= TAKT_LOC_X87 && location < TAKT_LOC_TILE;
}

/* ---- slots: operands of an instruction as latency tables name them ----- */

enum takt_slot {
	TAKT_SLOT_1 = 0, /* explicit operands 1 … 5: register, or value of memory */
	TAKT_SLOT_5 = 4,
	TAKT_SLOT_MASK, /* the write mask {k} */
	TAKT_SLOT_BASE, /* address registers of the explicit memory operand */
	TAKT_SLOT_INDEX,
	TAKT_SLOT_STACK,    /* value at an implicit (stack, string) address */
	TAKT_SLOT_FLAGS,    /* all flag groups */
	TAKT_SLOT_IMPLICIT, /* + location: implicit register operands */
	TAKT_SLOT_COUNT = TAKT_SLOT_IMPLICIT + TAKT_LOC_COUNT
};

enum takt_access_flag {
	TAKT_READ = 1,
	TAKT_WRITE = 2,
	/* The write keeps part of the old value (al, ax, legacy SSE scalar, merge masking,
	 * cmov, shift by a count that may be zero): the access is also marked READ. */
	TAKT_MERGE = 4,
	TAKT_HIDDEN = 8,	/* implicit operand */
	TAKT_ADDRESS = 16,	/* the register is read to form an address */
	TAKT_STACK_ENGINE = 32, /* rsp of push/pop/call/ret, which cores may update at rename */
};

struct takt_access {
	uint8_t location;   /* enum takt_location, or LOC_NONE for memory values */
	uint8_t slot;	    /* enum takt_slot */
	uint8_t flags;	    /* enum takt_access_flag */
	uint8_t size_bytes; /* accessed width; 64 at most, 1 for flags */
};

#define TAKT_ACCESSES_MAX 28
#define TAKT_MEMORIES_MAX 2

/* A memory operand. Its address uses register values before the instruction: push has -8(rsp). */
struct takt_memory {
	int64_t displacement; /* or, if relative to the program counter, the absolute target */
	uint8_t slot;	      /* slot of the value: TAKT_SLOT_1 … 5 or TAKT_SLOT_STACK */
	uint8_t base, index;  /* locations or TAKT_LOC_NONE; index may be a vector (VSIB) */
	uint8_t scale;	      /* 1 2 4 8, 0 without index */
	uint8_t segment;      /* 0 none, 'f' or 'g' */
	bool read, write, rip_relative;
	bool address_only; /* lea, prefetch, nop: no access to data that is waited for */
	uint8_t address_size_bytes;
	uint16_t size_bytes; /* 0 if it has no fixed size */
};

/* ---- forms ------------------------------------------------------------ */

/* Operand kinds of x86-64, X(enumerator, text), in the order of docs/formats/forms.md. */
#define TAKT_KIND_LIST(X)                                                                          \
	X(TAKT_KIND_NONE, "")                                                                      \
	X(TAKT_KIND_R8, "r8")                                                                      \
	X(TAKT_KIND_R8H, "r8h")                                                                    \
	X(TAKT_KIND_R16, "r16")                                                                    \
	X(TAKT_KIND_R32, "r32")                                                                    \
	X(TAKT_KIND_R64, "r64")                                                                    \
	X(TAKT_KIND_MM, "mm")                                                                      \
	X(TAKT_KIND_XMM, "xmm")                                                                    \
	X(TAKT_KIND_YMM, "ymm")                                                                    \
	X(TAKT_KIND_ZMM, "zmm")                                                                    \
	X(TAKT_KIND_K, "k")                                                                        \
	X(TAKT_KIND_TMM, "tmm")                                                                    \
	X(TAKT_KIND_BND, "bnd")                                                                    \
	X(TAKT_KIND_ST, "st")                                                                      \
	X(TAKT_KIND_SREG, "sreg")                                                                  \
	X(TAKT_KIND_CR, "cr")                                                                      \
	X(TAKT_KIND_DR, "dr")                                                                      \
	X(TAKT_KIND_AL, "al")                                                                      \
	X(TAKT_KIND_AX, "ax")                                                                      \
	X(TAKT_KIND_EAX, "eax")                                                                    \
	X(TAKT_KIND_RAX, "rax")                                                                    \
	X(TAKT_KIND_CL, "cl")                                                                      \
	X(TAKT_KIND_DX, "dx")                                                                      \
	X(TAKT_KIND_ST0, "st0")                                                                    \
	X(TAKT_KIND_XMM0, "xmm0")                                                                  \
	X(TAKT_KIND_ONE, "1")                                                                      \
	X(TAKT_KIND_I8, "i8")                                                                      \
	X(TAKT_KIND_I16, "i16")                                                                    \
	X(TAKT_KIND_I32, "i32")                                                                    \
	X(TAKT_KIND_I64, "i64")                                                                    \
	X(TAKT_KIND_REL, "rel")                                                                    \
	X(TAKT_KIND_M8, "m8")                                                                      \
	X(TAKT_KIND_M16, "m16")                                                                    \
	X(TAKT_KIND_M32, "m32")                                                                    \
	X(TAKT_KIND_M48, "m48")                                                                    \
	X(TAKT_KIND_M64, "m64")                                                                    \
	X(TAKT_KIND_M80, "m80")                                                                    \
	X(TAKT_KIND_M128, "m128")                                                                  \
	X(TAKT_KIND_M256, "m256")                                                                  \
	X(TAKT_KIND_M512, "m512")                                                                  \
	X(TAKT_KIND_M, "m")                                                                        \
	X(TAKT_KIND_M16B, "m16{b}")                                                                \
	X(TAKT_KIND_M32B, "m32{b}")                                                                \
	X(TAKT_KIND_M64B, "m64{b}")                                                                \
	X(TAKT_KIND_MXMM, "m[xmm]")                                                                \
	X(TAKT_KIND_MYMM, "m[ymm]")                                                                \
	X(TAKT_KIND_MZMM, "m[zmm]")                                                                \
	X(TAKT_KIND_A_B, "[b]")                                                                    \
	X(TAKT_KIND_A_BD, "[b+d]")                                                                 \
	X(TAKT_KIND_A_BI, "[b+i]")                                                                 \
	X(TAKT_KIND_A_BID, "[b+i+d]")                                                              \
	X(TAKT_KIND_A_ISD, "[i*s+d]")                                                              \
	X(TAKT_KIND_A_BIS, "[b+i*s]")                                                              \
	X(TAKT_KIND_A_BISD, "[b+i*s+d]")                                                           \
	X(TAKT_KIND_A_D, "[d]")                                                                    \
	X(TAKT_KIND_A_RIP, "[rip+d]")

enum takt_operand_kind {
#define X(name, text) name,
	TAKT_KIND_LIST(X)
#undef X
		TAKT_KIND_X86_COUNT,
	/* The kinds of AArch64 follow; aarch64_kinds.def lists them. */
	TAKT_KIND_AARCH64 = TAKT_KIND_X86_COUNT,
	TAKT_KIND_LAST = 255
};

enum takt_form_flag {
	TAKT_FORM_LOCK = 1 << 0,
	TAKT_FORM_REP = 1 << 1,
	TAKT_FORM_REPNE = 1 << 2,
	TAKT_FORM_EVEX = 1 << 3, /* EVEX encoding of an instruction that VEX encodes, too */
	TAKT_FORM_K = 1 << 4,
	TAKT_FORM_Z = 1 << 5,
	TAKT_FORM_ER = 1 << 6, /* embedded rounding */
	TAKT_FORM_SAE = 1 << 7,
	TAKT_FORM_SAME = 1 << 8, /* the first of TAKT_FORM_QUALIFIERS */
	TAKT_FORM_INDEXED = 1 << 9,
	TAKT_FORM_IMM0 = 1 << 10,
	TAKT_FORM_SHORT = 1 << 11, /* AArch64: shifts its last source left by 4 at most */
};

#define TAKT_FORM_QUALIFIERS (TAKT_FORM_SAME | TAKT_FORM_INDEXED | TAKT_FORM_IMM0 | TAKT_FORM_SHORT)
#define TAKT_FORM_OPERANDS_MAX 5

/*
 * A form packed into 64 bits, equal exactly when the forms are equal:
 *
 *   63        62        51 50                              11 10        0
 *  +---------+------------+----------------------------------+-----------+
 *  | not x86 | form flags | five operand kinds, 8 bits each  | mnemonic  |
 *  +---------+------------+----------------------------------+-----------+
 *
 * The lowest kind is operand 1. Keys contain Zydis's mnemonic numbers, or the index in
 * aarch64_mnemonics.def, so they live in memory and in generated tables only, never in
 * files people keep. 0 is no form. A set that LLVM alone decodes has no mnemonics (bits 10
 * to 0 are zero), but LLVM's scheduling class in bits 26 … 11 and its opcode in bits 50 … 27.
 */
typedef uint64_t takt_form_key; /* deliberately a plain number */

#define TAKT_LLVM_CLASS_SHIFT 11
#define TAKT_LLVM_OPCODE_SHIFT 27

struct takt_form {
	bool is_foreign; /* not x86-64 */
	uint16_t mnemonic;
	uint16_t flags; /* enum takt_form_flag */
	uint8_t kinds[TAKT_FORM_OPERANDS_MAX];
};

takt_form_key takt_form_pack(const struct takt_form *form);
struct takt_form takt_form_unpack(takt_form_key key);
void takt_form_write(const struct takt_isa *isa, takt_form_key key, struct takt_text *text);
/*
 * Parse a form as written in data files. On failure, return 0 and set
 * *ret_error_index to the offending byte and *ret_error to the reason.
 */
takt_form_key takt_form_parse(const struct takt_isa *isa, const char *text, size_t size_bytes,
			      size_t *ret_error_index, const char **ret_error);
/*
 * True if an x86-64 instruction of this form can be encoded. Qualifiers, the size of the immediate
 * and registers that the encoding fixes are ignored.
 */
bool takt_form_exists(takt_form_key form);
/* True if operands of the kind access data in memory; for AArch64, if they are addresses. */
bool takt_kind_is_memory(enum takt_operand_kind kind);
uint16_t takt_kind_size_bytes(enum takt_operand_kind kind); /* 0 if none or not fixed */
/* Return the mnemonic as printed in forms. */
const char *takt_mnemonic_text(const struct takt_isa *isa, uint16_t mnemonic);

/* ---- instructions ----------------------------------------------------- */

enum takt_insn_flag {
	TAKT_INSN_BRANCH = 1 << 0,	/* any control transfer */
	TAKT_INSN_CONDITIONAL = 1 << 1, /* jcc, jrcxz, loop */
	TAKT_INSN_CALL = 1 << 2,
	TAKT_INSN_RETURN = 1 << 3,
	TAKT_INSN_INDIRECT = 1 << 4,
	TAKT_INSN_NOP = 1 << 5,
	TAKT_INSN_SAME = 1 << 6,    /* all register sources are the same: [same] may hold */
	TAKT_INSN_INDEXED = 1 << 7, /* explicit memory operand with index */
	TAKT_INSN_IMM0 = 1 << 8,
	TAKT_INSN_HAS_IMM = 1 << 9,
	TAKT_INSN_LCP = 1 << 10, /* length-changing prefix */
	TAKT_INSN_SERIALIZING = 1 << 11,
	TAKT_INSN_LOADS = 1 << 12,
	TAKT_INSN_STORES = 1 << 13,
	TAKT_INSN_VECTOR = 1 << 14, /* x/y/zmm, mm or k operand */
	TAKT_INSN_X87 = 1 << 15,
	TAKT_INSN_ACCESSES_CUT = 1 << 16, /* more accesses than fit; only system instructions */
	TAKT_INSN_SHORT = 1 << 17,	  /* the qualifier [short] holds */
	TAKT_INSN_REX_BYTE = 1 << 18,	  /* movzx from spl, bpl, sil, dil, r12b … r15b */
	TAKT_INSN_NON_TEMPORAL = 1 << 19, /* non-temporal store, and not only by a hint (stnp) */
	TAKT_INSN_LOCKED = 1 << 20,	  /* holds its cache line: lock, or xchg with memory */
};

/* Coarse classes, X(enumerator, word): they give defaults for forms that no table has. */
#define TAKT_CLASS_LIST(X)                                                                         \
	X(TAKT_CLASS_INT, "int")                                                                   \
	X(TAKT_CLASS_INT_MUL, "int-mul")                                                           \
	X(TAKT_CLASS_INT_DIV, "int-div")                                                           \
	X(TAKT_CLASS_BRANCH, "branch")                                                             \
	X(TAKT_CLASS_MOVE, "move")                                                                 \
	X(TAKT_CLASS_VEC_INT, "vec-int")                                                           \
	X(TAKT_CLASS_VEC_SHUFFLE, "vec-shuffle")                                                   \
	X(TAKT_CLASS_FP_ADD, "fp-add")                                                             \
	X(TAKT_CLASS_FP_MUL, "fp-mul")                                                             \
	X(TAKT_CLASS_FP_DIV, "fp-div")                                                             \
	X(TAKT_CLASS_CONVERT, "convert")                                                           \
	X(TAKT_CLASS_MASK, "mask")                                                                 \
	X(TAKT_CLASS_X87, "x87")                                                                   \
	X(TAKT_CLASS_CRYPTO, "crypto")                                                             \
	X(TAKT_CLASS_GATHER, "gather")                                                             \
	X(TAKT_CLASS_STRING, "string")                                                             \
	X(TAKT_CLASS_NOP, "nop")                                                                   \
	X(TAKT_CLASS_SYSTEM, "system")

enum takt_insn_class {
#define X(name, text) name,
	TAKT_CLASS_LIST(X)
#undef X
		TAKT_CLASS_COUNT
};

const char *takt_class_word(enum takt_insn_class insn_class);

struct takt_insn {
	const struct takt_isa *isa;
	uint64_t address;
	const uint8_t *bytes;
	takt_form_key form;	/* without qualifiers; `flags` tell which of them may hold */
	uint64_t branch_target; /* absolute target of a direct branch */
	int64_t immediate;	/* the (last) immediate, sign-extended */
	uint32_t flags;		/* enum takt_insn_flag */
	uint16_t isa_set;	/* argument of takt_isa_set_name() */
	uint8_t insn_class;	/* enum takt_insn_class */
	uint8_t length_bytes;
	uint8_t opcode_offset_bytes;  /* offset of the opcode byte after prefixes and escapes */
	uint8_t immediate_size_bytes; /* 0 if none */
	/* Number of displacements and immediates; one of 64 bits counts twice. 0 for nops. */
	uint8_t constant_count;
	uint8_t narrow_constant_count; /* those of them that have 8 bits */
	int8_t condition;     /* 0 … 15 as encoded in jcc/cmovcc/setcc, b.cond/csel, or -1 */
	int8_t x87_top_delta; /* change of the stack top: -1 push, +1 pop, +2 */
	int32_t rsp_delta;    /* implicit change of rsp, bytes */
	uint8_t access_count, memory_count;
	struct takt_access accesses[TAKT_ACCESSES_MAX];
	struct takt_memory memories[TAKT_MEMORIES_MAX];
};

/* The operation destination := source + addend on 64-bit values. */
struct takt_affine {
	uint8_t destination, source; /* general register locations */
	bool immediate_add;	     /* add, sub, inc, dec, lea: some cores do them at rename */
	int64_t addend;
};

/* True for mov, lea without index, add, sub, inc, dec of 64-bit registers and constants. */
bool takt_insn_is_affine(const struct takt_insn *insn, struct takt_affine *ret_affine);
/* True if the immediate is so wide that it occupies a second entry of an op cache line. */
bool takt_insn_has_wide_immediate(const struct takt_insn *insn);
/* Return the first memory operand that is accessed; NULL if there is none. */
const struct takt_memory *takt_insn_data_memory(const struct takt_insn *insn);
/* True if the instruction writes ah, ch, dh or bh as such. */
bool takt_insn_writes_high8(const struct takt_insn *insn);
/* True if the instruction only swaps two registers: each result depends on the other alone. */
bool takt_insn_is_exchange(const struct takt_insn *insn);

/*
 * Operation of an instruction, for those on integers in general registers whose results can
 * be computed. Operand 1 is the destination; sources are operands 2 to 4, or 1 and 2 where
 * there is no third. The accesses tell about partial writes and the flags that are written.
 */
enum takt_operation {
	TAKT_OPERATION_UNKNOWN, /* the results cannot be computed */
	TAKT_OPERATION_NONE,	/* no results: nop, jumps */
	TAKT_OPERATION_MOVE,	/* a narrower source is zero-extended */
	TAKT_OPERATION_MOVE_SIGNED,
	TAKT_OPERATION_MOVE_PAIR, /* operands 1 and 2 := 3 and 4: ldp, stp */
	TAKT_OPERATION_ADDRESS,	  /* lea */
	TAKT_OPERATION_ADD,
	TAKT_OPERATION_ADD_CARRY,
	TAKT_OPERATION_SUBTRACT,
	TAKT_OPERATION_SUBTRACT_BORROW,
	TAKT_OPERATION_SUBTRACT_CARRY, /* the carry is set if there is no borrow: subs */
	TAKT_OPERATION_COMPARE,
	TAKT_OPERATION_INCREMENT, /* leaves the carry alone, as does decrement */
	TAKT_OPERATION_DECREMENT,
	TAKT_OPERATION_NEGATE,
	TAKT_OPERATION_NOT,
	TAKT_OPERATION_AND,
	TAKT_OPERATION_TEST,
	TAKT_OPERATION_OR,
	TAKT_OPERATION_XOR,
	TAKT_OPERATION_AND_NOT, /* ~first & second */
	TAKT_OPERATION_INSERT,	/* second where third has ones, else first: movk, bfm */
	TAKT_OPERATION_SHIFT_LEFT,
	TAKT_OPERATION_SHIFT_RIGHT,
	TAKT_OPERATION_SHIFT_SIGNED,
	TAKT_OPERATION_ROTATE_LEFT,
	TAKT_OPERATION_ROTATE_RIGHT,
	TAKT_OPERATION_MULTIPLY,      /* low half */
	TAKT_OPERATION_MULTIPLY_WIDE, /* rdx:rax := rax × operand 1 */
	TAKT_OPERATION_MULTIPLY_WIDE_SIGNED,
	TAKT_OPERATION_MULTIPLY_HIGH, /* high half */
	TAKT_OPERATION_MULTIPLY_HIGH_SIGNED,
	TAKT_OPERATION_MULTIPLY_ADD, /* third + first × second */
	TAKT_OPERATION_MULTIPLY_SUBTRACT,
	TAKT_OPERATION_DIVIDE, /* division by zero gives zero */
	TAKT_OPERATION_DIVIDE_SIGNED,
	TAKT_OPERATION_EXCHANGE,
	TAKT_OPERATION_EXCHANGE_ADD,
	TAKT_OPERATION_BYTE_SWAP,
	TAKT_OPERATION_BYTE_SWAP_PARTS, /* within each part of `second` bytes */
	TAKT_OPERATION_REVERSE_BITS,
	TAKT_OPERATION_WIDEN_SIGN,  /* sign-extends rax's lower half into the upper: cdqe */
	TAKT_OPERATION_SPREAD_SIGN, /* fills rdx with the sign of rax: cqo */
	TAKT_OPERATION_PUSH,
	TAKT_OPERATION_POP,
	TAKT_OPERATION_LEAVE,
	TAKT_OPERATION_SELECT,	       /* second if the condition holds, else first: cmov, csel */
	TAKT_OPERATION_SET,	       /* setcc */
	TAKT_OPERATION_COMPARE_IF,     /* subs if the condition holds, else flags := third: ccmp */
	TAKT_OPERATION_ADD_IF,	       /* ccmn */
	TAKT_OPERATION_ISOLATE_LOWEST, /* blsi */
	TAKT_OPERATION_CLEAR_LOWEST,   /* blsr */
	TAKT_OPERATION_MASK_LOWEST,    /* blsmsk */
	TAKT_OPERATION_CLEAR_HIGH,     /* bzhi */
	TAKT_OPERATION_COUNT_ONES,
	TAKT_OPERATION_COUNT_LEADING,
	TAKT_OPERATION_COUNT_SIGN, /* leading bits below the highest that equal it: cls */
	TAKT_OPERATION_COUNT_TRAILING,
	TAKT_OPERATION_BIT_TEST,
	TAKT_OPERATION_BIT_SET,
	TAKT_OPERATION_BIT_RESET,
	TAKT_OPERATION_BIT_COMPLEMENT,
	TAKT_OPERATION_STRING, /* rsi and rdi advance by the operand's size; the rest is unknown */
	TAKT_OPERATION_COUNT
};

enum takt_operation takt_insn_operation(const struct takt_insn *insn);
/* False if no operation of the set is known, so that no address can be computed. */
bool takt_isa_has_operations(const struct takt_isa *isa);

enum takt_operand_type {
	TAKT_OPERAND_NONE,
	TAKT_OPERAND_REGISTER,	/* `location` */
	TAKT_OPERAND_MEMORY,	/* `memory`: index into the instruction's memories */
	TAKT_OPERAND_IMMEDIATE, /* `immediate` */
};

/* Modifications of a source operand, applied in this order. */
enum takt_modifier {
	TAKT_MODIFIER_SIGNED = 1 << 0, /* sign-extended, not zero-extended */
	TAKT_MODIFIER_LEFT = 1 << 1,   /* shifted left by `shift_bits` */
	TAKT_MODIFIER_RIGHT = 1 << 2,  /* shifted right, with SIGNED arithmetically */
	TAKT_MODIFIER_ROTATE = 1 << 3, /* rotated right within its size */
	TAKT_MODIFIER_INVERT = 1 << 4,
	TAKT_MODIFIER_INCREMENT = 1 << 5,
};

struct takt_operand {
	uint8_t type; /* enum takt_operand_type */
	uint8_t location, memory;
	uint8_t size_bytes;
	uint8_t modifiers; /* enum takt_modifier */
	uint8_t shift_bits;
	int64_t immediate;
};

/* Return the operands; those beyond the last have type TAKT_OPERAND_NONE. */
void takt_insn_operands(const struct takt_insn *insn,
			struct takt_operand ret_operands[TAKT_FORM_OPERANDS_MAX]);

/* Properties of an AArch64 address that struct takt_memory does not have. */
struct takt_addressing {
	int64_t writeback_bytes;  /* what writeback adds to the base register */
	uint8_t writeback_base;	  /* the base register, if written back: ldr x0, [x1], 8 */
	uint8_t index_size_bytes; /* low bytes of the index that are extended and used; 0: all */
	bool index_signed;
};

struct takt_addressing takt_insn_addressing(const struct takt_insn *insn);

/* Return the lower-case name of an ISA set, e.g. "avx512bw_128"; sets are 0 … count - 1. */
const char *takt_isa_set_name(uint16_t isa_set);
uint16_t takt_isa_set_count(void);

/*
 * Decode one instruction; report nothing. `ret_insn->bytes` points into `bytes`. Returns
 * UNAVAILABLE if the module that decodes the instruction set is not installed.
 */
TAKT_MUST_CHECK enum takt_status takt_decode(const struct takt_isa *isa, const uint8_t *bytes,
					     size_t size_bytes, uint64_t address,
					     struct takt_insn *ret_insn);

enum takt_flow {
	TAKT_FLOW_NEXT,
	TAKT_FLOW_CALL,
	TAKT_FLOW_BRANCH, /* conditional, direct */
	TAKT_FLOW_JUMP,	  /* unconditional, direct */
	TAKT_FLOW_STOP,	  /* return, indirect jump, trap: nothing follows */
};

struct takt_insn_flow {
	uint8_t length_bytes;
	uint8_t flow;		   /* enum takt_flow */
	uint8_t target_size_bytes; /* size of the relative target at the end, 0 if none */
	uint8_t rip_index;	   /* offset of a rip-relative 32-bit displacement, 0 if none */
	int32_t target;		   /* relative to the end of the instruction */
};

/*
 * Find an instruction's length and where control goes after it, nothing else: for passes over
 * whole executables, ten million instructions a second (x86-64, AArch64). False if no
 * instruction starts at `bytes`.
 */
bool takt_insn_flow_decode(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
			   struct takt_insn_flow *ret_flow);

struct takt_block {
	const struct takt_isa *isa;
	struct takt_insn *insns;
	uint32_t count;
};

/* Machine code, and where it is from, for messages; `section` may be NULL. */
struct takt_code_bytes {
	const uint8_t *bytes;
	size_t size_bytes;
	uint64_t address;
	const char *file, *section;
};

/*
 * Decode all bytes. Bytes that cannot be decoded are reported at `file`:`section`+offset,
 * in hexadecimal.
 */
TAKT_MUST_CHECK enum takt_status takt_decode_block(const struct takt_isa *isa,
						   const struct takt_code_bytes *code,
						   struct takt_arena *arena, struct takt_diag *diag,
						   struct takt_block *ret_block);

/* A comment's setting, valid from `address` on: LLVM-MCA-RISCV-LMUL M2 has kind "RISCV-LMUL". */
struct takt_vector_setting {
	uint64_t address;
	const char *kind, *data;
};

/* Context of a block: the code right before it, and settings of comments, by ascending address. */
struct takt_lead {
	const uint8_t *bytes;
	size_t size_bytes;
	const struct takt_vector_setting *settings;
	size_t setting_count;
};

/* True if LLVM knows the setting, and for sets without vector settings. */
bool takt_vector_setting_is_known(const struct takt_isa *isa,
				  const struct takt_vector_setting *setting);
/*
 * Set the scheduling classes in the forms of a decoded block to those for the settings that
 * vsetvli or comments give last, in the order of addresses: how long vector instructions of
 * RISC-V take depends on them. Has no effect on other sets. `lead` may be NULL.
 */
void takt_block_set_vectors(struct takt_block *block, const struct takt_lead *lead);

/* Uses and changes of the vector unit's settings by a block. */
struct takt_vector_use {
	bool depends;	    /* its instructions depend on the settings at its start */
	bool sets;	    /* it changes the settings */
	uint32_t unsettled; /* number of instructions that depend on unknown settings */
};

struct takt_llvm_settings; /* in isa/llvm.h; all zero if not known */

/* True if instructions of the set depend on settings. */
bool takt_isa_has_vector_settings(const struct takt_isa *isa);
/*
 * Do the same as takt_block_set_vectors() for a block of a running program: `settings` are those
 * at its start, and become those at its end. vsetvl, which takes them from a register, makes
 * them unknown.
 */
void takt_block_follow_vectors(struct takt_block *block, struct takt_llvm_settings *settings,
			       struct takt_vector_use *ret_use);

/* ---- making instructions of x86-64 and AArch64 --------------------------- */

#define TAKT_X86_LENGTH_MAX 15

/* Operands of a sample that have a place of their own in AArch64 code: 1 … 5, base and index. */
#define TAKT_SAMPLE_PLACES (TAKT_FORM_OPERANDS_MAX + 2)
/* A sample's operand that has no place. */
#define TAKT_SAMPLE_NO_PLACE 0xff

/* One instruction of a form, from which others of the form are made. */
struct takt_sample {
	takt_form_key form;
	uint8_t length_bytes;
	uint8_t bytes[TAKT_X86_LENGTH_MAX];
	/* AArch64 only: the lowest bits of the registers' fields, or TAKT_SAMPLE_NO_PLACE. */
	uint8_t places[TAKT_SAMPLE_PLACES];
	/* AArch64 only: the field of the displacement, whose unit is 0 if there is none. */
	uint8_t displacement_place, displacement_bits, displacement_unit_bytes;
};

/*
 * Find a sample of each form that the decoder knows, by walking through all encodings, in the
 * order of opcodes. Takes half a second. The samples live in the arena.
 */
const struct takt_sample *takt_samples_find(struct takt_arena *arena, size_t *ret_count);
/*
 * Find samples of the AArch64 forms that user code may consist of, by LLVM's tables, in the order
 * of its opcodes: those whose registers can be chosen. None if there is no module that decodes
 * them.
 */
const struct takt_sample *takt_aarch64_samples_find(struct takt_arena *arena, size_t *ret_count);

/* Operands that replace a sample's. Members that are TAKT_LOC_NONE, or 0, leave its operand. */
struct takt_choice {
	uint8_t registers[TAKT_FORM_OPERANDS_MAX]; /* [operand - 1], unless the form fixes it */
	uint8_t mask, base, index;
	int32_t displacement;
	bool has_immediate;
	int64_t immediate; /* value of the last immediate */
};

/*
 * Encode an instruction of the sample's form with other operands. Returns its length, or 0 if no
 * instruction of this form can have these operands. For AArch64, registers are those with numbers
 * below 16, predicates those below 8, and a displacement that does not fit is taken modulo the
 * largest one.
 */
size_t takt_sample_encode(const struct takt_sample *sample, const struct takt_choice *choice,
			  uint8_t ret_bytes[TAKT_X86_LENGTH_MAX]);

/* An operand of takt_x86_encode(): a register, memory if it has a size, or else a number. */
struct takt_x86_operand {
	uint8_t kind;	    /* enum takt_operand_kind of a register */
	uint8_t location;   /* of the register, or of the memory's base */
	uint8_t index;	    /* of the memory, or TAKT_LOC_NONE */
	uint8_t size_bytes; /* of the memory */
	int64_t value;	    /* displacement, or the number */
};

/*
 * Encode an instruction by its name and operands, with EVEX or without. Returns its length, or 0
 * if there is no such instruction.
 */
size_t takt_x86_encode(const char *mnemonic, bool evex, const struct takt_x86_operand *operands,
		       unsigned count, uint8_t ret_bytes[TAKT_X86_LENGTH_MAX]);

/* Append the disassembly, without address or bytes. */
void takt_insn_write(const struct takt_insn *insn, enum takt_syntax syntax, struct takt_text *text);
/* Return the name of a location, e.g. "rax", "v3", "cf". */
const char *takt_location_name(const struct takt_isa *isa, uint8_t location);
/* Write and parse slot names as in data files ("1", "k", "a", "f", "rax"); parse returns false if
 * the name is unknown. The model loader writes base and index with their operand number. */
void takt_slot_write(const struct takt_isa *isa, uint8_t slot, struct takt_text *text);
bool takt_slot_parse(const struct takt_isa *isa, const char *name, size_t size_bytes,
		     uint8_t *ret_slot);

#endif
