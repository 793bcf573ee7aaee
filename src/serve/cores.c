/* SPDX-License-Identifier: MIT */
/* Answers what there is to choose from: cores, compilers, parameters. */
#include <string.h>

#include "model/model.h"
#include "serve/serve.h"

static bool write_core(const char *name, struct takt_diag *diag, struct takt_json *json)
{
	struct takt_model *model;

	if (takt_model_open(name, NULL, diag, &model) != TAKT_OK)
		return false;
	takt_json_open_row(json);
	takt_json_string(json, "name", takt_model_name(model));
	takt_json_string(json, "title", takt_model_title(model));
	takt_json_string(json, "isa", takt_model_isa_name(model));
	takt_json_close_row(json);
	takt_model_close(model);
	return true;
}

/* Write the name of this machine's core, or nothing if it is unknown. */
static void write_host(struct takt_diag *diag, struct takt_json *json)
{
	struct takt_model *model;

	if (takt_model_open("host", NULL, diag, &model) != TAKT_OK)
		return;
	takt_json_string(json, "host", takt_model_name(model));
	takt_model_close(model);
}

/* Write the processors of LLVM's list, "llvm:riscv64: NAME NAME …", as cores. */
static void write_listed(const char *list, struct takt_json *json)
{
	size_t prefix = strcspn(list, " ");

	for (const char *name = list + prefix; *name;) {
		size_t size = strcspn(name, " \n");
		struct takt_text text = {0};

		if (size) {
			takt_text_printf(&text, "%.*s%.*s", (int)prefix, list, (int)size, name);
			takt_json_open_row(json);
			takt_json_string(json, "name", text.data);
			takt_json_string(json, "title", "as LLVM models it");
			takt_json_string(json, "isa", text.data);
			takt_json_close_row(json);
			takt_text_release(&text);
		}
		name += size + (name[size] != '\0');
	}
}

/* Write LLVM's cores of an instruction set that takt has no cores of its own for. */
static void write_llvm_cores(struct takt_diag *diag, struct takt_json *json)
{
	struct takt_text list = {0};

	if (takt_model_write_llvm_list("riscv64", diag, &list) == TAKT_OK && list.data)
		write_listed(list.data, json);
	takt_text_release(&list);
}

bool takt_serve_write_cores(struct takt_json *json)
{
	struct takt_diag *diag = takt_diag_new();
	bool fine = true;

	write_host(diag, json);
	takt_json_open_array(json, "cores");
	for (size_t i = 0; i < takt_model_builtin_count(); i++)
		fine &= write_core(takt_model_builtin_name(i), diag, json);
	write_llvm_cores(diag, json);
	takt_json_close_array(json);
	takt_diag_free(diag);
	return fine;
}

bool takt_serve_write_parameters(const struct serve_query *query, struct takt_json *json,
				 struct takt_diag *diag)
{
	struct takt_model *model;

	if (!query->core_count) {
		takt_error(diag, "no core is named");
		return false;
	}
	if (takt_model_open(query->cores[0], NULL, diag, &model) != TAKT_OK)
		return false;
	takt_json_string(json, "core", takt_model_name(model));
	takt_json_open_array(json, "parameters");
	takt_model_write_parameters(model, json);
	takt_json_close_array(json);
	takt_model_close(model);
	return true;
}
