/* SPDX-License-Identifier: MIT */
/* The options of `takt analyze` as requests to the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command_docs.h"

#define COLUMNS_LEAST 60
#define COLUMNS_MOST 1000
#define ITERATIONS_MOST 1000000
#define INSTRUCTIONS_MOST 4000000
#define TOP_MOST 1000000
#define JOBS_MOST 256
#define CYCLES_MOST 1000000

/* Options of other tools, accepted without effect or refused so that scripts get a clear answer. */
static const struct {
	unsigned id;
	bool refused;
	const char *text;
} foreign[] = {
	{OPTION_ANALYZE_CONSIDER_FLAG_DEPS, false, "dependences through flags always count"},
	{OPTION_ANALYZE_LCD_TIMEOUT, false, "takt finds recurrences exactly and needs no timeout"},
	{OPTION_ANALYZE_VERBOSE, false, "there is one report"},
	{OPTION_ANALYZE_MIN_CYCLES, false, "the simulation ends when its state repeats"},
	{OPTION_ANALYZE_MATTR, false, "a core has the extensions its model says"},
	{OPTION_ANALYZE_REGISTER_FILE_SIZE, false, "takt assumes enough physical registers"},
	{OPTION_ANALYZE_CALL_LATENCY, false, "called functions are not counted"},
	{OPTION_ANALYZE_SHOW_BARRIERS, false, "the report has no such column"},
	{OPTION_ANALYZE_PRINT_OPTIONS, false, "takt does not print its options"},
	{OPTION_ANALYZE_DISABLE_CB, false, "this is a part of LLVM's simulator"},
	{OPTION_ANALYZE_INSTRUCTION_INFO, false, "the report always has it"},
	{OPTION_ANALYZE_YAML_OUT, true, "write JSON with '--format=json -o FILE'"},
	{OPTION_ANALYZE_INSERT_MARKER, true,
	 "takt finds the loops itself; '--list' shows them, '--region=N' chooses one"},
	{OPTION_ANALYZE_DB_CHECK, true, "'takt model check' looks for slips in a model"},
	{OPTION_ANALYZE_IMPORT, true, "'takt model import' takes in foreign data"},
};

/* Options of llvm-mca that are on or off, which all take a value there. */
static const unsigned switches[] = {
	OPTION_ANALYZE_JSON,	      OPTION_ANALYZE_TIMELINE,	 OPTION_ANALYZE_INSTRUCTION_TABLES,
	OPTION_ANALYZE_SHOW_ENCODING, OPTION_ANALYZE_DISABLE_CB, OPTION_ANALYZE_PRINT_OPTIONS,
	OPTION_ANALYZE_SHOW_BARRIERS, OPTION_ANALYZE_ALL_VIEWS,
};

/* Read an option that was given with "true", "false", "1", "0", or no value, which is true. */
static bool read_switch(const struct takt_arguments *arguments, unsigned id, bool *ret_on)
{
	const char *value = arguments->values[id];

	*ret_on = !*value || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
	if (*ret_on || strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
		return true;
	return takt_say_error("'%s' is 'true' or 'false', not '%s'", arguments->typed[id], value);
}

/* True for `--timeline=N`, where a number is that of the iterations. */
static bool is_iterations(unsigned id, const char *value)
{
	return id == OPTION_ANALYZE_TIMELINE && strcmp(value, "true") != 0 &&
	       strcmp(value, "false") != 0;
}

bool takt_analyze_switches_read(struct takt_arguments *arguments)
{
	bool has_timeline = arguments->values[OPTION_ANALYZE_TIMELINE] != NULL;

	for (size_t i = 0; i < TAKT_COUNT_OF(switches); i++) {
		const char **value = &arguments->values[switches[i]];
		bool on;

		if (!*value || is_iterations(switches[i], *value))
			continue;
		if (!read_switch(arguments, switches[i], &on))
			return false;
		*value = on ? "" : NULL;
	}
	if (arguments->values[OPTION_ANALYZE_ALL_VIEWS] && !has_timeline)
		arguments->values[OPTION_ANALYZE_TIMELINE] = "";
	return true;
}

static bool read_foreign(const struct takt_arguments *arguments)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(foreign); i++) {
		if (!arguments->values[foreign[i].id])
			continue;
		if (foreign[i].refused) {
			takt_say_error("'takt analyze' does not do '%s'",
				       arguments->typed[foreign[i].id]);
			return takt_say_note("%s", foreign[i].text);
		}
		takt_say_note("'%s' changes nothing: %s", arguments->typed[foreign[i].id],
			      foreign[i].text);
	}
	return true;
}

