/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: lets calls for memory, files and processes fail that takt's own code makes. Of all
 * processes of a run the calls are counted together, in the file TAKT_FAULTS names; the header
 * of that file says which of them fails, and how. What other libraries call for is left alone: a
 * caller is takt's if the object it returns to is.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORDS_MAX (1u << 17)
#define FRAMES 12
#define FRAMES_HASHED 5
#define STDIO_ERROR_SEEN 0x20 /* glibc: what ferror() tells */

/* Kinds of call, as bits. run.py knows these numbers. */
enum kind { MEMORY = 1, OPEN = 2, READ = 4, WRITE = 8, PROCESS = 16 };

enum mode {
	COUNT,	 /* write down who calls; nothing fails */
	ONCE,	 /* the call of that number fails */
	ONWARDS, /* and all that follow, of the kinds that are named */
	SHORT,	 /* every read and write transfers one byte, every other one is interrupted */
};

struct record {
	uint32_t kind, name; /* name: of the function, its first four letters */
	uint64_t stack;	     /* a hash of the innermost callers in takt */
};

struct state {
	uint32_t mode, kinds;
	uint64_t fails_at;
	_Atomic uint64_t calls, failed;
	struct record records[RECORDS_MAX];
};

static struct state *state;
static bool main_is_takt;
static _Thread_local bool inside;

/* ISO C has no cast from data to functions. */
static void find_real(const char *name, void *ret_function)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(ret_function, &symbol, sizeof(symbol));
}

#define REAL(name)                                                                                 \
	static __typeof__(&name) real;                                                             \
	if (!real)                                                                                 \
	find_real(#name, &real)

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("TAKT_FAULTS");
	char self[PATH_MAX] = "";
	void *frames[1], *memory;
	int file = path ? (int)openat(AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;

	if (file < 0)
		return;
	memory = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (memory == MAP_FAILED)
		return;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0)
		main_is_takt = strcmp(strrchr(self, '/'), "/takt") == 0;
	backtrace(frames, 1); /* the first one loads a library */
	state = memory;
}

/* Is this address takt's? LLVM's code is linked into the modules that assemble. */
static bool is_takt(void *address, uintptr_t *ret_offset)
{
	struct dl_find_object found;
	const char *name;

	if (_dl_find_object(address, &found) != 0)
		return false;
	*ret_offset = (uintptr_t)address - (uintptr_t)found.dlfo_map_start;
	name = found.dlfo_link_map->l_name;
	if (!*name)
		return main_is_takt;
	name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	if (strncmp(name, "takt-llvm", 9) == 0)
		return false;
	return strncmp(name, "libtakt.so", 10) == 0 || strncmp(name, "takt-", 5) == 0;
}

static uint64_t hash_stack(void)
{
	void *frames[FRAMES];
	int count = backtrace(frames, FRAMES), hashed = 0;
	uint64_t hash = 0;
	uintptr_t offset;

	for (int i = 0; i < count && hashed < FRAMES_HASHED; i++)
		if (is_takt(frames[i], &offset)) {
			hash = (hash ^ offset) * 0x9e3779b97f4a7c15u;
			hash ^= hash >> 29;
			hashed++;
		}
	return hash;
}

/* Whether this call is to fail. */
static bool fails(enum kind kind, const char *name, void *caller)
{
	int error = errno;
	uintptr_t offset;
	uint64_t number;
	bool result = false;

	if (!state || inside || !is_takt(caller, &offset))
		return false;
	inside = true;
	number = atomic_fetch_add(&state->calls, 1) + 1;
	if (state->mode == COUNT && number <= RECORDS_MAX) {
		struct record *record = &state->records[number - 1];

		record->kind = kind;
		memcpy(&record->name, name, strnlen(name, sizeof(record->name)));
		record->stack = hash_stack();
	}
	if (state->mode == ONCE)
		result = number == state->fails_at;
	if (state->mode == ONWARDS)
		result = number >= state->fails_at && (state->kinds & kind);
	if (result)
		atomic_fetch_add(&state->failed, 1);
	inside = false;
	errno = error;
	return result;
}

#define CALLER __builtin_return_address(0)

