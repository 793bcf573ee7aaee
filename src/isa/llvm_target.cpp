/* SPDX-License-Identifier: MIT */
/*
 * llvm_target: the table of functions of llvm.h. It creates LLVM's objects for a processor, and
 * turns the output of its disassembler into plain records.
 */
#include "isa/llvm_target.hpp"

#include <algorithm>
#include <cstring>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

namespace takt
{

namespace
{

/* ---- opening ---------------------------------------------------------- */

/* Extensions of RISC-V that can be enabled together; LLVM has no feature "all". */
constexpr char riscv_all[] =
	"+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zcb,+zfa,+zfh,+zfbfmin,"
	"+zicbom,+zicbop,+zicboz,+zicond,+zicntr,+zihintpause,+zihintntl,+zacas,+zknd,+zkne,"
	"+zknh,+zksed,+zksh,+zvbb,+zvbc,+zvfh,+zvfbfmin,+zvfbfwma,+zvkg,+zvkned,+zvknhb,"
	"+zvksed,+zvksh";

template <typename List> bool has_key(const List &list, llvm::StringRef key)
{
	return std::any_of(list.begin(), list.end(),
			   [key](const auto &entry) { return key == entry.Key; });
}

/* Replace "+all", if LLVM lacks it, by the list above for RISC-V, or by nothing. */
std::string expand_features(const llvm::MCSubtargetInfo &any, const llvm::Triple &triple,
			    llvm::StringRef features)
{
	std::string expanded;

	for (llvm::StringRef feature : llvm::split(features, ',')) {
		if (feature == "+all" && !has_key(any.getAllProcessorFeatures(), "all"))
			feature = triple.isRISCV() ? riscv_all : "";
		for (llvm::StringRef known : llvm::split(feature, ','))
			if (has_key(any.getAllProcessorFeatures(),
				    known.drop_front(!known.empty())))
				expanded += known.str() + ',';
	}
	return expanded;
}

/* True if LLVM knows the CPU and the features; it would print a warning to stderr otherwise. */
bool check_names(const llvm::MCSubtargetInfo &any, const takt_llvm_target &target,
		 std::string &error)
{
	if (!target.cpu.empty() && !any.isCPUStringValid(target.cpu)) {
		error = "LLVM does not know the processor '" + target.cpu + "'";
		return false;
	}
	for (llvm::StringRef feature : llvm::split(target.features, ',')) {
		if (feature.empty() || feature == "+all")
			continue;
		if ((feature[0] == '+' || feature[0] == '-') &&
		    has_key(any.getAllProcessorFeatures(), feature.drop_front()))
			continue;
		error = "LLVM does not know the feature '" + feature.str() + "'";
		return false;
	}
	return true;
}

bool make_subtarget(takt_llvm_target &target, std::string &error)
{
	std::unique_ptr<llvm::MCSubtargetInfo> any(
		target.target->createMCSubtargetInfo(target.triple, "", ""));

	if (any && !check_names(*any, target, error))
		return false;
	if (any)
		target.subtarget.reset(target.target->createMCSubtargetInfo(
			target.triple, target.cpu,
			expand_features(*any, llvm::Triple(target.triple), target.features)));
	return true;
}

/* True for targets that have no disassembler, or one that crashes on random bytes. */
bool is_unusable(llvm::Triple::ArchType arch)
{
	switch (arch) {
	case llvm::Triple::amdgcn:
	case llvm::Triple::bpfeb:
	case llvm::Triple::bpfel:
	case llvm::Triple::lanai:
	case llvm::Triple::m68k:
	case llvm::Triple::msp430:
	case llvm::Triple::nvptx:
	case llvm::Triple::nvptx64:
	case llvm::Triple::r600:
		return true;
	default:
		return false;
	}
}

bool make_printer(takt_llvm_target &target)
{
	/* Otherwise PowerPC's registers are printed as bare numbers. */
	auto &options = llvm::cl::getRegisteredOptions();
	const auto full_names = options.find("ppc-asm-full-reg-names");

	if (full_names != options.end())
		full_names->second->addOccurrence(0, full_names->first(), "true");
	target.printer.reset(target.target->createMCInstPrinter(
		target.parsed, target.asm_info->getAssemblerDialect(), *target.asm_info,
		*target.instructions, *target.registers));
	if (!target.printer)
		return false;
	target.printer->setPrintBranchImmAsAddress(true);
	target.printer->setCommentStream(llvm::nulls());
	return true;
}

bool make_parts(takt_llvm_target &target, std::string &error)
{
	target.parsed = llvm::Triple(target.triple);
	target.target = llvm::TargetRegistry::lookupTarget(target.triple, error);
	if (!target.target) {
		error = "LLVM does not know this instruction set";
		return false;
	}
	const llvm::Target &from = *target.target;
	error = "LLVM has no reliable disassembler for this instruction set";
	if (is_unusable(target.parsed.getArch()) || !make_subtarget(target, error))
		return false;
	target.registers.reset(from.createMCRegInfo(target.triple));
	target.instructions.reset(from.createMCInstrInfo());
	if (!target.registers || !target.instructions || !target.subtarget)
		return false;
	target.asm_info.reset(
		from.createMCAsmInfo(*target.registers, target.triple, target.options));
	if (!target.asm_info)
		return false;
	target.context.reset(new llvm::MCContext(target.parsed, target.asm_info.get(),
						 target.registers.get(), target.subtarget.get()));
	target.disassembler.reset(from.createMCDisassembler(*target.subtarget, *target.context));
	target.analysis.reset(from.createMCInstrAnalysis(target.instructions.get()));
	if (!target.analysis)
		target.analysis.reset(new llvm::MCInstrAnalysis(target.instructions.get()));
	if (!target.disassembler || !make_printer(target))
		return false;
	number_locations(target);
	describe_processor(target);
	make_instruments(target);
	return true;
}

bool is_same(const takt_llvm_target &target, const char *triple, const char *cpu,
	     const char *features)
{
	return target.triple == triple && target.cpu == cpu && target.features == features;
}

takt_llvm_target *open_target(const char *triple, const char *cpu, const char *features,
			      takt_llvm_error_sink report, void *context)
{
	static std::mutex lock;
	static auto &open = *new std::vector<std::unique_ptr<takt_llvm_target>>;
	std::lock_guard<std::mutex> locked(lock);
	std::string error;
	Escape here;
	bool made = false;

	for (const auto &target : open)
		if (is_same(*target, triple, cpu, features))
			return target.get();
	std::unique_ptr<takt_llvm_target> target(new takt_llvm_target());
	target->triple = triple;
	target->cpu = cpu;
	target->features = features;
	if (!attempt(here, [&] {
		    initialize_targets();
		    made = make_parts(*target, error);
	    }))
		error = here.reason;
	if (made) {
		open.push_back(std::move(target));
		return open.back().get();
	}
	report(context, error.c_str());
	return nullptr;
}

/* ---- decoding --------------------------------------------------------- */

uint32_t flags_of(const takt_llvm_target &target, const llvm::MCInst &inst)
{
	const llvm::MCInstrDesc &desc = target.instructions->get(inst.getOpcode());
	const llvm::MCInstrAnalysis &analysis = *target.analysis;
	const bool is_call = analysis.isCall(inst), is_return = analysis.isReturn(inst);
	const bool is_indirect = analysis.isIndirectBranch(inst);
	/* A return that only its operands distinguish from a call is unconditional, too. */
	const bool is_barrier = desc.isBarrier() || analysis.isUnconditionalBranch(inst) ||
				(is_return && !desc.isReturn());
	uint32_t flags = 0;

	if (is_call || is_return || is_indirect || analysis.isBranch(inst)) {
		flags |= TAKT_LLVM_BRANCH;
		flags |= is_call ? TAKT_LLVM_CALL : 0;
		flags |= is_return ? TAKT_LLVM_RETURN : 0;
		flags |= is_barrier ? TAKT_LLVM_BARRIER : 0;
		flags |= !is_call && !is_barrier ? TAKT_LLVM_CONDITIONAL : 0;
	}
	flags |= desc.mayLoad() ? TAKT_LLVM_LOADS : 0;
	flags |= desc.mayStore() ? TAKT_LLVM_STORES : 0;
	flags |= desc.hasUnmodeledSideEffects() ? TAKT_LLVM_SIDE_EFFECTS : 0;
	return flags;
}

void describe_operand(const takt_llvm_target &target, const llvm::MCInst &inst, unsigned i,
		      takt_llvm_operand &operand)
{
	const llvm::MCInstrDesc &desc = target.instructions->get(inst.getOpcode());
	const llvm::MCOperand &from = inst.getOperand(i);
	const bool is_listed = i < desc.getNumOperands();

	operand.tied_to =
		int8_t(is_listed ? desc.getOperandConstraint(i, llvm::MCOI::TIED_TO) : -1);
	operand.is_memory =
		is_listed && desc.operands()[i].OperandType == llvm::MCOI::OPERAND_MEMORY;
	if (from.isImm()) {
		operand.type = TAKT_LLVM_IMMEDIATE;
		operand.immediate = from.getImm();
	} else if (from.isReg() && from.getReg()) {
		operand.type = TAKT_LLVM_REGISTER;
		operand.reg = target.parts[from.getReg()];
		operand.is_definition =
			i < desc.getNumDefs() || (is_listed ? desc.operands()[i].isOptionalDef()
							    : desc.variadicOpsAreDefs());
	}
}

unsigned describe_implicit(const takt_llvm_target &target, llvm::ArrayRef<llvm::MCPhysReg> regs,
			   takt_llvm_register *ret_regs)
{
	unsigned count = 0;

	for (llvm::MCPhysReg reg : regs)
		if (count < TAKT_LLVM_IMPLICIT_MAX && target.parts[reg].part_count)
			ret_regs[count++] = target.parts[reg];
	return count;
}

/* Copy one line with single blanks and without its comment, cut to fit. */
void copy_text(llvm::StringRef from, llvm::StringRef comment, char *text)
{
	size_t size = 0;

	for (char next : from.ltrim()) {
		if (next == '\n' || size == TAKT_LLVM_TEXT_MAX - 1)
			break;
		next = next == '\t' ? ' ' : next;
		if (next != ' ' || text[size - 1] != ' ')
			text[size++] = next;
	}
	size = std::min(size, llvm::StringRef(text, size).find((" " + comment + " ").str()));
	while (size && text[size - 1] == ' ')
		size--;
	text[size] = '\0';
}

void print_inst(const takt_llvm_target &target, const llvm::MCInst &inst, uint64_t address,
		char *text)
{
	llvm::SmallString<TAKT_LLVM_TEXT_MAX> printed;
	llvm::raw_svector_ostream stream(printed);

	target.printer->printInst(&inst, address, "", *target.subtarget, stream);
	copy_text(printed, target.asm_info->getCommentString(), text);
}

void describe_inst(const takt_llvm_target &target, const llvm::MCInst &inst, uint64_t address,
		   unsigned size_bytes, takt_llvm_insn &insn)
{
	const llvm::MCInstrDesc &desc = target.instructions->get(inst.getOpcode());

	memset(&insn, 0, offsetof(takt_llvm_insn, text) + 1);
	insn.opcode = inst.getOpcode();
	insn.scheduling_class = scheduling_class_of(target, inst);
	insn.flags = flags_of(target, inst);
	insn.size_bytes = uint8_t(size_bytes);
	insn.operand_count = uint8_t(std::min(inst.getNumOperands(), TAKT_LLVM_OPERANDS_MAX + 0u));
	for (unsigned i = 0; i < insn.operand_count; i++)
		describe_operand(target, inst, i, insn.operands[i]);
	insn.implicit_read_count =
		uint8_t(describe_implicit(target, desc.implicit_uses(), insn.implicit_reads));
	insn.implicit_write_count =
		uint8_t(describe_implicit(target, desc.implicit_defs(), insn.implicit_writes));
	if (!(insn.flags & TAKT_LLVM_BRANCH))
		return;
	if (target.analysis->evaluateBranch(inst, address, size_bytes, insn.target))
		insn.flags |= TAKT_LLVM_HAS_TARGET;
	else
		insn.flags |= TAKT_LLVM_INDIRECT;
}

bool decode(takt_llvm_target *target, const uint8_t *bytes, size_t size_bytes, uint64_t address,
	    bool with_text, takt_llvm_insn *ret_insn)
{
	std::lock_guard<std::mutex> locked(target->lock);
	unsigned size = 0;
	Escape here;

	return attempt(here,
		       [&] {
			       llvm::MCInst inst;

			       size = decode_inst(*target, bytes, size_bytes, address, inst);
			       if (size)
				       describe_inst(*target, inst, address, size, *ret_insn);
			       if (size && with_text)
				       print_inst(*target, inst, address, ret_insn->text);
		       }) &&
	       size;
}

/* ---- settings --------------------------------------------------------- */

bool set(const takt_llvm_target *target, const char *kind, const char *data,
	 takt_llvm_settings *settings)
{
	std::lock_guard<std::mutex> locked(target->lock);
	Escape here;
	bool known = false;

	return attempt(here, [&] { known = set_instrument(*target, kind, data, *settings); }) &&
	       known;
}

unsigned classify(takt_llvm_target *target, const uint8_t *bytes, size_t size_bytes,
		  takt_llvm_settings *settings, uint32_t *ret_class, takt_llvm_setting_use *ret_use)
{
	std::lock_guard<std::mutex> locked(target->lock);
	unsigned size = 0;
	Escape here;

	*ret_use = {};
	attempt(here, [&] {
		llvm::MCInst inst;

		size = decode_inst(*target, bytes, size_bytes, 0, inst);
		if (size)
			*ret_class = class_under(*target, inst, *settings, *ret_use);
	});
	return size;
}

/* ---- the rest --------------------------------------------------------- */

const takt_llvm_processor *processor(const takt_llvm_target *target)
{
	return &target->processor;
}

const char *location_name(const takt_llvm_target *target, uint16_t location)
{
	std::lock_guard<std::mutex> locked(target->lock);

	if (target->location_names.empty())
		name_locations(*target);
	return location < target->location_names.size() ? target->location_names[location].c_str()
							: "";
}

const char *opcode_name(const takt_llvm_target *target, uint32_t opcode)
{
	return opcode < target->instructions->getNumOpcodes()
		       ? target->instructions->getName(opcode).data()
		       : "";
}

bool schedule(const takt_llvm_target *target, uint32_t scheduling_class,
	      takt_llvm_schedule *ret_schedule)
{
	return describe_class(*target, scheduling_class, *ret_schedule);
}

void uses(const takt_llvm_target *target, takt_llvm_class_use *ret_uses)
{
	std::lock_guard<std::mutex> locked(target->lock);
	Escape here;

	attempt(here, [&] { count_class_uses(*target, ret_uses); });
}

int sample(takt_llvm_target *target, uint32_t opcode, uint32_t variant, uint8_t ret_bytes[16])
{
	std::lock_guard<std::mutex> locked(target->lock);
	Escape here;
	int size = 0;

	if (opcode >= target->instructions->getNumOpcodes())
		return -1;
	if (!attempt(here, [&] { size = build_sample(*target, opcode, variant, ret_bytes); }))
		return variant ? -1 : 0;
	return size;
}

uint32_t opcode_count(const takt_llvm_target *target)
{
	return target->instructions->getNumOpcodes();
}

void architectures(takt_llvm_name_sink sink, void *context)
{
	initialize_targets();
	for (int i = llvm::Triple::UnknownArch + 1; i <= llvm::Triple::LastArchType; i++) {
		const auto arch = llvm::Triple::ArchType(i);
		const std::string name = llvm::Triple::getArchTypeName(arch).str();
		std::string error;
		const llvm::Target *target =
			llvm::TargetRegistry::lookupTarget(name + "-unknown-linux-gnu", error);

		if (target && !is_unusable(arch) && !sink(context, name.c_str()))
			return;
	}
}

/* True if the CPU has the triple's width: RISC-V's list has both 32-bit and 64-bit CPUs. */
bool fits(const llvm::Triple &triple, const char *cpu)
{
	std::string error;
	const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple.str(), error);

