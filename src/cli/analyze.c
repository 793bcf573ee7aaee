/* SPDX-License-Identifier: MIT */
/* takt analyze: predicts the cycles of loops and other code, and says what limits them. */
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"

/* If more loops are found and none is chosen, the others are only listed. */
#define LOOPS_ANALYZED_MAX 20
/* The file that OSACA writes for "--export-graph=.". */
#define GRAPH_OF_OSACA "osaca_dg.dot"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_DOT, FORMAT_HTML, FORMAT_CSV };

/* A region and its cycles, for --top. */
struct rank {
	double cycles;
	size_t region;
};

/* The state of one run of the command. */
struct session {
	const struct takt_arguments *arguments;
	struct takt_analyze_request request;
	struct takt_diag *diag;
	struct takt_cores cores;
	/* The region's analyses, one for each core; without instructions if it decodes none. */
	const struct takt_analysis **analyses;
	struct takt_analysis *undecoded; /* stands for one by a core that decodes none */
	FILE *refusals;			 /* JSON of the regions that some cores cannot decode */
	size_t refusal_count;
	struct takt_code *code;
	struct takt_compiled compiled; /* bytes of the code if it was compiled here */
	struct takt_text *text;	       /* result being written */
	struct takt_output output;
	FILE *reports; /* reports of several regions; they follow the list */
	enum format format;
	struct takt_analyze_page page; /* with FORMAT_JSON: what shows it in a browser */
	size_t *regions;	       /* the regions to analyze, in the order of the report */
	size_t region_count;
	struct rank *ranks;
	size_t rank_count;
	bool several; /* more than one region is analyzed */
	bool list_only;
	size_t written;	  /* regions written so far */
	size_t documents; /* analyses written as JSON so far */
	bool failed;
};

typedef void (*item_user)(struct session *session, const struct takt_batch_item *item);

static bool is_page(const struct takt_arguments *arguments)
{
	return takt_arguments_html(arguments, OPTION_ANALYZE_FORMAT) &&
	       !arguments->values[OPTION_ANALYZE_TIMELINE_FORMAT];
}

static enum format find_format(const struct takt_arguments *arguments)
{
	if (is_page(arguments))
		return FORMAT_JSON;
	if (arguments->values[OPTION_ANALYZE_FORMAT])
		return takt_arguments_choice(arguments, OPTION_ANALYZE_FORMAT);
	return arguments->values[OPTION_ANALYZE_JSON] ? FORMAT_JSON : FORMAT_TEXT;
}

/* Open the core, with the parameters that were set, and the code. */
static bool open_input(struct session *session)
{
	const char *const *values = session->arguments->values;
	struct takt_analyze_request *request = &session->request;

	if (!takt_cores_open_code(request->arch, values[OPTION_ANALYZE_MODEL], &request->code,
				  session->diag, &session->cores, &session->code) ||
	    !takt_analyze_request_set_initial(request, takt_code_region(session->code, 0)->isa))
		return false;
	return takt_cores_set(&session->cores, request->settings, request->setting_count,
			      session->diag);
}

static bool is_several_cores(const struct session *session)
{
	return session->cores.count > 1;
}

/* Refuse what shows one core only. */
static bool check_cores(const struct session *session)
{
	const char *shown =
		session->format == FORMAT_DOT ? "'--format=dot'"
		: session->request.timeline.iterations && !session->page.is_wanted ? "a timeline"
		: session->arguments->values[OPTION_ANALYZE_EXPORT_GRAPH] ? "'--export-graph'"
									  : NULL;

	if (!is_several_cores(session) || !shown)
		return true;
	takt_say_error("%s shows one core, not %zu", shown, session->cores.count);
	return takt_say_note("name one with '--arch=CORE', or say '--format=html'");
}

/* List the regions that --region and --min-instructions choose. False, reported, if none. */
static bool choose_regions(struct session *session)
{
	struct takt_region_choice choice;

	if (!takt_region_choose(session->code, session->arguments->values[OPTION_ANALYZE_REGION],
				session->request.least_instructions, &choice))
		return false;
	session->regions = takt_allocate(choice.count, sizeof(*session->regions));
	for (size_t i = 0; i < takt_code_region_count(session->code); i++)
		if (takt_region_chosen(session->code, &choice, i))
			session->regions[session->region_count++] = i;
	return true;
}

