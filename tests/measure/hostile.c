/* SPDX-License-Identifier: MIT */
/*
 * Checks that hostile code has no say in the figures of the blocks that are measured after it.
 *
 *     hostile N EACH SNIPPETS… < BLOCKS
 *
 * BLOCKS has a block in hexadecimal on each line. SNIPPETS are files with a line NAME|HEX for each
 * hostile snippet. There are two benches. Before any snippet runs, the first blocks are measured
 * several times on both, and the first N that are always measured alike are the known blocks. Each
 * snippet then runs on the first bench, without the checks that would reject it, and EACH of the
 * known blocks are measured there, other ones after the next snippet. The second bench, which no
 * snippet ever runs on, measures as many after every tenth snippet for comparison, since other load
 * disturbs some measurements.
 *
 * A block that is not `ok`, or whose cycles differ by more than 5 %, is measured again, on both
 * benches in turn, until it is right once. Exit status 1: a block stayed wrong while it was right
 * on the second bench; or fewer blocks were right at the first attempt than without snippets, by
 * more than a hundredth of all.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/measurer.h"

#define ROUNDS 3u
#define SAME_CYCLES 0.05 /* relative difference of cycles that are equal */
#define KNOWN_TRIES 4	 /* plain measurements of a known block on each bench */
#define KNOWN_LOST_MAX 1 /* of these on each bench: disturbed by other load */
#define KNOWN_SPREAD 0.02
#define KNOWN_MAX_CYCLES 200.0 /* per execution; slower blocks would take most of the time */
#define RETRIES 20
#define RIGHT_ELSEWHERE 3 /* of the retries, on the second bench: not the machine's fault */
#define PAUSE_MICROSECONDS 50000
#define PLAIN_EVERY 10 /* snippets per round of plain measurements */
#define TIME_LIMIT_SECONDS 0.1
#define SHARE_LOST_MAX 0.01
#define CODE_MAX_BYTES 8192

struct block {
	uint8_t *bytes;
	size_t size_bytes;
	double cycles;
	double low, high; /* of the measurements before the snippets */
	int lost;	  /* how many of these failed */
};

/* Counts of first measurements, and how many of them were right. */
struct share {
	unsigned long right, all, ok;
};

struct checks {
	struct takt_measurer *bench, *reference;
	struct block *blocks;
	size_t block_count, each, at;	 /* at: the block to measure next */
	struct share plain, after, next; /* next: the first block after each snippet */
	unsigned long snippets, busy, wrong;
	unsigned long statuses[TAKT_MEASURE_STATUS_COUNT]; /* of the snippets */
	double begun_seconds;
};

static size_t parse_hex(const char *text, uint8_t *bytes)
{
	size_t size = 0;
	unsigned byte;

	while (size < CODE_MAX_BYTES && sscanf(text + 2 * size, "%2x", &byte) == 1)
		bytes[size++] = (uint8_t)byte;
	return size;
}

static bool is_right(const struct block *block, const struct takt_measurement *result)
{
	return result->status == TAKT_MEASURE_OK &&
	       fabs(result->cycles / block->cycles - 1) <= SAME_CYCLES;
}

static bool measure(struct takt_measurer *bench, const struct block *block,
		    struct takt_measurement *result)
{
	takt_measure(bench, block->bytes, block->size_bytes, result);
	return is_right(block, result);
}

static void count(struct share *share, const struct block *block,
		  const struct takt_measurement *result)
{
	share->all++;
	share->ok += result->status == TAKT_MEASURE_OK;
	share->right += is_right(block, result);
}

static double part(unsigned long count, unsigned long all)
{
	return all ? (double)count / (double)all : 1;
}

/* ---- known blocks ----------------------------------------------------------- */

static bool is_known(const struct block *block)
{
	return block->lost <= KNOWN_LOST_MAX && block->low > 0 &&
	       block->high <= fmin(block->low * (1 + KNOWN_SPREAD), KNOWN_MAX_CYCLES);
}

