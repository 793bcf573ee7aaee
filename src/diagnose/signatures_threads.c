/* SPDX-License-Identifier: MIT */
/* Patterns of threads: shared lines, uneven work, waiting. */
#include "diagnose/signatures.h"

#define WORK_MIN 10000.0 /* least work of the busiest thread: less shows nothing */
#define LINES_SHOWN 4u
#define SHOWN_SHARE 0.02 /* share of all transfers: lines with less are not shown */

/* ---- lines ---- */

/* A pair of threads that share a line, which one of them writes. */
struct pair {
	const struct diagnose_line *line;
	unsigned left, right; /* indices of the users */
	uint64_t transfers;   /* largest possible number of transfers */
};

struct pairs {
	struct pair shown[LINES_SHOWN]; /* pairs with the most transfers, in descending order */
	uint32_t count;
	uint64_t lines, transfers;
};

static void add_pair(struct pairs *pairs, const struct pair *pair)
{
	uint32_t at = pairs->count < LINES_SHOWN ? pairs->count++ : LINES_SHOWN - 1;

	pairs->lines++;
	pairs->transfers += pair->transfers;
	if (pairs->lines > LINES_SHOWN && pairs->shown[at].transfers >= pair->transfers)
		return;
	for (; at > 0 && pairs->shown[at - 1].transfers < pair->transfers; at--)
		pairs->shown[at] = pairs->shown[at - 1];
	pairs->shown[at] = *pair;
}

/*
 * Return the largest possible number of transfers of a line. The line may change its owner with
 * each access of the thread that has fewer, and back again; and each write of either thread moves
 * it to the writer, and then once more to the next reader.
 */
static uint64_t transfers_of(const struct oracle_line_user *left,
			     const struct oracle_line_user *right)
{
	uint64_t fewer = left->accesses < right->accesses ? left->accesses : right->accesses;
	uint64_t writes = left->stores + right->stores;

	return 2 * (fewer < writes ? fewer : writes);
}

/* Find the pair with the most transfers among those that share the line truly, or falsely. */
static bool find_pair(const struct diagnose_line *line, bool truly, struct pair *ret_pair)
{
	unsigned users = line->line.threads < 4 ? line->line.threads : 4;

	*ret_pair = (struct pair){.line = line};
	for (unsigned i = 0; i < users; i++) {
		for (unsigned j = i + 1; j < users; j++) {
			const struct oracle_line_user *left = &line->line.users[i];
			const struct oracle_line_user *right = &line->line.users[j];
			bool common = left->written & (right->read | right->written) ||
				      right->written & left->read;

			if (common != truly || (!left->written && !right->written) ||
			    line->waits[i] || line->waits[j] ||
			    transfers_of(left, right) <= ret_pair->transfers)
				continue;
			ret_pair->left = i;
			ret_pair->right = j;
			ret_pair->transfers = transfers_of(left, right);
		}
	}
	return ret_pair->transfers > 0;
}

static void write_bytes(uint64_t bytes, struct takt_text *text)
{
	bool first = true;

	for (unsigned i = 0; i < LINE_BYTES; i++) {
		unsigned end = i;

		if (!(bytes >> i & 1))
			continue;
		while (end + 1 < LINE_BYTES && bytes >> (end + 1) & 1)
			end++;
		takt_text_printf(text, end > i ? "%s%u–%u" : "%s%u", first ? "" : ", ", i, end);
		first = false;
		i = end;
	}
}

static uint64_t first_byte(uint64_t bytes)
{
	return bytes ? (uint64_t)__builtin_ctzll(bytes) : 0;
}

static void show_user(struct signature *signature, const struct pair *pair, unsigned index)
{
	struct judge *judge = signature->judge;
	const struct oracle_line_user *user = &pair->line->line.users[index];
	uint64_t bytes = user->read | user->written;
	const char *name = takt_diagnose_variable(
		judge->seen, pair->line->line.address + first_byte(bytes), &judge->report->arena);
	struct takt_text text = {0};

	write_bytes(bytes, &text);
	signature_detail(
		signature, "  thread %u: %s%sbytes %s, %llu %s, %llu of them writing; %s%s",
		user->thread, name ? name : "", name ? ", " : "", text.data,
		(unsigned long long)user->accesses, takt_noun(user->accesses, "access", "accesses"),
		(unsigned long long)user->stores, source_text(judge, &pair->line->sources[index]),
		allocation_text(judge, &pair->line->allocations[index]));
	takt_text_release(&text);
}

