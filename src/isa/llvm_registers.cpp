/* SPDX-License-Identifier: MIT */
/* llvm_registers: locations of a target, from LLVM's register units. */
#include "isa/llvm_target.hpp"

#include <algorithm>
#include <cctype>

#include <llvm/Support/raw_ostream.h>

namespace takt {

namespace {

constexpr unsigned locations_max = 240;

using Units = std::vector<unsigned>;

std::string printed_name(const takt_llvm_target &target, unsigned reg)
{
	std::string name;
	llvm::raw_string_ostream stream(name);

	target.printer->printRegName(stream, reg);
	return name;
}

/* LLVM makes up registers for halves without a name, and prints them as it calls them. */
bool is_made_up(const takt_llvm_target &target, unsigned reg)
{
	return printed_name(target, reg) == target.registers->getName(reg);
}

Units units_of(const llvm::MCRegisterInfo &registers, unsigned reg)
{
	Units units;

	for (auto unit : registers.regunits(reg))
		units.push_back(unit);
	return units;
}

/*
 * For each unit the one that it is part of: a unit belongs to another if every register
 * that has it has the other, too, but for registers that LLVM made up.
 */
Units collapse_units(const takt_llvm_target &target)
{
	const llvm::MCRegisterInfo &registers = *target.registers;
	const unsigned count = registers.getNumRegUnits();
	std::vector<Units> common(count); /* units that all registers with this one have */
	std::vector<bool> seen(count);
	Units belongs(count);

	for (unsigned reg = 1; reg < registers.getNumRegs(); reg++) {
		Units units = units_of(registers, reg);

		if (units.size() == 1 && is_made_up(target, reg))
			continue;
		std::sort(units.begin(), units.end());
		for (unsigned unit : units) {
			Units both;

			std::set_intersection(units.begin(), units.end(), common[unit].begin(),
					      common[unit].end(), std::back_inserter(both));
			common[unit] = seen[unit] ? both : units;
			seen[unit] = true;
		}
	}
	/* What all of them have, in turn, is in all of theirs: the least of these is the whole. */
	for (unsigned unit = 0; unit < count; unit++)
		belongs[unit] =
			common[unit].empty()
				? unit
				: *std::min_element(common[unit].begin(), common[unit].end(),
						    [&](unsigned left, unsigned right) {
							    return common[left].size() <
								   common[right].size();
						    });
	return belongs;
}

void add_part(takt_llvm_register &reg, unsigned location)
{
	uint16_t *end = reg.parts + reg.part_count;

	if (reg.part_count < TAKT_LLVM_PARTS_MAX && std::find(reg.parts, end, location) == end)
		reg.parts[reg.part_count++] = uint16_t(location);
}

/* "V0" as people say it, of all registers at one location. */
std::string choose_name(const takt_llvm_target &target, const std::vector<unsigned> &regs)
{
	std::string best;

	for (unsigned reg : regs) {
		const std::string own = llvm::StringRef(target.registers->getName(reg)).lower();
		std::string name = printed_name(target, reg);

		if (name.empty() || !isalpha(static_cast<unsigned char>(name[0])))
			name = own;
		if (target.parsed.isAArch64() && own[0] == 'b' && regs.size() > 4)
			return "v" + own.substr(1);
		/* w0 is half of x0; the rest goes by length. */
		if (best.empty() || name.size() < best.size() ||
		    (name.size() == best.size() && best[0] == 'w' && name[0] == 'x'))
			best = name;
	}
	return best;
}

} // namespace

void number_locations(takt_llvm_target &target)
{
	const llvm::MCRegisterInfo &registers = *target.registers;
	const Units belongs = collapse_units(target);
	std::vector<unsigned> locations(belongs.size());
	unsigned count = 0;

	target.parts.resize(registers.getNumRegs());
	for (unsigned reg = 1; reg < registers.getNumRegs(); reg++) {
		/* The matrix of AArch64 is one: its tiles have sixteen parts. */
		const bool whole = llvm::StringRef(registers.getName(reg)) == "ZA";

		if (registers.isConstant(reg))
			continue;
		for (auto unit : registers.regunits(reg)) {
			unsigned &location = locations[belongs[unit]];

			if (!location)
				location = whole && target.parts[reg].part_count
						   ? target.parts[reg].parts[0]
						   : (count += count < locations_max);
			add_part(target.parts[reg], location);
		}
	}
	target.processor.location_count = uint16_t(count);
}

void name_locations(const takt_llvm_target &target)
{
	std::vector<std::vector<unsigned>> at(target.processor.location_count + 1u);

	for (unsigned reg = 1; reg < target.registers->getNumRegs(); reg++)
		if (target.parts[reg].part_count == 1 && !is_made_up(target, reg))
			at[target.parts[reg].parts[0]].push_back(reg);
	target.location_names.assign(at.size(), "");
	for (size_t i = 1; i < at.size(); i++)
		target.location_names[i] = choose_name(target, at[i]);
}

} // namespace takt
