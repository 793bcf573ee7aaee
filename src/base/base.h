/* SPDX-License-Identifier: MIT */
/*
 * base: what every other module builds on: arenas, text buffers, diagnostics, files, small
 * helpers. It knows nothing of instructions or cores.
 *
 * Memory: the caller who passes an arena owns the result; nothing is freed singly. If memory
 * runs out, the caller's handler ends the process (takt_set_out_of_memory_handler());
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

#include "base/order.h"
#include "takt/takt.h"

#if defined(__GNUC__)
#define TAKT_PRINTF(format_index, args_index)                                                      \
	__attribute__((format(printf, format_index, args_index)))
#else
#define TAKT_PRINTF(format_index, args_index)
#endif

#define TAKT_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- arena ------------------------------------------------------------ */

struct takt_arena_chunk;

/* A zero-initialised arena is valid and empty. */
struct takt_arena {
	struct takt_arena_chunk *chunks;
	char *next;
	size_t left_bytes;
};

void takt_arena_init(struct takt_arena *arena);
void takt_arena_release(struct takt_arena *arena);
void takt_arena_free_owner(void *owner, size_t arena_offset);
/*
 * Free a result that callers have, which may be NULL: it is the first member of a heap object of
 * `type`, whose member `arena` holds everything else.
 */
#define TAKT_FREE_OWNER(type, result)                                                              \
	takt_arena_free_owner((void *)(uintptr_t)(result), offsetof(type, arena))
/* Forget every allocation, but keep the largest chunk for reuse. */
void takt_arena_clear(struct takt_arena *arena);
/* Return zeroed memory aligned to 16 bytes. Never fails; size 0 gives a valid pointer. */
void *takt_arena_alloc(struct takt_arena *arena, size_t count, size_t size_bytes);
/* Return memory with any contents, for large arrays of which little may be used. */
void *takt_arena_alloc_unset(struct takt_arena *arena, size_t count, size_t size_bytes);
/* Copy `old_count` elements into a new array of `new_count`. The old array is not freed. */
void *takt_arena_grow(struct takt_arena *arena, const void *old, size_t old_count, size_t new_count,
		      size_t size_bytes);
/* Copy characters, and end the copy with NUL. */
char *takt_arena_copy(struct takt_arena *arena, const char *text, size_t size_bytes);
/* Copy a string; NULL for NULL. */
char *takt_arena_string(struct takt_arena *arena, const char *string);
char *takt_arena_printf(struct takt_arena *arena, const char *format, ...) TAKT_PRINTF(2, 3);
char *takt_arena_vprintf(struct takt_arena *arena, const char *format, va_list args);

#define TAKT_NEW(arena, type) ((type *)takt_arena_alloc((arena), 1, sizeof(type)))
#define TAKT_NEW_ARRAY(arena, count, type)                                                         \
	((type *)takt_arena_alloc((arena), (count), sizeof(type)))
#define TAKT_NEW_UNSET(arena, type) ((type *)takt_arena_alloc_unset((arena), 1, sizeof(type)))

/* Return the seconds of a monotonic clock; its zero is arbitrary. (clock.c) */
double takt_now_seconds(void);

/* ---- heap (allocate.c) ------------------------------------------------------ */

/* Heap allocation that never fails: if memory runs out, it calls takt_out_of_memory(). */
void *takt_xcalloc(size_t count, size_t size_bytes);
void *takt_xrealloc(void *old, size_t count, size_t size_bytes);
char *takt_xstrdup(const char *text);

/* Return the capacity of an array that grows: doubled, at least `wanted`, and at most `most`. */
size_t takt_capacity(size_t capacity, size_t wanted, size_t most);
/* Like takt_xrealloc() from `old_count` to `count` elements; the new ones are zero. */
void *takt_xrealloc_zeroed(void *old, size_t old_count, size_t count, size_t size_bytes);

#define TAKT_GROW_BY(items, wanted, capacity, allocation)                                          \
	do {                                                                                       \
		size_t held_ = (capacity);                                                         \
		if ((wanted) > held_) {                                                            \
			(capacity) = (__typeof__(capacity))takt_capacity(                          \
				held_, (wanted), (__typeof__(capacity))-1);                        \
			(items) = allocation;                                                      \
		}                                                                                  \
	} while (0)

