/* SPDX-License-Identifier: MIT */
/* Writes the parameters of a core with their units and meanings, for programs that change them. */
#include "model/image.h"

static const struct {
	const char *name, *unit, *help;
} params[] = {
#define X(name, unit, fallback, help) {#name, unit, help},
#include "model/params.def"
#undef X
};

void takt_model_write_parameters(const struct takt_model *model, struct takt_json *json)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(params); i++) {
		takt_json_open_row(json);
		takt_json_string(json, "name", params[i].name);
		takt_json_integer(json, "value", model->core->params[i]);
		takt_json_string(json, "unit", params[i].unit);
		takt_json_string(json, "help", params[i].help);
		takt_json_close_row(json);
	}
}
