/* SPDX-License-Identifier: MIT */
/*
 * Assembles text with LLVM's machine code layer into an ELF object
 * in memory, and notes where each instruction went and from which line it came.
 * A module of its own, so that nothing else depends on LLVM. See input.h for the
 * interface; no exceptions, no state.
 */
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCAssembler.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCELFStreamer.h>
#include <llvm/MC/MCExpr.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSection.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCSymbol.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "isa/llvm_targets.hpp"

extern "C" {
#include "input/input.h"
}

using namespace llvm;

namespace {

/* The place in the user's text: of a macro's body, where the macro was used. */
SMLoc place_in_source(const SourceMgr &sources, SMLoc place)
{
	unsigned buffer = place.isValid() ? sources.FindBufferContainingLoc(place) : 0;

	while (buffer && buffer != sources.getMainFileID()) {
		place = sources.getParentIncludeLoc(buffer);
		buffer = place.isValid() ? sources.FindBufferContainingLoc(place) : 0;
	}
	return buffer ? place : SMLoc();
}

/* Collects what LLVM reports and hands it on with a line of the user's text. */
struct Reporter {
	const takt_shim_request *request;
	const SourceMgr *sources;
	bool failed = false;

	void report(const SMDiagnostic &diagnostic)
	{
		bool is_error = diagnostic.getKind() == SourceMgr::DK_Error;
		SMLoc place = place_in_source(*sources, diagnostic.getLoc());
		std::pair<unsigned, unsigned> at(0, 0);

		if (diagnostic.getKind() != SourceMgr::DK_Error &&
		    diagnostic.getKind() != SourceMgr::DK_Warning)
			return;
		if (place.isValid())
			at = sources->getLineAndColumn(place);
		failed |= is_error;
		request->report(request->context, is_error, at.first, at.second,
				diagnostic.getMessage().str().c_str());
	}
};

void handle_diagnostic(const SMDiagnostic &diagnostic, void *context)
{
	static_cast<Reporter *>(context)->report(diagnostic);
}

constexpr size_t fill_max_bytes = size_t(64) << 20;
constexpr size_t object_size_max_bytes = size_t(256) << 20;

/* An ELF streamer that labels every instruction, and remembers labels it is to list. */
class Recorder : public MCELFStreamer {
public:
	struct Mark {
		const MCSymbol *label;
		SMLoc place;
	};
	std::vector<Mark> insns, labels;
	StringRef prefix;

	using MCELFStreamer::MCELFStreamer;

	void emitInstruction(const MCInst &insn, const MCSubtargetInfo &subtarget) override
	{
		MCSymbol *label = getContext().createTempSymbol();

		MCELFStreamer::emitLabel(label);
		insns.push_back(
			{label, insn.getLoc().isValid() ? insn.getLoc() : getStartTokLoc()});
		MCELFStreamer::emitInstruction(insn, subtarget);
	}

	void emitLabel(MCSymbol *label, SMLoc place) override
	{
		if (label->getName().starts_with(prefix))
			labels.push_back({label, place});
		MCELFStreamer::emitLabel(label, place);
	}

	/* The object writer gives up the process over a size that it cannot compute. */
	void emitELFSize(MCSymbol *symbol, const MCExpr *size) override
	{
		if (is_known(size))
			MCELFStreamer::emitELFSize(symbol, size);
	}

	void emitFill(const MCExpr &count, uint64_t value, SMLoc place) override
	{
		if (is_modest(count, 1, place))
			MCELFStreamer::emitFill(count, value, place);
	}

	void emitFill(const MCExpr &count, int64_t size, int64_t value, SMLoc place) override
	{
		if (is_modest(count, size, place))
			MCELFStreamer::emitFill(count, size, value, place);
	}

private:
	/* ".space 0x7fffffffff" would be written out, byte by byte. */
	bool is_modest(const MCExpr &count, int64_t size, SMLoc place)
	{
		int64_t number;

		if (!count.evaluateAsAbsolute(number) ||
		    number <= static_cast<int64_t>(fill_max_bytes) / std::max<int64_t>(size, 1))
			return true;
		getContext().reportError(place, "more than " + Twine(fill_max_bytes >> 20) +
							" MiB of fill");
		return false;
	}

	static const MCSection *section_of(const MCExpr *expression)
	{
		const auto *reference = dyn_cast<MCSymbolRefExpr>(expression);

		if (!reference || reference->getSymbol().isVariable() ||
		    !reference->getSymbol().isInSection())
			return nullptr;
		return &reference->getSymbol().getSection();
	}

	/* A number, or the distance of two labels of one section. */
	static bool is_known(const MCExpr *size)
	{
		const auto *difference = dyn_cast<MCBinaryExpr>(size);

		if (isa<MCConstantExpr>(size))
			return true;
		return difference && difference->getOpcode() == MCBinaryExpr::Sub &&
		       section_of(difference->getLHS()) &&
		       section_of(difference->getLHS()) == section_of(difference->getRHS());
	}
};

/* The object, unless something in the text makes it grow without end. */
class Object : public raw_pwrite_stream {
public:
	std::vector<unsigned char> bytes;

	Object() : raw_pwrite_stream(/*Unbuffered=*/true) {}

private:
	void write_impl(const char *data, size_t size) override
	{
		if (size > object_size_max_bytes - bytes.size())
			report_fatal_error("the assembled object is too large", false);
		bytes.insert(bytes.end(), data, data + size);
	}

	void pwrite_impl(const char *data, size_t size, uint64_t offset) override
	{
		memcpy(bytes.data() + offset, data, size);
	}

