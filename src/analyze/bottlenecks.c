/* SPDX-License-Identifier: MIT */
/* Describes the limits in words, most important first, each with its figures. */
#include <stdlib.h>
#include <string.h>

#include "analyze/work.h"

#define NAMED_CYCLES_MAX 4u

void takt_work_add_sentence(struct takt_work *work, struct takt_sentences *sentences,
			    const struct takt_text *text)
{
	/* Recurrences that differ only in members beyond the named ones give the same sentence. */
	if (sentences->count &&
	    strcmp(sentences->items[sentences->count - 1], takt_text_data(text)) == 0)
		return;
	TAKT_GROW_IN(work->arena, sentences->items, sentences->count + 1, sentences->capacity);
	sentences->items[sentences->count++] =
		takt_arena_copy(work->arena, takt_text_data(text), text->size_bytes);
}

/*
 * Return the cycles per block execution, as all bounds are; the headline may be per source
 * iteration.
 */
static double block_cycles(const struct takt_work *work)
{
	return work->record->cycles_per_iteration * work->record->unroll_factor;
}

static const char *unit(const struct takt_work *work)
{
	return work->record->unroll_factor == 1 ? "iteration" : "block execution";
}

static bool near_limit(const struct takt_work *work, double cycles)
{
	return cycles > 0 && cycles >= (1 - TAKT_NEAR_LIMIT) * block_cycles(work);
}

static double group_cycles(const struct takt_analysis_insn *insn, uint32_t group)
{
	double cycles = 0;

	for (; group; group &= group - 1)
		cycles += insn->port_cycles[__builtin_ctz(group)];
	return cycles;
}

/* An instruction that uses a group of ports. */
struct user {
	double cycles;
	uint32_t insn;
};

TAKT_ORDER(compare_users, struct user, TAKT_DOWN(cycles), TAKT_UP(insn));

static void name_insn(const struct takt_work *work, uint32_t insn, struct takt_name_list *names)
{
	struct takt_text name = {0};

	takt_work_write_insn(work, insn, &name);
	takt_name_list_add(names, name.data);
	takt_text_release(&name);
}

/* Name the instructions that use the group of ports, those with most cycles first. */
static void write_users(const struct takt_work *work, uint32_t group, struct takt_text *text)
{
	struct user *users = TAKT_NEW_ARRAY(work->arena, work->record->insn_count, struct user);
	struct takt_name_list names = {.count = 0};
	uint32_t count = 0;

	for (uint32_t i = 0; i < work->record->insn_count; i++) {
		double cycles = group_cycles(&work->insns[i], group);

		if (cycles > 0)
			users[count++] = (struct user){cycles, i};
	}
	qsort(users, count, sizeof(*users), compare_users);
	for (uint32_t i = 0; i < count; i++)
		name_insn(work, users[i].insn, &names);
	takt_name_list_end(&names, text);
}

static void write_port_names(const struct takt_work *work, uint32_t group, struct takt_text *text)
{
	uint32_t left = (uint32_t)__builtin_popcount(group);

	takt_text_add_string(text, left > 1 ? "ports " : "port ");
	for (; group; group &= group - 1, left--)
		takt_text_printf(text, "%s%s", work->record->port_names[__builtin_ctz(group)],
				 left > 2    ? ", "
				 : left == 2 ? " and "
					     : "");
}

/* Add ports near the limit that share work with `group`: together they are one bottleneck. */
static uint32_t widen_group(const struct takt_work *work, uint32_t group, uint32_t busy)
{
	const struct takt_prepared *prepared = &work->prepared;
	uint32_t before;

	do {
		before = group;
		for (uint32_t i = 0; i < prepared->load_count; i++)
			if (prepared->loads[i].ports & group)
				group |= prepared->loads[i].ports & busy;
	} while (group != before);
	return group;
}

static void add_ports(struct takt_work *work, struct takt_sentences *sentences,
		      struct takt_text *text)
{
	const struct takt_analysis *record = work->record;
	uint32_t busy = 0, group;

