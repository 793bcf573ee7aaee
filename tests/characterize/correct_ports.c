/* SPDX-License-Identifier: MIT */
/*
 * Ports that only mixes show: the machine executes an instruction on other ports than the model
 * has, as many of them. The two surveys with port classes tell, and the row gets the machine's.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "characterize/survey/survey.h"
#include "unit/tap.h"

#define FORM "shl r64, i8"

static char directory[] = "/tmp/takt-ports-XXXXXX";

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

/* A core like SKL, whose shifts use p15 instead of p06. */
static void write_core(void)
{
	if (!mkdtemp(directory) || mkdir(path_of("cores"), 0700) != 0 ||
	    mkdir(path_of("timing"), 0700) != 0)
		exit(1);
	write_file("cores/odd.core", "takt core 1\nname ODD\ntitle odd\nbase SKL\ntiming odd\n"
				     "source t estimated for a test\n");
	write_file("timing/odd.timing",
		   "takt timing 1\nname odd\nbase skl\nsource t estimated for a "
		   "test\ndefault-source t\n" FORM " | 1*p15 | lat=1\n");
}

static void survey(const char *name, const struct takt_model *played)
{
	/* The others tell which ports the classes are. */
	static const char *const names[] = {
		"andn r64, r64, r64", "blsi r64, r64",	   "bswap r32",		 "bt r64, r64",
		"bts r64, r64",	      "rorx r64, r64, i8", "sarx r64, r64, r64", FORM};
	const struct takt_lab_options lab_options = {
		.played = played, .time_only = true, .classes = true, .without_variants = true};
	const struct takt_survey_options options = {
		.path = path_of(name), .names = names, .name_count = TAKT_COUNT_OF(names)};
	struct takt_lab *lab;

	is_int(takt_lab_open(&lab_options, NULL, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, NULL), TAKT_OK, "a survey");
	takt_lab_close(lab);
}

int main(void)
{
	static const char *const names[] = {"cores/odd.core", "timing/odd.timing", "odd", "skl"};
	struct takt_survey_correction correction = {0};
	struct takt_model *odd, *known;
	struct takt_text text = {0};
	char machine[96];

	write_core();
	if (takt_model_open("ODD", directory, NULL, &odd) != TAKT_OK ||
	    takt_model_open("SKL", NULL, NULL, &known) != TAKT_OK)
		return 1;
	survey("odd", odd);
	survey("skl", known);
	strcpy(machine, path_of("odd"));
	is_int(takt_survey_correct(machine, path_of("skl"), known, "x", NULL, &text, &correction),
	       TAKT_OK, "a correction");
	is_int((int)correction.ports, 1, "other ports");
	ok(strstr(takt_text_data(&text), FORM " ") && strstr(takt_text_data(&text), "1*p15"),
	   "the machine's: %s", takt_text_data(&text));
	takt_text_release(&text);
	takt_model_close(known);
	takt_model_close(odd);
	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++)
		unlink(path_of(names[i]));
	rmdir(path_of("cores"));
	rmdir(path_of("timing"));
	rmdir(directory);
	return tap_done();
}
