/* SPDX-License-Identifier: MIT */
/*
 * Functions and lines of files that the test compiles: with debug information, stripped, by
 * C++. Also place_file.c, place_symbols.c, place_lines.c.
 */
#include <elf.h>

#include "trace/names/place_file.h"

#include "fixture.h"

static const char source[] = "int first(int a)\n"
			     "{\n"
			     "	return a + 1;\n"
			     "}\n"
			     "__asm__(\".globl label\\nlabel: ret\\n.size label, 1\\n\");\n"
			     "static int __attribute__((noinline)) second(int a)\n"
			     "{\n"
			     "	return a * 3;\n"
			     "}\n"
			     "int third(int a)\n"
			     "{\n"
			     "	return second(first(a)) + 2;\n"
			     "}\n"
			     "int _third_alias(int a) __attribute__((alias(\"third\")));\n";

static bool compile(const char *folder, const char *options, const char *output)
{
	char command[512], path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/source.c", folder);
	file = fopen(path, "w");
	if (!file)
		return false;
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof(command), "cc -shared -fPIC %s -o %s/%s %s 2>/dev/null", options,
		 folder, output, path);
	return system(command) == 0;
}

/* Where in the file a symbol's code is, read with nothing but libelf. */
static uint64_t offset_of(const char *path, const char *wanted)
{
	struct place_file file;
	uint64_t offset = 0;

	if (!place_file_open(&file, path, NULL, 0))
		return 0;
	place_symbols_read(&file);
	for (size_t i = 0; i < file.symbol_count; i++)
		if (file.symbols[i].name && strcmp(file.symbols[i].name, wanted) == 0)
			place_file_offset(&file, file.symbols[i].address, &offset);
	place_file_close(&file);
	return offset;
}

static const char *function_at(struct trace_places *places, struct trace_dictionary *dictionary,
			       uint32_t file, uint64_t offset)
{
	uint32_t number = takt_trace_places_function(places, file, offset);

	return dictionary->functions[number].name;
}

/* A block of one instruction that ran there. */
static struct trace_block *add_block(struct trace_dictionary *dictionary, uint32_t file,
				     uint64_t offset)
{
	uint8_t buffer[64];
	size_t size = fixture_block(buffer, 0x1000 + offset, 0, (const uint8_t[]){1}, 1,
				    (const uint8_t[]){0x90});
	struct trace_block_header header;

	memcpy(&header, buffer, sizeof(header));
	header.file = file;
	header.file_offset = offset;
	memcpy(buffer, &header, sizeof(header));
	takt_trace_dictionary_add(dictionary, buffer, size);
	dictionary->blocks[dictionary->count - 1]->ran = true;
	return dictionary->blocks[dictionary->count - 1];
}

static uint32_t add_file(struct trace_dictionary *dictionary, const char *folder, const char *name,
			 const char *build_id)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return takt_trace_dictionary_add_file(
		dictionary,
		&(struct trace_file){path, (const uint8_t *)build_id, (uint32_t)strlen(build_id)});
}

static void check(const char *folder, uint64_t first, uint64_t second, uint64_t third)
{
	struct trace_dictionary dictionary;
	struct trace_places *places;
	struct trace_block *block;
	uint32_t full, bare, other, missing, begin;
	const char *name;

	takt_trace_dictionary_init(&dictionary, fixture_guest("x86-64"));
	full = add_file(&dictionary, folder, "full.so", "");
	bare = add_file(&dictionary, folder, "bare.so", "");
	other = add_file(&dictionary, folder, "full.so", "another");
	missing = add_file(&dictionary, folder, "none.so", "");
	places = takt_trace_places_new(&dictionary, NULL);
	is_string(function_at(places, &dictionary, full, first), "first", "at its start");
	is_string(function_at(places, &dictionary, full, second + 3), "second", "inside, static");
	is_string(function_at(places, &dictionary, full, third), "third",
		  "of two names the one without underline");
	begin = takt_trace_places_function(places, full, first + 1);
	ok(dictionary.functions[begin].file_offset == first &&
		   dictionary.functions[begin].size_bytes > 0 &&
		   !dictionary.functions[begin].made_up,
	   "where it begins");
	is_int(takt_trace_places_function(places, full, first), begin, "one number for each");
	is_string(function_at(places, &dictionary, full, 1), "[full.so]", "no code");
	name = function_at(places, &dictionary, bare, second);
	ok(strncmp(name, "bare.so+0x", 10) == 0, "stripped: by the unwind table");
	is_string(function_at(places, &dictionary, bare, third), "third", "and dynamic symbols");
	is_string(function_at(places, &dictionary, other, first), "[full.so]", "another build-id");
	is_string(function_at(places, &dictionary, missing, 5), "[none.so]", "no such file");
	block = add_block(&dictionary, full, second);
	add_block(&dictionary, missing, 0);
	takt_trace_places_find_lines(places);
	ok(block->line_count == 1 && block->lines[0].line >= 6 && block->lines[0].line <= 8 &&
		   strstr(block->lines[0].file, "source.c"),
	   "the source line");
	ok(dictionary.blocks[1]->lines == NULL, "no lines where there is no file");
	takt_trace_places_free(places);
	takt_trace_dictionary_release(&dictionary);
}

/* The same code, of which only one file's is wanted. */
static void check_only(const char *folder, uint64_t first)
{
	struct trace_dictionary dictionary;
	struct trace_places *places;
	uint32_t full, bare;

	takt_trace_dictionary_init(&dictionary, fixture_guest("x86-64"));
	full = add_file(&dictionary, folder, "full.so", "");
	bare = add_file(&dictionary, folder, "bare.so", "");
	places = takt_trace_places_new(&dictionary, "full.so");
	is_string(function_at(places, &dictionary, full, first), "first", "the wanted file's");
	is_string(function_at(places, &dictionary, bare, first), "[bare.so]", "not the other's");
	takt_trace_places_free(places);
	takt_trace_dictionary_release(&dictionary);
}

int main(void)
{
	char folder[] = "/tmp/takt-places-XXXXXX", path[64], command[64];
	uint8_t build_id[TRACE_BUILD_ID_MAX];
	uint64_t first, second, third;

	if (!ok(mkdtemp(folder) != NULL, "a folder"))
		return tap_done();
	if (compile(folder, "-O1 -g -Wl,--build-id=0x01020304", "full.so") &&
	    compile(folder, "-O1 -s", "bare.so")) {
		snprintf(path, sizeof(path), "%s/full.so", folder);
		first = offset_of(path, "first");
		second = offset_of(path, "second");
		third = offset_of(path, "third");
		if (ok(first && second && third, "symbols")) {
			check(folder, first, second, third);
			check_only(folder, first);
		}
		ok(takt_trace_build_id(path, build_id) == 4 && build_id[3] == 4, "build-id");
		is_int(takt_trace_build_id("/nonexistent", build_id), 0, "no such file");
	} else {
		tap_skip("places", "no compiler");
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ok(system(command) == 0, "the folder is removed");
	return tap_done();
}
