/* SPDX-License-Identifier: MIT */
#include "isa/functions.h"

static enum takt_status decode(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
			       uint64_t address, struct takt_insn *ret_insn)
{
	(void)isa, (void)bytes, (void)size_bytes, (void)address, (void)ret_insn;
	return TAKT_UNAVAILABLE;
}

static bool step(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
		 struct takt_step *ret_step)
{
	(void)isa, (void)bytes, (void)size_bytes, (void)ret_step;
	return false;
}

static void write(const struct takt_insn *insn, enum takt_syntax syntax, struct takt_text *text)
{
	(void)insn, (void)syntax, (void)text;
}

static const char *location_name(const struct takt_isa *isa, uint8_t location)
{
	(void)isa, (void)location;
	return NULL;
}

static const char *mnemonic_text(uint16_t mnemonic)
{
	(void)mnemonic;
	return NULL;
}

static uint16_t mnemonic_parse(const char *text, size_t size_bytes)
{
	(void)text, (void)size_bytes;
	return 0;
}

const struct takt_isa_functions takt_aarch64_functions = {
	.decode = decode,
	.step = step,
	.write = write,
	.location_name = location_name,
	.mnemonic_text = mnemonic_text,
	.mnemonic_parse = mnemonic_parse,
	.undecodable_note = "if this is data, choose a range or function without it",
};
