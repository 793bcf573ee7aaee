/* SPDX-License-Identifier: MIT */
/*
 * base: the floor every room stands on. Arenas, text buffers, diagnostics,
 * files, small helpers. It knows nothing of instructions or cores.
 *
 * Memory: who passes the arena owns the result; nothing is freed singly. If there is no
 * memory, the caller's handler ends the process (takt_set_out_of_memory_handler());
 * sizes that come from input are checked against named limits before anything is allocated.
 */
#ifndef TAKT_BASE_H
#define TAKT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "takt/takt.h"

#if defined(__GNUC__)
#define TAKT_PRINTF(format_index, args_index) \
	__attribute__((format(printf, format_index, args_index)))
#else
#define TAKT_PRINTF(format_index, args_index)
#endif

#define TAKT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- arena ------------------------------------------------------------ */

struct takt_arena_chunk;

/* Zero-initialised is valid and empty. */
struct takt_arena {
	struct takt_arena_chunk *chunks;
	char *next;
	size_t left_bytes;
};

void takt_arena_init(struct takt_arena *arena);
void takt_arena_release(struct takt_arena *arena);
/* Forgets every allocation but keeps the largest chunk for reuse. */
void takt_arena_clear(struct takt_arena *arena);
/* Zeroed, aligned to 16. Never fails; size 0 gives a valid pointer. */
void *takt_arena_alloc(struct takt_arena *arena, size_t count, size_t size_bytes);
/* The old array is not freed; copies `old_count` elements into one of `new_count`. */
void *takt_arena_grow(struct takt_arena *arena, const void *old, size_t old_count,
		      size_t new_count, size_t size_bytes);
char *takt_arena_copy(struct takt_arena *arena, const char *text, size_t size_bytes);
char *takt_arena_printf(struct takt_arena *arena, const char *format, ...) TAKT_PRINTF(2, 3);

#define TAKT_NEW(arena, type) ((type *)takt_arena_alloc((arena), 1, sizeof(type)))
#define TAKT_NEW_ARRAY(arena, count, type) \
	((type *)takt_arena_alloc((arena), (count), sizeof(type)))

/* Of a clock that only goes on; since when, nothing says. (clock.c) */
double takt_now_seconds(void);

/* ---- heap (memory.c) ------------------------------------------------------ */

/* Heap allocation that never fails: without memory it ends in takt_out_of_memory(). */
void *takt_xcalloc(size_t count, size_t size_bytes);
void *takt_xrealloc(void *old, size_t count, size_t size_bytes);
char *takt_xstrdup(const char *text);

/* Removes partial files, then calls the handler; does not return. */
void takt_out_of_memory(size_t size_bytes) __attribute__((noreturn));

/* A file being written that is removed if memory runs out meanwhile, by the process that began it. */
struct takt_partial_file {
	const char *path; /* must stay valid until the end */
	pid_t process;
	struct takt_partial_file *next;
};

/* `file` must stay where it is until takt_partial_file_end(). */
void takt_partial_file_begin(struct takt_partial_file *file, const char *path);
/* Does nothing if it was not begun. */
void takt_partial_file_end(struct takt_partial_file *file);

/*
 * The environment `from` (NULL: this process') with `settings` ("NAME=VALUE") in place of variables of
 * those names, ended by NULL. (environment.c)
 */
char **takt_environment_make(char *const *from, const char *const *settings, size_t setting_count,
			     struct takt_arena *arena);

/* ---- text ------------------------------------------------------------- */

struct takt_text {
	char *data; /* NUL-terminated, or NULL while empty */
	size_t size_bytes, capacity_bytes;
};

void takt_text_init(struct takt_text *text);
void takt_text_release(struct takt_text *text);
void takt_text_add(struct takt_text *text, const char *data, size_t size_bytes);
void takt_text_add_string(struct takt_text *text, const char *string);
void takt_text_printf(struct takt_text *text, const char *format, ...) TAKT_PRINTF(2, 3);
void takt_text_vprintf(struct takt_text *text, const char *format, va_list args);
void takt_text_pad(struct takt_text *text, char fill, size_t count);

/* ---- diagnostics ------------------------------------------------------ */

/* A place in a text source. `line` and `column` are 1-based; 0 means not known. */
struct takt_place {
	const char *file;
	uint32_t line, column;
	uint32_t width;      /* columns to underline, at least 1 */
	const char *excerpt; /* the whole line, ended by NUL or newline, or NULL */
};

