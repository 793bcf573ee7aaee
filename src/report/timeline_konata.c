/* SPDX-License-Identifier: MIT */
/*
 * A timeline as a Kanata log, version 0004, for the viewer Konata. Each row is an issue slot; its
 * µops are drawn in lanes of their own. The log is in order of time.
 */
#include <stdlib.h>

#include "report/report.h"

/* Kinds of event, in the order in which those of one cycle and slot are written. */
enum happening {
	ENTERS,
	IS_PREDECODED,
	IS_QUEUED,
	IS_RENAMED,
	UOP_READY,
	UOP_DISPATCHED,
	UOP_DONE,
	IS_DONE,
	RETIRES
};

struct happens {
	uint32_t cycle, slot;
	enum happening what;
	uint32_t uop; /* index within the slot, for events of µops */
};

struct writer {
	const struct takt_timeline *timeline;
	struct takt_text *text;
	struct happens *all;
	size_t count;
	uint32_t retired;
};

static int compare(const void *left, const void *right)
{
	const struct happens *a = left, *b = right;

	if (a->cycle != b->cycle)
		return a->cycle < b->cycle ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	if (a->uop != b->uop && a->what != RETIRES && b->what != RETIRES)
		return a->uop < b->uop ? -1 : 1;
	return (a->what > b->what) - (a->what < b->what);
}

static void add(struct writer *writer, uint32_t cycle, uint32_t slot, enum happening what,
		uint32_t uop)
{
	writer->all[writer->count++] = (struct happens){cycle, slot, what, uop};
}

/* True unless it came into the queue in the cycle in which it was fetched. */
static bool is_decoded(const struct takt_timeline *timeline, uint32_t s)
{
	return timeline->fetches[s].fetched < timeline->slots[s].queued;
}

static void collect(struct writer *writer)
{
	const struct takt_timeline *timeline = writer->timeline;

	writer->all =
		takt_xcalloc((size_t)6 * timeline->slot_count + (size_t)3 * timeline->uop_count + 1,
			     sizeof(*writer->all));
	for (uint32_t s = 0; s < timeline->slot_count; s++) {
		const struct takt_timeline_slot *slot = &timeline->slots[s];

		add(writer, timeline->fetches[s].fetched, s, ENTERS, 0);
		if (is_decoded(timeline, s)) {
			add(writer, timeline->fetches[s].predecoded, s, IS_PREDECODED, 0);
			add(writer, slot->queued, s, IS_QUEUED, 0);
		}
		add(writer, slot->renamed, s, IS_RENAMED, 0);
		for (uint32_t u = 0; u < slot->uop_count; u++) {
			const struct takt_timeline_uop *uop = &timeline->uops[slot->first_uop + u];

			add(writer, uop->ready, s, UOP_READY, u);
			add(writer, uop->dispatched, s, UOP_DISPATCHED, u);
			add(writer, uop->done, s, UOP_DONE, u);
		}
		add(writer, slot->done, s, IS_DONE, 0);
		add(writer, slot->retired, s, RETIRES, 0);
	}
	qsort(writer->all, writer->count, sizeof(*writer->all), compare);
}

/* Write a label; tabs and line breaks, which would end the field, become blanks. */
static void write_label(struct takt_text *text, const char *label)
{
	for (; *label; label++)
		takt_text_add(text, (unsigned char)*label < ' ' ? " " : label, 1);
}

static void write_stage(struct writer *writer, char letter, uint32_t slot, uint32_t lane,
			const char *stage)
{
	takt_text_printf(writer->text, "%c\t%u\t%u\t%s\n", letter, slot, lane, stage);
}

static const char *port_name(const struct writer *writer, const struct takt_timeline_uop *uop)
{
	const struct takt_analysis *analysis = writer->timeline->analysis;

	return uop->port < analysis->port_count ? analysis->port_names[uop->port] : "";
}

/* Konata takes stages with an X in their name for execution, and draws arrows between them. */
static void write_execution(struct writer *writer, char letter, uint32_t slot, uint32_t lane,
			    const struct takt_timeline_uop *uop)
{
	takt_text_printf(writer->text, "%c\t%u\t%u\tX%s\n", letter, slot, lane,
			 port_name(writer, uop));
}

