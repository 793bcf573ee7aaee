/* SPDX-License-Identifier: MIT */
/*
 * Assembles text with LLVM's machine code layer into an ELF object in memory, and records the
 * place and the source line of each instruction. It is part of separate modules, so that nothing
 * else depends on LLVM. See input.h for the interface. LLVM is not safe against hostile text, so
 * this runs only in a confined process (assembler_child.c), one text at a time, and can always
 * tell which statement it has reached.
 */
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
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
#include <llvm/MC/MCParser/MCAsmLexer.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCAsmParserExtension.h>
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

namespace
{

/* The user's text, which is one of LLVM's buffers; most others are expanded macros. */
struct Main_text {
	const SourceMgr *sources;
	const char *begin, *end;

	explicit Main_text(const SourceMgr &from) : sources(&from)
	{
		const MemoryBuffer *buffer = from.getMemoryBuffer(from.getMainFileID());

		begin = buffer->getBufferStart();
		end = buffer->getBufferEnd();
	}

	bool contains(SMLoc place) const
	{
		return place.isValid() && place.getPointer() >= begin && place.getPointer() <= end;
	}

	/* Returns the line; 0 outside the text. A column would need a search for its beginning. */
	uint32_t line_of(SMLoc place) const
	{
		return contains(place) ? sources->getBufferInfo(sources->getMainFileID())
						 .getLineNumber(place.getPointer())
				       : 0;
	}
};

/*
 * Collects LLVM's reports and passes them on with a place in the user's text. An error in an
 * expanded macro is followed by notes that lead to the statement that uses the macro.
 */
class Reporter
{
      public:
	bool failed = false;

	Reporter(const takt_shim_request &request, const Main_text &text)
	    : request_(request), text_(text)
	{
	}

	void receive(const SMDiagnostic &diagnostic)
	{
		SMLoc place = text_.contains(diagnostic.getLoc()) ? diagnostic.getLoc() : SMLoc();

		if (is_asking_ && diagnostic.getKind() != SourceMgr::DK_Note)
			return;
		if (diagnostic.getKind() == SourceMgr::DK_Note) {
			if (place.isValid())
				place_ = place; /* the last note is the outermost */
			return;
		}
		if (diagnostic.getKind() != SourceMgr::DK_Error)
			return;
		flush();
		message_ = diagnostic.getMessage().str();
		place_ = place;
		is_pending_ = true;
		if (place.isValid())
			flush();
	}

	void report(takt_shim_report_kind kind, SMLoc place, const std::string &message)
	{
		std::pair<unsigned, unsigned> at(0, 0);

		failed = true;
		if (place == last_place_ && message == last_message_)
			return; /* LLVM lays out sections more than once */
		last_place_ = place;
		last_message_ = message;
		if (text_.contains(place))
			at = text_.sources->getLineAndColumn(place);
		request_.report(request_.context, kind, at.first, at.second, message.c_str());
		if (++count_ == TAKT_SHIM_REPORTS_MAX)
			takt::escape(nullptr, "", false); /* more reports would not be useful */
	}

	/* Reports the error that is held back until its notes arrive, if there is one. */
	void flush()
	{
		if (!is_pending_)
			return;
		is_pending_ = false;
		report(TAKT_SHIM_ERROR, place_, message_);
	}

	/* Finds the statement of the user's text from which `place` in a macro was expanded. */
	SMLoc origin_of(MCAsmParser &parser, SMLoc place)
	{
		place_ = SMLoc();
		is_asking_ = true;
		parser.Note(place, "");
		is_asking_ = false;
		return place_;
	}

