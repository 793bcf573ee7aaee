/* SPDX-License-Identifier: MIT */
/*
 * llvm_instrument: scheduling classes that depend on the settings of the vector unit, which
 * comments give, or instructions such as vsetvli. llvm-mca calls these settings instruments.
 */
#include "isa/llvm_target.hpp"

#include <algorithm>

namespace takt
{

namespace
{

using Manager = llvm::mca::InstrumentManager;

bool copy(llvm::StringRef from, char *to, size_t capacity)
{
	if (from.size() >= capacity)
		return false;
	*std::copy(from.begin(), from.end(), to) = '\0';
	return true;
}

/* Store a setting; it replaces one of the same kind. False if it does not fit. */
bool store(llvm::StringRef kind, llvm::StringRef data, takt_llvm_settings &settings)
{
	takt_llvm_setting *end = settings.list + settings.count;
	takt_llvm_setting *place = std::find_if(
		settings.list, end, [kind](const auto &setting) { return kind == setting.kind; });
	takt_llvm_setting made = {};

	if (place == settings.list + TAKT_LLVM_SETTINGS_MAX ||
	    !copy(kind, made.kind, sizeof(made.kind)) || !copy(data, made.data, sizeof(made.data)))
		return false;
	settings.count += place == end;
	*place = made;
	return true;
}

/* Instructions that set the vector unit, by the operand that holds the settings. */
enum class Setter { none, immediate, reg };

Setter setter_of(const takt_llvm_target &target, const llvm::MCInst &inst)
{
	llvm::StringRef name = target.instructions->getName(inst.getOpcode());

	if (name == "VSETVLI" || name == "VSETIVLI")
		return Setter::immediate;
	return name == "VSETVL" ? Setter::reg : Setter::none;
}

/*
 * True if the immediate is a valid vector type: three bits each for LMUL and SEW, and two flags.
 * LLVM does not expect any other value.
 */
bool is_vector_type(const llvm::MCInst &inst)
{
	constexpr int64_t reserved_lmul = 4, sew_max = 3, bits = 8;

	if (inst.getNumOperands() < 3 || !inst.getOperand(2).isImm())
		return false;
	int64_t type = inst.getOperand(2).getImm();
	return type >= 0 && type >> bits == 0 && (type & 7) != reserved_lmul &&
	       (type >> 3 & 7) <= sew_max;
}

unsigned class_for(const takt_llvm_target &target, const llvm::MCInst &inst,
		   const takt_llvm_settings &settings)
{
	llvm::SmallVector<llvm::mca::UniqueInstrument> made;
	llvm::SmallVector<llvm::mca::Instrument *> list;

	for (unsigned i = 0; i < settings.count; i++) {
		made.push_back(target.instruments->createInstrument(settings.list[i].kind,
								    settings.list[i].data));
		list.push_back(made.back().get());
	}
	return target.instruments->getSchedClassID(*target.instructions, inst, list);
}

/* True if the class depends on settings; LLVM has another class for the case without settings. */
bool depends_on_settings(const takt_llvm_target &target, const llvm::MCInst &inst)
{
	static const takt_llvm_settings probes[] = {
		{2, {{"RISCV-LMUL", "M1"}, {"RISCV-SEW", "E8"}}},
		{2, {{"RISCV-LMUL", "M1"}, {"RISCV-SEW", "E32"}}},
		{2, {{"RISCV-LMUL", "M8"}, {"RISCV-SEW", "E32"}}},
	};
	unsigned none = class_for(target, inst, {});

	return std::any_of(std::begin(probes), std::end(probes), [&](const auto &probe) {
		return class_for(target, inst, probe) != none;
	});
}

} // namespace

void make_instruments(takt_llvm_target &target)
{
	std::unique_ptr<Manager> manager(
		target.target->createInstrumentManager(*target.subtarget, *target.instructions));

	if (manager && !manager->shouldIgnoreInstruments())
		target.instruments = std::move(manager);
	target.processor.has_settings = target.instruments != nullptr;
}

bool set_instrument(const takt_llvm_target &target, const char *kind, const char *data,
		    takt_llvm_settings &settings)
{
	return target.instruments->supportsInstrumentType(kind) &&
	       target.instruments->createInstrument(kind, data) && store(kind, data, settings);
}

unsigned class_under(const takt_llvm_target &target, const llvm::MCInst &inst,
		     takt_llvm_settings &settings, takt_llvm_setting_use &ret_use)
{
	Setter setter = setter_of(target, inst);

	ret_use.sets = setter != Setter::none;
	ret_use.unknown =
		setter == Setter::reg || (setter == Setter::immediate && !is_vector_type(inst));
	if (!ret_use.unknown)
		for (const auto &next : target.instruments->createInstruments(inst))
			store(next->getDesc(), next->getData(), settings);
	ret_use.depends = !ret_use.sets && depends_on_settings(target, inst);
	return resolve_class(target, inst, class_for(target, inst, settings));
}

} // namespace takt
