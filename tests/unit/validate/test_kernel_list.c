/* SPDX-License-Identifier: MIT */
/* The list of kernels: text and JSON name the same variants, and only those of the instruction set.
 */

#include "../tap.h"
#include "validate/kernel.h"

static char *listed(void (*write)(const char *isa, struct takt_text *text), const char *isa)
{
	struct takt_text *text = takt_text_new();
	char *copy;

	write(isa, text);
	copy = strdup(takt_text_data(text));
	takt_text_free(text);
	return copy;
}

static void check_variants(enum kernel_isa isa)
{
	const char *isa_name = takt_kernel_isa_name(isa);
	char *text = listed(takt_write_kernels, isa_name);
	char *json = listed(takt_write_kernels_json, isa_name);
	char key[KERNEL_NAME_MAX + 16], name[KERNEL_NAME_MAX];
	struct kernel_request request;

	for (size_t i = 0; i < takt_kernel_count; i++) {
		const struct kernel *kernel = &takt_kernels[i];
		bool has = kernel->isas & 1u << isa;

		snprintf(key, sizeof(key), "{\"name\": \"%s\",", kernel->name);
		ok((strstr(json, key) != NULL) == has, "%s: %s in JSON", isa_name, kernel->name);
		for (size_t k = 0; has && takt_kernel_variant(kernel, isa, k, &request); k++) {
			takt_kernel_name(&request, name);
			snprintf(key, sizeof(key), "\"%s\"", name);
			ok(strstr(json, key) && strstr(text, name), "%s: %s", isa_name, name);
		}
	}
	free(text);
	free(json);
}

int main(void)
{
	char *here = listed(takt_write_kernels_json, NULL);

	check_variants(KERNEL_X86);
	check_variants(KERNEL_AARCH64);
	ok(strstr(here, takt_kernel_isa_name(KERNEL_HOST)), "without a core, this machine's");
	free(here);
	return tap_done();
}