/* Decide which regions are analyzed and which are only listed. */
static bool plan(struct session *session)
{
	const char *wanted = session->arguments->values[OPTION_ANALYZE_REGION];
	size_t chosen;
	bool found = false;

	if (!choose_regions(session))
		return false;
	chosen = session->region_count;
	if (session->request.top && chosen > session->request.top)
		chosen = session->request.top;
	for (size_t i = 0; i < session->region_count; i++)
		found |= takt_code_region(session->code, session->regions[i])->origin ==
			 TAKT_REGION_LOOP;
	session->several = chosen > 1;
	session->list_only = session->arguments->values[OPTION_ANALYZE_LIST] != NULL;
	if (!check_cores(session))
		return false;
	if (session->list_only && session->format == FORMAT_DOT) {
		takt_say_error("a list of regions is no graph");
		return takt_say_note("leave out '--list', or say '--format=json'");
	}
	if (session->several && session->request.timeline.format != TAKT_TIMELINE_TEXT) {
		takt_say_error("a timeline in this format shows one region, not %zu", chosen);
		return takt_say_note("choose it with '--region=N'");
	}
	if ((session->format != FORMAT_TEXT && !session->page.is_wanted) || session->list_only)
		return true;
	if (found && chosen > LOOPS_ANALYZED_MAX && !wanted &&
	    !session->arguments->values[OPTION_ANALYZE_ALL]) {
		session->list_only = true;
		takt_say_note("%zu loops are only listed: choose with '--region=N', "
			      "'--function=NAME' or '--top=N', or say '--all'",
			      chosen);
	}
	return true;
}

static void write_graph(struct session *session, const struct takt_analysis *analysis)
{
	const char *path = session->arguments->values[OPTION_ANALYZE_EXPORT_GRAPH];
	struct takt_text *graph = takt_text_new();

	if (strcmp(path, ".") == 0)
		path = GRAPH_OF_OSACA;
	takt_write_analysis_dot(analysis, graph);
	session->failed |= !takt_output_write(path, graph);
	takt_text_free(graph);
}

static void write_text(struct takt_text *text, FILE *file)
{
	fwrite(takt_text_data(text), 1, takt_text_size_bytes(text), file);
	takt_text_clear(text);
}

static FILE *json_file(const struct session *session)
{
	return session->page.is_wanted ? session->page.json : session->output.file;
}

/* Begin the JSON of one more analysis. */
static void begin_document(struct session *session)
{
	fputs(session->documents++ ? ",\n" : "", json_file(session));
}

static void write_list_row(struct session *session, size_t index)
{
	if (session->format == FORMAT_JSON) {
		for (size_t i = 0; i < session->cores.count; i++) {
			if (!session->analyses[i]->insn_count)
				continue;
			begin_document(session);
			fputs("  ", json_file(session));
			takt_write_region_json(session->analyses[i], index + 1, session->text);
			write_text(session->text, json_file(session));
		}
		return;
	}
	if (!session->written)
		takt_region_list_header(session->output.file, &session->cores);
	takt_region_list_row(session->output.file, index, session->analyses, session->cores.count);
}

static void write_timeline(struct session *session, size_t index)
{
	session->failed |= !takt_timeline_write(&session->request, session->cores.models[0],
						session->code, index, session->diag, session->text);
}

static struct takt_page_region page_region(const struct session *session, size_t index, size_t core)
{
	return (struct takt_page_region){.analysis = session->analyses[core],
					 .request = &session->request,
					 .model = session->cores.models[core],
					 .code = session->code,
					 .index = index,
					 .diag = session->diag};
}

static void write_region_text(struct session *session, size_t index)
{
	if (is_several_cores(session))
		takt_write_comparison_text(session->analyses, session->cores.count,
					   &session->request.write, session->text);
	else
		takt_write_analysis_text(session->analyses[0], &session->request.write,
					 session->text);
	if (session->request.timeline.iterations)
		write_timeline(session, index);
	if (session->several) {
		write_list_row(session, index);
		fputc('\n', session->reports);
	}
	write_text(session->text, session->several ? session->reports : session->output.file);
}

