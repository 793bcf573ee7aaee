/* SPDX-License-Identifier: MIT */
/* The list of kernels: text and JSON name the same variants, and only those of the instruction set.
 */

#include "../tap.h"
#include "validate/kernel.h"

typedef enum takt_status list_writer(const char *isa, struct takt_diag *diag,
				     struct takt_text *text);

static char *listed(list_writer *write, const char *isa)
{
	struct takt_text *text = takt_text_new();
	char *copy;

	ok(write(isa, NULL, text) == TAKT_OK, "kernels of %s", isa ? isa : "this machine");
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

static void check_refusal(list_writer *write, const char *title)
{
	struct takt_text *text = takt_text_new();
	struct takt_diag *diag = takt_diag_new();

	ok(write("riscv64", diag, text) == TAKT_UNAVAILABLE &&
		   strstr(takt_diag_text(diag), "there are no kernels for riscv64") &&
		   strstr(takt_diag_text(diag), "x86-64 and aarch64"),
	   "%s: an instruction set without kernels is refused", title);
	ok(!*takt_text_data(text), "%s: nothing is listed for it", title);
	takt_diag_free(diag);
	takt_text_free(text);
}

int main(void)
{
	char *here = listed(takt_write_kernels_json, NULL);

	check_variants(KERNEL_X86);
	check_variants(KERNEL_AARCH64);
	ok(strstr(here, takt_kernel_isa_name(KERNEL_HOST)), "without a core, this machine's");
	free(here);
	check_refusal(takt_write_kernels, "text");
	check_refusal(takt_write_kernels_json, "JSON");
	return tap_done();
}
