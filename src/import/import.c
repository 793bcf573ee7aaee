/* SPDX-License-Identifier: MIT */
/* takt_model_import(): chooses the reader for a source and writes its rows as a timing file. */
#include <string.h>

#include "import/table.h"

static enum takt_status write_table(struct takt_import_table *table, const char *source_class,
				    const char *what, const char *from, const char *arch,
				    struct takt_text *text)
{
	struct takt_text source = {0};
	enum takt_status status;

	takt_text_printf(&source, "%s, %s%s%s", what, from, arch ? ", " : "", arch ? arch : "");
	status = takt_import_write(table, source_class, source.data, text);
	takt_text_release(&source);
	return status;
}

enum takt_status takt_import_bytes(const struct takt_model *model,
				   const struct takt_import_source *source, struct takt_diag *diag,
				   struct takt_text *text)
{
	const char *wanted = source->arch ? source->arch : takt_model_name(model);
	const char *name = takt_path_name(source->label);
	const void *data = source->data;
	size_t size_bytes = source->size_bytes;
	enum takt_status status = TAKT_BAD_INPUT;
	struct takt_import_table table;

	takt_import_table_init(&table, model, source->label, diag);
	if (size_bytes == 0) {
		takt_import_error(&table, 0, "the file is empty");
		takt_note(diag, "is it still being downloaded?");
	} else if (source->format == TAKT_IMPORT_UOPS_INFO) {
		if (takt_import_uops_info(&table, wanted, data, size_bytes))
			status = table.machine ? write_table(&table, "measured", table.machine,
							     "by takt characterize", NULL, text)
					       : write_table(&table, "published", "uops.info", name,
							     wanted, text);
	} else if (source->format == TAKT_IMPORT_IBENCH) {
		if (takt_import_ibench(&table, data, size_bytes))
			status = write_table(&table, "measured", "ibench or asmbench", name, NULL,
					     text);
	} else if (takt_import_osaca(&table, data, size_bytes)) {
		status = write_table(&table, "published", "OSACA", name, NULL, text);
	}
	if (table.unavailable)
		status = TAKT_UNAVAILABLE;
	takt_import_table_release(&table);
	return status;
}

static enum takt_status import_file(const struct takt_model *model, enum takt_import_format format,
				    const char *path, const char *arch, struct takt_diag *diag,
				    struct takt_text *text)
{
	struct takt_file file;
	enum takt_status status = takt_file_open(path, diag, &file);

	if (status != TAKT_OK)
		return status;
	status = takt_import_bytes(
		model, &(struct takt_import_source){format, path, arch, file.data, file.size_bytes},
		diag, text);
	takt_file_close(&file);
	return status;
}

static enum takt_status import_llvm(const struct takt_model *model, const char *cpu,
				    struct takt_diag *diag, struct takt_text *text)
{
	struct takt_import_table table;
	enum takt_status status = TAKT_BAD_INPUT;

	takt_import_table_init(&table, model, cpu, diag);
	if (takt_model_isa(model) == &takt_isa_x86 ? takt_import_llvm(&table, cpu)
						   : takt_import_llvm_isa(&table, cpu))
		status = write_table(&table, "model", "LLVM scheduling model", cpu, NULL, text);
	if (table.unavailable)
		status = TAKT_UNAVAILABLE;
	takt_import_table_release(&table);
	return status;
}

/* Import from "FILE.xml" or "FILE.xml:ARCH"; the file's name may contain colons, too. */
static enum takt_status import_uops_info(const struct takt_model *model, const char *rest,
					 struct takt_diag *diag, struct takt_text *text)
{
	const char *colon = strrchr(rest, ':');
	struct takt_text path = {0};
	enum takt_status status;

	if (!colon || strchr(colon, '/') || strchr(colon, '.') || !colon[1])
		return import_file(model, TAKT_IMPORT_UOPS_INFO, rest, NULL, diag, text);
	takt_text_add(&path, rest, (size_t)(colon - rest));
	status = import_file(model, TAKT_IMPORT_UOPS_INFO, path.data ? path.data : "", colon + 1,
			     diag, text);
	takt_text_release(&path);
	return status;
}

enum takt_status takt_model_import(const struct takt_model *model, const char *source,
				   struct takt_diag *diag, struct takt_text *text)
{
	static const char *const names[] = {"uops.info", "osaca", "llvm", "ibench", "asmbench"};
	const char *colon = strchr(source, ':');
	size_t size = colon ? (size_t)(colon - source) : strlen(source);
	size_t found = 0;

	while (found < TAKT_COUNT_OF(names) && !takt_string_is(names[found], source, size))
		found++;
	if (found == TAKT_COUNT_OF(names) || !colon || !colon[1]) {
		takt_error(diag, "'%s' is not a source to import", source);
		takt_note(diag, "write uops.info:FILE.xml, uops.info:FILE.xml:ARCH, "
				"osaca:FILE.yml, llvm:CPU, ibench:FILE or asmbench:FILE");
		return TAKT_BAD_INPUT;
	}
	if (found == 0)
		return import_uops_info(model, colon + 1, diag, text);
	if (found == 1)
		return import_file(model, TAKT_IMPORT_OSACA, colon + 1, NULL, diag, text);
	if (found == 2)
		return import_llvm(model, colon + 1, diag, text);
	return import_file(model, TAKT_IMPORT_IBENCH, colon + 1, NULL, diag, text);
}
