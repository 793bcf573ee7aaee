/* SPDX-License-Identifier: MIT */
/*
 * Namespaces without a network, for the children of a measurer. A helper process makes them; the
 * parent keeps them open, and the helper ends. Defence in depth: not everyone may make them, and
 * the children's filter allows nothing that needs one.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "measure/child.h"

/* Run the helper: make the namespaces, write a byte to say so, and wait to be killed. */
__attribute__((noreturn)) static void help(int answer)
{
	char made = 1;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) != 0 &&
	    unshare(CLONE_NEWNET | CLONE_NEWIPC) != 0)
		_exit(1);
	if (write(answer, &made, 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

static void open_those_of(pid_t helper, int *ret_namespaces)
{
	static const char *const names[TAKT_CHILD_NAMESPACES] = {"user", "net", "ipc"};
	char path[64];

	for (int i = 0; i < TAKT_CHILD_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)helper, names[i]);
		ret_namespaces[i] = takt_descriptor_raise(open(path, O_RDONLY | O_CLOEXEC));
	}
}

void takt_namespaces_open(int *ret_namespaces)
{
	int answer[2];
	ssize_t got;
	pid_t helper;
	char made;

	for (int i = 0; i < TAKT_CHILD_NAMESPACES; i++)
		ret_namespaces[i] = -1;
	if (pipe2(answer, O_CLOEXEC) != 0)
		return;
	helper = fork();
	if (helper == 0) {
		close(answer[0]);
		help(answer[1]);
	}
	close(answer[1]);
	/* This reads the end of the file if the helper has ended. */
	got = helper > 0 ? takt_read(answer[0], &made, 1) : 0;
	if (got == 1)
		open_those_of(helper, ret_namespaces);
	close(answer[0]);
	if (helper <= 0)
		return;
	kill(helper, SIGKILL);
	takt_wait(helper, NULL);
}

void takt_namespaces_close(int *namespaces)
{
	for (int i = 0; i < TAKT_CHILD_NAMESPACES; i++) {
		if (namespaces[i] >= 0)
			close(namespaces[i]);
		namespaces[i] = -1;
	}
}

void takt_namespaces_join(const int *namespaces)
{
	/* The user namespace comes first: it gives the right to join the others. */
	for (int i = 0; i < TAKT_CHILD_NAMESPACES; i++)
		if (namespaces[i] >= 0)
			(void)!setns(namespaces[i], 0);
}