/*
 * Let the heap array `items` hold at least `wanted` elements: if `capacity`, of any unsigned type,
 * is less, both grow. New elements have no value, or are zero, as those of an arena are.
 */
#define TAKT_GROW(items, wanted, capacity)                                                         \
	TAKT_GROW_BY(items, wanted, capacity, takt_xrealloc((items), (capacity), sizeof(*(items))))
#define TAKT_GROW_ZEROED(items, wanted, capacity)                                                  \
	TAKT_GROW_BY(items, wanted, capacity,                                                      \
		     takt_xrealloc_zeroed((items), held_, (capacity), sizeof(*(items))))
#define TAKT_GROW_IN(arena, items, wanted, capacity)                                               \
	TAKT_GROW_BY(items, wanted, capacity,                                                      \
		     takt_arena_grow((arena), (items), held_, (capacity), sizeof(*(items))))

/* Remove partial files, then call the handler; does not return. */
void takt_out_of_memory(size_t size_bytes) __attribute__((noreturn));

/* A file being written. If memory runs out meanwhile, the process that began it removes it. */
struct takt_partial_file {
	const char *path; /* must stay valid until takt_partial_file_end() */
	pid_t process;
	struct takt_partial_file *next;
};

/* Add `file` to the list; it must stay where it is until takt_partial_file_end(). */
void takt_partial_file_begin(struct takt_partial_file *file, const char *path);
/* Take the file off the list; does nothing if it was not begun. */
void takt_partial_file_end(struct takt_partial_file *file);

/*
 * Return the environment `from` (NULL: this process's), ended by NULL, in which `settings`
 * ("NAME=VALUE") replace variables of the same names. (environment.c)
 */
char **takt_environment_make(char *const *from, const char *const *settings, size_t setting_count,
			     struct takt_arena *arena);
/* Find a program in the folders of PATH, unless its name has a folder; NULL if it is in none. */
const char *takt_program_find(const char *name, struct takt_arena *arena);
/* True if PATH has an executable program of this name. */
bool takt_program_exists(const char *name);

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
/* Copy the text into an arena, and release it. */
char *takt_text_move(struct takt_text *text, struct takt_arena *arena);
/* Return the noun that goes with `count` things: `one` for 1, else `many`. */
const char *takt_noun(uint64_t count, const char *one, const char *many);
/* Add the number and its noun: "1 slot", "2 slots". */
void takt_text_count(struct takt_text *text, uint64_t count, const char *one, const char *many);

/* ---- lists of names (name_list.c) ------------------------------------------- */

#define TAKT_NAMES_SHOWN 3u

/*
 * Names that a sentence lists: the first few, equal ones once with their number, and how many
 * others there are. {.count = 0} is an empty list.
 */
struct takt_name_list {
	struct takt_text names[TAKT_NAMES_SHOWN];
	uint32_t counts[TAKT_NAMES_SHOWN], count, more;
};

void takt_name_list_add(struct takt_name_list *list, const char *name);
/* Append "8 addsd at line 4, mulsd at line 5 and 2 more", and empty the list. */
void takt_name_list_end(struct takt_name_list *list, struct takt_text *text);

/* ---- diagnostics ------------------------------------------------------ */

/* A place in a text source. `line` and `column` are 1-based; 0 means not known. */
struct takt_place {
	const char *file;
	uint32_t line, column;
	uint32_t width;	     /* columns to underline, at least 1 */
	const char *excerpt; /* the whole line, ended by NUL or newline, or NULL */
};

/* A position in a section's bytes: `file:.text+0x4a`, with a hex row under the caret. */
struct takt_bytes_place {
	const char *file;
	const char *section; /* or NULL */
	uint64_t offset;     /* printed offset of the offending byte in the section */
	const uint8_t *row;  /* up to 16 bytes shown, or NULL */
	size_t row_size_bytes;
	size_t row_index; /* index of the offending byte in the row */
};

