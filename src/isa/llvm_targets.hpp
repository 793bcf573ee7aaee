/* SPDX-License-Identifier: MIT */
/*
 * llvm_targets: which of LLVM's targets a module has, chosen when it is built
 * (TAKT_LLVM_ALL, TAKT_LLVM_AARCH64, or else x86), and how a module survives LLVM,
 * which ends the process over some bad input.
 */
#ifndef TAKT_ISA_LLVM_TARGETS_HPP
#define TAKT_ISA_LLVM_TARGETS_HPP

#include <csetjmp>
#include <cstdio>

#include <pthread.h>

#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

namespace takt {

/*
 * Where LLVM's end of the process leads instead, at the cost of what was allocated until
 * then. Each thread has its own; LLVM has but one handler, which is installed for good.
 */
struct Escape {
	jmp_buf point;
	Escape *outer;
	char reason[256];
};

/* The thread's innermost escape. Not thread_local: LeakSanitizer trips over that in modules. */
inline pthread_key_t escape_key()
{
	static const pthread_key_t key = [] {
		pthread_key_t made = 0;

		pthread_key_create(&made, nullptr);
		return made;
	}();

	return key;
}

inline void escape(void *, const char *reason, bool)
{
	Escape *innermost = static_cast<Escape *>(pthread_getspecific(escape_key()));

	if (!innermost)
		return; /* somebody else's use of LLVM: it ends as ever */
	snprintf(innermost->reason, sizeof(innermost->reason), "%s", reason);
	longjmp(innermost->point, 1);
}

/* False, with the reason, if LLVM gave up within. Locks are taken outside of it. */
template <typename Body> bool attempt(Escape &here, Body body)
{
	here.outer = static_cast<Escape *>(pthread_getspecific(escape_key()));
	pthread_setspecific(escape_key(), &here);
	if (setjmp(here.point)) {
		pthread_setspecific(escape_key(), here.outer);
		return false;
	}
	body();
	pthread_setspecific(escape_key(), here.outer);
	return true;
}

inline void initialize_targets()
{
	static const bool done = [] {
		llvm::install_fatal_error_handler(escape);
#if defined(TAKT_LLVM_ALL)
		llvm::InitializeAllTargetInfos();
		llvm::InitializeAllTargetMCs();
		llvm::InitializeAllAsmParsers();
		llvm::InitializeAllDisassemblers();
		llvm::InitializeAllTargetMCAs();
#elif defined(TAKT_LLVM_AARCH64)
		LLVMInitializeAArch64TargetInfo();
		LLVMInitializeAArch64TargetMC();
		LLVMInitializeAArch64AsmParser();
		LLVMInitializeAArch64Disassembler();
#else
		LLVMInitializeX86TargetInfo();
		LLVMInitializeX86TargetMC();
		LLVMInitializeX86AsmParser();
#endif
		return true;
	}();

	(void)done;
}

} // namespace takt

#endif
