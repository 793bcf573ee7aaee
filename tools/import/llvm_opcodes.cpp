/* SPDX-License-Identifier: MIT */
/*
 * llvm_opcodes: which instruction form each x86 opcode of LLVM stands for.
 *
 * LLVM's scheduling tables and tools built on LLVM name instructions by opcode
 * (VPADDDZrrkz). Rather than parse those names, this builds one instruction per
 * opcode (import/llvm_sample.hpp, as `takt model import llvm:…` does), encodes it and
 * lets takt decode the bytes: what comes out is the form that takt will look up, by
 * construction. Every register operand gets a register
 * of its own, so each LLVM operand can be found again among takt's slots.
 *
 * Prints `opcode <tab> hex <tab> form <tab> LLVM operand=slot,… <tab> ISA set <tab>
 * memory`, where memory is `r`, `w` or `rw` with the size in bits, one per memory
 * operand. Opcodes with a condition operand are printed once per condition as
 * `opcode:CC`. Developer tool:
 *   c++ -std=c++17 -fno-exceptions -Iinclude -Isrc $(llvm-config-19 --cxxflags) \
 *       tools/import/llvm_opcodes.cpp libtakt.a -lZydis $(llvm-config-19 --ldflags --libs)
 */
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>

#include "import/llvm_sample.hpp"

extern "C" {
#include "isa/isa.h"
}

namespace
{

using takt::Llvm;
using takt::Sample;

/* takt's name of the location that holds an LLVM register, "" if it has none. */
std::string location_of(const Llvm &llvm, unsigned reg)
{
	static const std::map<std::string, std::string> kWide = {
		{"RBX", "rbx"}, {"RSI", "rsi"}, {"RDI", "rdi"},
		{"R8", "r8"},	{"R9", "r9"},	{"R10", "r10"},
	};
	for (const auto &[name, location] : kWide)
		if (llvm.registers->regsOverlap(llvm.register_numbers.at(name), reg))
			return location;
	const std::string name = llvm.registers->getName(reg);
	if (name.compare(1, 2, "MM") == 0 && name[0] != 'T')
		return "v" + name.substr(3);
	if (name.compare(0, 2, "MM") == 0)
		return "st" + name.substr(2);
	if (name.compare(0, 3, "TMM") == 0)
		return "tmm" + name.substr(3);
	if (name.compare(0, 2, "ST") == 0)
		return "st" + name.substr(2);
	std::string lower(name);
	std::transform(lower.begin(), lower.end(), lower.begin(), ::tolower);
	return lower;
}

/* `0=1,1=1,2=2`: LLVM operand number to takt slot, for every operand found again. */
std::string slot_map(const Llvm &llvm, const Sample &sample, const takt_insn &insn)
{
	std::string out;
	const auto add = [&](unsigned operand, uint8_t slot) {
		takt_text *text = takt_text_new();
		takt_slot_write(&takt_isa_x86, slot, text);
		out += (out.empty() ? "" : ",") + std::to_string(operand) + "=" +
		       takt_text_data(text);
		takt_text_free(text);
	};
	for (unsigned i = 0; i < sample.inst().getNumOperands(); ++i) {
		const llvm::MCOperand &operand = sample.inst().getOperand(i);
		if (int(i) == sample.memory_operand() && insn.memory_count > 0)
			add(i, insn.memories[0].slot);
		if (!operand.isReg() || operand.getReg() == 0)
			continue;
		const std::string location = location_of(llvm, operand.getReg());
		for (unsigned j = 0; j < insn.access_count; ++j) {
			const takt_access &access = insn.accesses[j];
			if (!(access.flags & TAKT_ADDRESS) &&
			    location == takt_location_name(&takt_isa_x86, access.location)) {
				add(i, access.slot);
				break;
			}
		}
	}
	return out;
}

/* `r64`, `w128`, `rw32 r8`: direction and size in bits of every data access. */
std::string memory_of(const takt_insn &insn)
{
	std::string out;
	for (unsigned i = 0; i < insn.memory_count; ++i) {
		const takt_memory &memory = insn.memories[i];
		if (memory.address_only)
			continue;
		out += std::string(out.empty() ? "" : " ") + (memory.read ? "r" : "") +
		       (memory.write ? "w" : "") + std::to_string(8 * memory.size_bytes);
	}
	return out;
}

void print_opcode(const Llvm &llvm, unsigned opcode, unsigned condition, bool has_condition)
{
	Sample sample(llvm, opcode);
	if (!sample.build(condition))
		return;
	llvm::SmallVector<char, 16> bytes;
	llvm::SmallVector<llvm::MCFixup, 2> fixups;
	llvm.emitter->encodeInstruction(sample.inst(), bytes, fixups, *llvm.subtarget);
	if (bytes.empty())
		return;
	takt_insn insn;
	const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
	if (takt_decode(&takt_isa_x86, data, bytes.size(), 0, &insn) != TAKT_OK ||
	    insn.length_bytes != bytes.size() || insn.form == 0)
		return;
	std::string line = llvm.instructions->getName(opcode).str();
	if (has_condition)
		line += ":" + std::to_string(condition);
	line += "\t";
	for (size_t i = 0; i < bytes.size(); ++i) {
		char hex[3];
		std::snprintf(hex, sizeof(hex), "%02x", data[i]);
		line += hex;
	}
	takt_text *form = takt_text_new();
	takt_form_write(&takt_isa_x86, insn.form, form);
	line += "\t" + std::string(takt_text_data(form)) + "\t" + slot_map(llvm, sample, insn);
	line += std::string("\t") + takt_isa_set_name(insn.isa_set);
	line += "\t" + memory_of(insn);
	takt_text_free(form);
	std::puts(line.c_str());
}

} /* namespace */

int main()
{
	const Llvm llvm = takt::open_llvm("");
	for (unsigned opcode = 0; opcode < llvm.instructions->getNumOpcodes(); ++opcode) {
		if (!takt::is_wanted(llvm, opcode))
			continue;
		const bool conditional =
			takt::has_condition_operand(llvm.instructions->get(opcode));
		for (unsigned condition = 0; condition < (conditional ? 16u : 1u); ++condition)
			print_opcode(llvm, opcode, condition, conditional);
	}
	return 0;
}
