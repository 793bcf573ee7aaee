/* SPDX-License-Identifier: MIT */
/* llvm_schedule: figures of processors and scheduling classes from LLVM's scheduling models. */
#include "isa/llvm_target.hpp"

#include <algorithm>

#include <llvm/MC/MCSchedule.h>

namespace takt
{

namespace
{

constexpr unsigned variants_max = 8; /* nesting of variants */

/* Add the units of a resource; return their mask, which has fewer if there is no room. */
uint32_t add_units(takt_llvm_processor &processor, const llvm::MCProcResourceDesc &resource)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < resource.NumUnits; i++) {
		if (processor.unit_count == TAKT_LLVM_UNITS_MAX) {
			processor.units_cut = true;
			break;
		}
		mask |= uint32_t(1) << processor.unit_count;
		processor.units[processor.unit_count++] = {resource.Name, uint16_t(i)};
	}
	return mask;
}

/* The lowest `count` bits of a mask. */
uint32_t lowest(uint32_t mask, unsigned count)
{
	uint32_t chosen = 0;

	for (; mask && count; mask &= mask - 1, count--)
		chosen |= mask & -mask;
	return chosen;
}

/* Numbers the units of each resource. */
class Units
{
      public:
	explicit Units(takt_llvm_target &target)
	    : target_(target), model_(target.subtarget->getSchedModel()),
	      known_(model_.getNumProcResourceKinds()), taken_(known_.size())
	{
		target.resource_units.assign(known_.size(), 0);
	}

	void number()
	{
		for (unsigned i = 1; i < known_.size(); i++)
			mask_of(i);
	}

      private:
	/* Return a resource's units: a group has its members', a part has some of its whole's. */
	uint32_t mask_of(unsigned number)
	{
		const llvm::MCProcResourceDesc &resource = *model_.getProcResource(number);
		uint32_t &mask = target_.resource_units[number];

		if (known_[number])
			return mask;
		known_[number] = true;
		if (resource.SubUnitsIdxBegin) {
			for (unsigned i = 0; i < resource.NumUnits; i++)
				mask |= mask_of(resource.SubUnitsIdxBegin[i]);
		} else if (resource.SuperIdx) {
			const uint32_t whole = mask_of(resource.SuperIdx);
			uint32_t &taken = taken_[resource.SuperIdx];

			/* Parts of a resource get different units, as far as there are enough. */
			mask = lowest(whole & ~taken, resource.NumUnits);
			mask |= lowest(whole & ~mask,
				       resource.NumUnits - unsigned(__builtin_popcount(mask)));
			taken |= mask;
		} else {
			mask = add_units(target_.processor, resource);
		}
		return mask;
	}

	takt_llvm_target &target_;
	const llvm::MCSchedModel &model_;
	std::vector<bool> known_;
	std::vector<uint32_t> taken_;
};

/*
 * Add the resources of a class. LLVM's tables count a µop on every group that contains its unit.
 * From small groups to large ones, each keeps the cycles that its parts do not account for.
 */
void add_resources(const takt_llvm_target &target, const llvm::MCSchedClassDesc &scheduling,
		   takt_llvm_schedule &schedule)
{
	const auto *begin = target.subtarget->getWriteProcResBegin(&scheduling);
	const auto *end = target.subtarget->getWriteProcResEnd(&scheduling);
	std::vector<std::pair<uint32_t, int>> entries, kept; /* units, cycles */

	for (const auto *entry = begin; entry != end; entry++)
		entries.emplace_back(target.resource_units[entry->ProcResourceIdx],
				     entry->ReleaseAtCycle - entry->AcquireAtCycle);
	std::stable_sort(entries.begin(), entries.end(), [](const auto &left, const auto &right) {
		return __builtin_popcount(left.first) < __builtin_popcount(right.first);
	});
	for (auto [units, cycles] : entries) {
		for (const auto &[part, own] : kept)
			if (!(part & ~units))
				cycles -= own;
		if (!units || cycles <= 0)
			continue;
		kept.emplace_back(units, cycles);
		if (schedule.resource_count < TAKT_LLVM_RESOURCES_MAX)
			schedule.resources[schedule.resource_count++] = {units, uint16_t(cycles)};
	}
}

