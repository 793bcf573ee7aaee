/* SPDX-License-Identifier: MIT */
/*
 * llvm_sample: makes an instruction of an opcode of LLVM. Registers are chosen from the classes
 * of the operands; immediates are tried until the encoded instruction decodes.
 */
#include "isa/llvm_target.hpp"

#include <algorithm>
#include <set>

#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCFixup.h>

namespace takt
{

namespace
{

/* Immediates to try: small numbers, shifts, element sizes; then values that few operands need. */
constexpr int64_t values[] = {0,  1,  2,  3,  4,  8,  16, 5,  7,   12,	32,  63, 6,  10,
			      15, 24, 31, 64, 65, 48, 9,  56, 127, 128, 255, -1, -8, 1024};
constexpr unsigned tries_max = 3000;
/* Register numbers to start from, one after the other, in case some are special. */
constexpr unsigned starts[] = {1, 8, 16, 0};

using Bytes = llvm::SmallVector<char, 16>;

class Builder
{
      public:
	Builder(const takt_llvm_target &target, unsigned opcode)
	    : target_(target), registers_(*target.registers),
	      desc_(target.instructions->get(opcode))
	{
		inst_.setOpcode(opcode);
	}

	/* Set registers, and immediates to zero; false if an operand's kind is not known. */
	bool place_operands(unsigned start)
	{
		used_.assign(desc_.implicit_uses().begin(), desc_.implicit_uses().end());
		used_.insert(used_.end(), desc_.implicit_defs().begin(),
			     desc_.implicit_defs().end());
		inst_.clear();
		immediates_.clear();
		for (unsigned i = 0; i < desc_.getNumOperands(); i++)
			if (!place_operand(i, start))
				return false;
		return true;
	}

	void set_immediates(int64_t value)
	{
		for (size_t i = 0; i < immediates_.size(); i++)
			immediate(i).setImm(value);
	}

	/* Try immediates until the bytes decode as this opcode. */
	bool search()
	{
		std::vector<unsigned> chosen(immediates_.size());

		for (unsigned tries = 0; tries < tries_max; tries++) {
			size_t digit = 0;

			for (size_t i = 0; i < chosen.size(); i++)
				immediate(i).setImm(values[chosen[i]]);
			if (encode() && decodes())
				return true;
			while (digit < chosen.size() && ++chosen[digit] == std::size(values))
				chosen[digit++] = 0;
			if (digit == chosen.size())
				return false;
		}
		return false;
	}

	/* Make the `variant`-th change of one immediate; false if there are no more. */
	bool change(llvm::MCInst &inst, unsigned variant) const
	{
		const unsigned which = variant / unsigned(std::size(values));
		std::vector<unsigned> places = immediate_places();

		if (which >= places.size())
			return false;
		inst.getOperand(places[which]).setImm(values[variant % std::size(values)]);
		return true;
	}

	bool encode(const llvm::MCInst &inst)
	{
		llvm::SmallVector<llvm::MCFixup, 4> fixups;

		bytes_.clear();
		if (!target_.emitter)
			return false;
		target_.emitter->encodeInstruction(inst, bytes_, fixups, *target_.subtarget);
		return !bytes_.empty() && bytes_.size() <= 16;
	}

	/* True if it decodes as the same opcode and, if `exactly`, with the same immediates. */
	bool decodes_as(const llvm::MCInst &inst, bool exactly) const
	{
		llvm::MCInst back;

		if (decode_inst(target_, reinterpret_cast<const uint8_t *>(bytes_.data()),
				bytes_.size(), 0, back) != bytes_.size() ||
		    back.getOpcode() != inst.getOpcode())
			return false;
		if (!exactly)
			return true;
		for (unsigned i = 0; i < inst.getNumOperands(); i++)
			if (inst.getOperand(i).isImm() &&
			    (i >= back.getNumOperands() || !back.getOperand(i).isImm() ||
			     back.getOperand(i).getImm() != inst.getOperand(i).getImm()))
				return false;
		return true;
	}

