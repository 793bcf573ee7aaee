/* SPDX-License-Identifier: MIT */
/*
 * Shared by all parts of the library: status, diagnostics, text, files, memory exhaustion.
 */
#ifndef TAKT_COMMON_H
#define TAKT_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers; takt_version() returns that of the library. */
#define TAKT_VERSION "0.3.0"

/* Marks what the library exports; all other symbols are hidden. */
#if defined(__GNUC__)
#define TAKT_API __attribute__((visibility("default")))
#else
#define TAKT_API
#endif

#if defined(__GNUC__)
#define TAKT_MUST_CHECK __attribute__((warn_unused_result))
#else
#define TAKT_MUST_CHECK
#endif

/*
 * Return the version of the library, "MAJOR.MINOR.PATCH". Before 1.0, versions with another MINOR
 * may differ in names and records; versions with the same MINOR only add to them.
 */
TAKT_API const char *takt_version(void);

/*
 * Options can grow: `= {0}` is valid for each struct of options in C and C++ and stands for the
 * defaults, and each ends in fields that must be zero, in whose place new options come.
 */
#define TAKT_RESERVED uint64_t reserved[4]
/* The same, after new options took the place of `used` of these fields. */
#define TAKT_RESERVED_LESS(used) uint64_t reserved[4 - (used)]

/* X(enumerator, text) */
#define TAKT_STATUS_LIST(X)                                                                        \
	X(TAKT_OK, "fine")                                                                         \
	X(TAKT_BAD_INPUT, "bad input; the diagnostics say where and why")                          \
	X(TAKT_NOT_FOUND, "no such core, function or region")                                      \
	X(TAKT_UNAVAILABLE, "a component this needs is not installed")

enum takt_status {
#define X(name, text) name,
	TAKT_STATUS_LIST(X)
#undef X
		TAKT_STATUS_COUNT
};

TAKT_API const char *takt_status_text(enum takt_status status);

/* ---- memory ----------------------------------------------------------- */

/*
 * A handler for memory exhaustion: called when the system has no memory for `size_bytes` more, in
 * any thread, and possibly in a process that the library forked. It must not return.
 */
typedef void (*takt_out_of_memory_handler)(size_t size_bytes);

/*
 * Set the handler that ends the process when there is no memory. NULL, which is also the default,
 * stands for abort() without a message. Functions of the library have no status for this case.
 * Files that the library was writing are removed before the handler is called. A handler may use
 * only functions that are safe in signal handlers, such as write() and _exit(). If it leaves by
 * longjmp(), the objects of the library that the thread was using may be neither used nor freed.
 * Sizes that come from input are checked against limits first, and are reported as ordinary errors
 * if they exceed them.
 */
TAKT_API void takt_set_out_of_memory_handler(takt_out_of_memory_handler handler);
/*
 * Remove all incomplete files that this process began, as a handler of a deadly signal should. Safe
 * in signal handlers. It is called before the out-of-memory handler is.
 */
TAKT_API void takt_partial_files_remove(void);

/* ---- diagnostics ------------------------------------------------------ */

/* Collects messages `place: error: text` with an excerpt, a caret and notes. */
struct takt_diag;

TAKT_API struct takt_diag *takt_diag_new(void);
TAKT_API void takt_diag_free(struct takt_diag *diag);
/*
 * Return all messages so far as text to print, or "". The text belongs to `diag` and is valid until
 * the next call on it.
 */
TAKT_API const char *takt_diag_text(struct takt_diag *diag);
TAKT_API size_t takt_diag_error_count(const struct takt_diag *diag);
TAKT_API void takt_diag_clear(struct takt_diag *diag);

/* ---- output ----------------------------------------------------------- */

/* Formats of results that are not written by functions of their own. */
enum takt_format { TAKT_FORMAT_TEXT, TAKT_FORMAT_CSV, TAKT_FORMAT_JSON };

/* A growable, always NUL-terminated text buffer that results are written to. */
struct takt_text;

TAKT_API struct takt_text *takt_text_new(void);
TAKT_API void takt_text_free(struct takt_text *text);
TAKT_API const char *takt_text_data(const struct takt_text *text);
TAKT_API size_t takt_text_size_bytes(const struct takt_text *text);
TAKT_API void takt_text_clear(struct takt_text *text);

/*
 * Write a file completely, or leave it as it was. The data is written to a new file that then
 * replaces the old one. Only if that is impossible (devices, pipes, files with several names,
 * directories in which no file can be created) is the old file overwritten in place.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_file_write(const char *path, const void *data, size_t size_bytes, struct takt_diag *diag);
/*
 * True if takt_file_write() can succeed, asked before there is data to write; if not, errno says
 * why.
 */
TAKT_API bool takt_file_can_write(const char *path);

/*
 * Append the names closest to `wanted` to `text`, at most `most` of them (edit distance at most a
 * third of its length, or a common prefix), best first: "'a', 'b' or 'c'". Return how many there
 * are. `names` need not be sorted.
 */
TAKT_API size_t takt_nearest_names(const char *wanted, const char *const *names, size_t name_count,
				   size_t most, struct takt_text *text);

#ifdef __cplusplus
}
#endif

#endif
