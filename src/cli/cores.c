/* SPDX-License-Identifier: MIT */
/* Several cores at once: "NAME,NAME", or all of the code's instruction set. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

#define ALL "all"
/* The size of a buffer for code from a pipe, at first and at most. */
#define INPUT_BYTES_FIRST ((size_t)64 << 10)
#define INPUT_BYTES_MAX ((size_t)1 << 30)

/* True for a list "NAME,NAME", and for "all". */
static bool are_several(const char *arch)
{
	return arch && (strcmp(arch, ALL) == 0 || strchr(arch, ','));
}

static void add(struct takt_cores *cores, struct takt_model *model)
{
	cores->models = takt_reallocate(cores->models, cores->count + 1, sizeof(*cores->models));
	cores->plain = takt_reallocate(cores->plain, cores->count + 1, sizeof(*cores->plain));
	cores->models[cores->count] = cores->plain[cores->count] = model;
	cores->count++;
}

void takt_cores_close(struct takt_cores *cores)
{
	for (size_t i = 0; i < cores->count; i++) {
		if (cores->models[i] != cores->plain[i])
			takt_model_close(cores->models[i]);
		takt_model_close(cores->plain[i]);
	}
	free(cores->models);
	free(cores->plain);
	free(cores->input);
	*cores = (struct takt_cores){.count = 0};
}

bool takt_cores_set(struct takt_cores *cores, const struct takt_setting *settings,
		    size_t setting_count, struct takt_diag *diag)
{
	for (size_t i = 0; setting_count && i < cores->count; i++) {
		struct takt_model *changed;

		if (takt_model_set(cores->plain[i], settings, setting_count, diag, &changed) !=
		    TAKT_OK)
			return false;
		cores->models[i] = changed;
	}
	return true;
}

/* Open the built-in cores of the instruction set `isa`, and count the others. */
static bool open_all(const char *isa, const char *model_dir, struct takt_diag *diag,
		     struct takt_cores *cores)
{
	for (size_t i = 0; i < takt_model_builtin_count(); i++) {
		struct takt_model *model;

		if (!takt_core_open(takt_model_builtin_name(i), model_dir, diag, &model))
			return false;
		if (strcmp(takt_model_isa_name(model), isa) == 0) {
			add(cores, model);
		} else {
			takt_model_close(model);
			cores->left_out++;
		}
	}
	if (cores->count)
		return true;
	takt_say_error("'--arch=all' means the cores with a file of their own, and none is for %s",
		       isa);
	return takt_say_note("name LLVM's with '--arch=llvm:TRIPLE:CPU'");
}

/* Open the cores of a list "NAME,NAME". */
static bool open_listed(const char *list, const char *model_dir, struct takt_diag *diag,
			struct takt_cores *cores)
{
	char *names = takt_copy_string(list), *next = names, *name;
	bool fine = true;

	while (fine && (name = strsep(&next, ","))) {
		struct takt_model *model;

		if (!*name) {
			takt_say_error("'--arch=%s' has an empty name", list);
			takt_say_note("separate cores by commas: '--arch=NAME,NAME'");
			fine = false;
		} else if ((fine = takt_core_open(name, model_dir, diag, &model))) {
			add(cores, model);
		}
	}
	free(names);
	return fine;
}

/* True for equal names, and for two processors of one architecture, "llvm:riscv64:…". */
static bool is_kin(const char *isa, const char *other)
{
	size_t size_bytes;

	if (strncmp(isa, "llvm:", strlen("llvm:")) != 0)
		return strcmp(isa, other) == 0;
	size_bytes = strcspn(isa, ":");
	size_bytes += 1 + strcspn(isa + size_bytes + 1, "-:");
	return strncmp(isa, other, size_bytes) == 0 && strchr("-:", other[size_bytes]);
}

/* Close the core at this place, and leave it out. */
static void leave_out(struct takt_cores *cores, size_t place)
{
	takt_model_close(cores->plain[place]);
	cores->count--;
	cores->left_out++;
	for (size_t i = place; i < cores->count; i++)
		cores->models[i] = cores->plain[i] = cores->plain[i + 1];
}

/* Leave out the listed cores that are not for `isa`, and name them; false if none is left. */
static bool take_isa(struct takt_cores *cores, const char *isa, const char *subject)
{
	size_t fit = 0;

	for (size_t i = 0; i < cores->count; i++)
		fit += is_kin(isa, takt_model_isa_name(cores->models[i]));
	for (size_t i = 0; i < cores->count;) {
		const char *name = takt_model_name(cores->models[i]);
		const char *of_core = takt_model_isa_name(cores->models[i]);

		if (is_kin(isa, of_core)) {
			i++;
		} else if (fit) {
			takt_say_note("%s %s code; %s, a core for %s, is left out", subject, isa,
				      name, of_core);
			leave_out(cores, i);
		} else {
			takt_say_error("%s %s code; %s is a core for %s", subject, isa, name,
				       of_core);
			i++;
		}
	}
	if (!fit)
		takt_say_note("'--arch=all' takes the cores that fit");
	return fit;
}

