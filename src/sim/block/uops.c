/* SPDX-License-Identifier: MIT */
/*
 * The µops of an instruction by function: loads, computation, store address, store data, in that
 * order. A row of a timing file says how many µops may use which ports; which of them access memory
 * is known from the core's load and store ports.
 */
#include <string.h>

#include "sim/block/block.h"

struct maker {
	const struct takt_model *model;
	struct takt_access_ports access;
	uint32_t pseudo;
	unsigned loads, stores; /* memory operands that no µop serves yet */
	unsigned excess;	/* counts of the row that are cycles, not µops */
	struct sim_uops *uops;
	struct sim_uop compute[SIM_UOPS_MAX], address[TAKT_MEMORIES_MAX], data[TAKT_MEMORIES_MAX];
	unsigned compute_count, address_count, data_count;
};

static void count_memories(struct maker *maker, const struct takt_insn *insn)
{
	for (unsigned m = 0; m < insn->memory_count; m++) {
		maker->loads += insn->memories[m].read && !insn->memories[m].address_only;
		maker->stores += insn->memories[m].write && !insn->memories[m].address_only;
	}
}

static uint16_t widest_memory(const struct takt_insn *insn)
{
	uint16_t size_bytes = 0;

	for (unsigned m = 0; m < insn->memory_count; m++)
		if (insn->memories[m].size_bytes > size_bytes)
			size_bytes = insn->memories[m].size_bytes;
	return size_bytes;
}

/* Return the memory operand of the `nth` access of a kind; the first if there are fewer. */
static uint8_t memory_of(const struct takt_insn *insn, bool store, unsigned nth)
{
	uint8_t first = 0;
	bool found = false;

	for (uint8_t m = 0; m < insn->memory_count; m++) {
		const struct takt_memory *memory = &insn->memories[m];

		if (memory->address_only || !(store ? memory->write : memory->read))
			continue;
		if (!nth--)
			return m;
		if (!found)
			first = m;
		found = true;
	}
	return first;
}

static bool inside(uint32_t ports, uint32_t set)
{
	return ports && !(ports & ~set);
}

static void add_compute(struct maker *maker, struct sim_uop uop)
{
	if (maker->compute_count < SIM_UOPS_MAX)
		maker->compute[maker->compute_count++] = uop;
}

static void add_load(struct maker *maker, const struct takt_insn *insn, struct sim_uop uop,
		     unsigned nth)
{
	if (maker->uops->count == SIM_UOPS_MAX)
		return;
	uop.kind = SIM_UOP_LOAD;
	uop.memory = memory_of(insn, false, nth);
	maker->uops->uops[maker->uops->count++] = uop;
}

static void add_store(struct sim_uop *list, unsigned *count, const struct takt_insn *insn,
		      struct sim_uop uop, enum sim_uop_kind kind)
{
	if (*count == TAKT_MEMORIES_MAX)
		return;
	uop.kind = (uint8_t)kind;
	uop.memory = memory_of(insn, true, *count);
	list[(*count)++] = uop;
}

/* Add one µop on these ports to the kind that it seems to serve. */
static void add_uop(struct maker *maker, const struct takt_insn *insn, struct sim_uop uop)
{
	uint32_t load = maker->access.load, address = maker->access.store_address;
	/* p23 loads; p237 has a port for store addresses alone. */
	bool can_load = uop.ports & load && !(uop.ports & address & ~load);
	unsigned served = maker->uops->count;

	if (maker->data_count < maker->stores && inside(uop.ports, maker->access.store_data))
		add_store(maker->data, &maker->data_count, insn, uop, SIM_UOP_STORE_DATA);
	else if (can_load && insn->flags & TAKT_INSN_LOADS &&
		 (served < maker->loads || maker->address_count == maker->stores))
		add_load(maker, insn, uop, served);
	else if (maker->address_count < maker->stores && inside(uop.ports, address | load))
		add_store(maker->address, &maker->address_count, insn, uop, SIM_UOP_STORE_ADDRESS);
	else
		add_compute(maker, uop);
}

/* Add `count` µops, or, where the row says so or there are too many, fewer that take longer. */
static void add_entry(struct maker *maker, const struct takt_insn *insn, uint32_t ports,
		      unsigned count)
{
	unsigned cycles = 1;

	if (maker->excess && count > 1) {
		cycles = count;
		maker->excess -= count - 1 < maker->excess ? count - 1 : maker->excess;
		count = 1;
	} else if (count > SIM_UOPS_MAX / 4) {
		cycles = (count + SIM_UOPS_MAX / 4 - 1) / (SIM_UOPS_MAX / 4);
		count = SIM_UOPS_MAX / 4;
	}
	if (cycles > SIM_PORT_CYCLES_MAX)
		cycles = SIM_PORT_CYCLES_MAX;
	for (unsigned i = 0; i < count; i++)
		add_uop(maker, insn,
			(struct sim_uop){.ports = ports, .port_cycles = (uint16_t)cycles});
}

