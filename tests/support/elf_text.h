/* SPDX-License-Identifier: MIT */
/* The machine code of an ELF file, for tools that sweep whole binaries. */
#ifndef TAKT_TESTS_ELF_TEXT_H
#define TAKT_TESTS_ELF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called for each executable section; `address` is that of the first byte. */
typedef void (*elf_text_visitor)(void *context, const uint8_t *bytes, size_t size_bytes,
				 uint64_t address);

/* Whether it says that it holds AArch64 code; false if it cannot be read. */
bool elf_text_is_aarch64(const char *path);
/* False, with a message on stderr, if the file cannot be read as ELF. */
bool elf_text_visit(const char *path, elf_text_visitor visit, void *context);

#endif