/* A place in bytes: `file:.text+0x4a`, with a hex row under the caret. */
struct takt_bytes_place {
	const char *file;
	const char *section; /* or NULL */
	uint64_t offset;     /* printed, of the culprit */
	const uint8_t *row;  /* up to 16 bytes shown, or NULL */
	size_t row_size_bytes;
	size_t row_index;    /* of the culprit within the row */
};

/*
 * Messages are lower case, without a full stop, and quote their subject. `note`
 * belongs to the error before it and names the remedy. All accept diag == NULL
 * and then do nothing. Errors beyond a limit are counted but not kept.
 */
void takt_error(struct takt_diag *diag, const char *format, ...) TAKT_PRINTF(2, 3);
/* What does not stop the work but makes its result doubtful; counts as no error. */
void takt_warning(struct takt_diag *diag, const char *format, ...) TAKT_PRINTF(2, 3);
void takt_error_at(struct takt_diag *diag, const struct takt_place *place, const char *format, ...)
	TAKT_PRINTF(3, 4);
void takt_error_in_bytes(struct takt_diag *diag, const struct takt_bytes_place *place,
			 const char *format, ...) TAKT_PRINTF(3, 4);
void takt_note(struct takt_diag *diag, const char *format, ...) TAKT_PRINTF(2, 3);

/* ---- files ------------------------------------------------------------ */

#define TAKT_FILE_SIZE_MAX_BYTES ((size_t)1 << 30)

/* Read-only bytes of a file; mapped where possible. */
struct takt_file {
	const uint8_t *data;
	size_t size_bytes;
	bool mapped;
	uint8_t *scratch; /* see takt_file_open_scratch(), or NULL */
};

/* `path` "-" reads standard input. Errors name the path and the system's reason. */
TAKT_MUST_CHECK enum takt_status takt_file_open(const char *path, struct takt_diag *diag,
						struct takt_file *ret_file);
/* The same for what may be larger than TAKT_FILE_SIZE_MAX_BYTES, if it is a regular file. */
TAKT_MUST_CHECK enum takt_status takt_file_open_large(const char *path, struct takt_diag *diag,
						      struct takt_file *ret_file);
/*
 * Opens a file of any size like takt_file_open_large(), and maps it a second time: `scratch`
 * holds the same bytes, writable and private, for libraries that change what they read. It is
 * NULL if the file is not mapped.
 */
TAKT_MUST_CHECK enum takt_status takt_file_open_scratch(const char *path, struct takt_diag *diag,
							struct takt_file *ret_file);
void takt_file_close(struct takt_file *file);

/* A file that is written to `file`, and is there once it is closed (new_file.c). */
struct takt_new_file {
	FILE *file;
	char *path;              /* for messages */
	char *target, *temporary; /* NULL: written in place */
	struct takt_partial_file partial;
};

/* `file` must stay where it is until it is closed or abandoned. Errors name the path. */
TAKT_MUST_CHECK enum takt_status takt_new_file_open(const char *path, struct takt_diag *diag,
						    struct takt_new_file *file);
/* `error` is an errno of what went wrong in writing, or 0; then the file takes its place. */
TAKT_MUST_CHECK enum takt_status takt_new_file_close(struct takt_new_file *file, int error,
						     struct takt_diag *diag);
/* The old file is left as it was. */
void takt_new_file_abandon(struct takt_new_file *file);

/* read() that goes on after signals; fewer bytes than `size_bytes` only at the end or after an error. */
ssize_t takt_read_all(int file, void *data, size_t size_bytes);
/* read() and waitpid() that go on after signals. */
ssize_t takt_read(int file, void *data, size_t size_bytes);
pid_t takt_wait(pid_t process, int *ret_status);

/* Line by line over text in memory; a line's end is '\n' or the end of the data. */
struct takt_lines {
	const char *next, *end;
	uint32_t number; /* of the line last returned, from 1 */
};

void takt_lines_init(struct takt_lines *lines, const void *data, size_t size_bytes);
/* False at the end. The line excludes '\n' and a '\r' before it; it is not NUL-terminated. */
bool takt_lines_next(struct takt_lines *lines, const char **ret_line, size_t *ret_size_bytes);