	for (uint32_t port = 0; port < record->port_count; port++)
		busy |= (uint32_t)near_limit(work, record->port_cycles[port]) << port;
	for (; busy; busy &= ~group) {
		double most = 0;

		group = widen_group(work, busy & -busy, busy);
		for (uint32_t port = 0; port < record->port_count; port++)
			if (group >> port & 1 && record->port_cycles[port] > most)
				most = record->port_cycles[port];
		takt_text_clear(text);
		write_port_names(work, group, text);
		takt_text_printf(text, "%s busy %.0f %% of the time: %.2f of %.2f cycles (",
				 group & (group - 1) ? " are each" : " is",
				 100 * most / block_cycles(work), most, block_cycles(work));
		write_users(work, group, text);
		takt_text_add_string(text, ")");
		takt_work_add_sentence(work, sentences, text);
	}
}

static void add_recurrence(struct takt_work *work, const struct takt_recurrence *recurrence,
			   struct takt_sentences *sentences, struct takt_text *text)
{
	struct takt_name_list names = {.count = 0};

	takt_text_clear(text);
	takt_text_add_string(text, "loop-carried dependence");
	if (*recurrence->location)
		takt_text_printf(text, " through %s", recurrence->location);
	takt_text_printf(text, ": %.2f cycles per %s", recurrence->cycles_per_iteration,
			 unit(work));
	if (recurrence->iterations > 1)
		takt_text_printf(text, " (%.0f over %u)",
				 recurrence->cycles_per_iteration * recurrence->iterations,
				 recurrence->iterations);
	takt_text_add_string(text, " over ");
	for (uint32_t i = 0; i < recurrence->member_count; i++)
		name_insn(work, recurrence->members[i], &names);
	takt_name_list_end(&names, text);
	takt_work_add_sentence(work, sentences, text);
}

static void add_cycles(struct takt_work *work, struct takt_sentences *sentences,
		       struct takt_text *text)
{
	const struct takt_analysis *record = work->record;

	for (uint32_t i = 0; i < record->recurrence_count && i < NAMED_CYCLES_MAX; i++)
		if (near_limit(work, record->recurrences[i].cycles_per_iteration))
			add_recurrence(work, &record->recurrences[i], sentences, text);
}

static void add_issue(struct takt_work *work, struct takt_sentences *sentences,
		      struct takt_text *text)
{
	const struct takt_analysis *record = work->record;

	if (!near_limit(work, record->bounds.issue_cycles))
		return;
	takt_text_clear(text);
	takt_text_printf(text, "issue width: %u %s at %u per cycle: %.2f cycles per %s",
			 record->issue_slots, takt_noun(record->issue_slots, "slot", "slots"),
			 record->issue_width, record->bounds.issue_cycles, unit(work));
	takt_work_add_sentence(work, sentences, text);
}

void takt_work_fill_bottlenecks(struct takt_work *work)
{
	const struct takt_bounds *bounds = &work->record->bounds;
	struct {
		double cycles;
		void (*add)(struct takt_work *, struct takt_sentences *, struct takt_text *);
	} limits[] = {
		{work->record->fixed ? bounds->fixed_ports_cycles : bounds->ports_cycles,
		 add_ports},
		{bounds->loop_carried_cycles, add_cycles},
		{bounds->issue_cycles, add_issue},
	};
	struct takt_sentences sentences = {0};
	struct takt_text text = {0};

	for (size_t done = 0; done < TAKT_COUNT_OF(limits); done++) {
		size_t next = 0;

		for (size_t i = 1; i < TAKT_COUNT_OF(limits); i++)
			if (limits[i].cycles > limits[next].cycles)
				next = i;
		if (limits[next].cycles >= 0)
			limits[next].add(work, &sentences, &text);
		limits[next].cycles = -1;
	}
	takt_text_release(&text);
	work->record->bottlenecks = sentences.items;
	work->record->bottleneck_count = sentences.count;
}