static void write_entry(struct writer *writer, uint32_t s)
{
	const struct takt_timeline *timeline = writer->timeline;
	const struct takt_timeline_slot *slot = &timeline->slots[s];
	const struct takt_analysis_insn *insn = &timeline->analysis->insns[slot->insn];

	takt_text_printf(writer->text, "I\t%u\t%u\t0\nL\t%u\t0\t[%u,%u] ", s, s, s, slot->iteration,
			 slot->insn);
	write_label(writer->text, slot->inserted ? "merge" : insn->text);
	takt_text_printf(writer->text, "\nL\t%u\t1\t", s);
	for (uint32_t u = 0; u < slot->uop_count; u++)
		takt_text_printf(writer->text, "%s%s %s", u ? ", " : "",
				 timeline->uops[slot->first_uop + u].kind,
				 port_name(writer, &timeline->uops[slot->first_uop + u]));
	takt_text_add_string(writer->text, "\n");
	write_stage(writer, 'S', s, 0, is_decoded(timeline, s) ? "F" : "Q");
}

static void write_wakeup(struct writer *writer, const struct takt_timeline_uop *uop)
{
	const struct takt_timeline *timeline = writer->timeline;
	uint32_t from = uop->store != TAKT_NO_INDEX ? uop->store : uop->source;

	if (from < timeline->uop_count && timeline->uops[from].slot != uop->slot)
		takt_text_printf(writer->text, "W\t%u\t%u\t0\n", uop->slot,
				 timeline->uops[from].slot);
}

/* Write an event: lane 0 belongs to the slot, the lanes from 1 on to its µops. */
static void write_happening(struct writer *writer, const struct happens *at)
{
	const struct takt_timeline *timeline = writer->timeline;
	const struct takt_timeline_uop *uop =
		&timeline->uops[timeline->slots[at->slot].first_uop + at->uop];
	uint32_t slot = at->slot, lane = at->uop + 1;

	switch (at->what) {
	case ENTERS:
		write_entry(writer, slot);
		break;
	case IS_PREDECODED:
		write_stage(writer, 'E', slot, 0, "F");
		write_stage(writer, 'S', slot, 0, "Dc");
		break;
	case IS_QUEUED:
		write_stage(writer, 'E', slot, 0, "Dc");
		write_stage(writer, 'S', slot, 0, "Q");
		break;
	case IS_RENAMED:
		write_stage(writer, 'E', slot, 0, "Q");
		write_stage(writer, 'S', slot, 0, "Rn");
		break;
	case UOP_READY:
		write_stage(writer, 'S', slot, lane, "Wp");
		break;
	case UOP_DISPATCHED:
		write_stage(writer, 'E', slot, lane, "Wp");
		write_execution(writer, 'S', slot, lane, uop);
		write_wakeup(writer, uop);
		break;
	case UOP_DONE:
		write_execution(writer, 'E', slot, lane, uop);
		/* Without this stage, the lane's last execution would last until retirement. */
		write_stage(writer, 'S', slot, lane, "Wb");
		write_stage(writer, 'E', slot, lane, "Wb");
		break;
	case IS_DONE:
		write_stage(writer, 'E', slot, 0, "Rn");
		write_stage(writer, 'S', slot, 0, "Cm");
		break;
	case RETIRES:
		write_stage(writer, 'E', slot, 0, "Cm");
		takt_text_printf(writer->text, "R\t%u\t%u\t0\n", slot, writer->retired++);
		break;
	}
}

void takt_write_timeline_konata(const struct takt_timeline *timeline, struct takt_text *text)
{
	struct writer writer = {.timeline = timeline, .text = text};
	uint32_t cycle = 0;

	collect(&writer);
	takt_text_add_string(text, "Kanata\t0004\nC=\t0\n");
	for (size_t i = 0; i < writer.count; i++) {
		if (writer.all[i].cycle != cycle)
			takt_text_printf(text, "C\t%u\n", writer.all[i].cycle - cycle);
		cycle = writer.all[i].cycle;
		write_happening(&writer, &writer.all[i]);
	}
	free(writer.all);
}
