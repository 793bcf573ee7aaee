/* SPDX-License-Identifier: MIT */
/* Applies relocations of x86-64, named as in its ABI (System V, AMD64 supplement, 4.4.1). */
#include "measure/call.h"

#if defined(__x86_64__)
#include <stdio.h>
#include <string.h>

static bool say(struct takt_call_error *error, const char *text, const char *name, const char *note)
{
	takt_call_say(error, text, *name ? name : "a section");
	snprintf(error->note, sizeof(error->note), "%s", note);
	return false;
}

/* Return the address of the symbol's slot in the global offset table. */
static uint64_t got_slot(struct takt_call_image *image, struct takt_call_symbol *symbol)
{
	if (!symbol->got) {
		image->got[image->got_count] = symbol->address;
		symbol->got = ++image->got_count;
	}
	return (uint64_t)(uintptr_t)&image->got[symbol->got - 1];
}

/* Return the address of a jump to the symbol that is within reach of 32 bits. */
static uint64_t near_jump(struct takt_call_image *image, struct takt_call_symbol *symbol)
{
	static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp [rip]; address */
	uint8_t *code;

	if (!symbol->near) {
		code = image->jumps + (size_t)image->jump_count * TAKT_CALL_NEAR_BYTES;
		memcpy(code, jump, sizeof(jump));
		memcpy(code + sizeof(jump), &symbol->address, sizeof(symbol->address));
		symbol->near = ++image->jump_count;
	}
	return (uint64_t)(uintptr_t)(image->jumps +
				     (size_t)(symbol->near - 1) * TAKT_CALL_NEAR_BYTES);
}

/*
 * Return the address of a copy of a library's object (`stdout`, `environ`), for code that is not
 * position-independent. A linker would make the library use the copy, too; here the library does
 * not write to it.
 */
static uint64_t copy(struct takt_call_image *image, struct takt_call_symbol *symbol)
{
	uint8_t *place;

	if (symbol->size_bytes > TAKT_CALL_NEAR_BYTES)
		return symbol->address; /* the caller finds that it is out of reach */
	if (!symbol->near) {
		place = image->copies + (size_t)image->copy_count * TAKT_CALL_NEAR_BYTES;
		memcpy(place, (const void *)(uintptr_t)symbol->address, symbol->size_bytes);
		symbol->near = ++image->copy_count;
	}
	return (uint64_t)(uintptr_t)(image->copies +
				     (size_t)(symbol->near - 1) * TAKT_CALL_NEAR_BYTES);
}

enum kind { KIND_NONE, KIND_BAD, KIND_TLS, KIND_ABSOLUTE, KIND_RELATIVE, KIND_GOT };

struct rule {
	enum kind kind;
	uint8_t size_bytes;
	bool is_signed;
};

static struct rule rule_of(uint32_t type)
{
	switch (type) {
	case R_X86_64_NONE:
		return (struct rule){KIND_NONE, 0, false};
	case R_X86_64_64:
		return (struct rule){KIND_ABSOLUTE, 8, false};
	case R_X86_64_32:
		return (struct rule){KIND_ABSOLUTE, 4, false};
	case R_X86_64_32S:
		return (struct rule){KIND_ABSOLUTE, 4, true};
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		return (struct rule){KIND_RELATIVE, 4, true};
	case R_X86_64_PC64:
		return (struct rule){KIND_RELATIVE, 8, true};
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		return (struct rule){KIND_GOT, 4, true};
	case R_X86_64_TLSGD:
	case R_X86_64_TLSLD:
	case R_X86_64_DTPOFF32:
	case R_X86_64_GOTTPOFF:
	case R_X86_64_TPOFF32:
		return (struct rule){KIND_TLS, 0, false};
	default:
		return (struct rule){KIND_BAD, 0, false};
	}
}

static bool fits(uint64_t value, struct rule rule)
{
	if (rule.size_bytes == 8)
		return true;
	return rule.is_signed ? value == (uint64_t)(int64_t)(int32_t)value : value <= UINT32_MAX;
}

static bool apply(struct takt_call_image *image, uint8_t *place, const Elf64_Rela *relocation,
		  struct takt_call_symbol *symbol, struct takt_call_error *error)
{
	struct rule rule = rule_of((uint32_t)ELF64_R_TYPE(relocation->r_info));
	uint64_t target, value;

	if (rule.kind == KIND_BAD) {
		takt_call_say(error, "relocation type %u is not handled",
			      (unsigned)ELF64_R_TYPE(relocation->r_info));
		return false;
	}
	if (rule.kind == KIND_TLS || symbol->is_thread_local)
		return say(error, "'%s' is thread-local", symbol->name,
			   "link the object into a shared library");
	if (symbol->is_missing)
		return say(error,
			   "'%s' is defined neither here nor in the C or mathematical library",
			   symbol->name, "link the object and what it needs into a shared library");
	target = symbol->address;
	if (rule.kind == KIND_GOT)
		target = got_slot(image, symbol);
	else if (rule.size_bytes == 4 && symbol->is_external && symbol->address)
		target = symbol->is_object ? copy(image, symbol) : near_jump(image, symbol);
	value = target + (uint64_t)relocation->r_addend;
	if (rule.kind != KIND_ABSOLUTE)
		value -= (uint64_t)(uintptr_t)place;
	if (!fits(value, rule))
		return say(error, "'%s' is too far away for 32 bits", symbol->name,
			   "compile with '-fPIC'");
	memcpy(place, &value, rule.size_bytes);
	return true;
}

bool takt_call_relocate(struct takt_call_image *image, size_t index, struct takt_call_error *error)
{
	const Elf64_Shdr *section = &image->sections[index];
	const uint8_t *data = image->file->data + section->sh_offset;
	const Elf64_Shdr *target;
	uint8_t *place;

	if (section->sh_info >= image->section_count || section->sh_entsize != sizeof(Elf64_Rela)) {
		takt_call_say(error, "broken object file: relocations");
		return false;
	}
	target = &image->sections[section->sh_info];
	place = image->places[section->sh_info];
	if (!place)
		return true; /* the section it relocates is not loaded: debug information, say */
	for (size_t i = 0; i < section->sh_size / sizeof(Elf64_Rela); i++) {
		Elf64_Rela relocation;
		uint64_t symbol;
		uint8_t bytes;

		memcpy(&relocation, data + i * sizeof(relocation), sizeof(relocation));
		symbol = ELF64_R_SYM(relocation.r_info);
		bytes = rule_of((uint32_t)ELF64_R_TYPE(relocation.r_info)).size_bytes;
		if (symbol >= image->symbol_count || relocation.r_offset > target->sh_size ||
		    bytes > target->sh_size - relocation.r_offset) {
			takt_call_say(error, "broken object file: a relocation beyond the end");
			return false;
		}
		if (rule_of((uint32_t)ELF64_R_TYPE(relocation.r_info)).kind != KIND_NONE &&
		    !apply(image, place + relocation.r_offset, &relocation, &image->symbols[symbol],
			   error))
			return false;
	}
	return true;
}
#endif