static void try_block(struct takt_measurer *bench, struct block *block)
{
	struct takt_measurement result;

	if (block->lost > KNOWN_LOST_MAX || (block->high > 0 && !is_known(block)))
		return;
	takt_measure(bench, block->bytes, block->size_bytes, &result);
	if (result.status == TAKT_MEASURE_OK) {
		block->low = fmin(block->low, result.cycles);
		block->high = fmax(block->high, result.cycles);
	} else {
		block->lost += result.status == TAKT_MEASURE_DISTURBED ? 1 : KNOWN_LOST_MAX + 1;
	}
}

static size_t read_blocks(struct block *blocks, size_t wanted)
{
	uint8_t bytes[CODE_MAX_BYTES];
	char line[2 * CODE_MAX_BYTES + 2];
	size_t count = 0;

	while (count < wanted && fgets(line, sizeof(line), stdin)) {
		struct block block = {.size_bytes = parse_hex(line, bytes), .low = INFINITY};

		if (!block.size_bytes)
			continue;
		block.bytes = malloc(block.size_bytes);
		memcpy(block.bytes, bytes, block.size_bytes);
		blocks[count++] = block;
	}
	return count;
}

/* Find the known blocks. Tries of a block are far apart in time: its figure may change slowly. */
static void find_known(struct checks *checks, size_t wanted)
{
	struct block *blocks = calloc(2 * wanted, sizeof(*blocks));
	size_t count = read_blocks(blocks, 2 * wanted);

	for (int i = 0; i < KNOWN_TRIES; i++) {
		for (size_t j = 0; j < count; j++)
			try_block(checks->bench, &blocks[j]);
		for (size_t j = 0; j < count; j++)
			try_block(checks->reference, &blocks[j]);
	}
	for (size_t j = 0; j < count; j++) {
		if (is_known(&blocks[j]) && checks->block_count < wanted) {
			blocks[j].cycles = (blocks[j].low + blocks[j].high) / 2;
			blocks[checks->block_count++] = blocks[j];
		} else {
			free(blocks[j].bytes);
		}
	}
	checks->blocks = blocks;
	printf("%zu known blocks of %zu, found in %.0f s\n", checks->block_count, count,
	       takt_now_seconds() - checks->begun_seconds);
}

/* ---- snippets --------------------------------------------------------------- */

static void measure_plainly(struct checks *checks)
{
	struct takt_measurement result;

	for (size_t i = 0; i < checks->each; i++) {
		const struct block *block = &checks->blocks[(checks->at + i) % checks->block_count];

		measure(checks->reference, block, &result);
		count(&checks->plain, block, &result);
	}
}

/*
 * Measure a block that was wrong again until it is right. What a snippet has done spoils all tries;
 * other load spoils some, and as many on the second bench, which is made as easily disturbed as the
 * first was before the snippet.
 */
static void look_closely(struct checks *checks, const struct takt_canaries *before,
			 const char *name, const struct block *block)
{
	struct takt_measurement result, plain;
	int right_elsewhere = 0;
	bool busy;

	for (int i = 0; i < RETRIES; i++) {
		if (measure(checks->bench, block, &result))
			return;
		checks->reference->trusted = *before;
		right_elsewhere += measure(checks->reference, block, &plain);
		usleep(PAUSE_MICROSECONDS);
	}
	busy = right_elsewhere < RIGHT_ELSEWHERE;
	checks->busy += busy;
	checks->wrong += !busy;
	printf("%s: after '%s', a block of %.3f cycles has %.3f: %s %s\n  ",
	       busy ? "as elsewhere" : "wrong", name, block->cycles, result.cycles,
	       takt_measure_status_word(result.status), result.reason);
	for (size_t i = 0; i < block->size_bytes; i++)
		printf("%02x", block->bytes[i]);
	printf("\n");
}

