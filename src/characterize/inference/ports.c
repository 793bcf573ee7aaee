/* SPDX-License-Identifier: MIT */
/* Finds ports by counters: Algorithm 1 of the uops.info paper, with the thresholds of cpuBench. */
#include <math.h>

#include "bounds/bounds.h"
#include "characterize/inference/ports.h"

#define BLOCKERS_MIN 10
#define BLOCKERS_MAX 160
/* Part of a µop that is added before counts are rounded down. */
#define ROUND_UP 0.2
/* Least number of unknown µops on a set of ports for which the set is blocked. */
#define UNBLOCKED_MIN 0.8

void takt_probe_ports_write(const struct probe_machine *machine, const struct probe_uops *uops,
			    unsigned count, struct takt_text *text)
{
	for (unsigned i = 0; i < count; i++) {
		char letter = '\0';

		takt_text_printf(text, "%s%u*", i ? "+" : "", uops[i].count);
		for (unsigned p = 0; p < machine->port_count; p++) {
			const char *name = machine->port_name(machine, p);

			if (!(uops[i].ports >> p & 1))
				continue;
			takt_text_add_string(text, *name == letter ? name + 1 : name);
			letter = *name;
		}
	}
}

/*
 * Return the number of blockers: so many that the instruction finds all ports busy, however long it
 * takes, and equally many for each port, which leaves no gap.
 */
static unsigned blocker_count(const struct probe_throughput *throughput, unsigned port_count)
{
	double count = fmax(2 * port_count * throughput->cycles, 4 * port_count * throughput->uops);

	count = fmax(count, port_count * (throughput->chained + 1));
	count = fmin(fmax(count, BLOCKERS_MIN), BLOCKERS_MAX);
	return (unsigned)ceil(count / port_count) * port_count;
}

double takt_probe_uops_on(const double port_uops[TAKT_PORTS_MAX], uint32_t ports)
{
	double sum = 0;

	for (unsigned p = 0; p < TAKT_PORTS_MAX; p++)
		if (ports >> p & 1)
			sum += port_uops[p];
	return sum;
}

/* Count the µops already known that may use only ports of this set. */
static unsigned known_on(const struct probe_uops *uops, unsigned count, uint32_t ports)
{
	unsigned known = 0;

	for (unsigned i = 0; i < count; i++)
		if (!(uops[i].ports & ~ports))
			known += uops[i].count;
	return known;
}

/* True if the form waits for flags that blockers write, or the other way round. */
static bool is_tied(const struct probe_form *blocker, const struct probe_form *form)
{
	return (takt_probe_accesses_flags(blocker, TAKT_READ) &&
		takt_probe_accesses_flags(form, TAKT_WRITE)) ||
	       (takt_probe_accesses_flags(blocker, TAKT_WRITE) &&
		takt_probe_accesses_flags(form, TAKT_READ));
}

/*
 * Measure the µops on the blocked ports beyond the blockers' own; with `form` NULL, those of
 * everything else in the block.
 */
static double measure(struct probe_lab *lab, const struct probe_blocker *blocker, unsigned count,
		      const struct probe_form *form, bool tied)
{
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	/*
	 * If blockers waited for the form's flags, they would leave the ports to it, or it to them.
	 */
	if (tied)
		takt_probe_add_tool(lab, &code, PROBE_TEST, PROBE_BASE, PROBE_BASE);
	for (unsigned i = 0; i < count; i++)
		takt_probe_add_host(&code, blocker->form, i);
	if (tied)
		takt_probe_add_tool(lab, &code, PROBE_TEST, PROBE_BASE, PROBE_BASE);
	if (form && takt_probe_is_jump(form))
		takt_probe_add_direction(lab, &code);
	if (form)
		takt_probe_add_guest(&code, form, 0);
	if (!takt_probe_run(lab, &code, form ? "ports, after blockers" : "blockers alone",
			    &outcome))
		return 0;
	return takt_probe_uops_on(outcome.port_uops, blocker->ports) - count * blocker->uops;
}

static void log_step(struct probe_lab *lab, const struct probe_blocker *blocker, double uops,
		     unsigned known)
{
	const struct probe_uops set = {blocker->ports, 1};

	takt_text_printf(lab->log, "          so %.2f µops have no ports but those of ",
			 uops + known);
	takt_probe_ports_write(lab->machine, &set, 1, lab->log);
	takt_text_printf(lab->log, ", %u of them known\n", known);
}