static void write_region_json(struct session *session, size_t index)
{
	for (size_t i = 0; i < session->cores.count; i++) {
		struct takt_page_region region = page_region(session, index, i);

		if (!session->analyses[i]->insn_count)
			continue;
		begin_document(session);
		if (!session->request.timeline.iterations || session->page.is_wanted) {
			takt_write_analysis_json(session->analyses[i], session->text);
		} else if (!takt_timeline_write_in_json(&region, session->text)) {
			session->failed = true;
			takt_write_analysis_json(session->analyses[i], session->text);
		}
		if (session->page.is_wanted)
			takt_analyze_page_add(&session->page, &region);
		write_text(session->text, json_file(session));
	}
}

static void write_region_csv(struct session *session, size_t index)
{
	if (!session->written)
		takt_write_analysis_csv_header(session->text);
	for (size_t i = 0; i < session->cores.count; i++)
		if (session->analyses[i]->insn_count)
			takt_write_analysis_csv(session->analyses[i], index + 1, session->text);
	write_text(session->text, session->output.file);
}

static void write_region(struct session *session, size_t index)
{
	if (session->format == FORMAT_CSV) {
		write_region_csv(session, index);
	} else if (session->list_only) {
		write_list_row(session, index);
	} else if (session->format == FORMAT_JSON) {
		write_region_json(session, index);
	} else if (session->format == FORMAT_TEXT) {
		write_region_text(session, index);
	} else {
		takt_write_analysis_dot(session->analyses[0], session->text);
		write_text(session->text, session->output.file);
	}
}

/* Remember which loops of '--trips' an analysis is about. */
static void note_trips(struct session *session, const struct takt_analysis *analysis)
{
	const struct takt_trips_list *trips = &session->request.trips;
	const struct takt_execution *execution = &analysis->execution;

	for (size_t i = 0; i < trips->loop_count && execution->iterations; i++) {
		bool found = analysis->insns[0].address == trips->loops[i].address;

		for (uint32_t k = 0; k < execution->around_count; k++)
			found |= execution->around[k].depth &&
				 execution->around[k].address == trips->loops[i].address;
		trips->found[i] |= found;
	}
}

/* Report loops of '--trips' that are not among the analyzed ones, nor around them. */
static void check_trips(struct session *session)
{
	const struct takt_trips_list *trips = &session->request.trips;

	for (size_t i = 0; i < trips->loop_count && session->written && !session->list_only; i++) {
		if (trips->found[i])
			continue;
		takt_say_error("'--trips': no loop that was analyzed, or is around one, begins at "
			       "0x%llx",
			       (unsigned long long)trips->loops[i].address);
		session->failed = true;
	}
}

/* Return the first analysis, of a core that decodes the region. */
static const struct takt_analysis *first_analysis(const struct takt_batch_item *item)
{
	size_t core = 0;

	while (!item->analyses[core])
		core++;
	return item->analyses[core];
}

/* Note that a core cannot decode a region, with the first error: in text, and for JSON. */
static void note_refusal(struct session *session, const struct takt_batch_item *item, size_t core)
{
	static const char severity[] = "error: ";
	const char *name = takt_model_name(session->cores.models[core]);
	const struct takt_region *region = takt_code_region(session->code, item->region);
	const char *text = takt_diag_text(item->diags[core]), *error = strstr(text, severity);
	char *reason = takt_allocate(strlen(text) + 1, 1);
	size_t place_bytes = error ? (size_t)(error - text) : 0;

	if (error) {
		error += sizeof(severity) - 1;
		memcpy(reason, text, place_bytes);
		memcpy(reason + place_bytes, error, strcspn(error, "\n"));
	}
	takt_say_note("%s has no figures of '%s', which it cannot decode: %s", name, region->name,
		      reason);
	takt_write_refusal_json(region, item->region + 1, name, reason, session->text);
	fputs(session->refusal_count++ ? ",\n  " : "  ", session->refusals);
	write_text(session->text, session->refusals);
	free(reason);
	takt_diag_clear(item->diags[core]);
}

/* Say what was reported about a region. Of one that no core analyzes, the first core's errors. */
static void say_item(struct session *session, const struct takt_batch_item *item)
{
	bool said = false;

	for (size_t i = 0; i < session->cores.count && !said; i++) {
		if (item->good && !item->analyses[i])
			note_refusal(session, item, i);
		said = !item->good && takt_diag_error_count(item->diags[i]);
		takt_say_diag(item->diags[i]);
	}
}

