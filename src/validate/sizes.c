/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "validate/sizes.h"

const char *const takt_kernel_level_names[KERNEL_LEVELS] = {"L1", "L2", "L3", "MEM"};

#define MEMORY_PART 4u /* a fourth of the available memory is used */
#define MEMORY_LEAST ((uint64_t)64 << 20)
#define CACHES_MAX 16 /* cache entries of a processor in sysfs */

enum takt_status takt_kernel_levels_read(const char *list, struct takt_diag *diag,
					 bool ret_levels[KERNEL_LEVELS])
{
	memset(ret_levels, !list, KERNEL_LEVELS * sizeof(*ret_levels));
	while (list && *list) {
		size_t size = strcspn(list, ",");
		unsigned i = 0;

		while (i < KERNEL_LEVELS && !takt_string_is(takt_kernel_level_names[i], list, size))
			i++;
		if (i == KERNEL_LEVELS) {
			takt_error(diag, "no level '%.*s' of memory", (int)size, list);
			takt_note(diag, "levels are L1, L2, L3 and MEM");
			return TAKT_BAD_INPUT;
		}
		ret_levels[i] = true;
		list += size + (list[size] == ',');
	}
	return TAKT_OK;
}

/* ---- caches as the system describes them ---- */

/* True if a file does not exist, which is so on some systems; failing to read one is an error. */
static bool is_missing(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES;
}

/* Note an error of takt_first_line(), unless there is no such file; true if a line was read. */
static bool is_read(int result, int *error)
{
	if (result && result != ENODATA && !is_missing(result))
		*error = result;
	return !result;
}

#define WORD_BYTES 256

static bool read_cache_word(uint32_t cpu, int index, const char *what, char word[WORD_BYTES],
			    int *error)
{
	return is_read(takt_first_line(word, WORD_BYTES,
				       "/sys/devices/system/cpu/cpu%u/cache/index%d/%s", cpu, index,
				       what),
		       error);
}

/* Count the elements of a list: 5 for "0-3,8"; at least 1. */
static uint32_t count_list(const char *list)
{
	uint32_t count = 0;

	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			break;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		count += last >= first ? (uint32_t)(last - first + 1) : 1;
		list = *end == ',' ? end + 1 : end;
		if (*end != ',')
			break;
	}
	return count ? count : 1;
}

static uint64_t parse_size(const char *word)
{
	char *end;
	uint64_t number = strtoull(word, &end, 10);

	return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

static bool is_line_size(uint64_t bytes)
{
	return bytes >= 32 && bytes <= KERNEL_LINE_BYTES_MAX && (bytes & (bytes - 1)) == 0;
}

static void read_sysfs(uint32_t cpu, struct kernel_caches *caches)
{
	char word[WORD_BYTES];
	int *error = &caches->error;

	for (int i = 0; i < CACHES_MAX; i++) {
		unsigned long level;

		if (!read_cache_word(cpu, i, "level", word, error))
			break;
		level = strtoul(word, NULL, 10);
		if (level < 1 || level > KERNEL_MEM ||
		    !read_cache_word(cpu, i, "type", word, error) ||
		    strcmp(word, "Instruction") == 0 ||
		    !read_cache_word(cpu, i, "size", word, error))
			continue;
		caches->bytes[level - 1] = parse_size(word);
		if (read_cache_word(cpu, i, "coherency_line_size", word, error) &&
		    is_line_size(parse_size(word)))
			caches->line_bytes = (uint32_t)parse_size(word);
		if (read_cache_word(cpu, i, "shared_cpu_list", word, error))
			caches->sharers[level - 1] = count_list(word);
	}
}

static uint64_t read_memory(int *error)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	if (!file) {
		*error = is_missing(errno) ? *error : errno;
		return 0;
	}
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	if (ferror(file))
		*error = errno;
	fclose(file);
	return (uint64_t)kib << 10;
}

void takt_kernel_caches_host(uint32_t cpu, struct kernel_caches *ret_caches)
{
	struct kernel_caches caches = {.sharers = {1, 1, 1}, .line_bytes = TAKT_LINE_BYTES};

	read_sysfs(cpu, &caches);
#if defined(_SC_LEVEL1_DCACHE_SIZE)
	if (!caches.bytes[KERNEL_L1]) { /* without sysfs, libc's values, which come from cpuid */
		static const int names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
					    _SC_LEVEL3_CACHE_SIZE};

		for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
			long size = sysconf(names[i]);

			caches.bytes[i] = size > 0 ? (uint64_t)size : 0;
		}
	}
#endif
	caches.memory_bytes = read_memory(&caches.error) / MEMORY_PART;
	caches.known = caches.bytes[KERNEL_L1] != 0;
	*ret_caches = caches;
}

void takt_kernel_caches_model(const struct takt_model *model, struct kernel_caches *ret_caches)
{
	struct kernel_caches caches = {.sharers = {1, 1, 1}, .line_bytes = TAKT_LINE_BYTES};
	struct cache_shape shape;

	if (model && takt_cache_shape(model, &shape)) {
		caches.bytes[KERNEL_L1] = shape.l1d.size_bytes;
		caches.bytes[KERNEL_L2] = shape.l2.size_bytes;
		caches.bytes[KERNEL_L3] = shape.l3.size_bytes;
		caches.line_bytes = shape.l1d.line_bytes;
		caches.known = true;
	}
	*ret_caches = caches;
}

/* ---- sizes ---- */

/* Return the share of a level that one thread has if `threads` run. */
static uint64_t share(const struct kernel_caches *caches, unsigned level, uint32_t threads)
{
	uint32_t sharers = caches->sharers[level] < threads ? caches->sharers[level] : threads;

	return caches->bytes[level] / sharers;
}

uint64_t takt_kernel_level_bytes(const struct kernel_caches *caches, enum kernel_level level,
				 uint32_t threads, const char **ret_reason)
{
	uint64_t before = 0, bytes, own;

	*ret_reason = "there is no such cache";
	for (unsigned i = 0; i < (unsigned)level && i < KERNEL_MEM; i++)
		if (share(caches, i, threads) > before)
			before = share(caches, i, threads);
	if (level == KERNEL_MEM) {
		bytes = before * 2 > MEMORY_LEAST / threads ? before * 2 : MEMORY_LEAST / threads;
		*ret_reason = "there is not enough memory for data that no cache holds";
		return caches->memory_bytes && bytes > caches->memory_bytes / threads ? 0 : bytes;
	}
	if (!caches->bytes[level])
		return 0;
	own = share(caches, level, threads);
	/* Use half of the share, or four times the level before if that is less, which suffices. */
	bytes = before && own / 2 > 4 * before ? 4 * before : own / 2;
	*ret_reason = "the caches before it are as large";
	return bytes >= before + before / 2 ? bytes : 0;
}

/* ---- processors ---- */

static bool is_first_of_core(uint32_t cpu, int *error)
{
	static const char path[] = "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list";
	char list[256];

	return !is_read(takt_first_line(list, sizeof(list), path, cpu), error) ||
	       strtoul(list, NULL, 10) == cpu;
}

uint32_t takt_kernel_cpus(uint32_t cpus[KERNEL_CPUS_MAX])
{
	cpu_set_t set;
	uint32_t count = 0;
	int error = 0;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 0;
	for (int others = 0; others < 2; others++)
		for (uint32_t i = 0; i < CPU_SETSIZE && i < KERNEL_CPUS_MAX; i++)
			if (CPU_ISSET(i, &set) && count < KERNEL_CPUS_MAX &&
			    is_first_of_core(i, &error) != (others == 1))
				cpus[count++] = i;
	return error ? 0 : count;
}