static void show_pairs(struct signature *signature, const struct pairs *pairs)
{
	for (uint32_t i = 0; i < pairs->count && i < 2; i++) {
		const struct pair *pair = &pairs->shown[i];
		bool fixed;

		if ((double)pair->transfers < SHOWN_SHARE * (double)pairs->transfers)
			break;
		fixed = takt_diagnose_variable(signature->judge->seen, pair->line->line.address,
					       &signature->judge->report->arena) != NULL;

		signature_detail(signature, "line at %#llx%s: %u threads, %u write",
				 (unsigned long long)pair->line->line.address,
				 fixed ? "" : " (heap or stack)", pair->line->line.threads,
				 pair->line->line.writers);
		show_user(signature, pair, pair->left);
		show_user(signature, pair, pair->right);
	}
}

/* State the cycles that all threads lose, if each transfer takes what `parameter` says. */
static void show_lost_cycles(struct signature *signature, const char *what, double transfers,
			     int32_t cycles, const char *parameter)
{
	struct judge *judge = signature->judge;

	signature_figure(signature, what, transfers * cycles, "cycles",
			 TAKT_COUNTED | TAKT_MODELLED,
			 takt_arena_printf(&judge->report->arena, "estimated: %d each, %s of %s",
					   cycles, parameter, takt_model_name(judge->seen->model)));
}

/*
 * Show the time that the threads wait for these lines: on neighbouring cores, and, if the core's
 * socket has several complexes or clusters of cores, between those.
 */
static void show_transfer_cycles(struct signature *signature, double transfers)
{
	const struct takt_core_params *params = takt_model_params(signature->judge->seen->model);

	if (!signature->holds || params->transfer_cycles <= 0)
		return;
	show_lost_cycles(signature, "time that all threads lose if every possible transfer occurs",
			 transfers, params->transfer_cycles, "transfer_cycles");
	if (params->transfer_far_cycles > 0)
		show_lost_cycles(signature, "the same, between cores of different complexes",
				 transfers, params->transfer_far_cycles, "transfer_far_cycles");
}

static void judge_sharing(struct judge *judge, bool truly)
{
	const struct diagnose_seen *seen = judge->seen;
	struct signature signature =
		signature_begin(judge, truly ? PATTERN_TRUE_SHARING : PATTERN_FALSE_SHARING);
	struct pairs pairs = {.count = 0};
	double transfers;

	for (uint32_t i = 0; i < seen->line_count; i++) {
		struct pair pair;

		if (find_pair(&seen->lines[i], truly, &pair))
			add_pair(&pairs, &pair);
	}
	transfers = (double)pairs.transfers;
	signature_figure(&signature, "share of loaded lines that other threads had, at most",
			 ratio(transfers, transfers + (double)seen->all.l1_in), "",
			 TAKT_COUNTED | TAKT_MODELLED, "");
	signature_made_of(&signature, truly ? "SHARED_LINES_WRITTEN L1_LINES_IN"
					    : "FALSELY_SHARED_LINES L1_LINES_IN");
	signature_at_least(&signature, "remote", judge->limits->remote);
	signature_figure(&signature, "such lines per instruction, at most",
			 ratio(transfers, (double)seen->all.insns), "", TAKT_COUNTED, "");
	signature_made_of(&signature, truly ? "SHARED_LINES_WRITTEN INSTRUCTIONS"
					    : "FALSELY_SHARED_LINES INSTRUCTIONS");
	signature_at_least(&signature, "shared-rate", judge->limits->shared_rate);
	signature_figure(&signature,
			 truly ? "lines with bytes in common" : "lines without a byte in common",
			 (double)pairs.lines, "", TAKT_COUNTED, "");
	show_transfer_cycles(&signature, transfers);
	if (signature.holds)
		show_pairs(&signature, &pairs);
	signature_end(&signature, NULL);
}

/* ---- work ---- */