      private:
	const takt_shim_request &request_;
	const Main_text &text_;
	std::string message_, last_message_;
	SMLoc place_, last_place_;
	bool is_pending_ = false, is_asking_ = false;
	unsigned count_ = 0;
};

void handle_diagnostic(const SMDiagnostic &diagnostic, void *context)
{
	static_cast<Reporter *>(context)->receive(diagnostic);
}

constexpr size_t fill_max_bytes = size_t(64) << 20;
constexpr size_t object_size_max_bytes = TAKT_SHIM_OBJECT_MAX_BYTES;
constexpr size_t insn_text_min_bytes = 3; /* shortest text of an instruction outside of repeats */

/*
 * An ELF streamer that labels every instruction and records the labels that the request asks for.
 * It knows which statement is being assembled, and stops text that makes too much.
 */
class Recorder : public MCELFStreamer
{
      public:
	struct Mark {
		const MCSymbol *label;
		SMLoc place;
	};
	std::vector<Mark> insns, labels, assignments;
	const takt_shim_request *request = nullptr;
	const Main_text *text = nullptr;
	Reporter *reporter = nullptr;
	MCAsmParser *parser = nullptr; /* NULL before and after parsing */

	using MCELFStreamer::MCELFStreamer;

	/* Returns the statement of the user's text that is being assembled; invalid if none is. */
	SMLoc current_statement()
	{
		SMLoc place = parser ? getStartTokLoc() : SMLoc();

		return !parser || text->contains(place) ? place
							: reporter->origin_of(*parser, place);
	}

	/* Ends the work on this text. */
	[[noreturn]] void refuse(takt_shim_report_kind kind, const Twine &message)
	{
		reporter->flush();
		refuse_at(current_statement(), kind, message);
	}

	[[noreturn]] void refuse_at(SMLoc place, takt_shim_report_kind kind, const Twine &message)
	{
		reporter->report(kind, place, message.str());
		takt::escape(nullptr, "", false);
		__builtin_unreachable();
	}

	void emitInstruction(const MCInst &insn, const MCSubtargetInfo &subtarget) override
	{
		MCSymbol *label = getContext().createTempSymbol();

		stop_if_late();
		if (insns.size() >= insns_max())
			refuse(TAKT_SHIM_TOO_MUCH,
			       "more than " + Twine(insns_max()) + " instructions");
		MCELFStreamer::emitLabel(label);
		insns.push_back(
			{label, insn.getLoc().isValid() ? insn.getLoc() : getStartTokLoc()});
		MCELFStreamer::emitInstruction(insn, subtarget);
	}

	void emitLabel(MCSymbol *label, SMLoc place) override
	{
		stop_if_late();
		if (label->getName().starts_with(request->label_prefix))
			labels.push_back({label, place});
		MCELFStreamer::emitLabel(label, place);
	}

	/* Drops a size that cannot be computed: the object writer would end the process over it. */
	void emitELFSize(MCSymbol *symbol, const MCExpr *size) override
	{
		if (is_known(size))
			MCELFStreamer::emitELFSize(symbol, size);
	}

	void emitAssignment(MCSymbol *symbol, const MCExpr *value) override
	{
		assignments.push_back({symbol, getStartTokLoc()});
		MCELFStreamer::emitAssignment(symbol, value);
	}

	void emitBytes(StringRef data) override
	{
		stop_if_late();
		MCELFStreamer::emitBytes(data);
	}

	void emitValueToAlignment(Align alignment, int64_t value, unsigned size,
				  unsigned most) override
	{
		check_alignment(alignment, most);
		MCELFStreamer::emitValueToAlignment(alignment, value, size, most);
	}

