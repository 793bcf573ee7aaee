/* SPDX-License-Identifier: MIT */
/* Reads an image: its sections, strings, form table, and cores by name. */
#include <stdlib.h>
#include <string.h>

#include "model/image.h"

#define NUMBERING_SAMPLES 24u
#define NUMBERING_STEP 61u

static uint64_t mix(uint64_t hash, const char *name)
{
	return takt_hash64(hash ^ takt_hash_bytes(name, strlen(name)));
}

/* Add the operand kinds of AArch64, which have a list of their own, to the hash. */
static uint64_t mix_kinds(uint64_t hash)
{
	struct takt_text text = {0};

	for (unsigned kind = TAKT_KIND_AARCH64; kind + 4 <= TAKT_KIND_LAST; kind += 5) {
		struct takt_form form = {.is_foreign = true};

		for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
			form.kinds[i] = (uint8_t)(kind + i);
		takt_form_write(&takt_isa_aarch64, takt_form_pack(&form), &text);
	}
	hash = mix(hash, text.data);
	takt_text_release(&text);
	return hash;
}

/*
 * Form keys hold the decoder's mnemonic numbers. The names of a few numbers, spread over the
 * range, are enough to tell versions of the decoder apart.
 */
uint32_t takt_image_numbering(void)
{
	static const struct takt_isa *const sets[] = {&takt_isa_x86, &takt_isa_aarch64};
	uint64_t hash = TAKT_PARAM_COUNT + ((uint64_t)TAKT_CLASS_COUNT << 16) +
			((uint64_t)TAKT_KIND_X86_COUNT << 32);

	for (size_t set = 0; set < TAKT_COUNT_OF(sets); set++)
		for (unsigned i = 1; i <= NUMBERING_SAMPLES; i++)
			hash = mix(hash,
				   takt_mnemonic_text(sets[set], (uint16_t)(i * NUMBERING_STEP)));
	return (uint32_t)mix_kinds(hash);
}

static const char *check_header(struct takt_image_bytes bytes)
{
	static const uint32_t sizes[] = {
#define X(name, type, member) sizeof(type),
		TAKT_IMAGE_SECTION_LIST(X)
#undef X
	};
	const struct takt_image_header *header = bytes.data;

	if (bytes.size_bytes < sizeof(*header) || (uintptr_t)bytes.data % TAKT_IMAGE_ALIGNMENT)
		return "cut short or not aligned";
	if (header->magic != TAKT_IMAGE_MAGIC || header->version != TAKT_IMAGE_VERSION)
		return "not an image, or of another version";
	if (header->size_bytes != bytes.size_bytes)
		return "its size is not what it says";
	if (header->numbering != takt_image_numbering())
		return "made with another version of the decoder";
	for (size_t i = 0; i < TAKT_IMAGE_SECTION_COUNT; i++) {
		uint64_t offset = header->sections[i].offset;

		if (offset % TAKT_IMAGE_ALIGNMENT ||
		    offset + (uint64_t)header->sections[i].count * sizes[i] > bytes.size_bytes)
			return "a section lies outside";
	}
	return NULL;
}

bool takt_image_open(struct takt_image_bytes bytes, struct takt_image *ret_image,
		     const char **ret_error)
{
	const struct takt_image_header *header = bytes.data;
	const char *base = bytes.data;
	struct takt_image image;

	*ret_error = check_header(bytes);
	if (*ret_error)
		return false;
#define X(name, type, member)                                                                      \
	image.member = (const void *)(base + header->sections[TAKT_IMAGE_##name].offset);          \
	image.member##_count = header->sections[TAKT_IMAGE_##name].count;
	TAKT_IMAGE_SECTION_LIST(X)
#undef X
	*ret_error = "its sections contradict each other";
	if (image.strings_count == 0 || image.strings[image.strings_count - 1] != '\0' ||
	    image.variants_count != image.forms_count ||
	    image.columns_count != (uint64_t)image.cores_count * image.forms_count)
		return false;
	*ret_image = image;
	return true;
}

const char *takt_image_string(const struct takt_image *image, uint32_t string)
{
	return string < image->strings_count ? image->strings + string : "";
}

const struct takt_image_timing *takt_image_timing_at(const struct takt_image *image,
						     uint32_t number)
{
	const struct takt_image_timing *timing;

	if (number == 0 || number > image->timings_count)
		return NULL;
	timing = &image->timings[number - 1];
	if ((uint64_t)timing->uops_index + timing->uops_count > image->uops_count ||
	    (uint64_t)timing->latency_index + timing->latency_count > image->latencies_count)
		return NULL;
	return timing;
}

uint32_t takt_image_find(const struct takt_image *image, takt_form_key form)
{
	uint32_t count = image->forms_count;
	uint32_t slot = takt_image_hash(form, count);

	for (uint32_t probes = 0; probes < count; probes++) {
		if (image->forms[slot] == form)
			return slot;
		if (image->forms[slot] == 0)
			return TAKT_NO_SLOT;
		slot = slot + 1 == count ? 0 : slot + 1;
	}
	return TAKT_NO_SLOT;
}

void takt_image_free(struct takt_image_bytes bytes)
{
	union {
		const void *constant;
		void *memory;
	} data = {.constant = bytes.data};

	free(data.memory);
}

/* Compare names without regard to case; compilers write '-' and '_' for each other. */
static bool are_same(const char *name, const char *other, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (name[i] != other[i] && takt_compare_nocase(&name[i], &other[i], 1) != 0 &&
		    !(strchr("-_", name[i]) && strchr("-_", other[i])))
			return false;
	return true;
}

bool takt_words_have(const char *words, const char *word)
{
	size_t wanted = strlen(word);

	while (*words) {
		size_t size = strcspn(words, " ");

		if (size == wanted && size > 0 && are_same(words, word, size))
			return true;
		words += size + (words[size] == ' ');
	}
	return false;
}

const struct takt_image_core *takt_image_find_core(const struct takt_image *image, const char *name)
{
	for (uint32_t i = 0; i < image->cores_count; i++) {
		const struct takt_image_core *core = &image->cores[i];

		if (takt_words_have(takt_image_string(image, core->name), name))
			return core;
	}
	for (uint32_t i = 0; i < image->cores_count; i++) {
		const struct takt_image_core *core = &image->cores[i];

		if (takt_words_have(takt_image_string(image, core->aliases), name) ||
		    takt_words_have(takt_image_string(image, core->analogies), name))
			return core;
	}
	return NULL;
}

const uint32_t *takt_image_column(const struct takt_image *image,
				  const struct takt_image_core *core)
{
	return image->columns + (size_t)(core - image->cores) * image->forms_count;
}

void takt_timing_from_image(const struct takt_image *image, const struct takt_image_timing *stored,
			    enum takt_match match, struct takt_timing *ret_timing)
{
	*ret_timing = (struct takt_timing){
		.uops = image->uops + stored->uops_index,
		.latencies = image->latencies + stored->latency_index,
		.uops_count = stored->uops_count,
		.latency_count = stored->latency_count,
		.latency_default = stored->latency_default,
		.slots = stored->slots,
		.mite = stored->mite,
		.ms = stored->ms,
		.uop_total = stored->uop_total,
		.rthroughput_hundredths = stored->rthroughput_hundredths,
		.flags = stored->flags,
		.simple_decoders = stored->simple_decoders,
		.origin = stored->source < image->sources_count
				  ? (uint8_t)image->sources[stored->source].origin
				  : (uint8_t)TAKT_ORIGIN_NONE,
		.match = (uint8_t)match,
		.source = stored->source,
	};
}