/* ---- the core ---- */

static bool is_triple_of(const char *triple, const char *machine)
{
	return strncmp(triple, machine, strlen(machine)) == 0;
}

static bool is_core(const char *name, const char *model_dir)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model = NULL;
	bool is = takt_model_open(name, model_dir, diag, &model) == TAKT_OK;

	takt_model_close(model);
	takt_diag_free(diag);
	return is;
}

/* Return the triple, or NULL. Some architectures have names of their own in llvm-mca's "-march". */
static const char *triple_of(const struct takt_arguments *arguments)
{
	static const struct {
		const char *march, *triple;
	} names[] = {{"x86", "i386"}, {"x86-64", "x86_64"}, {"systemz", "s390x"}};
	const char *triple = arguments->values[OPTION_ANALYZE_MTRIPLE];

	for (size_t i = 0; triple && i < TAKT_COUNT_OF(names); i++)
		if (strcmp(triple, names[i].march) == 0)
			return names[i].triple;
	return triple;
}

/* Take a processor of llvm-mca's "-mcpu" from LLVM's tables, if takt has no core of that name. */
static void read_mcpu(const struct takt_arguments *arguments, struct takt_analyze_request *request)
{
	const char *triple = triple_of(arguments);
	const char *model_dir = arguments->values[OPTION_ANALYZE_MODEL], *arch = request->arch;
	char *text;
	size_t size;

	if (!arch || strcmp(arguments->names[OPTION_ANALYZE_ARCH], "mcpu") != 0 ||
	    strpbrk(arch, ":,") || is_core(arch, model_dir))
		return;
	if (!triple)
		triple = "x86_64";
	size = strlen("llvm::") + strlen(triple) + strlen(arch) + 1;
	text = takt_allocate(size, 1);
	snprintf(text, size, "llvm:%s:%s", triple, arch);
	if (is_core(text, model_dir))
		request->arch = request->arch_text = text;
	else
		free(text); /* the error is about the name that was given */
}

/* Read the core. Triples of takt's own instruction sets are left out: the core implies them. */
static void read_arch(const struct takt_arguments *arguments, struct takt_analyze_request *request)
{
	const char *triple = triple_of(arguments);
	const char *arch = arguments->values[OPTION_ANALYZE_ARCH];
	size_t size;

	request->arch = arch;
	if (!triple || is_triple_of(triple, "x86_64") || is_triple_of(triple, "aarch64") ||
	    is_triple_of(triple, "arm64")) {
		read_mcpu(arguments, request);
		return;
	}
	size = strlen("llvm::") + strlen(triple) + (arch ? strlen(arch) : 0) + 1;
	request->arch_text = takt_allocate(size, 1);
	snprintf(request->arch_text, size, "llvm:%s%s%s", triple, arch ? ":" : "",
		 arch ? arch : "");
	request->arch = request->arch_text;
}

/* ---- the core's parameters ---- */

/* Options of llvm-mca that are parameters of takt's cores; there, 0 means no limit. */
static const struct {
	unsigned id;
	const char *param, *unlimited;
} params[] = {
	{OPTION_ANALYZE_DISPATCH, "issue_width", NULL},
	{OPTION_ANALYZE_DECODER_THROUGHPUT, "decode_width", NULL},
	{OPTION_ANALYZE_MICRO_OP_QUEUE_SIZE, "queue_entries", NULL},
	{OPTION_ANALYZE_LQUEUE, "load_queue_entries", "1024"},
	{OPTION_ANALYZE_SQUEUE, "store_queue_entries", "1024"},
};

static void add_setting(struct takt_analyze_request *request, const char *name, const char *value)
{
	request->settings[request->setting_count++] = (struct takt_setting){name, value};
}

/* Read a setting "PARAM=VALUE", which is split in place. */
static bool read_setting(char *text, struct takt_analyze_request *request)
{
	char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1])
		return takt_say_error("'--set' needs a parameter and its value such as "
				      "'rob_entries=512', not '%s'",
				      text);
	*equals = '\0';
	add_setting(request, text, equals + 1);
	return true;
}