	const llvm::MCInst &inst() const
	{
		return inst_;
	}
	const Bytes &bytes() const
	{
		return bytes_;
	}

      private:
	bool encode()
	{
		return encode(inst_);
	}
	bool decodes() const
	{
		return decodes_as(inst_, false);
	}
	llvm::MCOperand &immediate(size_t i)
	{
		return inst_.getOperand(immediates_[i]);
	}

	std::vector<unsigned> immediate_places() const
	{
		std::vector<unsigned> places;

		for (unsigned i = 0; i < desc_.getNumOperands(); i++)
			if (is_free_immediate(i))
				places.push_back(i);
		return places;
	}

	bool is_free_immediate(unsigned i) const
	{
		const llvm::MCOperandInfo &info = desc_.operands()[i];

		return desc_.getOperandConstraint(i, llvm::MCOI::TIED_TO) < 0 &&
		       info.RegClass < 0 && !info.isPredicate() &&
		       info.OperandType != llvm::MCOI::OPERAND_REGISTER;
	}

	bool place_operand(unsigned i, unsigned start)
	{
		const llvm::MCOperandInfo &info = desc_.operands()[i];
		const int tied = desc_.getOperandConstraint(i, llvm::MCOI::TIED_TO);
		unsigned reg = 0;

		if (tied >= 0 && unsigned(tied) < i) {
			inst_.addOperand(inst_.getOperand(unsigned(tied)));
		} else if (is_free_immediate(i)) {
			immediates_.push_back(i);
			inst_.addOperand(llvm::MCOperand::createImm(0));
		} else if (info.isPredicate() && info.RegClass < 0) {
			inst_.addOperand(llvm::MCOperand::createImm(14)); /* ARM's "always" */
		} else {
			if (!is_optional(info))
				reg = pick(class_of(info), start);
			if (!reg && !is_optional(info))
				return false;
			inst_.addOperand(llvm::MCOperand::createReg(reg));
		}
		return true;
	}

	/* True if the operand may be absent: flags written on request, predicates, and masks. */
	bool is_optional(const llvm::MCOperandInfo &info) const
	{
		return info.isOptionalDef() || info.isPredicate() ||
		       (info.RegClass >= 0 && !info.isLookupPtrRegClass() &&
			llvm::StringRef(registers_.getRegClassName(
				&registers_.getRegClass(unsigned(info.RegClass)))) == "VMV0");
	}

	/*
	 * Return the register class of an operand. Only code generators know the class of
	 * pointers; on PowerPC their number is above 0.
	 */
	const llvm::MCRegisterClass *class_of(const llvm::MCOperandInfo &info) const
	{
		if (!info.isLookupPtrRegClass())
			return info.RegClass < 0 ? nullptr
						 : &registers_.getRegClass(unsigned(info.RegClass));
		for (const llvm::MCRegisterClass &of_class : registers_.regclasses())
			if (llvm::StringRef(registers_.getRegClassName(&of_class)) ==
			    "G8RC_and_G8RC_NOX0")
				return &of_class;
		return nullptr;
	}

	/*
	 * Choose a register: unused ones from number `start` upward come first, then used ones,
	 * then constants; 0 if the class is empty.
	 */
	unsigned pick(const llvm::MCRegisterClass *of_class, unsigned start)
	{
		const unsigned count = of_class ? of_class->getNumRegs() : 0;
		unsigned best = 0, best_rank = ~0u;

		for (unsigned i = 0; i < count; i++) {
			const unsigned reg = of_class->getRegister(i);
			const unsigned rank = rank_of(reg, start);

			if (rank < best_rank) {
				best = reg;
				best_rank = rank;
			}
		}
		if (best)
			used_.push_back(best);
		return best;
	}

	unsigned rank_of(unsigned reg, unsigned start) const
	{
		const unsigned number = registers_.getEncodingValue(reg) & 0xff;
		unsigned rank = (number - start) & 0xff;

		/* 31 is the stack pointer or zero; 0 often means something else. */
		rank += number == 31 || number == 0 ? 0x100 : 0;
		rank += registers_.isConstant(reg) ? 0x400 : 0;
		for (unsigned other : used_)
			rank += registers_.regsOverlap(reg, other) ? 0x200 : 0;
		return rank;
	}

