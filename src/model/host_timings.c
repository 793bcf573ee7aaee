/* SPDX-License-Identifier: MIT */
/*
 * The core that `takt model identify` found for this machine, kept in the user's cache directory.
 * Each processor has a file of its own, named by a hash of what it says of itself. The file counts
 * only for the processor that it names, with all its features:
 *
 *	takt-host 1
 *	processor AuthenticAMD family 25 model 17 stepping 1
 *	features 00000003f7ff1c8b 0000000000000000
 *	core NAME 384	(the distance, in ten-thousandths)
 *	next NAME 1345
 *	timings 58
 */
#include <inttypes.h>

#include "model/host.h"

#define FIRST_LINE "takt-host 1"
#define NO_CORE "-" /* where the file has no next core */
#define NUMBER_MAX 1000000u

/* Append the processor's file; false if the user has no cache directory. */
static bool write_path(const struct takt_cpu *cpu, struct takt_text *path)
{
	bool good = takt_user_cache(path);

	takt_text_printf(path, "/host-%016" PRIx64, takt_host_hash_key(FIRST_LINE, cpu));
	return good;
}

/* ---- writing -------------------------------------------------------------------- */

static void write_text(const struct takt_cpu *cpu, const struct takt_host_timings *timings,
		       struct takt_text *text)
{
	takt_host_write_key(FIRST_LINE, cpu, text);
	takt_text_printf(text, "core %s %d\n", timings->core, (int)(timings->distance * 1e4));
	takt_text_printf(text, "next %s %d\n", *timings->next ? timings->next : NO_CORE,
			 (int)(timings->next_distance * 1e4));
	takt_text_printf(text, "timings %u\n", timings->count);
}

enum takt_status takt_host_timings_keep(const struct takt_host_timings *timings,
					struct takt_diag *diag, struct takt_text *path)
{
	struct takt_text directory = {0}, file = {0}, text = {0};
	struct takt_cpu cpu;
	enum takt_status status = TAKT_BAD_INPUT;

	if (!takt_cpu_read(NULL, &cpu) || !takt_user_cache(&directory)) {
		takt_error(diag, "no place to keep the core: neither XDG_CACHE_HOME nor HOME is "
				 "an absolute path");
	} else if (takt_make_directories(directory.data, diag)) {
		write_path(&cpu, &file);
		write_text(&cpu, timings, &text);
		status = takt_file_write(file.data, text.data, text.size_bytes, diag);
		takt_text_add_string(path, file.data);
	}
	takt_text_release(&directory);
	takt_text_release(&file);
	takt_text_release(&text);
	return status;
}

/* ---- reading -------------------------------------------------------------------- */

/* Take the next word, which ends at a blank or at the end of the line. */
static struct takt_word take_word(const char **at, const char *end)
{
	struct takt_word word = {*at, 0};

	while (word.data + word.size < end && word.data[word.size] != ' ' &&
	       word.data[word.size] != '\n')
		word.size++;
	*at = word.data + word.size + (word.data + word.size < end);
	return word;
}

static bool take_this(const char **at, const char *end, const char *wanted)
{
	return takt_word_is(take_word(at, end), wanted);
}

/* Take "WORD NAME NUMBER". */
static bool take_core(const char **at, const char *end, const char *word, struct takt_arena *arena,
		      const char **ret_name, double *ret_distance)
{
	struct takt_word name;
	uint32_t number;

	if (!take_this(at, end, word))
		return false;
	name = take_word(at, end);
	if (!takt_host_name_is_fine(name) ||
	    !takt_word_number(take_word(at, end), NUMBER_MAX, &number))
		return false;
	*ret_name = takt_word_is(name, NO_CORE) ? "" : takt_arena_copy(arena, name.data, name.size);
	*ret_distance = number / 1e4;
	return true;
}

bool takt_host_timings_parse(const struct takt_cpu *cpu, const char *text, size_t size_bytes,
			     struct takt_arena *arena, struct takt_host_timings *ret_timings)
{
	const char *at = takt_host_skip_key(FIRST_LINE, cpu, text, size_bytes);
	const char *end = text + size_bytes;
	struct takt_host_timings timings = {0};

	if (!at || !take_core(&at, end, "core", arena, &timings.core, &timings.distance) ||
	    !take_core(&at, end, "next", arena, &timings.next, &timings.next_distance) ||
	    !take_this(&at, end, "timings") ||
	    !takt_word_number(take_word(&at, end), NUMBER_MAX, &timings.count) || !*timings.core)
		return false;
	*ret_timings = timings;
	return true;
}

bool takt_host_timings_read(const struct takt_cpu *cpu, struct takt_arena *arena,
			    struct takt_host_timings *ret_timings)
{
	char content[TAKT_HOST_FILE_SIZE];
	struct takt_text path = {0};
	bool good = write_path(cpu, &path) &&
		    takt_host_timings_parse(cpu, content, takt_host_read(path.data, content), arena,
					    ret_timings);

	takt_text_release(&path);
	return good;
}
