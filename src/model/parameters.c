/* SPDX-License-Identifier: MIT */
/* Parameters of cores; writes them and the ports with their meanings, for programs. */
#include "model/image.h"

const struct takt_param_text takt_param_texts[] = {
#define X(name, unit, fallback, help) {#name, unit, help, fallback},
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
	for (size_t i = 0; i < TAKT_PARAM_COUNT; i++) {
		const struct takt_param_text *param = &takt_param_texts[i];

		takt_json_open_row(json);
		takt_json_string(json, "name", param->name);
		takt_json_integer(json, "value", model->core->params[i]);
		takt_json_string(json, "unit", param->unit);
		takt_json_string(json, "help", param->help);
		takt_json_close_row(json);
	}
	write_ports(model, json);
}
