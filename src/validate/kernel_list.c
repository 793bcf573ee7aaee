/* SPDX-License-Identifier: MIT */
/* The list of kernels as text and JSON, and the schema of the command's JSON. */
#include "base/record.h"
#include "validate/kernel.h"

/* The kernels of an instruction set. */
struct kernel_listing {
	const struct kernel *kernels; /* all; those of other instruction sets are left out */
	uint32_t kernel_count;
	enum kernel_isa isa;
};

static enum takt_status listing_of(const char *isa, struct takt_diag *diag,
				   struct kernel_listing *ret_listing)
{
	*ret_listing = (struct kernel_listing){
		.kernels = takt_kernels,
		.kernel_count = (uint32_t)takt_kernel_count,
	};
	return takt_kernel_isa_find(isa, diag, &ret_listing->isa);
}

static bool has_kernel(const struct kernel_listing *listing, const struct kernel *kernel)
{
	return kernel->isas & 1u << listing->isa;
}

/* ---- text ---- */

enum takt_status takt_write_kernels(const char *isa, struct takt_diag *diag, struct takt_text *text)
{
	struct kernel_listing listing;
	struct kernel_request request;
	char name[KERNEL_NAME_MAX];
	enum takt_status status = listing_of(isa, diag, &listing);

	for (uint32_t i = 0; status == TAKT_OK && i < listing.kernel_count; i++) {
		const struct kernel *kernel = &listing.kernels[i];

		if (!has_kernel(&listing, kernel))
			continue;
		takt_text_printf(text, "%-10s %s\n", kernel->name, kernel->title);
		for (size_t k = 0; takt_kernel_variant(kernel, listing.isa, k, &request); k++) {
			takt_kernel_name(&request, name);
			takt_text_printf(text, "%s%s", k == 0 ? "           " : " ", name);
		}
		takt_text_add_string(text, "\n");
	}
	return status;
}

/* ---- JSON ---- */

static const char *isa_name(uint32_t isa)
{
	return takt_kernel_isa_name((enum kernel_isa)isa);
}

static bool is_listed(const struct takt_view *view, const void *item)
{
	return has_kernel(view->root, item);
}

/* The name of a kernel's variant. */
static bool variant_entry(const struct takt_view *view, const void *record, uint32_t index,
			  const char **ret_key, struct takt_value *ret_value)
{
	const struct kernel_listing *listing = view->root;
	struct kernel_request request;
	char name[KERNEL_NAME_MAX];

	if (!takt_kernel_variant(record, listing->isa, index, &request))
		return false;
	takt_kernel_name(&request, name);
	takt_text_add_string(view->scratch, name);
	*ret_key = NULL;
	*ret_value = takt_value_string(view->scratch->data);
	return true;
}

#define RECORD struct kernel
static const struct takt_field kernel_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name, without a variant."),
	TAKT_FIELD("title", title, NULL, "The loop in words."),
	TAKT_ENTRIES("variants", TAKT_FIELD_STRING, variant_entry, NULL,
		     "Names for --kernels and --write: the kernel with each encoding, width and "
		     "kind of store."),
};
#undef RECORD
static const struct takt_record kernel_record =
	TAKT_RECORD("listed_kernel", "A kernel whose counts are known.", kernel_fields);

#define RECORD struct kernel_listing
static const struct takt_field listing_fields[] = {
	TAKT_CONSTANT("format", "takt validate list 1", "Format of the list."),
	TAKT_ENUM("isa", isa, isa_name, KERNEL_ISA_COUNT, "The instruction set."),
	TAKT_RECORDS("kernels", kernels, kernel_count, &kernel_record,
		     "The kernels of the instruction set.", .flags = TAKT_ROWS,
		     .filter = is_listed),
};
#undef RECORD
static const struct takt_record listing_record =
	TAKT_RECORD("kernel_listing", "Kernels whose counts are known.", listing_fields);

enum takt_status takt_write_kernels_json(const char *isa, struct takt_diag *diag,
					 struct takt_text *text)
{
	struct kernel_listing listing;
	enum takt_status status = listing_of(isa, diag, &listing);

	if (status == TAKT_OK)
		takt_record_write_json(&listing_record, &listing, text);
	return status;
}

const struct takt_schema takt_validate_schema = {
	.name = "validate",
	.title = "takt validate --format=json",
	.records = {&takt_trust_record, &listing_record},
};
