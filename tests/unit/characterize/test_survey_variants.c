/* SPDX-License-Identifier: MIT */
/* Variants in surveys: results that lack them get them, and nothing else; all exports have them. */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "characterize/survey/survey.h"
#include "unit/tap.h"

#define MACHINE "sim:SKL"
#define FORMS "pcmp[eg][qt]d xmm, *"
#define FORM_COUNT 4
#define EARLY "pcmpgtd xmm, xmm"

static bool stop_after(void *context, const struct takt_lab_progress *progress)
{
	const size_t *most = context;

	return progress->done < *most;
}

static void survey(const char *path, const char *forms, size_t most)
{
	const struct takt_lab_options lab_options = {
		.machine = MACHINE, .time_only = true, .progress = stop_after, .context = &most};
	const struct takt_survey_options options = {.path = path, .forms = forms};
	struct takt_diag *diag = takt_diag_new();
	struct takt_lab *lab;

	is_int(takt_lab_open(&lab_options, diag, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, diag), TAKT_OK, "a survey");
	takt_lab_close(lab);
	takt_diag_free(diag);
}

static void execute(const char *path, const char *sql)
{
	sqlite3 *db;

	ok(sqlite3_open(path, &db) == SQLITE_OK &&
		   sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK,
	   "%s", sql);
	sqlite3_close(db);
}