	uint64_t current_pos() const override { return bytes.size(); }
};

bool comes_before(const takt_assembled_insn &left, const takt_assembled_insn &right)
{
	return left.section != right.section ? left.section < right.section
					     : left.offset < right.offset;
}

/* Symbols have offsets, and sections their index in the file, once it is written. */
std::vector<takt_assembled_insn> collect(const std::vector<Recorder::Mark> &marks,
					 const MCAssembler &assembler, const SourceMgr &sources)
{
	std::vector<takt_assembled_insn> found;

	for (const Recorder::Mark &mark : marks) {
		SMLoc place = place_in_source(sources, mark.place);

		if (!mark.label->isInSection())
			continue;
		found.push_back({mark.label->getSection().getOrdinal(),
				 static_cast<uint32_t>(assembler.getSymbolOffset(*mark.label)),
				 place.isValid() ? sources.getLineAndColumn(place).first : 0});
	}
	return found;
}

/* malloc, because the caller is C. */
template <typename T> T *copy_out(const T *from, size_t count)
{
	T *copy = static_cast<T *>(malloc(count ? count * sizeof(T) : 1));

	if (copy && count)
		memcpy(copy, from, count * sizeof(T));
	return copy;
}

int hand_over(const Object &object, const Recorder &recorder,
	      const MCAssembler &assembler, const SourceMgr &sources, takt_shim_result *ret_result)
{
	std::vector<takt_assembled_insn> insns = collect(recorder.insns, assembler, sources);
	std::vector<takt_assembled_insn> labels = collect(recorder.labels, assembler, sources);
	takt_shim_result result = {};

	std::stable_sort(insns.begin(), insns.end(), comes_before);
	result.object = copy_out(object.bytes.data(), object.bytes.size());
	result.object_size_bytes = object.bytes.size();
	result.insns = copy_out(insns.data(), insns.size());
	result.insn_count = insns.size();
	result.labels = copy_out(labels.data(), labels.size());
	result.label_count = labels.size();
	if (result.object && result.insns && result.labels) {
		*ret_result = result;
		return 0;
	}
	free(result.object);
	free(result.insns);
	free(result.labels);
	return 1;
}

/* The parts of LLVM that belong to a triple. */
struct Target_parts {
	const Target *target = nullptr;
	MCTargetOptions options;
	std::unique_ptr<MCRegisterInfo> registers;
	std::unique_ptr<MCAsmInfo> info;
	std::unique_ptr<MCInstrInfo> instructions;
	std::unique_ptr<MCSubtargetInfo> subtarget;

	bool find(const takt_shim_request &request, std::string &error)
	{
		target = TargetRegistry::lookupTarget(request.triple, error);
		if (!target)
			return false;
		/* Labels that nothing defines stay references, as in an excerpt of a file. */
		options.MCSaveTempLabels = true;
		registers.reset(target->createMCRegInfo(request.triple));
		info.reset(target->createMCAsmInfo(*registers, request.triple, options));
		instructions.reset(target->createMCInstrInfo());
		subtarget.reset(target->createMCSubtargetInfo(request.triple, request.cpu,
							      request.features));
		return registers && info && instructions && subtarget;
	}
};

/* Puts LLVM's parts together and lets them run. */
int assemble(const takt_shim_request *request, Object &object, takt_shim_result *ret_result)
{
	SourceMgr sources;
	Reporter reporter{request, &sources};
	Target_parts parts;
	std::string error;

	if (!parts.find(*request, error)) {
		request->report(request->context, true, 0, 0, error.c_str());
		return 1;
	}
	sources.AddNewSourceBuffer(
		MemoryBuffer::getMemBuffer(request->source, request->source_name), SMLoc());
	sources.setDiagHandler(handle_diagnostic, &reporter);

	MCContext context(Triple(request->triple), parts.info.get(), parts.registers.get(),
			  parts.subtarget.get(), &sources, &parts.options);
	context.setDiagnosticHandler([&reporter](const SMDiagnostic &diagnostic, bool,
						 const SourceMgr &, std::vector<const MDNode *> &) {
		reporter.report(diagnostic);
	});
	std::unique_ptr<MCObjectFileInfo> files(
		parts.target->createMCObjectFileInfo(context, true));
	context.setObjectFileInfo(files.get());

	std::unique_ptr<MCAsmBackend> backend(parts.target->createMCAsmBackend(
		*parts.subtarget, *parts.registers, parts.options));
	std::unique_ptr<MCCodeEmitter> emitter(
		parts.target->createMCCodeEmitter(*parts.instructions, context));
	if (!backend || !emitter || !parts.target->hasMCAsmParser()) {
		request->report(request->context, true, 0, 0,
				"LLVM has no assembler for this instruction set");
		return 1;
	}
	std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(object);
	Recorder recorder(context, std::move(backend), std::move(writer), std::move(emitter));
	recorder.prefix = request->label_prefix;
	parts.target->createNullTargetStreamer(recorder); /* some directives insist on one */

	std::unique_ptr<MCAsmParser> parser(
		createMCAsmParser(sources, context, recorder, *parts.info));
	std::unique_ptr<MCTargetAsmParser> target_parser(parts.target->createMCAsmParser(
		*parts.subtarget, *parser, *parts.instructions, parts.options));
	if (request->intel_syntax)
		parser->setAssemblerDialect(1);
	parser->setTargetParser(*target_parser);
	if (parser->Run(false) || reporter.failed || context.hadError())
		return 1;
	return hand_over(object, recorder, recorder.getAssembler(), sources, ret_result);
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
takt_shim_assemble(const takt_shim_request *request, takt_shim_result *ret_result)
{
	Object object; /* here, so that it is freed after an escape, too */
	takt::Escape here;
	int failed = 1;

	takt::initialize_targets();
	if (!takt::attempt(here, [&] { failed = assemble(request, object, ret_result); }))
		request->report(request->context, true, 0, 0, here.reason);
	return failed;
}