static void read_param(const struct takt_given *given, struct takt_analyze_request *request)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(params); i++) {
		if (params[i].id != given->id)
			continue;
		if (strcmp(given->value, "0") != 0)
			add_setting(request, params[i].param, given->value);
		else if (params[i].unlimited)
			add_setting(request, params[i].param, params[i].unlimited);
	}
}

/* Read the settings in the order of the command line, so that the last of several counts. */
static bool read_settings(const struct takt_arguments *arguments,
			  struct takt_analyze_request *request)
{
	size_t size = 0;
	char *next;

	for (size_t i = 0; i < arguments->given_count; i++)
		size += strlen(arguments->given[i].value) + 1;
	next = request->setting_texts = takt_allocate(size + 1, 1);
	for (size_t i = 0; i < arguments->given_count; i++) {
		const struct takt_given *given = &arguments->given[i];

		read_param(given, request);
		if (given->id != OPTION_ANALYZE_SET)
			continue;
		strcpy(next, given->value);
		if (!read_setting(next, request))
			return false;
		next += strlen(given->value) + 1;
	}
	return true;
}

/* ---- registers at entry ---- */

static bool read_noalias(const struct takt_arguments *arguments, enum takt_entry_initial *initial)
{
	bool apart = true;

	if (arguments->values[OPTION_ANALYZE_NOALIAS] &&
	    !read_switch(arguments, OPTION_ANALYZE_NOALIAS, &apart))
		return false;
	if (!apart)
		*initial = TAKT_ENTRY_SAME;
	return true;
}

static bool read_entry_values(const struct takt_arguments *arguments,
			      struct takt_analyze_request *request)
{
	const char *list = arguments->values[OPTION_ANALYZE_ENTRY_VALUES];

	request->initial = takt_arguments_choice(arguments, OPTION_ANALYZE_INITIAL);
	if (!read_noalias(arguments, &request->initial))
		return false;
	if (list && request->initial != TAKT_ENTRY_DIFF)
		return takt_say_error(
			"'--entry-values' says what registers hold, and so does '--%s'",
			arguments->values[OPTION_ANALYZE_INITIAL] ? "initial" : "noalias");
	if (list && !takt_entry_values_read(list, &request->entry))
		return false;
	request->initial_option = arguments->values[OPTION_ANALYZE_INITIAL]
					  ? arguments->names[OPTION_ANALYZE_INITIAL]
					  : "noalias";
	request->analysis.entry_values = request->entry.items;
	request->analysis.entry_value_count = request->entry.count;
	return true;
}

bool takt_analyze_request_set_initial(struct takt_analyze_request *request, const char *isa)
{
	static const struct {
		const char *isa, *same, *stack;
	} lists[] = {
		{"x86-64",
		 "rax=4096,rcx=4096,rdx=4096,rbx=4096,rsp=4096,rbp=4096,rsi=4096,rdi=4096,r8=4096,"
		 "r9=4096,r10=4096,r11=4096,r12=4096,r13=4096,r14=4096,r15=4096",
		 "rsp=4096,rbp=4096"},
		{"aarch64",
		 "x0=4096,x1=4096,x2=4096,x3=4096,x4=4096,x5=4096,x6=4096,x7=4096,x8=4096,x9=4096,"
		 "x10=4096,x11=4096,x12=4096,x13=4096,x14=4096,x15=4096,x16=4096,x17=4096,x18=4096,"
		 "x19=4096,x20=4096,x21=4096,x22=4096,x23=4096,x24=4096,x25=4096,x26=4096,"
		 "x27=4096,x28=4096,x29=4096,x30=4096,sp=4096",
		 "sp=4096,x29=4096"},
	};

	if (request->initial == TAKT_ENTRY_DIFF)
		return true;
	for (size_t i = 0; i < TAKT_COUNT_OF(lists); i++) {
		bool same = request->initial == TAKT_ENTRY_SAME;

		if (strcmp(isa, lists[i].isa) != 0)
			continue;
		if (!takt_entry_values_read(same ? lists[i].same : lists[i].stack, &request->entry))
			return false;
		request->analysis.entry_values = request->entry.items;
		request->analysis.entry_value_count = request->entry.count;
		return true;
	}
	takt_say_note("'--%s' changes nothing: takt does not know addresses in code for %s",
		      request->initial_option, isa);
	return true;
}

/* ---- the analysis ---- */

