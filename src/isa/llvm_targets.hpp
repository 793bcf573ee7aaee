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

#include <locale.h>

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
	locale_t locale; /* of the thread outside; LLVM prints numbers by the locale */
	char reason[256];
	void (*before)(Escape &) = nullptr; /* called before the stack is gone; or NULL */
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
	if (innermost->before)
		innermost->before(*innermost);
	longjmp(innermost->point, 1);
}

inline locale_t c_locale()
{
	static const locale_t made = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr));

	return made;
}

/* False, with the reason, if LLVM gave up within. Locks are taken outside of it. */
template <typename Body> bool attempt(Escape &here, Body body)
{
	here.outer = static_cast<Escape *>(pthread_getspecific(escape_key()));
	pthread_setspecific(escape_key(), &here);
	here.locale = uselocale(c_locale());
	if (setjmp(here.point)) {
		uselocale(here.locale);
		pthread_setspecific(escape_key(), here.outer);
		return false;
	}
	body();
	uselocale(here.locale);
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
