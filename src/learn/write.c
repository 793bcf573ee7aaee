/* SPDX-License-Identifier: MIT */
/* Writes a learnt core as files of takt's own format, on top of the core that learning began with.
 */
#include <string.h>

#include "learn/learn.h"

#define TITLE_MAX 100

/* ---- the core file ------------------------------------------------------------------ */

static void write_value(const char *unit, int32_t value, struct takt_text *text)
{
	if (strcmp(unit, "yes/no") == 0)
		takt_text_add_string(text, value ? "yes" : "no");
	else
		takt_text_printf(text, "%d", value);
}

/* Write the comment that says what is known of a figure. */
static void write_interval(const struct takt_learnt_parameter *parameter, struct takt_text *text)
{
	takt_text_add_string(text, "  # ");
	if (parameter->how == TAKT_LEARNT_AT_LEAST) {
		takt_text_printf(text, "at least %d", parameter->least);
	} else if (parameter->least == parameter->most) {
		takt_text_add_string(text, "no other value");
	} else {
		write_value(parameter->unit, parameter->least, text);
		takt_text_add_string(text, " to ");
		write_value(parameter->unit, parameter->most, text);
	}
	if (parameter->value != parameter->nearest) {
		takt_text_add_string(text, ", not ");
		write_value(parameter->unit, parameter->nearest, text);
	}
	if (parameter->error > 0)
		takt_text_printf(text, ", times within %.1f %%", 100 * parameter->error);
	takt_text_add_string(text, "\n");
}

static bool is_learnt(const struct takt_learnt_parameter *parameter)
{
	return parameter->how == TAKT_LEARNT_MEASURED || parameter->how == TAKT_LEARNT_AT_LEAST;
}

static bool is_scheduler(const struct takt_learnt_parameter *parameter)
{
	return takt_string_starts(parameter->name, "scheduler ");
}

/* Write the ways that follow from a learnt size, if they are not those of the base. */
static void write_ways(const struct learn *learn, const char *size, struct takt_text *text)
{
	const char *ways = learn_parameter_ways(size);
	struct learn_core nearest;
	uint32_t number;

	if (!ways)
		return;
	learn_core_init(&nearest, learn->nearest);
	number = learn_parameter_find(ways, strlen(ways));
	if (learn_core_get(&learn->core, number) != learn_core_get(&nearest, number))
		takt_text_printf(text, "%-31s %d kept  # with as many sets as before\n", ways,
				 learn_core_get(&learn->core, number));
}

static bool is_copies(const struct takt_learnt_parameter *parameter)
{
	return takt_string_starts(parameter->name, "loop_buffer_copies");
}

/* Write the copies in the loop buffer, if the timings decide some: each digit is learnt alone. */
static void write_copies(const struct learn *learn, struct takt_text *text)
{
	const char *separator = "  # by slots of the loop: ";

	for (uint32_t i = 0; i < learn->parameter_count; i++) {
		const struct takt_learnt_parameter *parameter = &learn->parameters[i];
		size_t prefix = strlen("loop_buffer_copies.");

		if (!is_copies(parameter) || !is_learnt(parameter) ||
		    strlen(parameter->name) <= prefix)
			continue;
		if (*separator == ' ')
			takt_text_printf(text, "%-31s %d here", "loop_buffer_copies",
					 learn->core.params.loop_buffer_copies);
		takt_text_printf(text, "%s%s", separator, parameter->name + prefix);
		separator = ", ";
	}
	if (*separator == ',')
		takt_text_add_string(text, "; others kept\n");
}

static void write_parameters(const struct learn *learn, struct takt_text *text)
{
	for (uint32_t i = 0; i < learn->parameter_count; i++) {
		const struct takt_learnt_parameter *parameter = &learn->parameters[i];

		if (is_scheduler(parameter) || is_copies(parameter) || !is_learnt(parameter))
			continue;
		takt_text_printf(text, "%-31s ", parameter->name);
		write_value(parameter->unit, parameter->value, text);
		takt_text_add_string(text, " here");
		write_interval(parameter, text);
		write_ways(learn, parameter->name, text);
	}
}

/* Write which parameters stay as they were, and why. */
static void write_others(const struct learn *learn, struct takt_text *text)
{
	for (uint32_t i = 0; i < learn->parameter_count; i++) {
		const struct takt_learnt_parameter *parameter = &learn->parameters[i];

		if (is_learnt(parameter))
			continue;
		takt_text_printf(text, "# %s stays ", parameter->name);
		write_value(parameter->unit, parameter->value, text);
		takt_text_printf(text, ": %s\n", takt_learnt_text(parameter->how));
	}
}

static void write_ports(uint32_t mask, const struct takt_port_list *ports, struct takt_text *text)
{
	char letter = 0;

	for (uint32_t i = 0; i < ports->count; i++) {
		if (!(mask >> i & 1))
			continue;
		if (ports->names[i][0] != letter)
			takt_text_add(text, ports->names[i], 1);
		letter = ports->names[i][0];
		takt_text_add_string(text, ports->names[i] + 1);
	}
}