/*
 * Messages are lower case, without a full stop, and quote their subject. A note
 * belongs to the error before it and names the remedy. All functions accept diag == NULL
 * and then do nothing. Errors beyond a limit are counted but not kept.
 */
void takt_error(struct takt_diag *diag, const char *format, ...) TAKT_PRINTF(2, 3);
/* Report something that does not stop the work but makes its result doubtful; not an error. */
void takt_warning(struct takt_diag *diag, const char *format, ...) TAKT_PRINTF(2, 3);
void takt_error_at(struct takt_diag *diag, const struct takt_place *place, const char *format, ...)
	TAKT_PRINTF(3, 4);
void takt_verror_at(struct takt_diag *diag, const struct takt_place *place, const char *format,
		    va_list args);
void takt_error_in_bytes(struct takt_diag *diag, const struct takt_bytes_place *place,
			 const char *format, ...) TAKT_PRINTF(3, 4);
void takt_note(struct takt_diag *diag, const char *format, ...) TAKT_PRINTF(2, 3);

/* ---- files ------------------------------------------------------------ */

#define TAKT_FILE_SIZE_MAX_BYTES ((size_t)1 << 30)

/*
 * The bytes of a file, read-only. Large regular files are mapped: if one is cut short while it is
 * open, reading beyond its new end raises SIGBUS. All others are read into memory.
 */
struct takt_file {
	const uint8_t *data;
	size_t size_bytes;
	bool mapped;
	uint8_t *scratch; /* see takt_file_open_scratch(), or NULL */
};

/* Open a file; `path` "-" reads standard input. Errors name the path and the system's reason. */
TAKT_MUST_CHECK enum takt_status takt_file_open(const char *path, struct takt_diag *diag,
						struct takt_file *ret_file);
/* Open like takt_file_open(); a regular file may be larger than TAKT_FILE_SIZE_MAX_BYTES. */
TAKT_MUST_CHECK enum takt_status takt_file_open_large(const char *path, struct takt_diag *diag,
						      struct takt_file *ret_file);
/*
 * Open a file of any size like takt_file_open_large(). If it is mapped, map it a second time:
 * `scratch` holds the same bytes, writable and private, for libraries that change what they read.
 * It is NULL if the file is not mapped, or cannot be mapped twice.
 */
TAKT_MUST_CHECK enum takt_status takt_file_open_scratch(const char *path, struct takt_diag *diag,
							struct takt_file *ret_file);
void takt_file_close(struct takt_file *file);

/* An output file, written through `file`; it appears under its name when closed (new_file.c). */
struct takt_new_file {
	FILE *file;
	char *path;		  /* for messages */
	char *target, *temporary; /* resolved path, and its replacement; NULL: written in place */
	struct takt_partial_file partial;
};

/* Begin a file; `file` must stay where it is until closed or abandoned. Errors name the path. */
TAKT_MUST_CHECK enum takt_status takt_new_file_open(const char *path, struct takt_diag *diag,
						    struct takt_new_file *file);
/* Finish a file. `error` is the errno of a failed write, or 0: the file replaces the old one. */
TAKT_MUST_CHECK enum takt_status takt_new_file_close(struct takt_new_file *file, int error,
						     struct takt_diag *diag);
/* Discard what was written; the old file is left as it was. */
void takt_new_file_abandon(struct takt_new_file *file);

/*
 * Read the first line of the file of the kernel's that the format names, without '\n'; a longer one
 * is cut. Return 0; or else an errno, ENODATA for an empty file, and the line is empty.
 */
int takt_first_line(char *ret_line, size_t size_bytes, const char *format, ...) TAKT_PRINTF(3, 4);

/* Read until `size_bytes` bytes, the end of the file or an error (-1), resuming after signals. */
ssize_t takt_read_all(int file, void *data, size_t size_bytes);
/* read() and waitpid(), resumed after signals. */
ssize_t takt_read(int file, void *data, size_t size_bytes);
pid_t takt_wait(pid_t process, int *ret_status);

/* Iterates over the lines of text in memory; a line ends at '\n' or the end of the data. */
struct takt_lines {
	const char *next, *end;
	uint32_t number; /* number of the line last returned, from 1 */
};

