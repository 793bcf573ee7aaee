/* SPDX-License-Identifier: MIT */
/*
 * llvm_sample: builds a sample instruction for an opcode of LLVM. Rather than parse opcode names,
 * takt builds an instruction per opcode, encodes it and decodes the bytes: the result is, by
 * construction, the form that takt will look up. Every register operand gets a different register,
 * so that no zero idiom is built by accident.
 */
#ifndef TAKT_IMPORT_LLVM_SAMPLE_HPP
#define TAKT_IMPORT_LLVM_SAMPLE_HPP

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>

namespace takt
{

/* Values of X86::OperandType and of the operand layout, fixed by LLVM's x86 back end. */
constexpr unsigned kRoundingControl = llvm::MCOI::OPERAND_FIRST_TARGET;
constexpr unsigned kConditionCode = kRoundingControl + 1;
constexpr unsigned kMemoryParts = 5; /* base, scale, index, displacement, segment */

struct Llvm {
	std::unique_ptr<llvm::MCRegisterInfo> registers;
	std::unique_ptr<llvm::MCAsmInfo> asm_info;
	std::unique_ptr<llvm::MCInstrInfo> instructions;
	std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
	std::unique_ptr<llvm::MCContext> context;
	std::unique_ptr<llvm::MCCodeEmitter> emitter;
	std::map<std::string, unsigned> register_numbers;
};

inline Llvm open_llvm(const char *cpu)
{
	static const bool initialized = [] {
		LLVMInitializeX86TargetInfo();
		LLVMInitializeX86TargetMC();
		return true;
	}();
	(void)initialized;
	const std::string triple = "x86_64-unknown-linux-gnu";
	std::string error;
	const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
	Llvm llvm;
	if (!target)
		return llvm;
	llvm.registers.reset(target->createMCRegInfo(triple));
	llvm.asm_info.reset(target->createMCAsmInfo(*llvm.registers, triple, {}));
	llvm.instructions.reset(target->createMCInstrInfo());
	llvm.subtarget.reset(target->createMCSubtargetInfo(triple, cpu, "+64bit-mode"));
	llvm.context.reset(new llvm::MCContext(llvm::Triple(triple), llvm.asm_info.get(),
					       llvm.registers.get(), llvm.subtarget.get()));
	llvm.emitter.reset(target->createMCCodeEmitter(*llvm.instructions, *llvm.context));
	for (unsigned i = 1; i < llvm.registers->getNumRegs(); ++i)
		llvm.register_numbers[llvm.registers->getName(i)] = i;
	return llvm;
}

/*
 * Registers in the order in which operands get them, so that no two operands share one. There is
 * no accumulator, count or stack register, because those select shorter encodings or have implicit
 * uses. DI and R8 upward need REX, which compilers emit, too.
 */
inline const char *const kPreferred[] = {
	"RBX", "RSI", "RDI", "R8",  "R9",  "R10",  "EBX", "ESI", "EDI", "R8D", "R9D", "R10D",
	"BX",  "SI",  "DI",  "R8W", "R9W", "R10W", "BL",  "SIL", "DIL", "R8B", "R9B", "R10B",
};

inline bool is_masked_class(const std::string &name)
{
	return name.size() > 2 && name.compare(0, 2, "VK") == 0 &&
	       name.compare(name.size() - 2, 2, "WM") == 0;
}

/* One instruction under construction, and the register each LLVM operand got. */
class Sample
{
      public:
	explicit Sample(const Llvm &llvm, unsigned opcode)
	    : llvm_(llvm), desc_(llvm.instructions->get(opcode))
	{
		inst_.setOpcode(opcode);
	}

	/* Builds the instruction; false if the opcode has operands that no real instruction has. */
	bool build(unsigned condition)
	{
		for (unsigned i = 0; i < desc_.getNumOperands();) {
			const llvm::MCOperandInfo &info = desc_.operands()[i];
			const int tied = desc_.getOperandConstraint(i, llvm::MCOI::TIED_TO);
			if (tied >= 0) {
				inst_.addOperand(inst_.getOperand(unsigned(tied)));
				++i;
			} else if (info.OperandType == llvm::MCOI::OPERAND_MEMORY) {
				if (!add_memory(i))
					return false;
			} else {
				if (!add_scalar(info, condition))
					return false;
				++i;
			}
		}
		return true;
	}

	const llvm::MCInst &inst() const
	{
		return inst_;
	}
	int memory_operand() const
	{
		return memory_operand_;
	}

      private:
	bool add_scalar(const llvm::MCOperandInfo &info, unsigned condition)
	{
		switch (info.OperandType) {
		case llvm::MCOI::OPERAND_REGISTER:
			return add_register(info.RegClass);
		case llvm::MCOI::OPERAND_IMMEDIATE:
		case llvm::MCOI::OPERAND_PCREL:
			inst_.addOperand(llvm::MCOperand::createImm(5));
			return true;
		case kRoundingControl:
			inst_.addOperand(llvm::MCOperand::createImm(0));
			return true;
		case kConditionCode:
			inst_.addOperand(llvm::MCOperand::createImm(condition));
			return true;
		default:
			return false;
		}
	}

