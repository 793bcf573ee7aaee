/* SPDX-License-Identifier: MIT */
/*
 * llvm_registers: locations of a target, from LLVM's register units. Some targets have more units
 * than there are locations: the units that most opcodes can name get them.
 */
#include "isa/llvm_target.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

namespace takt
{

namespace
{

using Units = std::vector<unsigned>;

std::string printed_name(const takt_llvm_target &target, unsigned reg)
{
	std::string name;
	llvm::raw_string_ostream stream(name);

	target.printer->printRegName(stream, reg);
	return name;
}

/* True if LLVM made up the register, for a half without a name: it prints its internal name. */
bool is_made_up(const takt_llvm_target &target, unsigned reg)
{
	return printed_name(target, reg) == target.registers->getName(reg);
}

/*
 * Return [register] how often code can be expected to name it. An operand counts for each of the
 * registers that it can be, divided by their number.
 */
std::vector<unsigned> count_uses(const takt_llvm_target &target)
{
	constexpr unsigned one = 256;
	const llvm::MCRegisterInfo &registers = *target.registers;
	std::vector<unsigned> classes(registers.getNumRegClasses());
	std::vector<unsigned> uses(registers.getNumRegs());

	for (unsigned opcode = 0; opcode < target.instructions->getNumOpcodes(); opcode++) {
		const llvm::MCInstrDesc &desc = target.instructions->get(opcode);

		if (desc.isPseudo())
			continue;
		for (const llvm::MCOperandInfo &operand : desc.operands())
			if (operand.RegClass >= 0 && !operand.isLookupPtrRegClass())
				classes[unsigned(operand.RegClass)]++;
		for (llvm::MCPhysReg reg : desc.implicit_uses())
			uses[reg] += one;
		for (llvm::MCPhysReg reg : desc.implicit_defs())
			uses[reg] += one;
	}
	for (unsigned i = 0; i < classes.size(); i++)
		for (llvm::MCPhysReg reg : registers.getRegClass(i))
			uses[reg] += classes[i] * one / registers.getRegClass(i).getNumRegs();
	return uses;
}

Units units_of(const llvm::MCRegisterInfo &registers, unsigned reg)
{
	Units units;

	for (auto unit : registers.regunits(reg))
		units.push_back(unit);
	return units;
}

/*
 * Return [unit] the unit that it is part of. A unit belongs to another if every register that
 * contains it contains the other, too, except registers that LLVM made up or no code can name.
 */
Units collapse_units(const takt_llvm_target &target, const std::vector<unsigned> &uses)
{
	const llvm::MCRegisterInfo &registers = *target.registers;
	const unsigned count = registers.getNumRegUnits();
	std::vector<Units> common(count); /* units that all registers with this one have */
	std::vector<bool> seen(count);
	Units belongs(count);

	for (unsigned reg = 1; reg < registers.getNumRegs(); reg++) {
		Units units = units_of(registers, reg);

		if (units.size() == 1 && (!uses[reg] || is_made_up(target, reg)))
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
	/* A unit belongs to the unit of `common` whose own list is the shortest: the whole. */
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

/* Return [register] the size in bits of the smallest class that it is in. */
std::vector<unsigned> sizes_of(const llvm::MCRegisterInfo &registers)
{
	std::vector<unsigned> sizes(registers.getNumRegs());

	for (const llvm::MCRegisterClass &members : registers.regclasses())
		for (llvm::MCPhysReg reg : members)
			if (!sizes[reg] || members.getSizeInBits() < sizes[reg])
				sizes[reg] = members.getSizeInBits();
	return sizes;
}

/*
 * True if the register gets one location for all its parts: a field of flags, such as cr0 of
 * PowerPC, which is no wider than its parts and named more often; or the matrix of AArch64.
 */
bool is_field(const takt_llvm_target &target, const std::vector<unsigned> &uses,
	      const std::vector<unsigned> &sizes, unsigned reg)
{
	const auto parts = target.registers->subregs(reg);

	if (llvm::StringRef(target.registers->getName(reg)) == "ZA")
		return true;
	return sizes[reg] && !parts.empty() &&
	       std::all_of(parts.begin(), parts.end(), [&](auto part) {
		       return sizes[part] >= sizes[reg] && uses[part] < uses[reg];
	       });
}

void join_fields(const takt_llvm_target &target, const std::vector<unsigned> &uses, Units &belongs)
{
	const std::vector<unsigned> sizes = sizes_of(*target.registers);

	for (unsigned reg = 1; reg < target.registers->getNumRegs(); reg++) {
		const Units units = units_of(*target.registers, reg);

		if (units.size() < 2 || !is_field(target, uses, sizes, reg))
			continue;
		for (unsigned &whole : belongs)
			if (std::find(units.begin(), units.end(), whole) != units.end())
				whole = units[0];
	}
}

/* Return the units that get a location of their own, in LLVM's order. */
Units choose_units(const takt_llvm_target &target, const std::vector<unsigned> &uses,
		   const Units &belongs)
{
	const llvm::MCRegisterInfo &registers = *target.registers;
	std::vector<unsigned> sums(belongs.size());
	std::vector<bool> seen(belongs.size());
	Units order, ranked;
	unsigned least;

	for (unsigned reg = 1; reg < registers.getNumRegs(); reg++) {
		if (registers.isConstant(reg))
			continue;
		for (unsigned unit : units_of(registers, reg)) {
			if (!seen[belongs[unit]])
				order.push_back(belongs[unit]);
			seen[belongs[unit]] = true;
			sums[belongs[unit]] += uses[reg];
		}
	}
	if (order.size() <= TAKT_LLVM_LOCATIONS_MAX)
		return order;
	for (unsigned unit : order)
		ranked.push_back(sums[unit]);
	std::sort(ranked.begin(), ranked.end(), std::greater<unsigned>());
	least = ranked[TAKT_LLVM_LOCATIONS_MAX - 1];
	/* Units that are used no more than the last one that would fit get no location. */
	order.erase(std::remove_if(order.begin(), order.end(),
				   [&](unsigned unit) { return sums[unit] <= least; }),
		    order.end());
	return order;
}

/* Return the name that people use, such as "v0", among those of all registers at a location. */
std::string choose_name(const takt_llvm_target &target, const std::vector<unsigned> &regs)
{
	std::string best;

	for (unsigned reg : regs) {
		const std::string own = llvm::StringRef(target.registers->getName(reg)).lower();
		std::string name = llvm::StringRef(printed_name(target, reg)).ltrim("%$").str();

		if (name.empty() || !llvm::isAlpha(name[0]))
			name = own;
		if (target.parsed.isAArch64() && own[0] == 'b' && regs.size() > 4)
			return "v" + own.substr(1);
		/* x0 is preferred to its half w0; otherwise the shortest name. */
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
	const std::vector<unsigned> uses = count_uses(target);
	Units belongs = collapse_units(target, uses);
	std::vector<unsigned> locations(belongs.size());
	unsigned count = 0;

	join_fields(target, uses, belongs);
	for (unsigned unit : choose_units(target, uses, belongs))
		locations[unit] = ++count;
	target.parts.resize(registers.getNumRegs());
	for (unsigned reg = 1; reg < registers.getNumRegs(); reg++) {
		if (registers.isConstant(reg))
			continue;
		for (unsigned unit : units_of(registers, reg)) {
			const unsigned own = locations[belongs[unit]];

			add_part(target.parts[reg], own ? own : count + 1);
			target.processor.locations_shared |= !own;
		}
	}
	target.processor.location_count = uint16_t(count + target.processor.locations_shared);
}

void name_locations(const takt_llvm_target &target)
{
	const unsigned count = target.processor.location_count;
	std::vector<std::vector<unsigned>> at(count + 1);
	std::set<std::string> taken;

	for (unsigned reg = 1; reg < target.registers->getNumRegs(); reg++)
		if (target.parts[reg].part_count == 1 && !is_made_up(target, reg))
			at[target.parts[reg].parts[0]].push_back(reg);
	target.location_names.assign(count + 1, "");
	for (unsigned i = 1; i <= count; i++) {
		std::string &name = target.location_names[i];

		name = choose_name(target, at[i]);
		/* Halves may be printed alike: they get LLVM's internal name. */
		if (!name.empty() && !taken.insert(name).second)
			name = llvm::StringRef(target.registers->getName(at[i][0])).lower();
	}
	if (target.processor.locations_shared)
		target.location_names[count] = "special";
}

} // namespace takt