/* A piece of the current line. */
struct takt_word {
	const char *data;
	size_t size;
};

/* Lines of words by blanks; `#` begins a comment. */
struct takt_reader {
	struct takt_arena *arena;
	struct takt_diag *diag;
	const char *path; /* for messages */
	struct takt_lines lines;
	const char *line; /* without comment and blanks at its end */
	size_t size, at;
	size_t error_count;
};

void takt_reader_init(struct takt_reader *reader, const char *path, const void *data,
		      size_t size_bytes, struct takt_arena *arena, struct takt_diag *diag);
/* First line of a file: `takt KIND 1`. Reports what is wrong. */
bool takt_reader_header(struct takt_reader *reader, const char *kind);
/* Next line that has something; false at the end. */
bool takt_reader_line(struct takt_reader *reader);
/* Next word; size 0 at the end of the line. */
struct takt_word takt_reader_word(struct takt_reader *reader);
/* The rest of the line without blanks around it. */
struct takt_word takt_reader_rest(struct takt_reader *reader);
/* Reports an error at `word` and counts it; always false. */
bool takt_reader_error(struct takt_reader *reader, struct takt_word word, const char *format, ...)
	TAKT_PRINTF(3, 4);
char *takt_word_copy(struct takt_reader *reader, struct takt_word word);
bool takt_word_is(struct takt_word word, const char *text);
bool takt_word_number(struct takt_word word, uint32_t most, uint32_t *ret_number);
/* Letters, digits and any of `others`; not empty. */
bool takt_word_is_name(struct takt_word word, const char *others);

/* ---- JSON output ------------------------------------------------------ */

/* Streams indented JSON into a text; commas and nesting are its business. */
struct takt_json {
	struct takt_text *text;
	unsigned depth;
	bool first, compact;
};

void takt_json_init(struct takt_json *json, struct takt_text *text);
/* `key` is NULL inside arrays and at the top. */
void takt_json_open_object(struct takt_json *json, const char *key);
void takt_json_open_array(struct takt_json *json, const char *key);
void takt_json_close_object(struct takt_json *json);
void takt_json_close_array(struct takt_json *json);
void takt_json_string(struct takt_json *json, const char *key, const char *value);
void takt_json_bool(struct takt_json *json, const char *key, bool value);
void takt_json_integer(struct takt_json *json, const char *key, int64_t value);
/* NaN and infinities become null. Six significant digits, and three decimals of what has more
 * before the point; trailing zeros dropped. */
void takt_json_number(struct takt_json *json, const char *key, double value);
void takt_json_null(struct takt_json *json, const char *key);
/* An object in an array, on a line of its own. */
void takt_json_open_row(struct takt_json *json);
void takt_json_close_row(struct takt_json *json);
/* Between open and close: following elements stand on one line. */
void takt_json_compact(struct takt_json *json, bool compact);

/* ---- state to be kept ---------------------------------------------------- */

/*
 * A stream that state is written to, or read back from: one function for both says what there
 * is, so that they cannot disagree. Where to is for `transfer` to know; once something does
 * not fit, nothing more is transferred, and what is read is zeros.
 */
struct takt_pack {
	bool (*transfer)(struct takt_pack *pack, void *data, size_t size_bytes);
	bool reads;
	bool bad; /* it does not fit, or could not be transferred */
};

/* Its size goes with it, and must be the same. */
void takt_pack_bytes(struct takt_pack *pack, void *data, size_t size_bytes);
/* A number that may be no larger than `most`. */
void takt_pack_count(struct takt_pack *pack, uint32_t *count, uint64_t most);
/* Must be the same on both sides. */
void takt_pack_same(struct takt_pack *pack, uint64_t value);

/* A part of a struct that stays what it is: a pointer. Parts in ascending order. */
struct takt_pack_hole {
	uint32_t offset, size_bytes;
};

#define TAKT_PACK_HOLE(type, member) \
	{(uint32_t)offsetof(type, member), (uint32_t)sizeof(((type *)NULL)->member)}

void takt_pack_around(struct takt_pack *pack, void *data, size_t size_bytes,
		      const struct takt_pack_hole *holes, size_t hole_count);

/* ---- modules ---------------------------------------------------------- */