	if (!triple.isRISCV() || !target)
		return true;
	std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
		target->createMCSubtargetInfo(triple.str(), cpu, ""));
	return subtarget && subtarget->checkFeatures("+64bit") == triple.isArch64Bit();
}

bool processors(const char *triple, takt_llvm_name_sink sink, void *context)
{
	std::unique_ptr<llvm::MCSubtargetInfo> any;
	std::string error;
	Escape here;

	if (!attempt(here,
		     [&] {
			     initialize_targets();
			     const llvm::Target *target =
				     llvm::TargetRegistry::lookupTarget(triple, error);

			     if (target && !is_unusable(llvm::Triple(triple).getArch()))
				     any.reset(target->createMCSubtargetInfo(triple, "", ""));
		     }) ||
	    !any)
		return false;
	for (const llvm::SubtargetSubTypeKV &entry : any->getAllProcessorDescriptions())
		if (entry.SchedModel->hasInstrSchedModel() &&
		    fits(llvm::Triple(triple), entry.Key) && !sink(context, entry.Key))
			break;
	return true;
}

} // namespace

unsigned decode_inst(const takt_llvm_target &target, const uint8_t *bytes, size_t size_bytes,
		     uint64_t address, llvm::MCInst &ret_inst)
{
	uint64_t size = 0;
	const auto status = target.disassembler->getInstruction(
		ret_inst, size, llvm::ArrayRef<uint8_t>(bytes, size_bytes), address, llvm::nulls());

	return status != llvm::MCDisassembler::Fail && size &&
			       size <= std::min<size_t>(size_bytes, 255)
		       ? unsigned(size)
		       : 0;
}

} // namespace takt

extern "C" __attribute__((visibility("default"))) const takt_llvm_api *takt_llvm_entry()
{
	static const takt_llvm_api api = {
		takt::open_target,  takt::processor,	 takt::location_name, takt::opcode_name,
		takt::decode,	    takt::schedule,	 takt::uses,	      takt::sample,
		takt::opcode_count, takt::architectures, takt::processors,    takt::set,
		takt::classify,
	};

	return &api;
}