	void emitCodeAlignment(Align alignment, const MCSubtargetInfo *subtarget,
			       unsigned most) override
	{
		check_alignment(alignment, most);
		MCELFStreamer::emitCodeAlignment(alignment, subtarget, most);
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
	size_t insns_max() const
	{
		return std::max<size_t>(TAKT_REGION_INSNS_MAX,
					(text->end - text->begin) / insn_text_min_bytes);
	}

	void stop_if_late()
	{
		if (*request->is_late)
			request->give_up(TAKT_SHIM_TIME);
	}

	void check_alignment(Align alignment, unsigned most)
	{
		stop_if_late();
		if (alignment.value() > fill_max_bytes && (!most || most > fill_max_bytes))
			refuse(TAKT_SHIM_TOO_MUCH,
			       "more than " + Twine(fill_max_bytes >> 20) + " MiB of fill");
	}

	/* Limits fill, because LLVM would write ".space 0x7fffffffff" byte by byte. */
	bool is_modest(const MCExpr &count, int64_t size, SMLoc place)
	{
		int64_t number;

		stop_if_late();

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

	/* True for a number, or the distance of two labels of one section. */
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

/* The object's bytes, of limited size, because text can make it grow without end. */
class Object : public raw_pwrite_stream
{
      public:
	std::vector<unsigned char> bytes;

	Object() : raw_pwrite_stream(/*Unbuffered=*/true)
	{
	}

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

	uint64_t current_pos() const override
	{
		return bytes.size();
	}
};

bool comes_before(const takt_assembled_insn &left, const takt_assembled_insn &right)
{
	return left.section != right.section ? left.section < right.section
					     : left.offset < right.offset;
}

/* Makes the result. The object must be written: only then offsets and section indices are known. */
std::vector<takt_assembled_insn> collect(const std::vector<Recorder::Mark> &marks,
					 const MCAssembler &assembler, const Main_text &text)
{
	std::vector<takt_assembled_insn> found;

	for (const Recorder::Mark &mark : marks)
		if (mark.label->isInSection())
			found.push_back(
				{mark.label->getSection().getOrdinal(),
				 static_cast<uint32_t>(assembler.getSymbolOffset(*mark.label)),
				 text.line_of(mark.place)});
	return found;
}

/* Copies an array with malloc, because the caller is C. */
template <typename T> T *copy_out(const T *from, size_t count)
{
	T *copy = static_cast<T *>(malloc(count ? count * sizeof(T) : 1));

	if (copy && count)
		memcpy(copy, from, count * sizeof(T));
	return copy;
}

int hand_over(const Object &object, const Recorder &recorder, const MCAssembler &assembler,
	      const Main_text &text, takt_shim_result *ret_result)
{
	std::vector<takt_assembled_insn> insns = collect(recorder.insns, assembler, text);
	std::vector<takt_assembled_insn> labels = collect(recorder.labels, assembler, text);
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

/* LLVM's objects for a triple. */
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
		/* Undefined labels stay references, as the text may be an excerpt of a file. */
		options.MCSaveTempLabels = true;
		registers.reset(target->createMCRegInfo(request.triple));
		info.reset(target->createMCAsmInfo(*registers, request.triple, options));
		instructions.reset(target->createMCInstrInfo());
		subtarget.reset(target->createMCSubtargetInfo(request.triple, request.cpu,
							      request.features));
		return registers && info && instructions && subtarget;
	}
};

/* ---- symbols made of symbols ------------------------------------------------ */

/*
 * Checks symbols that are defined by other symbols. LLVM evaluates a symbol anew each time, by
 * recursion through its parts. Chains and doublings of symbols that are defined before their parts
 * would keep it busy without end while it lays out sections, when the statement is not known any
 * more.
 */
class Symbol_check
{
      public:
	explicit Symbol_check(Recorder &recorder) : recorder_(recorder)
	{
	}

	/* Ends the work at the first assignment that takes too much. */
	void check()
	{
		for (const Recorder::Mark &mark : recorder_.assignments) {
			const Cost cost = cost_of(*mark.label);

			if (cost.depth > depth_max || cost.terms > terms_max)
				recorder_.refuse_at(mark.place, TAKT_SHIM_TOO_MUCH,
						    "'" + mark.label->getName() +
							    "' is made of too many other symbols");
		}
	}

      private:
	struct Cost {
		uint32_t depth = 0;
		uint64_t terms = 1;
	};
	static constexpr uint32_t depth_max = 1000;
	static constexpr uint64_t terms_max = 1000000;

	/* Computes the cost without recursion, which could be too deep. */
	Cost cost_of(const MCSymbol &wanted)
	{
		std::vector<const MCSymbol *> stack = {&wanted};

		while (!stack.empty()) {
			const MCSymbol *symbol = stack.back();
			std::vector<const MCSymbol *> parts = parts_of(*symbol);
			const size_t size = stack.size();

			for (const MCSymbol *part : parts)
				if (known_.insert({part, Cost()}).second)
					stack.push_back(part);
			if (stack.size() > size)
				continue; /* the parts that were just pushed come first */
			Cost cost;
			for (const MCSymbol *part : parts) {
				cost.depth = std::max(cost.depth, known_[part].depth + 1);
				cost.terms =
					std::min(cost.terms + known_[part].terms, 2 * terms_max);
			}
			known_[symbol] = cost;
			stack.pop_back();
		}
		return known_[&wanted];
	}

	static std::vector<const MCSymbol *> parts_of(const MCSymbol &symbol)
	{
		std::vector<const MCExpr *> rest;
		std::vector<const MCSymbol *> parts;

		if (symbol.isVariable())
			rest.push_back(symbol.getVariableValue(false));
		while (!rest.empty()) {
			const MCExpr *next = rest.back();

			rest.pop_back();
			if (const auto *binary = dyn_cast<MCBinaryExpr>(next)) {
				rest.push_back(binary->getLHS());
				rest.push_back(binary->getRHS());
			} else if (const auto *unary = dyn_cast<MCUnaryExpr>(next)) {
				rest.push_back(unary->getSubExpr());
			} else if (const auto *reference = dyn_cast<MCSymbolRefExpr>(next)) {
				parts.push_back(&reference->getSymbol());
			}
		}
		return parts;
	}

	Recorder &recorder_;
	DenseMap<const MCSymbol *, Cost> known_;
};

/* ---- directives that read files ------------------------------------------- */

/* Refuses directives that read files. Such handlers must belong to an extension of the parser. */
class Files : public MCAsmParserExtension
{
      public:
	explicit Files(Recorder &recorder) : recorder_(recorder)
	{
	}

	/* Installs handlers before LLVM's own, which ignore the case of a directive. */
	void take_over(MCAsmParser &parser)
	{
		Initialize(parser);
		for (const char *name : {".include", ".incbin"})
			for (unsigned capitals = 0; capitals < 1u << (strlen(name) - 1); capitals++)
				parser.addDirectiveHandler(spell(name, capitals), {this, refuse});
	}

      private:
	static std::string spell(std::string name, unsigned capitals)
	{
		for (size_t i = 1; i < name.size(); i++)
			if (capitals >> (i - 1) & 1)
				name[i] = char(name[i] - 'a' + 'A');
		return name;
	}

	static bool refuse(MCAsmParserExtension *self, StringRef directive, SMLoc)
	{
		static_cast<Files *>(self)->recorder_.refuse(
			TAKT_SHIM_READS_FILE,
			"'" + directive + "' reads another file, which takt refuses");
	}

	Recorder &recorder_;
};

/* ---- all together --------------------------------------------------------- */

Recorder *working; /* NULL while nothing is assembled */

/* Parses and lays out the text; true if the object is complete. */
bool run(const takt_shim_request &request, MCAsmParser &parser, Recorder &recorder,
	 Target_parts &parts)
{
	std::unique_ptr<MCTargetAsmParser> target_parser(parts.target->createMCAsmParser(
		*parts.subtarget, parser, *parts.instructions, parts.options));
	Files files(recorder);

	if (request.intel_syntax)
		parser.setAssemblerDialect(1);
	parser.setTargetParser(*target_parser);
	files.take_over(parser);
	recorder.parser = &parser;
	working = &recorder;
	const bool failed = parser.Run(false, /*NoFinalize=*/true);
	const SMLoc end = parser.getLexer().getLoc();

	recorder.reporter->flush();
	recorder.parser = nullptr;
	if (!failed && !recorder.reporter->failed) {
		Symbol_check(recorder).check();
		recorder.getTargetStreamer()->emitConstantPools();
		recorder.finish(end);
	}
	recorder.reporter->flush();
	return !failed && !recorder.reporter->failed && !recorder.getContext().hadError();
}

/* Creates LLVM's objects and runs them. */
int assemble(const takt_shim_request *request, Object &object, takt_shim_result *ret_result)
{
	SourceMgr sources;
	Target_parts parts;
	std::string error;

	sources.AddNewSourceBuffer(
		MemoryBuffer::getMemBuffer(request->source, request->source_name), SMLoc());
	Main_text text(sources);
	Reporter reporter(*request, text);

	if (!parts.find(*request, error)) {
		reporter.report(TAKT_SHIM_ERROR, SMLoc(), error);
		return 1;
	}
	sources.setDiagHandler(handle_diagnostic, &reporter);

	MCContext context(Triple(request->triple), parts.info.get(), parts.registers.get(),
			  parts.subtarget.get(), &sources, &parts.options);
	context.setDiagnosticHandler(
		[&reporter](const SMDiagnostic &diagnostic, bool, const SourceMgr &,
			    std::vector<const MDNode *> &) { reporter.receive(diagnostic); });
	std::unique_ptr<MCObjectFileInfo> files(
		parts.target->createMCObjectFileInfo(context, true));
	context.setObjectFileInfo(files.get());

	std::unique_ptr<MCAsmBackend> backend(parts.target->createMCAsmBackend(
		*parts.subtarget, *parts.registers, parts.options));
	std::unique_ptr<MCCodeEmitter> emitter(
		parts.target->createMCCodeEmitter(*parts.instructions, context));
	if (!backend || !emitter || !parts.target->hasMCAsmParser()) {
		reporter.report(TAKT_SHIM_ERROR, SMLoc(),
				"LLVM has no assembler for this instruction set");
		return 1;
	}
	std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(object);
	Recorder recorder(context, std::move(backend), std::move(writer), std::move(emitter));
	recorder.request = request;
	recorder.text = &text;
	recorder.reporter = &reporter;
	parts.target->createNullTargetStreamer(recorder); /* some directives need one */

	std::unique_ptr<MCAsmParser> parser(
		createMCAsmParser(sources, context, recorder, *parts.info));
	if (!run(*request, *parser, recorder, parts))
		return 1;
	return hand_over(object, recorder, recorder.getAssembler(), text, ret_result);
}

const takt_shim_request *asked; /* NULL before the first text */

void out_of_memory()
{
	asked->give_up(TAKT_SHIM_MEMORY);
}

/* Called for memory that LLVM asks for by other means than operator new. */
void out_of_buffers(void *, const char *, bool)
{
	out_of_memory();
}

void handle_lack_of_memory()
{
	static const bool done = [] {
		std::set_new_handler(out_of_memory);
		install_bad_alloc_error_handler(out_of_buffers);
		return true;
	}();

	(void)done;
}

/* Reports the message with which LLVM gave up, at the statement that it was assembling. */
void report_end(takt::Escape &here)
{
	const std::string message(here.reason);

	here.reason[0] = '\0';
	here.before = nullptr;
	if (message.empty())
		return;
	if (working)
		working->refuse(TAKT_SHIM_ERROR, message);
	asked->report(asked->context, TAKT_SHIM_ERROR, 0, 0, message.c_str());
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
takt_shim_assemble(const takt_shim_request *request, takt_shim_result *ret_result)
{
	Object object; /* declared here so that it is freed after an escape, too */
	takt::Escape here;
	int failed = 1;

	asked = request;
	here.before = report_end;
	takt::initialize_targets();
	handle_lack_of_memory();
	if (!takt::attempt(here, [&] { failed = assemble(request, object, ret_result); }))
		failed = TAKT_SHIM_SPENT;
	working = nullptr;
	return failed;
}

extern "C" __attribute__((visibility("default"))) uint64_t takt_shim_place()
{
	const SMLoc place = working ? working->current_statement() : SMLoc();

	return place.isValid() ? uint64_t(place.getPointer() - working->text->begin)
			       : TAKT_SHIM_NO_PLACE;
}