void add_writes(const takt_llvm_target &target, const llvm::MCSchedClassDesc &scheduling,
		takt_llvm_schedule &schedule)
{
	const unsigned count =
		std::min<unsigned>(scheduling.NumWriteLatencyEntries, TAKT_LLVM_OPERANDS_MAX);

	for (unsigned i = 0; i < count; i++) {
		const auto *entry = target.subtarget->getWriteLatencyEntry(&scheduling, i);
		const int cycles = entry->Cycles;

		schedule.writes[i] = {cycles < 0 ? uint16_t(TAKT_LLVM_CYCLES_UNKNOWN)
						 : uint16_t(cycles),
				      entry->WriteResourceID};
	}
	schedule.write_count = uint8_t(count);
}

bool is_from_same_class(const takt_llvm_schedule &schedule, unsigned kind)
{
	return kind == 0 || std::any_of(schedule.writes, schedule.writes + schedule.write_count,
					[kind](const auto &write) { return write.kind == kind; });
}

/* Add read advances. If a model lists too many, only those within the class itself are kept. */
void add_advances(const takt_llvm_target &target, const llvm::MCSchedClassDesc &scheduling,
		  takt_llvm_schedule &schedule)
{
	std::vector<takt_llvm_advance> own, all;

	for (const llvm::MCReadAdvanceEntry &entry :
	     target.subtarget->getReadAdvanceEntries(scheduling)) {
		const bool same = is_from_same_class(schedule, entry.WriteResourceID);

		all.push_back({uint8_t(entry.UseIdx), same, uint16_t(entry.WriteResourceID),
			       int16_t(entry.Cycles)});
		if (same)
			own.push_back(all.back());
	}
	schedule.advances_cut = all.size() > TAKT_LLVM_ADVANCES_MAX;
	const std::vector<takt_llvm_advance> &kept = schedule.advances_cut ? own : all;
	schedule.advance_count = uint8_t(std::min<size_t>(kept.size(), TAKT_LLVM_ADVANCES_MAX));
	std::copy_n(kept.begin(), schedule.advance_count, schedule.advances);
}

} // namespace

void describe_processor(takt_llvm_target &target)
{
	const llvm::MCSchedModel &model = target.subtarget->getSchedModel();
	takt_llvm_processor &processor = target.processor;

	processor.has_schedule = model.hasInstrSchedModel();
	processor.is_out_of_order = model.isOutOfOrder();
	processor.issue_width = uint16_t(model.IssueWidth);
	processor.micro_op_buffer = uint16_t(model.MicroOpBufferSize);
	processor.load_latency = uint16_t(model.LoadLatency);
	processor.mispredict_penalty = uint16_t(model.MispredictPenalty);
	if (!processor.has_schedule)
		return;
	processor.class_count = uint16_t(model.NumSchedClasses);
	Units(target).number();
}

unsigned resolve_class(const takt_llvm_target &target, const llvm::MCInst &inst, unsigned number)
{
	const llvm::MCSchedModel &model = target.subtarget->getSchedModel();

	if (!target.processor.has_schedule)
		return 0;
	for (unsigned i = 0; model.getSchedClassDesc(number)->isVariant(); i++) {
		if (i == variants_max)
			return 0;
		number = target.subtarget->resolveVariantSchedClass(
			number, &inst, target.instructions.get(), model.getProcessorID());
	}
	return model.getSchedClassDesc(number)->isValid() ? number : 0;
}

unsigned scheduling_class_of(const takt_llvm_target &target, const llvm::MCInst &inst)
{
	return resolve_class(target, inst,
			     target.instructions->get(inst.getOpcode()).getSchedClass());
}

bool describe_class(const takt_llvm_target &target, unsigned number,
		    takt_llvm_schedule &ret_schedule)
{
	const llvm::MCSchedModel &model = target.subtarget->getSchedModel();

	if (number == 0 || number >= target.processor.class_count)
		return false;
	const llvm::MCSchedClassDesc &scheduling = *model.getSchedClassDesc(number);
	if (!scheduling.isValid() || scheduling.isVariant())
		return false;
	ret_schedule = {};
	ret_schedule.uops = scheduling.NumMicroOps;
	add_resources(target, scheduling, ret_schedule);
	add_writes(target, scheduling, ret_schedule);
	add_advances(target, scheduling, ret_schedule);
	return true;
}

} // namespace takt