/* Write what was found out about a region. */
static void write_item(struct session *session, const struct takt_batch_item *item)
{
	say_item(session, item);
	if (!item->good) {
		session->failed = true;
		return;
	}
	for (size_t i = 0; i < session->cores.count; i++) {
		session->analyses[i] = item->analyses[i];
		session->undecoded[i].arch = takt_model_name(session->cores.models[i]);
		if (!item->analyses[i])
			session->analyses[i] = &session->undecoded[i];
	}
	note_trips(session, first_analysis(item));
	write_region(session, item->region);
	session->written++;
	if (session->arguments->values[OPTION_ANALYZE_EXPORT_GRAPH])
		write_graph(session, session->analyses[0]);
}

/*
 * Call `use` with the results of all regions, in order. `output` is the file that it writes to
 * meanwhile, or NULL. False, reported, if interrupted.
 */
static bool for_regions(struct session *session, const struct takt_analysis_options *options,
			const char *subject, item_user use, FILE *output)
{
	struct takt_progress progress;
	struct takt_batch batch = {.code = session->code,
				   .cores = &session->cores,
				   .options = options,
				   .regions = session->regions,
				   .region_count = session->region_count};

	takt_batch_begin(&batch, session->request.jobs);
	takt_progress_begin(&progress, subject, batch.region_count, output);
	for (size_t i = 0; i < batch.region_count && takt_progress_step(&progress); i++) {
		use(session, takt_batch_next(&batch));
		takt_batch_give_back(&batch);
	}
	takt_batch_end(&batch);
	return takt_progress_end(&progress);
}

static void write_other_timeline(struct session *session, size_t index)
{
	write_timeline(session, index);
	write_text(session->text, session->output.file);
}

/* True if the JSON is an object with a list, not one analysis. */
static bool is_list(const struct session *session)
{
	return session->format == FORMAT_JSON &&
	       (session->several || session->list_only || is_several_cores(session));
}

static void end_list(struct session *session, const char *refusals, size_t size_bytes)
{
	FILE *file = json_file(session);

	fputs(session->list_only ? "\n]" : "]", file);
	if (session->cores.left_out)
		fprintf(file, ", \"cores_left_out\": %zu", session->cores.left_out);
	if (session->refusal_count) {
		fputs(", \"not_decoded\": [\n", file);
		fwrite(refusals, 1, size_bytes, file);
		fputs("\n]", file);
	}
	fputs("}\n", file);
}

/* Say in the text how many cores "--arch=all" left out. */
static void write_left_out(struct session *session)
{
	size_t count = session->cores.left_out;

	if (count && session->format == FORMAT_TEXT)
		fprintf(session->output.file, "\n%zu %s of other instruction sets left out\n",
			count, takt_say_noun(count, "core", "cores"));
}

static void analyze_regions(struct session *session)
{
	char *reports = NULL, *refusals = NULL;
	size_t size = 0, refusals_bytes = 0;

	if (session->request.timeline.format != TAKT_TIMELINE_TEXT) {
		write_other_timeline(session, session->regions[0]);
		return;
	}
	session->analyses = takt_allocate(session->cores.count, sizeof(*session->analyses));
	session->undecoded = takt_allocate(session->cores.count, sizeof(*session->undecoded));
	session->reports = takt_memory_stream_open(&reports, &size);
	session->refusals = takt_memory_stream_open(&refusals, &refusals_bytes);
	if (is_list(session))
		fputs("{\"regions\": [\n", json_file(session));
	session->failed |= !for_regions(session, &session->request.analysis, "regions", write_item,
					session->output.file);
	takt_memory_stream_close(session->refusals);
	if (is_list(session))
		end_list(session, refusals, refusals_bytes);
	free(refusals);
	takt_memory_stream_close(session->reports);
	fwrite(reports, 1, size, session->output.file);
	free(reports);
	write_left_out(session);
	/* In other formats the notes are with each region. */
	if (session->list_only || session->format == FORMAT_DOT || is_several_cores(session))
		takt_code_notes_say(session->code);
}

/* ---- --top ---- */