/* True if µops that may use other ports as well could be taken for µops of the blocker's ports. */
static bool has_wider(const struct probe_blockers *blockers, const struct probe_blocker *blocker)
{
	for (unsigned i = 0; i < blockers->count; i++)
		if (blockers->entries[i].ports != blocker->ports &&
		    !(blocker->ports & ~blockers->entries[i].ports))
			return true;
	return false;
}

/*
 * True if the form gets its flags late, from an instruction after the blockers. It then is the
 * oldest µop that waits, and takes the ports that blockers should keep from it. `uops` are those of
 * the instruction that writes the flags.
 */
static bool is_late(const struct probe_blocker *blocker, const struct probe_form *form, double uops)
{
	return uops >= UNBLOCKED_MIN && takt_probe_accesses_flags(blocker->form, TAKT_WRITE) &&
	       takt_probe_accesses_flags(form, TAKT_READ);
}

/* Add the µops that the blocker finds. */
static void try_blocker(struct probe_lab *lab, const struct probe_blockers *blockers,
			const struct probe_blocker *usual, const struct probe_form *form,
			const struct probe_throughput *throughput, struct probe_ports *ports)
{
	const struct probe_blocker untied = {
		.form = usual->flagless, .ports = usual->ports, .uops = 1};
	const struct probe_blocker *blocker =
		is_tied(usual->form, form) && usual->flagless ? &untied : usual;
	unsigned k = blocker_count(throughput, (unsigned)__builtin_popcount(blocker->ports));
	unsigned known = known_on(ports->uops, ports->count, blocker->ports);
	bool tied = is_tied(blocker->form, form);
	double uops, others = 0;

	if (takt_probe_uops_on(throughput->port_uops, blocker->ports) < known + UNBLOCKED_MIN)
		return;
	uops = measure(lab, blocker, k, form, tied) - known + ROUND_UP;
	if (tied)
		others = measure(lab, blocker, k, NULL, true);
	uops -= others;
	if (lab->log)
		log_step(lab, blocker, uops - ROUND_UP, known);
	if (uops < 1)
		return;
	ports->uops[ports->count++] = (struct probe_uops){blocker->ports, (unsigned)uops};
	if (is_late(blocker, form, others) && has_wider(blockers, blocker))
		ports->doubt = "waits for flags after blockers";
}

/* Cycles by which the ports' bound may exceed what was measured. */
#define BOUND_SLACK 0.1

/* Factor by which jumps may take longer than their ports. */
#define UNEXPLAINED 1.4

static void check(const struct probe_form *form, const struct probe_throughput *throughput,
		  unsigned found, struct probe_ports *ports)
{
	/* Jumps block no ports, so that those that only they use have no blocker. */
	if (takt_probe_is_jump(form) && throughput->cycles > UNEXPLAINED * ports->cycles)
		ports->doubt = PROBE_JUMPS_ONLY;
	if (fabs(throughput->uops - found) > ROUND_UP ||
	    ports->cycles > throughput->cycles + BOUND_SLACK)
		ports->doubt = "other µops than were counted";
}

void takt_probe_ports(struct probe_lab *lab, const struct probe_blockers *blockers,
		      const struct probe_form *form, const struct probe_throughput *throughput,
		      struct probe_ports *ret_ports)
{
	unsigned total = (unsigned)(throughput->uops + ROUND_UP), found = 0;
	struct takt_port_load loads[PROBE_UOPS_MAX];

	*ret_ports = (struct probe_ports){.count = 0};
	for (unsigned i = 0; i < blockers->count && found < total; i++) {
		if (ret_ports->count == PROBE_UOPS_MAX)
			break;
		try_blocker(lab, blockers, &blockers->entries[i], form, throughput, ret_ports);
		found = known_on(ret_ports->uops, ret_ports->count, UINT32_MAX);
	}
	for (unsigned i = 0; i < ret_ports->count; i++)
		loads[i] =
			(struct takt_port_load){ret_ports->uops[i].ports, ret_ports->uops[i].count};
	ret_ports->cycles = takt_ports_bound(loads, ret_ports->count);
	check(form, throughput, found, ret_ports);
}