void takt_lines_init(struct takt_lines *lines, const void *data, size_t size_bytes);
/* Return the next line without '\n' and a '\r' before it, not NUL-terminated; false at the end. */
bool takt_lines_next(struct takt_lines *lines, const char **ret_line, size_t *ret_size_bytes);

/* A piece of the current line. */
struct takt_word {
	const char *data;
	size_t size;
};

/* The two arguments of "%.*s" that print a word. */
#define TAKT_PRINTED(word) (int)(word).size, (word).data

/* Reads lines of words separated by blanks; `#` begins a comment. */
struct takt_reader {
	struct takt_arena *arena;
	struct takt_diag *diag;
	const char *path; /* for messages */
	struct takt_lines lines;
	const char *line; /* current line, without its comment and trailing blanks */
	size_t size, at;
	size_t error_count;
};

void takt_reader_init(struct takt_reader *reader, const char *path, const void *data,
		      size_t size_bytes, struct takt_arena *arena, struct takt_diag *diag);
/* Read the first line of a file, `takt KIND 1`; false, reported, if it is another. */
bool takt_reader_header(struct takt_reader *reader, const char *kind);
/* Read the next line that is not empty; false at the end. */
bool takt_reader_line(struct takt_reader *reader);
/* Return the next word; size 0 at the end of the line. */
struct takt_word takt_reader_word(struct takt_reader *reader);
/* Return the rest of the line without blanks around it. */
struct takt_word takt_reader_rest(struct takt_reader *reader);
/* Report an error at `word` and count it; always returns false. */
bool takt_reader_error(struct takt_reader *reader, struct takt_word word, const char *format, ...)
	TAKT_PRINTF(3, 4);
char *takt_word_copy(struct takt_reader *reader, struct takt_word word);
bool takt_word_is(struct takt_word word, const char *text);
bool takt_word_number(struct takt_word word, uint32_t most, uint32_t *ret_number);
/* True if the word is not empty and has only letters, digits and characters of `others`. */
bool takt_word_is_name(struct takt_word word, const char *others);

/* ---- JSON output ------------------------------------------------------ */

/* Writes indented JSON into a text, and takes care of commas and nesting. */
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
/* Write a number with six significant digits, and at least three decimals; trailing zeros are
 * dropped. NaN and infinities become null. */
void takt_json_number(struct takt_json *json, const char *key, double value);
void takt_json_null(struct takt_json *json, const char *key);
/* Write a value that is JSON already. */
void takt_json_raw(struct takt_json *json, const char *key, const char *value);
/* Open an object in an array, written on a line of its own. */
void takt_json_open_row(struct takt_json *json);
void takt_json_close_row(struct takt_json *json);
/* Between open and close: write the following elements on one line, or no longer. */
void takt_json_compact(struct takt_json *json, bool compact);

/* ---- saved state ---------------------------------------------------- */

/*
 * A stream that state is written to, or read back from. One function serializes in both
 * directions, so that writer and reader cannot disagree. `transfer` knows the destination or
 * source. After the first failure or mismatch nothing more is transferred, and reads give zeros.
 */
struct takt_pack {
	bool (*transfer)(struct takt_pack *pack, void *data, size_t size_bytes);
	bool reads;
	bool bad; /* a value was out of range or did not match, or a transfer failed */
};

/* Transfer `data`, preceded by its size, which must be the same on both sides. */
void takt_pack_bytes(struct takt_pack *pack, void *data, size_t size_bytes);
/* Transfer a truth value; any other byte is an error. */
void takt_pack_bool(struct takt_pack *pack, bool *value);
/* Transfer a number that may be no larger than `most`. */
void takt_pack_count(struct takt_pack *pack, uint32_t *count, uint64_t most);
/* Transfer a value that must be the same on both sides, such as a version. */
void takt_pack_same(struct takt_pack *pack, uint64_t value);

/* True if the bytes at `first`, each `stride_bytes` after the one before, are truth values. */
bool takt_are_bools(const bool *first, size_t count, size_t stride_bytes);

