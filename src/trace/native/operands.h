/* SPDX-License-Identifier: MIT */
/*
 * operands: the memory that an x86-64 instruction accesses, computed from the registers before it.
 * The decoder is asked once for each instruction; what is left is small, as all code that ran is
 * kept.
 */
#ifndef TAKT_TRACE_NATIVE_OPERANDS_H
#define TAKT_TRACE_NATIVE_OPERANDS_H

#include "isa/isa.h"

/* Most accesses of one instruction; the largest are pieces of its state, or its 16 elements twice.
 */
#define NATIVE_ACCESSES_MAX 80

/* Ways in which an instruction chooses the bytes that it accesses. */
enum native_addressing {
	NATIVE_WHOLE,	  /* all of each operand */
	NATIVE_MASKED,	  /* all of it if the mask register has any of the elements, else nothing */
	NATIVE_RANGE,	  /* from the first element of the mask register to the last one */
	NATIVE_PACKED,	  /* as many elements as the mask register has */
	NATIVE_SIGNS,	  /* from the first to the last element whose mask, a vector, is negative */
	NATIVE_ELEMENTS,  /* gathers and scatters with a mask register */
	NATIVE_ELEMENTS2, /* gathers with a vector as mask */
	NATIVE_TILE,	  /* rows of a tile */
	NATIVE_BIT,	  /* the bit's number, from a register, moves the address */
	NATIVE_STATE,	  /* xsave and its kin: the components that edx:eax names */
};

/* Properties of an instruction that the tracer has to act on. */
enum native_insn_flag {
	NATIVE_SYSCALL = 1 << 0,
	NATIVE_REPEATS = 1 << 1,     /* string instruction with rep */
	NATIVE_UNTIL_EQUAL = 1 << 2, /* with NATIVE_REPEATS: cmps and scas end at a difference … */
	NATIVE_UNTIL_UNEQUAL = 1 << 3, /* … or an equality */
	NATIVE_TRAPS = 1 << 4,	       /* int3 and its kin, whose SIGTRAP is the program's */
	NATIVE_PUSHES_FLAGS = 1 << 5,
	NATIVE_ENDS_BLOCK = 1 << 6,
	NATIVE_SHORT_COUNT = 1 << 7, /* counts in ecx */
};

struct native_memory {
	int64_t displacement;
	uint16_t size_bytes;
	uint8_t base, index, scale, segment; /* as in struct takt_memory */
	uint8_t address_size_bytes;
	bool read, write;
};

struct native_insn {
	struct native_memory memories[TAKT_MEMORIES_MAX];
	uint8_t length_bytes, memory_count;
	uint8_t flags;	       /* enum native_insn_flag */
	uint8_t addressing;    /* enum native_addressing, of the first memory */
	uint8_t mask;	       /* location of the mask or of the bit's number; 0: none */
	uint8_t element_bytes; /* size of an element, or of what holds the bit's number */
	uint8_t index_bytes;   /* size of an element of a vector of indices */
	uint8_t element_count;
};

/* The registers that addresses are made of. */
struct native_registers {
	uint64_t general[16]; /* rax rcx rdx rbx rsp rbp rsi rdi r8 … r15 */
	uint64_t fs, gs;      /* bases of segments */
	bool backwards;	      /* the direction flag */
	/* Registers as XSAVE stores them without compaction; only if the instruction needs them. */
	const uint8_t *state;
	size_t state_bytes;
};

struct native_access {
	uint64_t address;
	uint32_t size_bytes; /* at most 64 */
	bool store;
};

/* Decode an instruction; false if it is unknown. */
bool native_insn_decode(const uint8_t *bytes, size_t size_bytes, uint64_t address,
			struct native_insn *ret_insn);
/* True if native_insn_accesses() needs `state`. */
bool native_insn_needs_state(const struct native_insn *insn);
/*
 * Compute what an instruction accesses, loads before stores, and return the number of accesses, at
 * most NATIVE_ACCESSES_MAX. Of a string instruction with rep, these are the accesses of `element`,
 * counted from 0.
 */
uint32_t native_insn_accesses(const struct native_insn *insn,
			      const struct native_registers *registers, uint64_t element,
			      struct native_access *ret_accesses);
/* Return how many elements a string instruction with rep has left at most. */
uint64_t native_insn_count(const struct native_insn *insn,
			   const struct native_registers *registers);

#endif