	bool add_register(int class_number)
	{
		if (class_number < 0)
			return false;
		const llvm::MCRegisterClass &regs = llvm_.registers->getRegClass(class_number);
		const unsigned reg = pick(regs, llvm_.registers->getRegClassName(&regs));
		if (reg == 0)
			return false;
		inst_.addOperand(llvm::MCOperand::createReg(reg));
		return true;
	}

	unsigned pick(const llvm::MCRegisterClass &regs, const std::string &class_name)
	{
		for (const char *name : kPreferred) {
			const auto found = llvm_.register_numbers.find(name);
			if (regs.contains(found->second) && take(found->second))
				return found->second;
		}
		/*
		 * K0 as a write mask would mean no mask; ST(0) and XMM0 are implicit
		 * operands elsewhere; CS cannot be written.
		 */
		const bool skip_first = is_masked_class(class_name) || class_name == "RST" ||
					regs.contains(llvm_.register_numbers.at("XMM0")) ||
					regs.contains(llvm_.register_numbers.at("CS"));
		for (unsigned i = skip_first ? 1 : 0; i < regs.getNumRegs(); ++i)
			if (take(regs.getRegister(i)))
				return regs.getRegister(i);
		return 0;
	}

	bool take(unsigned reg)
	{
		for (unsigned used : used_)
			if (llvm_.registers->regsOverlap(used, reg))
				return false;
		used_.push_back(reg);
		return true;
	}

	/* Adds a memory operand: base+displacement or, for gathers, base+vector+displacement. */
	bool add_memory(unsigned &i)
	{
		const auto reg = [&](const char *name) {
			return llvm::MCOperand::createReg(llvm_.register_numbers.at(name));
		};
		unsigned parts = 0;
		while (i + parts < desc_.getNumOperands() && parts < kMemoryParts &&
		       desc_.operands()[i + parts].OperandType == llvm::MCOI::OPERAND_MEMORY)
			++parts;
		if (parts != kMemoryParts)
			return add_string_memory(i, parts);
		memory_operand_ = int(i);
		inst_.addOperand(reg("R11"));
		inst_.addOperand(llvm::MCOperand::createImm(1));
		inst_.addOperand(llvm::MCOperand::createReg(index_for(i + 2)));
		inst_.addOperand(llvm::MCOperand::createImm(8));
		inst_.addOperand(llvm::MCOperand::createReg(0));
		i += parts;
		return true;
	}

	/* Adds the addresses of string instructions: rsi and segment, or rdi alone. */
	bool add_string_memory(unsigned &i, unsigned parts)
	{
		for (unsigned end = i + parts; i < end; ++i) {
			const llvm::MCOperandInfo &info = desc_.operands()[i];
			if (!info.isLookupPtrRegClass())
				return false;
			const bool source =
				i + 1 < end && !desc_.operands()[i + 1].isLookupPtrRegClass();
			const char *name = source ? "RSI" : "RDI";
			inst_.addOperand(
				llvm::MCOperand::createReg(llvm_.register_numbers.at(name)));
			if (source) {
				inst_.addOperand(llvm::MCOperand::createReg(0));
				++i;
			}
		}
		return true;
	}

	unsigned index_for(unsigned operand)
	{
		const int number = desc_.operands()[operand].RegClass;
		const std::string name = number < 0
						 ? ""
						 : llvm_.registers->getRegClassName(
							   &llvm_.registers->getRegClass(number));
		const char *prefix = name.compare(0, 5, "VR128") == 0	? "XMM"
				     : name.compare(0, 5, "VR256") == 0 ? "YMM"
				     : name.compare(0, 5, "VR512") == 0 ? "ZMM"
									: nullptr;
		if (!prefix)
			return 0;
		const unsigned reg = llvm_.register_numbers.at(std::string(prefix) + "7");
		take(reg);
		return reg;
	}

	const Llvm &llvm_;
	const llvm::MCInstrDesc &desc_;
	llvm::MCInst inst_;
	std::vector<unsigned> used_;
	int memory_operand_ = -1;
};

inline bool has_condition_operand(const llvm::MCInstrDesc &desc)
{
	return std::any_of(desc.operands().begin(), desc.operands().end(),
			   [](const auto &info) { return info.OperandType == kConditionCode; });
}

/*
 * True if the opcode should be imported. APX opcodes are left out, because they have no row in any
 * table and takt cannot decode them, and exception returns, because they have operands that the
 * encoder does not expect.
 */
inline bool is_wanted(const Llvm &llvm, unsigned opcode)
{
	const llvm::MCInstrDesc &desc = llvm.instructions->get(opcode);
	const llvm::StringRef name = llvm.instructions->getName(opcode);
	static const char *const kApx[] = {"_ND", "_NF", "_EVEX", "CCMP", "CTEST"};
	return !desc.isPseudo() && !name.starts_with("EH_") &&
	       std::none_of(std::begin(kApx), std::end(kApx),
			    [&](const char *mark) { return name.contains(mark); });
}

} /* namespace takt */

#endif