uint32_t judge_workers(const struct diagnose_seen *seen, uint32_t *ret_first, double *ret_most,
		       double *ret_sum)
{
	uint32_t count = seen->thread_count < ORACLE_BLOCK_THREADS ? seen->thread_count
								   : ORACLE_BLOCK_THREADS;

	*ret_most = *ret_sum = 0;
	for (uint32_t i = 0; i < count; i++)
		if ((double)seen->useful[i] > *ret_most)
			*ret_most = (double)seen->useful[i];
	*ret_first = count > 1 && (double)seen->useful[0] < HELPER_SHARE * *ret_most;
	for (uint32_t i = *ret_first; i < count; i++)
		*ret_sum += (double)seen->useful[i];
	return count - *ret_first;
}

static void judge_imbalance(struct judge *judge)
{
	const struct diagnose_seen *seen = judge->seen;
	struct signature signature = signature_begin(judge, PATTERN_IMBALANCE);
	uint32_t first, count;
	double most, sum;

	count = judge_workers(seen, &first, &most, &sum);
	if (count < 2 || most < WORK_MIN) {
		judge->report->patterns[PATTERN_IMBALANCE].verdict = TAKT_PATTERN_UNSEEN;
		return;
	}
	signature_figure(&signature, "(most - mean) / most of the threads' work",
			 (most - sum / count) / most, "", TAKT_COUNTED, seen->work);
	signature_made_of(&signature, seen->work_events);
	signature_at_least(&signature, "imbalance", judge->limits->imbalance);
	for (uint32_t i = first; i < first + count; i++)
		signature_detail(&signature, "thread %u: %llu", i,
				 (unsigned long long)seen->useful[i]);
	signature_end(&signature, NULL);
}

/* ---- waiting ---- */

static void show_waiting(struct signature *signature)
{
	const struct diagnose_seen *seen = signature->judge->seen;
	uint32_t last = UINT32_MAX;

	for (uint32_t i = 0; i < seen->block_count; i++) {
		const struct diagnose_block *block = &seen->blocks[i];
		double insns = (double)(block->runs * block->counts.insns);

		if (!block->waits || block->function == last ||
		    insns < 0.02 * (double)seen->all.insns)
			continue;
		last = block->function;
		signature_detail(signature, "%s", source_text(signature->judge, &block->source));
	}
}

/* Join two parts of a signature, either of which suffices; `signature` has the second. */
static void join(struct signature *signature, const struct signature *first)
{
	bool certain = first->holds && !first->distrusted;

	if (certain || (first->holds && !signature->holds))
		signature->distrusted = certain ? NULL : first->distrusted;
	signature->holds |= first->holds;
}

static void judge_sync(struct judge *judge)
{
	const struct diagnose_seen *seen = judge->seen;
	struct signature signature = signature_begin(judge, PATTERN_SYNC), first;

	signature_figure(
		&signature, "share of instructions that wait for other threads, or lock and unlock",
		ratio((double)seen->waiting_insns, (double)seen->all.insns), "", TAKT_COUNTED, "");
	signature_made_of(&signature, "INSTRUCTIONS");
	signature_at_least(&signature, "sync", judge->limits->sync);
	first = signature;
	signature.holds = true;
	signature.distrusted = NULL;
	signature_figure(&signature, "futex system calls per instruction",
			 ratio((double)seen->all.futexes, (double)seen->all.insns), "",
			 TAKT_COUNTED, "depends on how threads ran concurrently");
	signature_made_of(&signature, "FUTEXES INSTRUCTIONS");
	signature_at_least(&signature, "futex-rate", judge->limits->futex_rate);
	join(&signature, &first);
	signature_figure(&signature, "atomic instructions per instruction",
			 ratio((double)seen->all.atomics, (double)seen->all.insns), "",
			 TAKT_COUNTED, "");
	signature_made_of(&signature, "ATOMICS INSTRUCTIONS");
	if (signature.holds)
		show_waiting(&signature);
	signature_end(&signature, NULL);
}

bool judge_threads(struct judge *judge)
{
	if (judge->seen->thread_count < 2)
		return false;
	judge_sharing(judge, false);
	judge_sharing(judge, true);
	judge_imbalance(judge);
	judge_sync(judge);
	return true;
}
