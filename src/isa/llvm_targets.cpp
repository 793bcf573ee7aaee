/* SPDX-License-Identifier: MIT */
/*
 * llvm_targets: the one file of a module that depends on its target. The build defines
 * TAKT_LLVM_TARGET as LLVM's name of it, or nothing for all targets that LLVM has; and
 * TAKT_LLVM_DECODES if the module has to decode, TAKT_LLVM_SETTINGS if scheduling classes of the
 * target depend on settings.
 */
#include "isa/llvm_targets.hpp"

#include <llvm/Support/TargetSelect.h>

#define INITIALIZE_PART(target, part) LLVMInitialize##target##part()
#define INITIALIZE(target, part) INITIALIZE_PART(target, part)

namespace takt
{

void initialize_targets()
{
	static const bool done = [] {
		llvm::install_fatal_error_handler(escape);
#if defined(TAKT_LLVM_TARGET)
		INITIALIZE(TAKT_LLVM_TARGET, TargetInfo);
		INITIALIZE(TAKT_LLVM_TARGET, TargetMC);
		INITIALIZE(TAKT_LLVM_TARGET, AsmParser);
#if defined(TAKT_LLVM_DECODES)
		INITIALIZE(TAKT_LLVM_TARGET, Disassembler);
#endif
#if defined(TAKT_LLVM_SETTINGS)
		INITIALIZE(TAKT_LLVM_TARGET, TargetMCA);
#endif
#else
		llvm::InitializeAllTargetInfos();
		llvm::InitializeAllTargetMCs();
		llvm::InitializeAllAsmParsers();
		llvm::InitializeAllDisassemblers();
		llvm::InitializeAllTargetMCAs();
#endif
		return true;
	}();

	(void)done;
}

} // namespace takt
