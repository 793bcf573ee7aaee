/* SPDX-License-Identifier: MIT */
/* Counts words and vowels of a made-up text: many short branches. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "dead.h"
static char text[1000];
static unsigned lengths[64];
int main(int argc, char **argv)
{
	unsigned seed = 7, words = 0, length = 0, vowels = 0;
	(void)argv;
	DEAD_CODE(argc);
	for (unsigned i = 0; i < sizeof(text); i++) {
		seed = seed * 1103515245u + 12345u;
		text[i] = (seed >> 16) % 6 ? (char)('a' + (seed >> 20) % 26) : ' ';
	}
	for (int turn = 0; turn < SHARE(100); turn++)
		for (unsigned i = 0; i < sizeof(text); i++) {
			char c = text[i];
			if (c == ' ') {
				if (length) {
					words++;
					lengths[length & 63]++;
				}
				length = 0;
				continue;
			}
			length++;
			if (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u')
				vowels++;
		}
	printf("%u %u %u\n", words, vowels, lengths[5]);
	return 0;
}