/* Defines a function that returns `bad` with errno `error` where it is to fail. */
#define WRAP(kind, type, name, parameters, arguments, bad, error)                                  \
	type name parameters                                                                       \
	{                                                                                          \
		REAL(name);                                                                        \
		if (fails(kind, #name, CALLER)) {                                                  \
			errno = error;                                                             \
			return bad;                                                                \
		}                                                                                  \
		return real arguments;                                                             \
	}

/* ---- memory ---- */

/* dlsym() may allocate. */
static char early[4096];
static size_t early_used;

static void *allocate_early(size_t size)
{
	void *memory = early + early_used;

	early_used += (size + 15) / 16 * 16;
	return early_used <= sizeof(early) ? memory : NULL;
}

void *calloc(size_t count, size_t size)
{
	static __typeof__(&calloc) real;
	static bool finding;

	if (!real) {
		if (finding)
			return allocate_early(count * size);
		finding = true;
		find_real("calloc", &real);
	}
	if (fails(MEMORY, "calloc", CALLER)) {
		errno = ENOMEM;
		return NULL;
	}
	return real(count, size);
}

void free(void *memory)
{
	REAL(free);
	if ((char *)memory < early || (char *)memory >= early + sizeof(early))
		real(memory);
}

WRAP(MEMORY, void *, malloc, (size_t size), (size), NULL, ENOMEM)
WRAP(MEMORY, void *, realloc, (void *old, size_t size), (old, size), NULL, ENOMEM)
WRAP(MEMORY, void *, reallocarray, (void *old, size_t count, size_t size), (old, count, size), NULL,
     ENOMEM)
WRAP(MEMORY, char *, strdup, (const char *text), (text), NULL, ENOMEM)
WRAP(MEMORY, FILE *, open_memstream, (char **data, size_t *size), (data, size), NULL, ENOMEM)
WRAP(MEMORY, void *, mmap64,
     (void *at, size_t size, int protection, int flags, int file, off64_t offset),
     (at, size, protection, flags, file, offset), MAP_FAILED, ENOMEM)
WRAP(MEMORY, int, mprotect, (void *at, size_t size, int protection), (at, size, protection), -1,
     ENOMEM)
WRAP(MEMORY, int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, EMFILE)

int asprintf(char **text, const char *format, ...)
{
	va_list arguments;
	int size;

	if (fails(MEMORY, "asprintf", CALLER)) {
		errno = ENOMEM;
		return -1;
	}
	va_start(arguments, format);
	size = vasprintf(text, format, arguments);
	va_end(arguments);
	return size;
}

/* ---- files: open and close ---- */

int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	if (fails(OPEN, "open", CALLER)) {
		errno = EMFILE;
		return -1;
	}
	if (flags & (O_CREAT | O_TMPFILE)) {
		va_list arguments;

		va_start(arguments, flags);
		mode = va_arg(arguments, mode_t);
		va_end(arguments);
	}
	return openat(AT_FDCWD, path, flags, mode);
}