/* A member of a struct that is not transferred, such as a pointer. Holes are ascending. */
struct takt_pack_hole {
	uint32_t offset, size_bytes;
};

#define TAKT_PACK_HOLE(type, member)                                                               \
	{                                                                                          \
		(uint32_t) offsetof(type, member), (uint32_t)sizeof(((type *)NULL)->member)        \
	}

/* Transfer a struct except for its holes. */
void takt_pack_around(struct takt_pack *pack, void *data, size_t size_bytes,
		      const struct takt_pack_hole *holes, size_t hole_count);

/* ---- modules ---------------------------------------------------------- */

/*
 * Return the address of `symbol` in the module `name`.so, which is loaded on first need and
 * kept. Modules are the parts with heavy dependencies. The module is searched in
 * TAKT_MODULE_DIR from the environment, or else in takt/ and ../lib/takt/ beside this library,
 * in the build tree, and in the configured installation directory. Returns NULL, with an error
 * reported, if it cannot or must not be loaded (docs/environment.md); the caller adds the remedy.
 */
void *takt_module_symbol(const char *name, const char *symbol, struct takt_diag *diag);
/* Find a module's path; false, reported, if it is missing or must not be loaded. */
bool takt_module_find(const char *name, struct takt_diag *diag, struct takt_text *path);

/* The users whose files may be loaded as modules. */
struct takt_module_trust {
	bool privileged;    /* set-user-ID or file capabilities: only root's files are loaded */
	uint32_t user;	    /* effective user of the process */
	uint32_t installer; /* owner of the file that holds this code */
};

struct takt_module_trust takt_module_trust_of_process(void);
/* Return NULL if only trusted users can change the file and its folder, else a clause why not. */
const char *takt_module_distrust(const struct takt_module_trust *trust, const char *path);

/* ---- locales ------------------------------------------------------------ */

/*
 * The library prints and reads numbers and letters in the C locale, whatever locale the program
 * around it has set: it prints with takt_text_printf() and these functions, and reads with these.
 */
double takt_strtod(const char *text, char **ret_end);
int takt_snprintf(char *buffer, size_t size_bytes, const char *format, ...) TAKT_PRINTF(3, 4);
int takt_vsnprintf(char *buffer, size_t size_bytes, const char *format, va_list args);
/* Case and classes of ASCII characters. Other bytes stay unchanged and are in no class. */
char takt_to_lower(char c);
char takt_to_upper(char c);
bool takt_is_lower(char c);
bool takt_is_digit(char c);
bool takt_is_alnum(char c);
bool takt_is_blank(char c); /* a space or a tab */
/* True for a blank, and for the carriage return before the end of a line of Windows. */
bool takt_is_line_blank(char c);
/* Return how many bytes are left of a line without such blanks at its end. */
size_t takt_trimmed_size(const char *line, size_t size_bytes);
bool takt_is_print(char c);
/* Compare like strncasecmp (), folding the case of ASCII letters only. */
int takt_compare_nocase(const char *left, const char *right, size_t size_max_bytes);
/* Enclose calls of libraries that depend on the locale; `before` is what enter returned. */
void *takt_locale_enter(void);
void takt_locale_leave(void *before);

/* ---- databases -------------------------------------------------------- */

struct sqlite3;

/* A kind of database that takt writes: its identity and its schema. */
struct takt_database_kind {
	const char *what;	/* plural, for messages: "results of a survey" */
	int64_t application_id; /* SQLite's, below 2^31 */
	int version;		/* newest format that is known, from 1 */
	int busy_milliseconds;	/* time to wait for other writers */
	const char *schema;	/* statements: "CREATE TABLE IF NOT EXISTS …;…" */
};

/*
 * Open a database that may come from anybody. Nothing in it is run. A database with a table,
 * index, view or trigger that the kind's schema does not define in the same form is refused, and
 * the error names the object. `create` opens it for writing and creates missing tables. Close it
 * with sqlite3_close().
 */
TAKT_MUST_CHECK enum takt_status takt_database_open(const char *path,
						    const struct takt_database_kind *kind,
						    bool create, struct takt_diag *diag,
						    struct sqlite3 **ret_db);
