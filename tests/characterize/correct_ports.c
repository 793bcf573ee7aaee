/* SPDX-License-Identifier: MIT */
/*
 * Ports that only mixes show: the machine executes an instruction on other ports than the model
 * has, as many of them. The two surveys with port classes tell, and the row gets the machine's,
 * unless these do not explain the time that was measured.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "characterize/survey/survey.h"
#include "unit/tap.h"

#define FORMS_MAX 12u

static char directory[24];

static const struct odd_core {
	const char *base, *timing, *isa;
	const char *form, *row; /* the instruction that has other ports, and its row */
	const char *ports;	/* in that row */
	const char
		*names[FORMS_MAX]; /* the form, and others that tell which ports the classes are */
} cores[] = {
	{"SKL",
	 "skl",
	 "x86-64",
	 "shl r64, i8",
	 "shl r64, i8 | 1*p15 | lat=1",
	 "1*p15",
	 {"andn r64, r64, r64", "blsi r64, r64", "bswap r32", "bt r64, r64", "bts r64, r64",
	  "rorx r64, r64, i8", "sarx r64, r64, r64", "shl r64, i8"}},
	{"N1",
	 "n1",
	 "aarch64",
	 "fabs v.2d, v.2d",
	 "fabs v.2d, v.2d | 1*v0 | lat=2",
	 "1*v0",
	 {"abs v.16b, v.16b", "addv h, v.4h", "aesimc v.16b, v.16b", "add w, w, w lsl",
	  "aesmc v.16b, v.16b", "fabs v.2d, v.2d", "neg v.4s, v.4s", "add v.4s, v.4s, v.4s"}},
};

static const char *path_of(const char *name)
{
	static char path[96];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	if (!file || fputs(text, file) == EOF || fclose(file) != 0)
		exit(1);
}

static void write_core(const struct odd_core *core)
{
	char text[256];

	strcpy(directory, "/tmp/takt-ports-XXXXXX");
	if (!mkdtemp(directory) || mkdir(path_of("cores"), 0700) != 0 ||
	    mkdir(path_of("timing"), 0700) != 0)
		exit(1);
	snprintf(text, sizeof(text),
		 "takt core 1\nname ODD\ntitle odd\nbase %s\ntiming odd\n"
		 "source t estimated for a test\n",
		 core->base);
	write_file("cores/odd.core", text);
	snprintf(text, sizeof(text),
		 "takt timing 1\nname odd\nbase %s\n%s%s%ssource t estimated for a "
		 "test\ndefault-source t\n%s\n",
		 core->timing, strcmp(core->isa, "x86-64") == 0 ? "" : "isa ",
		 strcmp(core->isa, "x86-64") == 0 ? "" : core->isa,
		 strcmp(core->isa, "x86-64") == 0 ? "" : "\n", core->row);
	write_file("timing/odd.timing", text);
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void survey(const struct odd_core *core, const char *name, const struct takt_model *played)
{
	const char *names[FORMS_MAX];
	size_t count = 0;
	struct takt_survey_options options = {.path = path_of(name), .names = names};
	const struct takt_lab_options lab_options = {
		.played = played, .time_only = true, .classes = true, .without_variants = true};
	struct takt_lab *lab;

	while (count < FORMS_MAX && core->names[count]) {
		names[count] = core->names[count];
		count++;
	}
	qsort(names, count, sizeof(names[0]), by_text);
	options.name_count = count;
	is_int(takt_lab_open(&lab_options, NULL, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, NULL), TAKT_OK, "a survey");
	takt_lab_close(lab);
}

static void test_core(const struct odd_core *core)
{
	static const char *const names[] = {"cores/odd.core", "timing/odd.timing", "odd", "known"};
	struct takt_survey_correction correction = {0};
	struct takt_model *odd, *known;
	struct takt_text text = {0};
	char machine[96];

	write_core(core);
	if (takt_model_open("ODD", directory, NULL, &odd) != TAKT_OK ||
	    takt_model_open(core->base, NULL, NULL, &known) != TAKT_OK)
		exit(1);
	survey(core, "odd", odd);
	survey(core, "known", known);
	strcpy(machine, path_of("odd"));
	is_int(takt_survey_correct(
		       &(struct takt_survey_pair){machine, path_of("known"), known, "x"}, NULL,
		       &text, &correction),
	       TAKT_OK, "a correction");
	is_int((int)correction.ports, 1, "other ports");
	ok(strstr(takt_text_data(&text), core->form) && strstr(takt_text_data(&text), core->ports),
	   "the machine's: %s", takt_text_data(&text));
	takt_text_release(&text);
	takt_model_close(known);
	takt_model_close(odd);
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		unlink(path_of(names[i]));
	rmdir(path_of("cores"));
	rmdir(path_of("timing"));
	rmdir(directory);
}

static void run_sql(const char *name, const char *sql)
{
	sqlite3 *database;

	if (sqlite3_open(path_of(name), &database) != SQLITE_OK ||
	    sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
		exit(1);
	sqlite3_close(database);
}

/*
 * The machine is the model, but its survey missed a class of ports, as it happens if noise makes
 * all of the class's instructions look faster than so many ports can be. They then seem to use the
 * next wider class, whose ports are too many for the time that they take.
 */
static void test_missed_class(void)
{
	static const struct odd_core core = {
		.names = {"vandps xmm, xmm, xmm", "vpaddd xmm, xmm, xmm", "vpand xmm, xmm, xmm",
			  "vpavgb xmm, xmm, xmm", "vpcmpgtb xmm, xmm, xmm", "vpminsb xmm, xmm, xmm",
			  "vpor xmm, xmm, xmm"}};
	struct takt_survey_correction correction = {0};
	struct takt_text text = {0};
	struct takt_model *known;
	char machine[96];

	strcpy(directory, "/tmp/takt-ports-XXXXXX");
	if (!mkdtemp(directory) || takt_model_open("SKL", NULL, NULL, &known) != TAKT_OK)
		exit(1);
	survey(&core, "odd", known);
	survey(&core, "known", known);
	run_sql("odd", "update form set ports ="
		       " (select ports from form where form = 'vandps xmm, xmm, xmm')"
		       " where form in ('vpavgb xmm, xmm, xmm', 'vpminsb xmm, xmm, xmm')");
	strcpy(machine, path_of("odd"));
	is_int(takt_survey_correct(
		       &(struct takt_survey_pair){machine, path_of("known"), known, "x"}, NULL,
		       &text, &correction),
	       TAKT_OK, "a correction");
	is_int((int)correction.ports, 0, "no ports that take less time than was measured");
	ok(correction.corrected == 0, "no row: %s", takt_text_data(&text));
	takt_text_release(&text);
	takt_model_close(known);
	unlink(path_of("odd"));
	unlink(path_of("known"));
	rmdir(directory);
}

int main(void)
{
	test_core(&cores[0]);
	test_missed_class();
	if (takt_isa_can_decode(&takt_isa_aarch64, NULL))
		test_core(&cores[1]);
	else
		tap_skip("N1", "takt-llvm-aarch64.so is not there");
	return tap_done();
}
