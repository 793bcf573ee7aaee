/* SPDX-License-Identifier: MIT */
/* Names of signals. */
#include <signal.h>
#include <stdio.h>

#include "base/base.h"

static const struct {
	int number;
	const char *name;
} signals[] = {
	{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
	{SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},	  {SIGFPE, "SIGFPE"},
	{SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
	{SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
	{SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},
};

const char *takt_signal_name(int signal)
{
	static _Thread_local char other[32];

	for (size_t i = 0; i < TAKT_COUNT_OF(signals); i++)
		if (signals[i].number == signal)
			return signals[i].name;
	snprintf(other, sizeof(other), "signal %d", signal);
	return other;
}