static struct sim_uop *fewest_ports(struct sim_uop *uops, unsigned count)
{
	struct sim_uop *best = count ? uops : NULL;

	for (unsigned i = 1; i < count; i++)
		if (__builtin_popcount(uops[i].ports) < __builtin_popcount(best->ports))
			best = &uops[i];
	return best;
}

/* Return the µop that occupies a pseudo port (divider, data path). */
static struct sim_uop *unit_user(struct maker *maker, uint32_t unit)
{
	if (unit & maker->access.store_units && maker->data_count)
		return &maker->data[0];
	if (unit & maker->access.load_units && maker->uops->count)
		return &maker->uops->uops[0];
	if (maker->compute_count)
		return fewest_ports(maker->compute, maker->compute_count);
	if (maker->uops->count)
		return &maker->uops->uops[0];
	return maker->data_count ? &maker->data[0] : NULL;
}

/*
 * Let a µop occupy a unit. A µop serves one unit; further units are given to µops of their own,
 * without a port. Only a wide load occupies all data paths that its row names, at once.
 */
static void add_unit(struct maker *maker, uint32_t unit, uint16_t cycles)
{
	struct sim_uop *user = unit_user(maker, unit);

	if (cycles > SIM_UNIT_CYCLES_MAX)
		cycles = SIM_UNIT_CYCLES_MAX;
	if (user && !user->unit_ports) {
		user->unit_ports = unit;
		user->unit_cycles = cycles;
	} else if (user && user->kind == SIM_UOP_LOAD && cycles == user->unit_cycles) {
		user->unit_ports |= unit;
		user->unit_all = true;
	} else {
		add_compute(maker, (struct sim_uop){.unit_ports = unit, .unit_cycles = cycles});
	}
}

/* Add µops for stores whose address or data has no port of its own: they still wait for both. */
static void complete_stores(struct maker *maker, const struct takt_insn *insn)
{
	struct sim_uop none = {.ports = 0};

	while (maker->address_count < maker->stores)
		add_store(maker->address, &maker->address_count, insn, none, SIM_UOP_STORE_ADDRESS);
	while (maker->data_count < maker->stores)
		add_store(maker->data, &maker->data_count, insn, none, SIM_UOP_STORE_DATA);
}

static void complete_loads(struct maker *maker, const struct takt_insn *insn)
{
	while (maker->uops->count < maker->loads)
		add_load(maker, insn, (struct sim_uop){.ports = 0}, maker->uops->count);
}

/*
 * Give the jump's µop of a fused pair the work of both: the first instruction gives up the µop that
 * could have used the jump's ports, or else the one with most.
 */
static void absorb_branch(struct maker *maker, const struct takt_timing *branch)
{
	uint32_t ports = branch->uops_count ? branch->uops[0].ports : 0;
	int best = -1, best_score = -1;

	for (unsigned i = 0; i < maker->compute_count; i++) {
		int score = __builtin_popcount(maker->compute[i].ports) +
			    (maker->compute[i].ports & ports ? TAKT_PORTS_MAX : 0);

		if (score > best_score) {
			best_score = score;
			best = (int)i;
		}
	}
	if (best >= 0)
		maker->compute[best].ports = ports;
	else if (ports)
		add_compute(maker, (struct sim_uop){.ports = ports, .port_cycles = 1});
}

static void swap_uops(struct sim_uop *left, struct sim_uop *right)
{
	struct sim_uop kept = *left;

	*left = *right;
	*right = kept;
}

/* Put the µop of a writeback to the address register last: an integer µop, if there is one. */
static void find_step(struct maker *maker, const struct takt_insn *insn)
{
	uint32_t ports = takt_model_class_ports(maker->model, TAKT_CLASS_INT);
	unsigned last = maker->compute_count - 1;

	maker->uops->steps = takt_writeback_location(insn) && maker->compute_count;
	for (unsigned i = last; maker->uops->steps && i <= last; i--)
		if (maker->compute[i].ports & ports) {
			swap_uops(&maker->compute[i], &maker->compute[last]);
			return;
		}
}

static void gather(struct maker *maker)
{
	struct sim_uops *uops = maker->uops;

	uops->compute_count = 0;
	for (unsigned i = 0; i < maker->compute_count && uops->count < SIM_UOPS_MAX; i++) {
		uops->uops[uops->count++] = maker->compute[i];
		uops->compute_count++;
	}
	if (uops->compute_count < maker->compute_count)
		uops->steps = 0;
	for (unsigned i = 0; i < maker->address_count; i++) {
		uops->uops[uops->count++] = maker->address[i];
		uops->uops[uops->count++] = maker->data[i];
	}
}