static int compare_ranks(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	if (a->cycles != b->cycles)
		return a->cycles < b->cycles ? 1 : -1;
	return a->region < b->region ? -1 : a->region > b->region;
}

static void add_rank(struct session *session, const struct takt_batch_item *item)
{
	if (item->good)
		session->ranks[session->rank_count++] =
			(struct rank){first_analysis(item)->cycles_per_iteration, item->region};
}

/*
 * Keep the regions with the most cycles per iteration on the first core that decodes them, in that
 * order. Those that cannot be analyzed are kept if all are, so that they are reported.
 */
static bool keep_top(struct session *session)
{
	struct takt_analysis_options options = session->request.analysis;
	size_t count = session->request.top;
	bool complete;

	if (!count || session->region_count < 2)
		return true;
	options.sensitivity = TAKT_SENSITIVITY_NONE;
	options.all_alignments = false;
	session->ranks = takt_allocate(session->region_count, sizeof(*session->ranks));
	complete = for_regions(session, &options, "regions ranked", add_rank, NULL);
	if (complete && session->rank_count) {
		qsort(session->ranks, session->rank_count, sizeof(*session->ranks), compare_ranks);
		session->region_count = count < session->rank_count ? count : session->rank_count;
		for (size_t i = 0; i < session->region_count; i++)
			session->regions[i] = session->ranks[i].region;
	}
	free(session->ranks);
	return complete;
}

static void run(struct session *session)
{
	if (!open_input(session))
		return;
	if (!plan(session))
		return;
	if (!takt_output_open(session->arguments->values[OPTION_ANALYZE_OUTPUT], &session->output))
		return;
	/* The table of several cores does not show what would help; JSON and pages do. */
	if (session->list_only || session->format == FORMAT_CSV ||
	    (is_several_cores(session) && session->format == FORMAT_TEXT))
		session->request.analysis.sensitivity = TAKT_SENSITIVITY_NONE;
	session->failed = !keep_top(session);
	if (!session->failed)
		analyze_regions(session);
	if (!session->failed)
		check_trips(session);
	if (session->page.is_wanted)
		takt_analyze_page_end(&session->page, session->output.file);
	session->failed |= !takt_output_close(&session->output);
}

/* True if the command line is "SOURCE -- COMPILER …". */
static bool has_compiler(const struct takt_arguments *arguments)
{
	return arguments->operands_before == 1 && arguments->operand_count > 1;
}

/* Compile the source, whose object file becomes the input. */
static bool compile_input(struct session *session, struct takt_arguments *arguments,
			  size_t word_count)
{
	struct takt_code_options *code = &session->request.code;

	if (!takt_compile(code->path, arguments->operands + 1, word_count, &session->compiled))
		return false;
	code->data = session->compiled.data;
	code->data_size_bytes = session->compiled.size_bytes;
	return true;
}

int takt_analyze_main(struct takt_arguments *arguments)
{
	struct session session = {.arguments = arguments};
	size_t compiler_words = 0;

	if (has_compiler(arguments)) {
		compiler_words = arguments->operand_count - 1;
		arguments->operand_count = 1;
	}
	if (!takt_analyze_switches_read(arguments) ||
	    !takt_analyze_request_read(arguments, &session.request))
		return TAKT_EXIT_USAGE;
	if (!arguments->values[OPTION_ANALYZE_TIMELINE_FORMAT])
		takt_arguments_take_format(arguments, OPTION_ANALYZE_FORMAT, OPTION_ANALYZE_OUTPUT);
	session.format = find_format(arguments);
	if (is_page(arguments))
		takt_analyze_page_begin(&session.page);
	session.diag = takt_diag_new();
	session.text = takt_text_new();
	session.failed = true;
	if (!compiler_words || compile_input(&session, arguments, compiler_words))
		run(&session);
	takt_say_diag(session.diag);
	takt_code_close(session.code);
	free(session.compiled.data);
	takt_cores_close(&session.cores);
	free(session.regions);
	free(session.analyses);
	free(session.undecoded);
	takt_text_free(session.text);
	takt_diag_free(session.diag);
	takt_analyze_page_release(&session.page);
	takt_analyze_request_release(&session.request);
	return session.failed ? TAKT_EXIT_BAD : TAKT_EXIT_FINE;
}