/* Check a database that is attached to `db` as `schema` in the same manner. */
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

/* Set the calling process's resource limits, soft and hard; true if all could be set. */
bool takt_limits_set(const struct takt_limit *limits, size_t count);
/* Let the calling thread run on one processor only; false if that cannot be. */
bool takt_pin(uint32_t cpu);
/* Give up all capabilities of the calling process. */
void takt_capabilities_drop(void);
/*
 * Install a seccomp filter for the rest of the process's life; the process must have set
 * PR_SET_NO_NEW_PRIVS before. False if the kernel has no seccomp.
 */
bool takt_filter_install(struct sock_filter *filter, size_t count);

/* ---- searching -------------------------------------------------------- */

/*
 * Binary search: set `index` to the first of `count` sorted elements that does not belong before
 * the wanted place, or to `count`. `is_before`, an expression of `index`, is true for a first part
 * of the elements and false for the others.
 */
#define TAKT_BISECT(index, count, is_before)                                                       \
	do {                                                                                       \
		__typeof__(index) low_ = 0, high_ = (count);                                       \
		while (low_ < high_) {                                                             \
			(index) = low_ + (high_ - low_) / 2;                                       \
			if (is_before)                                                             \
				low_ = (index) + 1;                                                \
			else                                                                       \
				high_ = (index);                                                   \
		}                                                                                  \
		(index) = low_;                                                                    \
	} while (0)

/*
 * A hash table on the heap (map.c). Entries have a fixed size, a multiple of 8 bytes, and begin
 * with their key, which is not 0.
 */
struct takt_map {
	uint8_t *entries;
	size_t entry_bytes, capacity, count, count_max;
};

void takt_map_init(struct takt_map *map, size_t entry_bytes, size_t count_max);
void takt_map_release(struct takt_map *map);
/*
 * Return the entry of a key; a new one is zero but for the key. NULL: there is no room for more
 * than count_max entries. The pointer is valid until the next call.
 */
void *takt_map_get(struct takt_map *map, uint64_t key);
/* Return the entry of a key, or NULL if it has none. */
void *takt_map_find(const struct takt_map *map, uint64_t key);
/* Return the entry after `entry`, or the first one if that is NULL; NULL: there are no more. */
void *takt_map_next(const struct takt_map *map, void *entry);
/* Sort all entries by key, ascending, in place. The map cannot be used as a map afterwards. */
void *takt_map_sort(struct takt_map *map);

/* ---- small things ----------------------------------------------------- */

/*
 * Bytes of a line of code and data, where a core's parameters do not say otherwise: offsets of
 * blocks, crossings, banks. Caches have the lines of the model's cache_line_bytes.
 */
#define TAKT_LINE_BYTES 64u

uint64_t takt_greatest_common_divisor(uint64_t a, uint64_t b);
/* Return the little-endian number in four bytes. */
static inline uint32_t takt_word_at(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* Return the value of a hexadecimal digit in either case, or -1. */
int takt_hex_digit(char c);
uint64_t takt_hash64(uint64_t value);
uint64_t takt_hash_bytes(const void *data, size_t size_bytes);
/* For qsort(): compare char *, or elements that begin with a uint64_t. */
int takt_compare_strings(const void *left, const void *right);
int takt_compare_keys(const void *left, const void *right);
/* Sort numbers, of which none is NaN, ascending. */
void takt_sort_doubles(double *values, size_t count);
/* True if the strings are equal, or both NULL. */
bool takt_string_same(const char *left, const char *right);
bool takt_string_equal_nocase(const char *left, const char *right);
/* Compare as strcmp() does; the text has a length instead of a NUL. */
int takt_compare_text(const char *string, const char *text, size_t size_bytes);
/* True if the string has `size_bytes` characters, those of `text`. */
bool takt_string_is(const char *string, const char *text, size_t size_bytes);
bool takt_string_starts(const char *string, const char *start);
/* Return the part of a path after its last slash; NULL for NULL. */
const char *takt_path_name(const char *path);
bool takt_string_ends(const char *string, const char *end);
bool takt_string_is_one_of(const char *string, const char *const *words, size_t count);

#endif