static bool read_alignment(const struct takt_arguments *arguments,
			   struct takt_analysis_options *analysis)
{
	const char *value = arguments->values[OPTION_ANALYZE_ALIGN];
	long offset = -1;

	if (value && strcmp(value, "all") == 0) {
		analysis->all_alignments = true;
		return true;
	}
	if (!takt_arguments_integer(arguments, OPTION_ANALYZE_ALIGN, 0, 63, &offset))
		return false;
	analysis->alignment = (uint32_t)(offset + 1);
	return true;
}

/* Read the engine. The equal split of ports is a bound: it is not simulated unless asked for. */
static void read_engine(const struct takt_arguments *arguments,
			struct takt_analysis_options *analysis)
{
	enum { SIM, BOUNDS } engine = takt_arguments_choice(arguments, OPTION_ANALYZE_ENGINE);

	analysis->fixed = arguments->values[OPTION_ANALYZE_FIXED] != NULL;
	analysis->bounds_only = engine == BOUNDS ||
				arguments->values[OPTION_ANALYZE_INSTRUCTION_TABLES] ||
				(analysis->fixed && !arguments->values[OPTION_ANALYZE_ENGINE]);
	if (arguments->values[OPTION_ANALYZE_SENSITIVITY])
		analysis->sensitivity = TAKT_SENSITIVITY_FULL;
	else if (arguments->values[OPTION_ANALYZE_NO_SENSITIVITY])
		analysis->sensitivity = TAKT_SENSITIVITY_NONE;
}

static bool ignores_unknown(const struct takt_arguments *arguments)
{
	enum {
		NONE,
		LACK_SCHED,
		PARSE_FAILURE,
		ANY
	} skipped = takt_arguments_choice(arguments, OPTION_ANALYZE_SKIP_UNSUPPORTED_INSTRUCTIONS);

	return arguments->values[OPTION_ANALYZE_IGNORE_UNKNOWN] || skipped == PARSE_FAILURE ||
	       skipped == ANY;
}

/* Find the dialect in which code without text is shown: llvm-mca's options, or else the input's. */
static enum takt_syntax find_print_syntax(const struct takt_arguments *arguments,
					  enum takt_syntax syntax)
{
	static const enum takt_syntax syntaxes[] = {TAKT_SYNTAX_ATT, TAKT_SYNTAX_INTEL};

	if (arguments->values[OPTION_ANALYZE_OUTPUT_ASM_VARIANT])
		return syntaxes[takt_arguments_choice(arguments,
						      OPTION_ANALYZE_OUTPUT_ASM_VARIANT)];
	if (arguments->values[OPTION_ANALYZE_X86_ASM_SYNTAX])
		return syntaxes[takt_arguments_choice(arguments, OPTION_ANALYZE_X86_ASM_SYNTAX)];
	return syntax;
}

static bool read_trips(const struct takt_arguments *arguments, struct takt_analyze_request *request)
{
	const char *list = arguments->values[OPTION_ANALYZE_TRIPS];

	if (!list)
		return true;
	if (request->analysis.bounds_only) {
		takt_say_error("'--trips' needs a simulation");
		takt_say_note("leave out '--engine=bounds', or what implies it");
		return false;
	}
	if (!takt_trips_read(list, &request->trips))
		return false;
	request->paths = (struct takt_paths_options){.iterations = request->trips.iterations,
						     .loops = request->trips.loops,
						     .loop_count = request->trips.loop_count};
	return true;
}

static bool read_analysis(const struct takt_arguments *arguments,
			  struct takt_analyze_request *request)
{
	static const enum takt_mode modes[] = {TAKT_MODE_AUTO, TAKT_MODE_LOOP, TAKT_MODE_UNROLL};
	struct takt_analysis_options *analysis = &request->analysis;

	request->code.ignore_unknown = ignores_unknown(arguments);
	request->code.nested = arguments->values[OPTION_ANALYZE_NESTED] != NULL;
	analysis->mode = modes[takt_arguments_choice(arguments, OPTION_ANALYZE_MODE)];
	analysis->no_memory_dependences =
		arguments->values[OPTION_ANALYZE_NO_MEMORY_DEPENDENCES] != NULL;
	analysis->print_syntax = find_print_syntax(arguments, request->code.syntax);
	read_engine(arguments, analysis);
	if (!takt_arguments_integer(arguments, OPTION_ANALYZE_ITERATIONS, 0, ITERATIONS_MOST,
				    &analysis->iterations_max))
		return false;
	return takt_arguments_positive(arguments, OPTION_ANALYZE_UNROLL_FACTOR,
				       &analysis->unroll_factor) &&
	       read_alignment(arguments, analysis) && read_entry_values(arguments, request) &&
	       read_trips(arguments, request) && read_settings(arguments, request);
}

