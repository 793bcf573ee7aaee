/* SPDX-License-Identifier: MIT */
/* The processes that this one started, as /proc lists them. */
#ifndef TAKT_TESTS_INPUT_CHILDREN_H
#define TAKT_TESTS_INPUT_CHILDREN_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Return the parent of an assembling process; 0 if this is none. */
static inline int parent_of(int pid)
{
	char path[64];
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file) {
		if (fscanf(file, "%*d (takt-assembler) %*c %d", &parent) != 1)
			parent = 0;
		fclose(file);
	}
	return parent;
}

/* Count the assembling processes of this one; *ret_pid is one of them, or 0. */
static inline int count_assemblers(int *ret_pid)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	*ret_pid = 0;
	while (processes && (entry = readdir(processes))) {
		int pid = atoi(entry->d_name);

		if (pid <= 0 || parent_of(pid) != getpid())
			continue;
		count++;
		*ret_pid = pid;
	}
	if (processes)
		closedir(processes);
	return count;
}

#endif