void sim_uops_find(const struct takt_model *model, const struct takt_insn *insn,
		   const struct takt_timing *timing, const struct takt_timing *branch,
		   struct sim_uops *ret_uops)
{
	bool vector = insn->flags & (TAKT_INSN_VECTOR | TAKT_INSN_X87);
	struct maker maker = {
		.model = model, .pseudo = takt_model_pseudo_ports(model), .uops = ret_uops};
	unsigned total = 0;

	ret_uops->count = ret_uops->compute_count = 0;
	takt_model_access_ports(model, vector, widest_memory(insn), insn->flags & TAKT_INSN_INDEXED,
				&maker.access);
	count_memories(&maker, insn);
	for (unsigned i = 0; i < timing->uops_count; i++)
		if (!(timing->uops[i].ports & maker.pseudo))
			total += timing->uops[i].count;
	maker.excess = total > timing->uop_total ? total - timing->uop_total : 0;
	for (unsigned i = 0; i < timing->uops_count; i++)
		if (!(timing->uops[i].ports & maker.pseudo))
			add_entry(&maker, insn, timing->uops[i].ports, timing->uops[i].count);
	if (branch)
		absorb_branch(&maker, branch);
	complete_loads(&maker, insn);
	complete_stores(&maker, insn);
	for (unsigned i = 0; i < timing->uops_count; i++)
		if (timing->uops[i].ports & maker.pseudo)
			add_unit(&maker, timing->uops[i].ports, timing->uops[i].count);
	find_step(&maker, insn);
	gather(&maker);
}

/* ---- groups and slots ------------------------------------------------------------- */

/*
 * Give groups to the computing µops. The µop with most ports is the main one, group 0. Helpers that
 * it waits for come before it, other µops after.
 */
static void set_groups(struct sim_uop *compute, unsigned count, const struct sim_flow *flow,
		       unsigned group_count)
{
	unsigned main_index = 0, next = 0;

	for (unsigned i = 1; i < count; i++)
		if (__builtin_popcount(compute[i].ports) >
		    __builtin_popcount(compute[main_index].ports))
			main_index = i;
	swap_uops(&compute[main_index], &compute[count - 1]);
	for (unsigned g = 1; g < group_count; g++)
		if (flow->lead_cycles[g] != SIM_NO_LATENCY)
			compute[next++].group = (uint8_t)g;
	swap_uops(&compute[next], &compute[count - 1]);
	compute[next++].group = 0;
	for (unsigned g = 1; g < group_count; g++)
		if (flow->lead_cycles[g] == SIM_NO_LATENCY)
			compute[next++].group = (uint8_t)g;
	while (next < count)
		compute[next++].group = SIM_GROUP_ALL;
}

/* True if the µop takes a port; without one it needs no slot of its own either. */
static bool is_real(const struct sim_uop *uop)
{
	return uop->ports != 0;
}

static bool may_join(const struct sim_uop *before, const struct sim_uop *uop, bool store)
{
	if (uop->joins || before->joins || !is_real(before))
		return false;
	if (store)
		return uop->kind == SIM_UOP_STORE_DATA;
	return before->kind == SIM_UOP_LOAD && uop->kind != SIM_UOP_LOAD;
}

/* Join pairs of one sort until `wanted` slots are left. */
static unsigned join_pairs(struct sim_uops *uops, unsigned slots, unsigned wanted, bool store)
{
	for (unsigned i = 1; i < uops->count && slots > wanted; i++)
		if (is_real(&uops->uops[i]) &&
		    may_join(&uops->uops[i - 1], &uops->uops[i], store)) {
			uops->uops[i].joins = true;
			slots--;
		}
	return slots;
}

void sim_uops_arrange(struct sim_uops *uops, const struct sim_flow *flow, unsigned issue_slots)
{
	unsigned first = 0, slots = 0;

	while (first < uops->count && uops->uops[first].kind == SIM_UOP_LOAD)
		first++;
	if (uops->steps)
		uops->uops[first + uops->compute_count - 1].group =
			(uint8_t)(flow->group_count - 1);
	if (uops->compute_count > uops->steps)
		set_groups(&uops->uops[first], uops->compute_count - uops->steps, flow,
			   flow->group_count - uops->steps);
	for (unsigned i = 0; i < uops->count; i++) {
		uops->uops[i].joins = i && !is_real(&uops->uops[i]);
		slots += !uops->uops[i].joins;
	}
	slots = join_pairs(uops, slots, issue_slots, true);
	slots = join_pairs(uops, slots, issue_slots, false);
	for (unsigned i = uops->count; i-- > 1 && slots > issue_slots;)
		if (!uops->uops[i].joins) {
			uops->uops[i].joins = true;
			slots--;
		}
}
