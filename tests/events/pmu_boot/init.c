/* SPDX-License-Identifier: MIT */
/*
 * Process 1 of the machine: runs each line of /commands by words, tells on the console what it
 * said and how it ended, and switches the machine off.
 *
 *	COMMAND		until it ends
 *	@TIME COMMAND	is sent SIGINT after TIME milliseconds
 *	&COMMAND	in the background; "{pid}" is its number in lines below
 *	kill		ends that
 *	counters	what the kernel said of the processor's counters
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 64
#define KERNEL_LOG_MAX (1 << 18)

static pid_t background;
static char background_number[16];

static pid_t start(char *line)
{
	char *words[WORDS_MAX + 1];
	int count = 0;
	pid_t child;

	for (char *word = strtok(line, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
		words[count++] = strcmp(word, "{pid}") == 0 ? background_number : word;
	words[count] = NULL;
	child = fork();
	if (child == 0) {
		execv(words[0], words);
		perror(words[0]);
		_exit(127);
	}
	return child;
}

static void run(char *line)
{
	long milliseconds = 0;
	pid_t child;
	int status;

	if (*line == '@')
		milliseconds = strtol(line + 1, &line, 10);
	child = start(line);
	if (milliseconds) {
		usleep((useconds_t)milliseconds * 1000);
		kill(child, SIGINT);
	}
	waitpid(child, &status, 0);
	printf("== status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void end_background(void)
{
	kill(background, SIGKILL);
	waitpid(background, NULL, 0);
	printf("== status 0\n");
}

static void tell_counters(void)
{
	static char log[KERNEL_LOG_MAX];
	int size = klogctl(3, log, KERNEL_LOG_MAX - 1);

	log[size > 0 ? size : 0] = '\0';
	for (char *line = strtok(log, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "hw perfevents"))
			printf("%s\n", strstr(line, "hw perfevents"));
	printf("== status 0\n");
}

static void obey(char *line)
{
	printf("== %s\n", line);
	fflush(stdout);
	if (strcmp(line, "kill") == 0) {
		end_background();
	} else if (strcmp(line, "counters") == 0) {
		tell_counters();
	} else if (*line == '&') {
		background = start(line + 1);
		snprintf(background_number, sizeof(background_number), "%d", (int)background);
		printf("== status 0\n");
	} else {
		run(line);
	}
	fflush(stdout);
}

int main(void)
{
	static const char *const folders[][2] = {
		{"/proc", "proc"}, {"/sys", "sysfs"}, {"/tmp", "tmpfs"}};
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
	setenv("PATH", "/bin", 1);
	setenv("TAKT_MODULE_DIR", "/lib/takt", 1);
	commands = fopen("/commands", "r");
	while (commands && fgets(line, sizeof(line), commands)) {
		line[strcspn(line, "\n")] = '\0';
		obey(line);
	}
	printf("== end\n");
	fflush(stdout);
	sync();
	return reboot(RB_POWER_OFF);
}
