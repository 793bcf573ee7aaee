/* SPDX-License-Identifier: MIT */
/* Mnemonics: Zydis's numbers and the names that forms and listings use. Private to isa. */
#ifndef TAKT_ISA_MNEMONIC_H
#define TAKT_ISA_MNEMONIC_H

#include <stddef.h>
#include <stdint.h>

#include <Zydis/Mnemonic.h>

/* Return the name of a mnemonic, NULL if there is no such mnemonic. */
const char *takt_x86_mnemonic_text(uint16_t mnemonic);
/* Return the number of a mnemonic, 0 if there is none; accepts all spellings of condition codes. */
uint16_t takt_x86_mnemonic_parse(const char *text, size_t size_bytes);

#endif
