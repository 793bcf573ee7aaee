/* SPDX-License-Identifier: MIT */
/* Writes a core's parameters and ports with their meanings, for programs that change them. */
#include "model/image.h"

static const struct {
	const char *name, *unit, *help;
} params[] = {
#define X(name, unit, fallback, help) {#name, unit, help},
#include "model/params.def"
#undef X
};

static void write_ports(const struct takt_model *model, struct takt_json *json)
{
	struct takt_text text = {0};

	for (uint32_t port = 0; port < takt_model_port_count(model); port++) {
		const char *name = takt_model_port_name(model, port);
		const char *title = takt_model_port_title(model, port);
		bool unit = takt_model_pseudo_ports(model) >> port & 1;

		takt_json_open_row(json);
		takt_text_clear(&text);
		takt_text_printf(&text, "port.%s", name);
		takt_json_string(json, "name", text.data);
		takt_json_integer(json, "value", 1);
		takt_json_string(json, "unit", unit ? "units" : "ports");
		takt_text_clear(&text);
		takt_text_printf(&text, "number of %s like %s%s%s%s", unit ? "units" : "ports",
				 name, *title ? " (" : "", title, *title ? ")" : "");
		if (!unit)
			takt_text_add_string(&text,
					     "; 0: only for µops that no other port executes");
		takt_json_string(json, "help", text.data);
		takt_json_close_row(json);
	}
	takt_text_release(&text);
}

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
	write_ports(model, json);
}
