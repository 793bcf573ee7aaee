/* SPDX-License-Identifier: MIT */
/*
 * Spellings of Intel syntax that only GNU's tools have, as LLVM has them: a broadcast operand
 * "DWORD BCST [rax]" is "DWORD PTR [rax]{1to8}", and gathers and scatters name the size of an
 * element, where LLVM has that of the whole vector, so it is left out here.
 */
#include <string.h>

#include "input/listing.h"
#include "input/token.h"

static const char *find_text(const char *line, size_t size_bytes, const char *text)
{
	return memmem(line, size_bytes, text, strlen(text));
}

static struct takt_token first_word(const char *line, size_t size_bytes)
{
	return takt_token_next(&line, &size_bytes);
}

/* Return the bits of the widest vector register that a line names. */
static unsigned find_width_bits(const char *line, size_t size_bytes)
{
	if (find_text(line, size_bytes, "zmm"))
		return 512;
	return find_text(line, size_bytes, "ymm") ? 256 : 128;
}

/* True if a conversion has results of half (or twice) the size of its sources. */
static bool is_conversion(struct takt_token word, bool widens)
{
	static const char *const kinds[2][5] = {
		{"pd2ps", "pd2dq", "pd2udq", "qq2ps", "pd2ph"},
		{"ps2pd", "ps2qq", "ps2uqq", "dq2pd", "ph2pd"},
	};

	if (!takt_token_starts(word, "vcvt"))
		return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(kinds[0]); i++)
		if (find_text(word.text, word.size_bytes, kinds[widens][i]))
			return true;
	return false;
}

/* Return the number of elements that a broadcast fills. */
static unsigned count_elements(const char *line, size_t size_bytes, unsigned element_bits)
{
	struct takt_token word = first_word(line, size_bytes);
	unsigned count = find_width_bits(line, size_bytes) / element_bits;

	if (element_bits == 32 && is_conversion(word, true))
		return count / 2;
	return element_bits == 64 && is_conversion(word, false) ? count * 2 : count;
}

static bool write_broadcast(const char *line, size_t size_bytes, struct takt_text *text)
{
	static const char mark[] = " BCST [";
	const char *hit = find_text(line, size_bytes, mark), *end = line + size_bytes, *close;
	unsigned bits = 32;

	close = hit ? memchr(hit, ']', (size_t)(end - hit)) : NULL;
	if (!close)
		return false;
	if (hit - line >= 5 && memcmp(hit - 5, "QWORD", 5) == 0)
		bits = 64;
	else if (hit - line >= 5 && (hit[-5] == ' ' || hit[-5] == ',')) /* WORD */
		bits = 16;
	close++;
	takt_text_add(text, line, (size_t)(hit - line));
	takt_text_add_string(text, " PTR [");
	takt_text_add(text, hit + strlen(mark), (size_t)(close - hit) - strlen(mark));
	if (close == end || *close != '{')
		takt_text_printf(text, "{1to%u}", count_elements(line, size_bytes, bits));
	takt_text_add(text, close, (size_t)(end - close));
	return true;
}

static bool write_gather(const char *line, size_t size_bytes, struct takt_text *text)
{
	static const char *const sizes[] = {"DWORD PTR ", "QWORD PTR "};
	struct takt_token word = first_word(line, size_bytes);

	if (!find_text(word.text, word.size_bytes, "gather") &&
	    !find_text(word.text, word.size_bytes, "scatter"))
		return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(sizes); i++) {
		const char *hit = find_text(line, size_bytes, sizes[i]), *behind;

		if (!hit)
			continue;
		behind = hit + strlen(sizes[i]);
		if (hit > line && hit[-1] >= 'A' && hit[-1] <= 'Z')
			return false; /* XMMWORD and such */
		takt_text_add(text, line, (size_t)(hit - line));
		takt_text_add(text, behind, (size_t)(line + size_bytes - behind));
		return true;
	}
	return false;
}

bool takt_gnu_intel_write(const char *line, size_t size_bytes, struct takt_text *text)
{
	return write_broadcast(line, size_bytes, text) || write_gather(line, size_bytes, text);
}