/*
 * The address of `symbol` in the module `name`.so, loaded on first need and kept: for
 * parts with heavy dependencies. Searched in TAKT_MODULE_DIR from the environment, or
 * else beside this library, in its takt/ folder, and where it was to be installed.
 * NULL, with an error reported, if it cannot be loaded or must not be (docs/environment.md);
 * the caller adds the remedy.
 */
void *takt_module_symbol(const char *name, const char *symbol, struct takt_diag *diag);
/* Its path, for others to load; false, reported, if it is missing or must not be loaded. */
bool takt_module_find(const char *name, struct takt_diag *diag, struct takt_text *path);

/* Whose files may be loaded. */
struct takt_module_trust {
	bool privileged; /* by set-user-ID or file capabilities: only what is root's alone */
	uint32_t user;      /* who runs this */
	uint32_t installer; /* who owns the file that this code is in */
};

struct takt_module_trust takt_module_trust_of_process(void);
/* NULL if nobody else can change the file or what its folder has; else why not, as a clause. */
const char *takt_module_distrust(const struct takt_module_trust *trust, const char *path);

/* ---- locales ------------------------------------------------------------ */

/*
 * Numbers and letters are those of the C locale, whatever the program around the library has set:
 * the library prints with takt_text_printf() and these, and reads with these.
 */
double takt_strtod(const char *text, char **ret_end);
int takt_snprintf(char *buffer, size_t size_bytes, const char *format, ...) TAKT_PRINTF(3, 4);
int takt_vsnprintf(char *buffer, size_t size_bytes, const char *format, va_list args);
/* Of ASCII; other bytes stay, and are none of these. */
char takt_to_lower(char c);
char takt_to_upper(char c);
bool takt_is_lower(char c);
bool takt_is_alnum(char c);
bool takt_is_print(char c);
/* Compares as strncasecmp does, of ASCII. */
int takt_compare_nocase(const char *left, const char *right, size_t size_max_bytes);
/* Around calls of libraries that print or read by the locale; leave with what enter returned. */
void *takt_locale_enter(void);
void takt_locale_leave(void *before);

/* ---- databases -------------------------------------------------------- */

struct sqlite3;

/* What a database of takt's is, and consists of. */
struct takt_database_kind {
	const char *what;       /* plural, for messages: "results of a survey" */
	int64_t application_id; /* SQLite's, below 2^31 */
	int version;            /* the newest that is known, from 1 */
	int busy_milliseconds;  /* how long to wait for others who write */
	const char *schema;     /* makes what is missing: "CREATE TABLE IF NOT EXISTS …;…" */
};

/*
 * Opens a database that may come from anybody: nothing in it is run, and one that has a table,
 * an index, a view or a trigger that the kind does not have in the same form is refused, with the
 * object's name. `create` opens it for writing and makes what is missing. Close it with
 * sqlite3_close().
 */
TAKT_MUST_CHECK enum takt_status takt_database_open(const char *path,
						    const struct takt_database_kind *kind,
						    bool create, struct takt_diag *diag,
						    struct sqlite3 **ret_db);
/* The same check for one that was attached as `schema`. */
TAKT_MUST_CHECK enum takt_status takt_database_check(struct sqlite3 *db, const char *schema,
						     const char *path,
						     const struct takt_database_kind *kind,
						     struct takt_diag *diag);

/* ---- confinement (confine.c) ------------------------------------------ */

struct sock_filter; /* of <linux/filter.h> */

struct takt_limit {
	int resource; /* RLIMIT_… of <sys/resource.h> */
	uint64_t most;
};

/* Sets the calling process's resource limits, soft and hard; true if all could be set. */
bool takt_limits_set(const struct takt_limit *limits, size_t count);
/* Gives up all capabilities of the calling process. */
void takt_capabilities_drop(void);
/*
 * Installs a seccomp filter for the rest of the process's life; it must have given up new
 * privileges before. False if the kernel has no seccomp.
 */
bool takt_filter_install(struct sock_filter *filter, size_t count);

/* ---- small things ----------------------------------------------------- */

uint64_t takt_hash64(uint64_t value);
uint64_t takt_hash_bytes(const void *data, size_t size_bytes);
int takt_compare_strings(const void *left, const void *right); /* for qsort of char * */
bool takt_string_equal_nocase(const char *left, const char *right);
bool takt_string_starts(const char *string, const char *start);
bool takt_string_is_one_of(const char *string, const char *const *words, size_t count);

#endif