/*
 * Write the schedulers. A core takes ports, units and schedulers from its base together, so all of
 * them are written.
 */
static void write_schedulers(const struct learn *learn, struct takt_text *text)
{
	const struct learn_core *core = &learn->core;
	struct takt_port_list ports;
	bool all = true;

	if (!core->scheduler_count)
		return;
	for (uint32_t i = 0; i < learn->parameter_count; i++)
		all &= !is_scheduler(&learn->parameters[i]) || is_learnt(&learn->parameters[i]);
	takt_model_ports(learn->nearest, &ports);
	takt_text_add_string(text, "\nports      ");
	for (uint32_t i = 0; i < ports.count; i++)
		takt_text_printf(text, " %s", ports.names[i]);
	takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < ports.count; i++)
		if (ports.pseudo >> i & 1)
			takt_text_printf(text, "pseudo      %s %s\n", ports.names[i],
					 takt_model_port_title(learn->nearest, i));
	if (!all)
		takt_text_add_string(text,
				     "# Some of the schedulers were not learnt: see above.\n");
	for (uint32_t i = 0; i < core->scheduler_count; i++) {
		takt_text_printf(text, "scheduler   %u", core->schedulers[i].entries);
		if (core->schedulers[i].queue_entries)
			takt_text_printf(text, "+%u", core->schedulers[i].queue_entries);
		takt_text_add_string(text, " ");
		write_ports(core->schedulers[i].ports, &ports, text);
		takt_text_add_string(text, all ? " here\n" : " kept\n");
	}
	takt_text_printf(text, "scheduler_entries               %d %s  # all together\n",
			 core->params.scheduler_entries, all ? "here" : "kept");
}

/* Write the pairs that fuse, if they are not those of the base: a list replaces the base's. */
static void write_fusing(const struct learn *learn, struct takt_text *text)
{
	if (!learn->core.fusing)
		return;
	takt_text_add_string(text,
			     "\n# Learnt from loops of such pairs, with and without an instruction "
			     "between the two.\n");
	takt_fusing_write(takt_model_isa(learn->nearest), learn->core.fusing, text);
}

static void write_core(const struct learn *learn, const char *name, struct takt_text *text)
{
	takt_text_printf(text,
			 "takt core 1\n"
			 "# Learnt by 'takt model learn' from %u timings, on top of %s.\n"
			 "# Comments say which values the timings allow.\n"
			 "name        %s\n"
			 "title       learnt: %.*s\n"
			 "base        %s\n"
			 "isa         %s\n"
			 "timing      %s\n\n"
			 "source here measured  timed here by takt model learn: %s\n"
			 "source kept inferred  as the core that learning began with has it\n\n",
			 learn->timing_count, takt_model_name(learn->nearest), name, TITLE_MAX,
			 learn->machine->name, takt_model_name(learn->nearest), learn->machine->isa,
			 name, learn->machine->name);
	write_parameters(learn, text);
	write_copies(learn, text);
	write_schedulers(learn, text);
	write_fusing(learn, text);
	takt_text_add_string(text, "\n");
	write_others(learn, text);
}

/* ---- the timing file ------------------------------------------------------------------ */

static void write_timing(const struct learn *learn, const char *name, struct takt_text *text)
{
	takt_text_printf(
		text,
		"takt timing 1\n"
		"# Rows of %zu instructions were checked; %zu agree with %s, %zu are below.\n"
		"# All other rows are those of %s.\n"
		"name  %s\n"
		"isa   %s\n"
		"base  %s\n",
		learn->forms.compared, learn->forms.agreeing, takt_model_name(learn->nearest),
		learn->forms.corrected, takt_model_name(learn->nearest), name, learn->machine->isa,
		takt_model_timing_name(learn->nearest));
	if (learn->rows && *learn->rows)
		takt_text_printf(text,
				 "source here measured  by takt model learn: %s\n\n"
				 "%s",
				 learn->machine->name, learn->rows);
}

/* ---- both -------------------------------------------------------------------------- */

enum takt_status learn_write_file(const char *path, const struct takt_text *text,
				  struct takt_diag *diag)
{
	return takt_file_write(path, text->data, text->size_bytes, diag);
}

enum takt_status learn_write_model(struct learn *learn, const char *name, const char *core_path,
				   const char *timing_path, const char *experiments_path)
{
	struct takt_text core = {0}, timing = {0}, experiments = {0};
	enum takt_status status;

	learn_compare(learn);
	write_core(learn, name, &core);
	write_timing(learn, name, &timing);
	learn_write_experiments(learn, &experiments);
	status = learn_write_file(experiments_path, &experiments, learn->diag);
	if (status == TAKT_OK)
		status = learn_write_file(timing_path, &timing, learn->diag);
	if (status == TAKT_OK)
		status = learn_write_file(core_path, &core, learn->diag);
	if (status == TAKT_OK)
		status = learn_write_plots(learn, name);
	takt_text_release(&core);
	takt_text_release(&timing);
	takt_text_release(&experiments);
	return status;
}