/* Read which columns tables have, and how much of a timeline is shown. */
static bool read_views(const struct takt_arguments *arguments, struct takt_write_options *write)
{
	bool ports = true;

	if (!takt_arguments_integer(arguments, OPTION_ANALYZE_TIMELINE_MAX_CYCLES, 0, CYCLES_MOST,
				    &write->timeline_cycles))
		return false;
	write->encoding = arguments->values[OPTION_ANALYZE_SHOW_ENCODING] != NULL;
	if (arguments->values[OPTION_ANALYZE_RESOURCE_PRESSURE] &&
	    !read_switch(arguments, OPTION_ANALYZE_RESOURCE_PRESSURE, &ports))
		return false;
	write->no_ports = !ports;
	return true;
}

/* Read colour and width; by default they follow the terminal, if the result goes to one. */
static bool read_write(const struct takt_arguments *arguments, struct takt_write_options *write)
{
	enum { AUTO, ALWAYS } colour = takt_arguments_choice(arguments, OPTION_ANALYZE_COLOR);
	bool terminal = !arguments->values[OPTION_ANALYZE_OUTPUT] && isatty(STDOUT_FILENO);
	const char *kind = getenv("TERM"), *no_colour = getenv("NO_COLOR");
	struct winsize size;

	write->colour = colour == ALWAYS;
	if (colour == AUTO && terminal)
		write->colour = kind && strcmp(kind, "dumb") != 0 && !(no_colour && *no_colour);
	if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col >= COLUMNS_LEAST)
		write->columns = size.ws_col;
	if (!takt_arguments_integer(arguments, OPTION_ANALYZE_COLUMNS, COLUMNS_LEAST, COLUMNS_MOST,
				    &write->columns))
		return false;
	return read_views(arguments, write);
}

/* Read which regions are analyzed, and on how many threads. */
static bool read_regions(const struct takt_arguments *arguments,
			 struct takt_analyze_request *request)
{
	request->jobs = 1;
	return takt_arguments_integer(arguments, OPTION_ANALYZE_MIN_INSTRUCTIONS, 1,
				      INSTRUCTIONS_MOST, &request->least_instructions) &&
	       takt_arguments_integer(arguments, OPTION_ANALYZE_TOP, 1, TOP_MOST, &request->top) &&
	       takt_arguments_integer(arguments, OPTION_ANALYZE_JOBS, 1, JOBS_MOST, &request->jobs);
}

bool takt_analyze_request_read(const struct takt_arguments *arguments,
			       struct takt_analyze_request *ret_request)
{
	static const struct takt_code_option_ids ids = {.function = OPTION_ANALYZE_FUNCTION,
							.section = OPTION_ANALYZE_SECTION,
							.range = OPTION_ANALYZE_RANGE,
							.lines = OPTION_ANALYZE_LINES,
							.whole = OPTION_ANALYZE_WHOLE,
							.raw = OPTION_ANALYZE_RAW,
							.hex = OPTION_ANALYZE_HEX,
							.syntax = OPTION_ANALYZE_SYNTAX};
	struct takt_analyze_request request = {.setting_count = 0};

	read_arch(arguments, &request);
	if (read_foreign(arguments) &&
	    takt_code_options_read(arguments, &ids, &request.code, &request.lines) &&
	    read_analysis(arguments, &request) && read_write(arguments, &request.write) &&
	    read_regions(arguments, &request) &&
	    takt_timeline_request_read(arguments, &request.timeline)) {
		*ret_request = request;
		if (arguments->values[OPTION_ANALYZE_TRIPS])
			ret_request->analysis.trips = &ret_request->paths;
		return true;
	}
	takt_analyze_request_release(&request);
	return false;
}

void takt_analyze_request_release(struct takt_analyze_request *request)
{
	takt_entry_values_release(&request->entry);
	takt_trips_release(&request->trips);
	free(request->setting_texts);
	free(request->arch_text);
	free(request->lines);
}