bool takt_cores_are_all(const char *arch)
{
	return arch && strcmp(arch, ALL) == 0;
}

bool takt_cores_open(const char *arch, const char *model_dir, const char *isa,
		     struct takt_diag *diag, struct takt_cores *ret_cores)
{
	struct takt_model *model;

	if (!are_several(arch)) {
		if (!takt_core_open(arch, model_dir, diag, &model))
			return false;
		add(ret_cores, model);
		return true;
	}
	if (takt_cores_are_all(arch))
		return open_all(isa, model_dir, diag, ret_cores);
	return open_listed(arch, model_dir, diag, ret_cores) &&
	       take_isa(ret_cores, takt_model_isa_name(ret_cores->models[0]),
			"with the first core, blocks are");
}

/* Read code from a pipe, which each core's assembler gets; a file is read by itself. */
static bool keep_input(struct takt_code_options *options, struct takt_cores *cores)
{
	bool is_stdin = strcmp(options->path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(options->path, "rbe");
	struct stat info;
	size_t capacity = 0, size = 0, got = 1;

	if (!file || fstat(fileno(file), &info) != 0 || (!is_stdin && S_ISREG(info.st_mode))) {
		if (file && !is_stdin)
			fclose(file);
		return true; /* errors are reported when the code is opened */
	}
	while (got && size <= INPUT_BYTES_MAX) {
		if (size == capacity) {
			capacity = capacity ? 2 * capacity : INPUT_BYTES_FIRST;
			cores->input = takt_reallocate(cores->input, capacity, 1);
		}
		got = fread(cores->input + size, 1, capacity - size, file);
		size += got;
	}
	if (ferror(file))
		takt_say_error("cannot read '%s': %s", options->path, strerror(errno));
	else if (size > INPUT_BYTES_MAX)
		takt_say_error("'%s' is larger than %zu MiB", options->path, INPUT_BYTES_MAX >> 20);
	got = !ferror(file) && size <= INPUT_BYTES_MAX;
	if (!is_stdin)
		fclose(file);
	options->data = cores->input;
	options->data_size_bytes = size;
	return got;
}

/*
 * Open code for cores of LLVM's, whose instruction set text does not identify. It is assembled for
 * the first core that has all extensions it needs. Errors are those of the first core.
 */
static bool open_with_any(struct takt_code_options *options, struct takt_diag *diag,
			  struct takt_cores *cores, struct takt_code **ret_code)
{
	struct takt_diag *others = takt_diag_new();
	bool fine = false, has_input = options->data || keep_input(options, cores);

	for (size_t i = 0; i < cores->count && !fine && has_input; i++) {
		options->isa = takt_model_isa_name(cores->models[i]);
		takt_diag_clear(others);
		fine = takt_code_open(options, i ? others : diag, ret_code) == TAKT_OK;
	}
	if (fine)
		takt_diag_clear(diag);
	takt_say_diag(fine ? others : diag);
	takt_diag_free(others);
	return fine;
}

bool takt_cores_open_code(const char *arch, const char *model_dir,
			  struct takt_code_options *options, struct takt_diag *diag,
			  struct takt_cores *ret_cores, struct takt_code **ret_code)
{
	bool bytes = options->format == TAKT_INPUT_RAW || options->format == TAKT_INPUT_HEX;
	bool all = takt_cores_are_all(arch);
	struct takt_model *model = NULL;
	const char *isa;

	if (!are_several(arch)) {
		bool fine = takt_core_open_code(arch, model_dir, options, diag, &model, ret_code);

		if (model)
			add(ret_cores, model);
		return fine;
	}
	if (!all && !open_listed(arch, model_dir, diag, ret_cores))
		return false;
	if (!all && !bytes && strncmp(arch, "llvm:", 5) == 0)
		return open_with_any(options, diag, ret_cores, ret_code) &&
		       take_isa(ret_cores, takt_code_region(*ret_code, 0)->isa, "this is");
	/* Plain bytes do not identify their instruction set. */
	if (all)
		options->isa = bytes ? TAKT_HOST_ISA : NULL;
	else if (bytes)
		options->isa = takt_model_isa_name(ret_cores->models[0]);
	if (takt_code_open(options, diag, ret_code) != TAKT_OK)
		return false;
	takt_say_diag(diag);
	isa = takt_code_region(*ret_code, 0)->isa;
	return all ? open_all(isa, model_dir, diag, ret_cores)
		   : take_isa(ret_cores, isa, "this is");
}