static void run_snippet(struct checks *checks, const char *name, const uint8_t *bytes,
			size_t size_bytes)
{
	const struct takt_canaries before = checks->bench->trusted;
	struct takt_measurement result;

	if (checks->snippets % PLAIN_EVERY == 0)
		measure_plainly(checks);
	takt_measure_unchecked(checks->bench, bytes, size_bytes, &result);
	checks->statuses[result.status]++;
	checks->snippets++;
	for (size_t i = 0; i < checks->each; i++) {
		const struct block *block = &checks->blocks[checks->at++ % checks->block_count];
		bool right = measure(checks->bench, block, &result);

		count(&checks->after, block, &result);
		if (i == 0)
			count(&checks->next, block, &result);
		if (!right)
			look_closely(checks, &before, name, block);
	}
	fflush(stdout);
	if (!isatty(STDERR_FILENO) && checks->snippets % PLAIN_EVERY != 0)
		return;
	fprintf(stderr, "%s%lu snippets, %.2f %% right, %lu wrong, %lu busy, %.0f s  %s",
		isatty(STDERR_FILENO) ? "\r" : "", checks->snippets,
		100 * part(checks->after.right, checks->after.all), checks->wrong, checks->busy,
		takt_now_seconds() - checks->begun_seconds, isatty(STDERR_FILENO) ? "" : "\n");
}

static bool run_file(struct checks *checks, const char *path)
{
	static char line[4 * CODE_MAX_BYTES];
	uint8_t bytes[CODE_MAX_BYTES];
	FILE *file = fopen(path, "re");

	if (!file) {
		fprintf(stderr, "error: cannot open '%s': %s\n", path, strerror(errno));
		return false;
	}
	while (fgets(line, sizeof(line), file)) {
		char *hex = strchr(line, '|');
		size_t size;

		if (!hex)
			continue;
		*hex++ = '\0';
		size = parse_hex(hex, bytes);
		if (size)
			run_snippet(checks, line, bytes, size);
	}
	fclose(file);
	return true;
}

/* ---- the result ------------------------------------------------------------- */

static void print_share(const char *what, const struct share *share)
{
	printf("%s: %lu measurements, %.2f %% ok, %.2f %% ok and within %.0f %%\n", what,
	       share->all, 100 * part(share->ok, share->all), 100 * part(share->right, share->all),
	       100 * SAME_CYCLES);
}

static bool print_result(const struct checks *checks)
{
	double plain = part(checks->plain.right, checks->plain.all);

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\n");
	printf("%lu snippets:", checks->snippets);
	for (int s = 0; s < TAKT_MEASURE_STATUS_COUNT; s++)
		if (checks->statuses[s])
			printf(" %lu %s", checks->statuses[s],
			       takt_measure_status_word((enum takt_measure_status)s));
	printf("\n");
	print_share("without snippets", &checks->plain);
	print_share("after snippets", &checks->after);
	print_share("first block after a snippet", &checks->next);
	printf("%lu blocks stayed wrong, and %lu on both benches alike\n", checks->wrong,
	       checks->busy);
	printf("%.0f s\n", takt_now_seconds() - checks->begun_seconds);
	return checks->snippets && checks->block_count && !checks->wrong &&
	       part(checks->after.right, checks->after.all) >= plain - SHARE_LOST_MAX;
}

int main(int argc, char **argv)
{
	const struct takt_measure_options options = {
		.rounds = ROUNDS, .batches = 1, .time_limit_seconds = TIME_LIMIT_SECONDS};
	struct takt_diag *diag = takt_diag_new();
	struct checks checks = {.begun_seconds = takt_now_seconds()};
	size_t wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	bool good = true;

	checks.each = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	if (argc < 4 || wanted == 0 || checks.each == 0) {
		fputs("usage: hostile N EACH SNIPPETS… < BLOCKS\n", stderr);
		return 2;
	}
	if (takt_measurer_open(&options, diag, &checks.bench) != TAKT_OK ||
	    takt_measurer_open(&options, diag, &checks.reference) != TAKT_OK) {
		fputs(takt_diag_text(diag), stderr);
		return 2;
	}
	find_known(&checks, wanted);
	if (!checks.block_count) {
		fputs("error: no block is measured alike each time\n", stderr);
		return 1;
	}
	for (int i = 3; i < argc; i++)
		good = run_file(&checks, argv[i]) && good;
	good = print_result(&checks) && good;
	takt_measurer_close(checks.bench);
	takt_measurer_close(checks.reference);
	takt_diag_free(diag);
	for (size_t i = 0; i < checks.block_count; i++)
		free(checks.blocks[i].bytes);
	free(checks.blocks);
	return good ? 0 : 1;
}
