/* SPDX-License-Identifier: MIT */
/*
 * listing: text that is not written for an assembler. Disassemblers (objdump, gdb, perf annotate,
 * llvm-objdump) print an address before each instruction, and often its bytes; Microsoft's
 * compiler prints listings for its own assembler; windows of debuggers and profilers have columns
 * of their own. Lines keep their numbers.
 */
#ifndef TAKT_INPUT_LISTING_H
#define TAKT_INPUT_LISTING_H

#include "input/code.h"

#define INSN_BYTES_MAX 16u

/*
 * listing.c: if the text is a disassembly, replace its lines by the instructions alone, and fill
 * source->listed. False for other text, which is left as it is.
 */
bool takt_listing_read(struct takt_source *source, struct takt_arena *arena);
/*
 * Refuse, with an error that says what to do, a disassembly that cannot be read: without
 * instructions, without addresses and bytes, not in the order of addresses, or that of perf
 * annotate --stdio2. False, without an error, for all other text.
 */
bool takt_listing_refuse(const struct takt_source *source, const char *file,
			 struct takt_diag *diag);
/* Return true if the line is a comment that marks a region for OSACA or llvm-mca. */
bool takt_line_is_mark(const char *line);
/* Return true if the disassembly has the bytes of each instruction, so nothing is to assemble. */
bool takt_listing_has_bytes(const struct takt_source *source);
/* Write one instruction of a disassembly for LLVM: a label for its address, and named targets. */
void takt_listing_write(const struct takt_source *source, uint32_t index, struct takt_map *labels,
			struct takt_text *text);
/* Find the address that the instruction of a line leads to; false if the line names none. */
bool takt_listing_target(const struct takt_source *source, uint32_t index, uint64_t *ret_target);
/*
 * Make an image of the bytes in a disassembly, with its functions, and places of its instructions
 * in code->assembled. It has a section for each run of consecutive addresses.
 */
void takt_listing_image(struct takt_code *code);

/*
 * listed_names.c: write the operands that llvm-objdump --symbolize-operands replaces by names. A
 * jump gets the address of what is named: "jne <L2>" becomes "jne 0x30 <L2>". The name of what is
 * not in the text becomes one that LLVM takes, and "leaq , %rcx <x>" gets its operand "x(%rip)".
 */
void takt_listed_names_resolve(struct takt_source *source, struct takt_arena *arena);

/*
 * listed_relocations.c: read "R_X86_64_PC32	.LC0-0x4", without the address before it; false for
 * types that are not applied. The name stays in the text.
 */
bool takt_listed_relocation_read(const char *text, size_t size_bytes,
				 struct takt_listed_relocation *ret);
/*
 * Add a relocation without an address, one of the last line's instruction. Its place is found by
 * the bytes; it is left out if they have none.
 */
void takt_listed_relocation_add(struct takt_source *source,
				struct takt_listed_relocation relocation);
/*
 * Apply the relocations of a disassembly to the bytes of its image, as takt_section_relocate()
 * does for object files. Those of linked code, whose fields are not 0, are applied already.
 */
void takt_listing_relocate(struct takt_code *code);

/* The way in which an instruction was given another size. */
enum takt_fit {
	TAKT_FIT_GOOD,	 /* by another encoding of it */
	TAKT_FIT_PADDED, /* by prefixes without effect */
	TAKT_FIT_NOT	 /* not at all: its bytes are unchanged */
};

/*
 * placement.c: give an x86-64 instruction of `from_bytes` another size by an encoding that does the
 * same. The displacement of a jump that changes its size is to be written again.
 */
enum takt_fit takt_x86_fit(uint8_t bytes[16], unsigned from_bytes, unsigned size_bytes);
/*
 * Once a disassembly without bytes is assembled: replace the image by one in which instructions
 * have the addresses and sizes that the text states. Notes count those that have not.
 */
void takt_listing_place(struct takt_code *code);

/*
 * viewers.c: rewrite what was copied from Visual Studio, Ghidra, VTune, perf annotate or Compiler
 * Explorer's view of linked code as a disassembly, or as assembly text. Other text is left as it
 * is.
 */
void takt_viewer_read(struct takt_source *source, struct takt_arena *arena);
/*
 * Once linked code without addresses is assembled: check that its jumps lead to instructions. False
 * with an error if not, because instructions were not assembled to the sizes that they had.
 */
bool takt_viewer_check(const struct takt_code *code, struct takt_diag *diag);

/*
 * masm.c: if the text is a listing of Microsoft's compiler, replace its lines by text for LLVM:
 * procedures only, without comments, with plain names. False for other text.
 */
bool takt_masm_read(struct takt_source *source, struct takt_arena *arena);

/*
 * nasm.c: if a line is in NASM's syntax ("dword [rbx]", "[rel name]"), replace all lines by text
 * for LLVM. False for other text.
 */
bool takt_nasm_read(struct takt_source *source, struct takt_arena *arena);

/*
 * object_formats.c: the object format that assembly text is for. Text without directives that only
 * one format has is for ELF.
 */
enum takt_object_format { TAKT_OBJECT_ELF, TAKT_OBJECT_MACHO, TAKT_OBJECT_COFF };
enum takt_object_format takt_object_format_find(const struct takt_source *source,
						const struct takt_isa *isa);
/* Write a line of text for Mach-O (macOS) or COFF (Windows) as text for ELF. */
void takt_object_format_write(enum takt_object_format format, const struct takt_isa *isa,
			      const char *line, size_t size_bytes, struct takt_text *text);

/*
 * gnu_intel.c: write an instruction of GNU's Intel syntax as LLVM has it; false, with nothing
 * written, if they do not differ.
 */
bool takt_gnu_intel_write(const char *line, size_t size_bytes, struct takt_text *text);

/*
 * foreign_names.c: names that no assembler takes, as tools print them for people: demangled labels
 * such as "dot(double const*, int):", and operands such as "call operator new(unsigned long)".
 * Write the line with them in a form that LLVM takes; false if the line has none.
 */
bool takt_foreign_names_write(struct takt_map *labels, const char *line, size_t size_bytes,
			      struct takt_text *text);
/* Make an empty set of labels. Different names may be equal once they are demangled. */
void takt_labels_init(struct takt_map *labels);
/* Write a label in quotes, so that it may contain any characters, unless it is in the set. */
void takt_quoted_label_write(struct takt_map *labels, const char *name, size_t size_bytes,
			     struct takt_text *text);
/* Write a name with '_' for each character that names in LLVM cannot have. */
void takt_plain_name_write(const char *name, size_t size_bytes, struct takt_text *text);

#endif
