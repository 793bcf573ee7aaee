/* SPDX-License-Identifier: MIT */
/*
 * llvm_instrument: scheduling classes that depend on what the vector unit is set to, which
 * LLVM's analyser calls instruments: comments give them, or instructions such as vsetvli.
 */
#include "isa/llvm_target.hpp"

#include <algorithm>

namespace takt {

namespace {

using Manager = llvm::mca::InstrumentManager;

bool copy(llvm::StringRef from, char *to, size_t capacity)
{
	if (from.size() >= capacity)
		return false;
	*std::copy(from.begin(), from.end(), to) = '\0';
	return true;
}

/* One of a kind replaces the one before. */
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
		     takt_llvm_settings &settings)
{
	llvm::SmallVector<llvm::mca::UniqueInstrument> made;
	llvm::SmallVector<llvm::mca::Instrument *> list;

	for (const auto &next : target.instruments->createInstruments(inst))
		store(next->getDesc(), next->getData(), settings);
	for (unsigned i = 0; i < settings.count; i++) {
		made.push_back(target.instruments->createInstrument(settings.list[i].kind,
								    settings.list[i].data));
		list.push_back(made.back().get());
	}
	return resolve_class(target, inst,
			     target.instruments->getSchedClassID(*target.instructions, inst, list));
}

} // namespace takt
