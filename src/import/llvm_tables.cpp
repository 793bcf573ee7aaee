/* SPDX-License-Identifier: MIT */
/*
 * Reads LLVM's scheduling tables for a CPU: every opcode that can be encoded, with its bytes and
 * its figures in the scheduling model. It is part of the module that holds all of LLVM.
 */
#include "import/llvm_sample.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCFixup.h>
#include <llvm/MC/MCSchedule.h>

extern "C" {
#include "import/reader.h"
}

namespace
{

constexpr unsigned kVariantsMax = 8; /* most nested variants of a scheduling class */

class Tables
{
      public:
	Tables(const takt::Llvm &llvm, const takt_llvm_events &events)
	    : llvm_(llvm), model_(llvm.subtarget->getSchedModel()), events_(events)
	{
	}

	/* Reads one opcode; false if a callback stopped the reading. */
	bool row(unsigned opcode, unsigned condition)
	{
		takt::Sample sample(llvm_, opcode);
		const std::string name = llvm_.instructions->getName(opcode).str();

		if (!sample.build(condition))
			return skip(name, "operands that no real instruction has");
		llvm::SmallVector<char, 16> bytes;
		llvm::SmallVector<llvm::MCFixup, 2> fixups;
		llvm_.emitter->encodeInstruction(sample.inst(), bytes, fixups, *llvm_.subtarget);
		const llvm::MCSchedClassDesc *scheduling = scheduling_of(sample.inst());
		if (bytes.empty() || !scheduling)
			return skip(name, "no scheduling data");
		std::vector<takt_llvm_resource> resources = resources_of(*scheduling);
		takt_llvm_row row = {};
		row.opcode = name.c_str();
		row.bytes = reinterpret_cast<const uint8_t *>(bytes.data());
		row.size_bytes = bytes.size();
		row.resources = resources.data();
		row.resource_count = resources.size();
		row.latency_cycles = latency_of(*scheduling);
		row.uops = scheduling->NumMicroOps;
		row.advance_cycles = advance_of(*scheduling);
		return events_.row(events_.context, &row);
	}

      private:
	bool skip(const std::string &name, const char *reason)
	{
		events_.skip(events_.context, name.c_str(), reason);
		return true;
	}

	/* Returns the class of this very instruction, variants resolved; null if there is none. */
	const llvm::MCSchedClassDesc *scheduling_of(const llvm::MCInst &inst) const
	{
		unsigned number = llvm_.instructions->get(inst.getOpcode()).getSchedClass();
		const llvm::MCSchedClassDesc *found = model_.getSchedClassDesc(number);
		for (unsigned i = 0; found->isVariant() && i < kVariantsMax; ++i) {
			number = llvm_.subtarget->resolveVariantSchedClass(
				number, &inst, llvm_.instructions.get(), model_.getProcessorID());
			if (number == 0)
				return nullptr;
			found = model_.getSchedClassDesc(number);
		}
		return found->isValid() && !found->isVariant() ? found : nullptr;
	}

	uint32_t latency_of(const llvm::MCSchedClassDesc &scheduling) const
	{
		const int latency =
			llvm::MCSchedModel::computeInstrLatency(*llvm_.subtarget, scheduling);
		return latency < 0 ? UINT32_MAX : uint32_t(latency);
	}

	/* Returns the cycles that a register is read later than the address ("ReadAfterLd"). */
	uint32_t advance_of(const llvm::MCSchedClassDesc &scheduling) const
	{
		int most = 0;
		for (const llvm::MCReadAdvanceEntry &entry :
		     llvm_.subtarget->getReadAdvanceEntries(scheduling))
			most = std::max(most, entry.Cycles);
		return uint32_t(most);
	}

	/* Returns the numbers of the units that a resource consists of. */
	std::vector<unsigned> units_of(unsigned resource) const
	{
		const llvm::MCProcResourceDesc &desc = *model_.getProcResource(resource);
		std::vector<unsigned> units;
		if (!desc.SubUnitsIdxBegin)
			return {resource};
		for (unsigned i = 0; i < desc.NumUnits; ++i)
			units.push_back(desc.SubUnitsIdxBegin[i]);
		return units;
	}