	const takt_llvm_target &target_;
	const llvm::MCRegisterInfo &registers_;
	const llvm::MCInstrDesc &desc_;
	llvm::MCInst inst_;
	std::vector<unsigned> immediates_; /* indices of the operands that are immediates */
	std::vector<unsigned> used_;
	Bytes bytes_;
};

/*
 * True if the opcode can be encoded safely. LLVM's encoders trust the kinds of operands, which
 * only the parser knows in full. The encoders of these targets have been tried with every opcode.
 * PowerPC's expects symbols for thread-local storage, and registers where its tables say numbers.
 */
bool can_be_encoded(const takt_llvm_target &target, unsigned opcode)
{
	const llvm::Triple &triple = target.parsed;
	const llvm::StringRef name = target.instructions->getName(opcode);

	if (target.instructions->get(opcode).isPseudo())
		return false;
	if (triple.isPPC())
		return !name.contains("TLS") && !name.contains("OCRF");
	return triple.isAArch64() || triple.isRISCV() || triple.isSystemZ() || triple.isLoongArch();
}

bool find_sample(takt_llvm_target &target, unsigned opcode)
{
	Builder builder(target, opcode);

	target.sample_opcode = opcode;
	target.sample_found = false;
	if (!can_be_encoded(target, opcode))
		return false;
	for (unsigned start : starts)
		if (!target.sample_found && builder.place_operands(start))
			target.sample_found = builder.search();
	target.sample = builder.inst();
	return target.sample_found;
}

/* Return the classes an opcode may have. Variants depend on the operands: some are tried. */
std::set<unsigned> classes_of(const takt_llvm_target &target, unsigned opcode)
{
	const unsigned number = target.instructions->get(opcode).getSchedClass();
	const auto &description = *target.subtarget->getSchedModel().getSchedClassDesc(number);
	Builder builder(target, opcode);
	std::set<unsigned> classes;

	if (description.isValid() && !description.isVariant())
		classes.insert(number);
	if (!description.isVariant() || !builder.place_operands(starts[0]))
		return classes;
	for (int64_t value : values) {
		builder.set_immediates(value);
		classes.insert(scheduling_class_of(target, builder.inst()));
	}
	return classes;
}

} // namespace

void count_class_uses(const takt_llvm_target &target, takt_llvm_class_use *ret_uses)
{
	std::fill_n(ret_uses, target.processor.class_count, takt_llvm_class_use{});
	if (!target.processor.has_schedule)
		return;
	for (unsigned opcode = 0; opcode < target.instructions->getNumOpcodes(); opcode++) {
		const llvm::MCInstrDesc &desc = target.instructions->get(opcode);

		if (desc.isPseudo())
			continue;
		for (unsigned number : classes_of(target, opcode)) {
			takt_llvm_class_use &use = ret_uses[number];

			use.definitions = std::max(use.definitions, uint16_t(desc.getNumDefs()));
			use.loads += desc.mayLoad() && !desc.mayStore();
			use.stores += desc.mayStore() && !desc.mayLoad();
		}
	}
}

int build_sample(takt_llvm_target &target, unsigned opcode, unsigned variant, uint8_t ret_bytes[16])
{
	Builder builder(target, opcode);

	if (!target.emitter)
		target.emitter.reset(
			target.target->createMCCodeEmitter(*target.instructions, *target.context));
	if (target.sample_opcode != opcode || variant == 0)
		find_sample(target, opcode);
	if (!target.sample_found)
		return variant ? -1 : 0;
	llvm::MCInst inst = target.sample;
	if (variant && !builder.change(inst, variant - 1))
		return -1;
	if (!builder.encode(inst) || !builder.decodes_as(inst, variant != 0))
		return 0;
	std::copy(builder.bytes().begin(), builder.bytes().end(), ret_bytes);
	return int(builder.bytes().size());
}

} // namespace takt
