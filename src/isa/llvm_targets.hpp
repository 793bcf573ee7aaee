/* SPDX-License-Identifier: MIT */
/*
 * llvm_targets: the LLVM targets of a module, which are chosen when it is built, and a handler for
 * LLVM's fatal errors, which would end the process over some bad input.
 */
#ifndef TAKT_ISA_LLVM_TARGETS_HPP
#define TAKT_ISA_LLVM_TARGETS_HPP

#include <csetjmp>
#include <cstdio>

#include <locale.h>

#include <pthread.h>

#include <llvm/Support/ErrorHandling.h>

namespace takt
{

/*
 * The point where execution continues after a fatal error of LLVM; memory allocated until then
 * leaks. Each thread has its own escapes. LLVM has only one handler, which is never removed.
 */
struct Escape {
	jmp_buf point;
	Escape *outer;
	locale_t locale; /* the thread's locale outside; LLVM prints numbers by the locale */
	char reason[256];
	void (*before)(Escape &) = nullptr; /* called before the stack is unwound; or NULL */
};

/* Key of the thread's innermost escape; thread_local in modules confuses LeakSanitizer. */
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
		return; /* LLVM is used by other code: the process ends as usual */
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

/* Run `body`; false, with the reason, after a fatal error of LLVM. `body` must take no locks. */
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

/* Initialize LLVM's targets of this module, the first time (llvm_targets.cpp). */
void initialize_targets();

} // namespace takt

#endif
