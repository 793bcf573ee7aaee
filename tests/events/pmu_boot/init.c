/* SPDX-License-Identifier: MIT */
/*
 * Process 1 of the machine: runs each line of /commands by words, tells on the console what it
 * said and how it ended, and switches the machine off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 64

static void run(char *line)
{
	char *words[WORDS_MAX + 1];
	int count = 0, status = 0;

	printf("== %s\n", line);
	fflush(stdout);
	for (char *word = strtok(line, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
		words[count++] = word;
	words[count] = NULL;
	if (fork() == 0) {
		execv(words[0], words);
		perror(words[0]);
		_exit(127);
	}
	wait(&status);
	printf("== status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	fflush(stdout);
}

int main(void)
{
	static const char *const folders[][2] = {{"/proc", "proc"}, {"/sys", "sysfs"},
						 {"/tmp", "tmpfs"}};
	char line[1024];
	FILE *commands;
	int console;

	for (int i = 0; i < 3; i++) {
		mkdir(folders[i][0], 0755);
		mount("none", folders[i][0], folders[i][1], 0, NULL);
	}
	console = open("/dev/console", O_RDWR);
	for (int i = 0; i < 3; i++)
		dup2(console, i);
	commands = fopen("/commands", "r");
	while (commands && fgets(line, sizeof(line), commands)) {
		line[strcspn(line, "\n")] = '\0';
		run(line);
	}
	printf("== end\n");
	fflush(stdout);
	sync();
	return reboot(RB_POWER_OFF);
}