	/*
	 * Returns the cycles of resources. The tables count a µop on every group that contains its
	 * port; so, from small groups to large ones, each keeps the cycles that its parts have not
	 * accounted for.
	 */
	std::vector<takt_llvm_resource> resources_of(const llvm::MCSchedClassDesc &scheduling) const
	{
		std::vector<const llvm::MCWriteProcResEntry *> entries;
		for (auto *entry = llvm_.subtarget->getWriteProcResBegin(&scheduling);
		     entry != llvm_.subtarget->getWriteProcResEnd(&scheduling); ++entry)
			entries.push_back(entry);
		std::stable_sort(entries.begin(), entries.end(), [this](auto *left, auto *right) {
			return units_of(left->ProcResourceIdx).size() <
			       units_of(right->ProcResourceIdx).size();
		});
		std::vector<std::pair<std::vector<unsigned>, double>> kept; /* units, cycles */
		std::vector<takt_llvm_resource> resources;
		for (const llvm::MCWriteProcResEntry *entry : entries) {
			std::vector<unsigned> units = units_of(entry->ProcResourceIdx);
			double cycles = double(entry->ReleaseAtCycle) - entry->AcquireAtCycle;
			std::sort(units.begin(), units.end());
			for (const auto &[part, own] : kept)
				if (std::includes(units.begin(), units.end(), part.begin(),
						  part.end()))
					cycles -= own;
			if (cycles < 0.01)
				continue;
			resources.push_back(resource_of(units, cycles));
			kept.emplace_back(std::move(units), cycles);
		}
		return resources;
	}

	takt_llvm_resource resource_of(const std::vector<unsigned> &units, double cycles) const
	{
		takt_llvm_resource resource = {};
		resource.cycles = cycles;
		for (unsigned unit : units) {
			const llvm::MCProcResourceDesc &desc = *model_.getProcResource(unit);
			if (resource.unit_count == TAKT_LLVM_UNITS_MAX)
				break;
			resource.units[resource.unit_count] = desc.Name;
			resource.unit_sizes[resource.unit_count++] = uint16_t(desc.NumUnits);
		}
		return resource;
	}

	const takt::Llvm &llvm_;
	const llvm::MCSchedModel &model_;
	const takt_llvm_events &events_;
};

/* Check the name of a CPU, because LLVM would print to stderr about an unknown one. */
bool check_cpu(const char *cpu, const takt_llvm_events &events)
{
	const takt::Llvm llvm = takt::open_llvm("");
	if (!llvm.subtarget) {
		events.error(events.context, "LLVM lacks the x86 target needed for");
		return false;
	}
	if (llvm.subtarget->isCPUStringValid(cpu))
		return true;
	std::vector<const char *> names;
	for (const llvm::SubtargetSubTypeKV &processor :
	     llvm.subtarget->getAllProcessorDescriptions())
		names.push_back(processor.Key);
	events.unknown_cpu(events.context, names.data(), names.size());
	return false;
}

} /* namespace */

extern "C" __attribute__((visibility("default"))) bool
takt_shim_tables(const char *cpu, const takt_llvm_events *events)
{
	if (!check_cpu(cpu, *events))
		return false;
	const takt::Llvm llvm = takt::open_llvm(cpu);
	if (!llvm.subtarget->getSchedModel().hasInstrSchedModel()) {
		events->error(events->context, "LLVM has no scheduling model for");
		return false;
	}
	Tables tables(llvm, *events);
	for (unsigned opcode = 0; opcode < llvm.instructions->getNumOpcodes(); ++opcode) {
		if (!takt::is_wanted(llvm, opcode))
			continue;
		const bool conditional =
			takt::has_condition_operand(llvm.instructions->get(opcode));
		for (unsigned condition = 0; condition < (conditional ? 16u : 1u); ++condition)
			if (!tables.row(opcode, condition))
				return false;
	}
	return true;
}