WRAP(OPEN, FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
WRAP(OPEN, FILE *, fdopen, (int file, const char *mode), (file, mode), NULL, ENOMEM)
WRAP(OPEN, FILE *, fopencookie, (void *cookie, const char *mode, cookie_io_functions_t functions),
     (cookie, mode, functions), NULL, ENOMEM)
WRAP(OPEN, DIR *, opendir, (const char *path), (path), NULL, EMFILE)
WRAP(OPEN, int, scandir64,
     (const char *path, struct dirent64 ***names, int (*select)(const struct dirent64 *),
      int (*compare)(const struct dirent64 **, const struct dirent64 **)),
     (path, names, select, compare), -1, ENOMEM)
WRAP(OPEN, char *, realpath, (const char *path, char *resolved), (path, resolved), NULL, ENOMEM)
WRAP(OPEN, int, mkstemp64, (char *path), (path), -1, ENOSPC)
WRAP(OPEN, int, mkostemp64, (char *path, int flags), (path, flags), -1, ENOSPC)
WRAP(OPEN, int, mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC)
WRAP(OPEN, int, pipe2, (int ends[2], int flags), (ends, flags), -1, EMFILE)
WRAP(OPEN, int, dup, (int file), (file), -1, EMFILE)
WRAP(OPEN, int, dup2, (int file, int to), (file, to), -1, EMFILE)
WRAP(OPEN, int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, EMFILE)

void *dlopen(const char *path, int mode)
{
	REAL(dlopen);
	/* So that dlerror() has something to say. */
	return real(fails(OPEN, "dlopen", CALLER) ? "/no/such/library" : path, mode);
}

int close(int file)
{
	REAL(close);
	if (fails(WRITE, "close", CALLER)) {
		real(file);
		errno = EIO;
		return -1;
	}
	return real(file);
}

int fclose(FILE *file)
{
	REAL(fclose);
	if (file != stderr && fails(WRITE, "fclose", CALLER)) {
		real(file);
		errno = ENOSPC;
		return EOF;
	}
	return real(file);
}

/* ---- files: read ---- */

static bool is_short(void *caller, bool *ret_interrupted)
{
	static _Thread_local unsigned turn;
	uintptr_t offset;

	if (!state || state->mode != SHORT || !is_takt(caller, &offset))
		return false;
	*ret_interrupted = ++turn % 2;
	return true;
}

ssize_t read(int file, void *data, size_t size)
{
	bool interrupted;

	REAL(read);
	if (fails(READ, "read", CALLER)) {
		errno = EIO;
		return -1;
	}
	if (is_short(CALLER, &interrupted)) {
		if (interrupted) {
			errno = EINTR;
			return -1;
		}
		size = size ? 1 : 0;
	}
	return real(file, data, size);
}

WRAP(READ, ssize_t, pread64, (int file, void *data, size_t size, off64_t offset),
     (file, data, size, offset), -1, EIO)
WRAP(READ, struct dirent64 *, readdir64, (DIR * directory), (directory), NULL, EIO)
/* A stream remembers. */
static bool stream_fails(enum kind kind, const char *name, int error, FILE *file, void *caller)
{
	if (file == stderr || !fails(kind, name, caller))
		return false;
	file->_flags |= STDIO_ERROR_SEEN;
	errno = error;
	return true;
}

char *fgets(char *line, int size, FILE *file)
{
	REAL(fgets);
	return stream_fails(READ, "fgets", EIO, file, CALLER) ? NULL : real(line, size, file);
}

int fgetc(FILE *file)
{
	REAL(fgetc);
	return stream_fails(READ, "fgetc", EIO, file, CALLER) ? EOF : real(file);
}

WRAP(READ, ssize_t, recv, (int file, void *data, size_t size, int flags), (file, data, size, flags),
     -1, EIO)
WRAP(READ, int, fstat64, (int file, struct stat64 *info), (file, info), -1, EIO)
WRAP(READ, int, stat64, (const char *path, struct stat64 *info), (path, info), -1, EIO)
WRAP(READ, int, lstat64, (const char *path, struct stat64 *info), (path, info), -1, EIO)
WRAP(READ, off64_t, lseek64, (int file, off64_t offset, int from), (file, offset, from), -1, EIO)

/* ---- files: write; to standard error always succeeds ---- */

ssize_t write(int file, const void *data, size_t size)
{
	bool interrupted;

	REAL(write);
	if (file != STDERR_FILENO && fails(WRITE, "write", CALLER)) {
		errno = ENOSPC;
		return -1;
	}
	if (file != STDERR_FILENO && is_short(CALLER, &interrupted)) {
		if (interrupted) {
			errno = EINTR;
			return -1;
		}
		size = size ? 1 : 0;
	}
	return real(file, data, size);
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *file)
{
	REAL(fwrite);
	return stream_fails(WRITE, "fwrite", ENOSPC, file, CALLER) ? 0
								   : real(data, size, count, file);
}

int fputs(const char *text, FILE *file)
{
	REAL(fputs);
	return stream_fails(WRITE, "fputs", ENOSPC, file, CALLER) ? EOF : real(text, file);
}

int fputc(int byte, FILE *file)
{
	REAL(fputc);
	return stream_fails(WRITE, "fputc", ENOSPC, file, CALLER) ? EOF : real(byte, file);
}

int fflush(FILE *file)
{
	REAL(fflush);
	return file && stream_fails(WRITE, "fflush", ENOSPC, file, CALLER) ? EOF : real(file);
}

int fprintf(FILE *file, const char *format, ...)
{
	va_list arguments;
	int size;

	if (stream_fails(WRITE, "fprintf", ENOSPC, file, CALLER))
		return -1;
	va_start(arguments, format);
	size = vfprintf(file, format, arguments);
	va_end(arguments);
	return size;
}

WRAP(WRITE, int, fsync, (int file), (file), -1, EIO)
WRAP(WRITE, int, ftruncate64, (int file, off64_t size), (file, size), -1, ENOSPC)
WRAP(WRITE, int, fchmod, (int file, mode_t mode), (file, mode), -1, EPERM)
WRAP(WRITE, int, rename, (const char *from, const char *to), (from, to), -1, ENOSPC)
WRAP(WRITE, ssize_t, send, (int file, const void *data, size_t size, int flags),
     (file, data, size, flags), -1, EPIPE)

/* ---- processes and threads ---- */

WRAP(PROCESS, pid_t, fork, (void), (), -1, EAGAIN)
WRAP(PROCESS, int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*start_routine)(void *),
      void *argument),
     (thread, attributes, start_routine, argument), EAGAIN, EAGAIN)
WRAP(PROCESS, int, posix_spawnp,
     (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attributes, char *const arguments[], char *const variables[]),
     (process, path, actions, attributes, arguments, variables), EAGAIN, EAGAIN)
WRAP(PROCESS, int, posix_spawn_file_actions_init, (posix_spawn_file_actions_t * actions), (actions),
     ENOMEM, ENOMEM)
WRAP(PROCESS, int, posix_spawn_file_actions_adddup2,
     (posix_spawn_file_actions_t * actions, int file, int to), (actions, file, to), ENOMEM, ENOMEM)
WRAP(PROCESS, int, posix_spawn_file_actions_addopen,
     (posix_spawn_file_actions_t * actions, int file, const char *path, int flags, mode_t mode),
     (actions, file, path, flags, mode), ENOMEM, ENOMEM)
/* As if a signal had come. */
WRAP(PROCESS, pid_t, waitpid, (pid_t process, int *status, int options), (process, status, options),
     -1, EINTR)
WRAP(PROCESS, pid_t, wait4, (pid_t process, int *status, int options, struct rusage *usage),
     (process, status, options, usage), -1, EINTR)