/* The first number of the first row. */
static double query(const char *path, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	double number = NAN;
	sqlite3 *db;

	if (sqlite3_open(path, &db) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_double(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return number;
}

/* Returns the text of an export. */
static struct takt_text *export(const char *path, const struct takt_model *model,
				enum takt_survey_format format)
{
	struct takt_text *text = takt_text_new();
	struct takt_diag *diag = takt_diag_new();

	is_int(takt_survey_write(path, format, model, diag, text), TAKT_OK, "an export");
	takt_diag_free(diag);
	return text;
}

#define WANTED_MAX 3

/* All of `wanted`, up to the first that is NULL. */
static void check_export(const char *path, const struct takt_model *model,
			 enum takt_survey_format format, const char *const wanted[WANTED_MAX])
{
	struct takt_text *text = export(path, model, format);

	for (size_t i = 0; i < WANTED_MAX && wanted[i]; i++)
		if (!ok(strstr(takt_text_data(text), wanted[i]) != NULL, "has %s", wanted[i]))
			tap_note("%s", takt_text_data(text));
	takt_text_free(text);
}

/* As it was written before there were variants. */
static void test_earlier(const char *path, const struct takt_model *model)
{
	struct takt_text *text;

	survey(path, FORMS, 99);
	is_int((long long)query(path, "select count(*) from form"), FORM_COUNT, "forms");
	execute(path, "drop table variant; drop table varied");
	/* What is not measured again keeps what it has. */
	execute(path, "update form set spread = 7");
	text = export(path, NULL, TAKT_SURVEY_CSV);
	ok(strstr(takt_text_data(text), EARLY) != NULL, "results without variants are read");
	takt_text_free(text);
	text = export(path, model, TAKT_SURVEY_REPORT);
	ok(!strstr(takt_text_data(text), "variants"), "and reported");
	takt_text_free(text);
	survey(path, FORMS, 1);
	is_int((long long)query(path, "select count(*) from varied where form != ''"), 1,
	       "stopped after one form");
	survey(path, FORMS, 99);
	is_int((long long)query(path, "select count(*) from varied where form != ''"), FORM_COUNT,
	       "gone on with");
	is_int((long long)query(path, "select count(*) from form where spread = 7"), FORM_COUNT,
	       "forms that were not measured again");
	ok(fabs(query(path, "select other from variant where kind = 'zero_idiom' and form = '" EARLY
			    "'") -
		0.5) < 0.01,
	   "what is known of a form is taken from the database");
}

/* Variants of a form that did not get all of them are made anew. */
static void test_unfinished(const char *path)
{
	execute(path, "delete from varied where form = '" EARLY "'");
	execute(path, "update variant set figure = 9 where form = '" EARLY "'");
	survey(path, FORMS, 99);
	is_int((long long)query(path, "select count(*) from variant where figure = 9"), 0,
	       "what was left is replaced");
}

static void test_exports(const char *path, const struct takt_model *model)
{
	static const char *const csv[WANTED_MAX] = {"zero_idiom:0.2552-0.5;",
						    "ones_idiom/executed:0.5-0.5;"};
	static const char *const xml[WANTED_MAX] = {"uops_same_reg=\"0\"", "cycles_same_reg=\"0\""};
	static const char *const report[WANTED_MAX] = {
		"     1  zero_idiom: throughput", "0.50; else 0.50, executed",
		"idioms and moves of 0 of 4 forms differ from the model of SKL\n"};
	static const char *const different[WANTED_MAX] = {
		EARLY "                         on one register it waits, model: "
		      "is not executed\n",
		EARLY "                         is eliminated, model: is not\n"};

	check_export(path, NULL, TAKT_SURVEY_CSV, csv);
	check_export(path, model, TAKT_SURVEY_XML, xml);
	check_export(path, model, TAKT_SURVEY_REPORT, report);
	execute(path, "delete from variant where form = '" EARLY "'");
	execute(path, "insert into variant values('" EARLY "', 'eliminated', '', 0.5, 0.5)");
	check_export(path, model, TAKT_SURVEY_REPORT, different);
}

static void test_names(const char *path, const struct takt_model *model)
{
	static const char *const names[WANTED_MAX] = {
		" high8=\"1\">", "<latency start_op=\"2\" target_op=\"1\" cycles=\"1\"/>",
		"min_cycles=\"20\" max_cycles=\"32\""};

	survey(path, "mov r8h, r8", 99);
	survey(path, "div r64", 99);
	execute(path, "update variant set figure = 20 where kind = 'division_latency'");
	check_export(path, model, TAKT_SURVEY_XML, names);
}

/* ---- a machine that is too busy for some ---------------------------------- */

struct busy_machine {
	struct probe_machine machine;
	struct probe_machine *inner;
	bool is_busy; /* while one register is all sources */
};

static bool run_busy(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes,
		     bool loop, struct probe_outcome *ret_outcome)
{
	struct busy_machine *busy = (struct busy_machine *)machine;
	struct takt_insn insn;

	if (busy->is_busy && takt_decode(&takt_isa_x86, bytes, size_bytes, 0, &insn) == TAKT_OK &&
	    insn.flags & TAKT_INSN_SAME) {
		*ret_outcome = (struct probe_outcome){.reason = PROBE_BUSY};
		return false;
	}
	return busy->inner->run(busy->inner, bytes, size_bytes, loop, ret_outcome);
}

static bool supports(const struct probe_machine *machine, const struct takt_insn *insn)
{
	const struct busy_machine *busy = (const struct busy_machine *)machine;

	return busy->inner->supports(busy->inner, insn);
}

static void close_busy(struct probe_machine *machine)
{
	takt_probe_machine_close(((struct busy_machine *)machine)->inner);
}

static void test_busy(const char *path, struct takt_model *model)
{
	const struct probe_sim_options sim = {.counters = false};
	const struct takt_survey_options options = {.path = path, .forms = EARLY};
	struct busy_machine busy = {.machine = {.name = "busy",
						.run = run_busy,
						.supports = supports,
						.close = close_busy},
				    .is_busy = true};
	struct takt_lab lab = {.model = model};

	busy.inner = takt_probe_sim_open(model, &sim);
	lab.probe = takt_probe_lab_new(&busy.machine);
	for (int i = 0; i < 2; i++) {
		is_int(takt_survey(&lab, &options, NULL), TAKT_OK, "a busy machine");
		is_int((long long)query(path, "select count(*) from form"), 1, "has a form");
		is_int((long long)query(path, "select count(*) from varied where form != ''"), 0,
		       "and leaves its variants for later");
	}
	busy.is_busy = false;
	is_int(takt_survey(&lab, &options, NULL), TAKT_OK, "a quiet one");
	is_int((long long)query(path, "select count(*) from variant where kind = 'zero_idiom'"), 1,
	       "has them");
	takt_probe_lab_free(lab.probe);
}

int main(void)
{
	char path[] = "/tmp/takt-variants-XXXXXX";
	struct takt_model *model;

	close(mkstemp(path));
	unlink(path);
	if (ok(takt_model_open("SKL", NULL, NULL, &model) == TAKT_OK, "a model")) {
		test_earlier(path, model);
		test_unfinished(path);
		test_exports(path, model);
		test_names(path, model);
		unlink(path);
		test_busy(path, model);
		takt_model_close(model);
	}
	unlink(path);
	return tap_done();
}
