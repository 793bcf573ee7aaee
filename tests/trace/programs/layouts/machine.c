/* SPDX-License-Identifier: MIT */
/* Interprets the code of a stack machine: a table of jumps. */
#include <stdint.h>
#include <stdio.h>
#include "dead.h"
enum { PUSH, ADD, SUB, MUL, DUP, SWAP, JNZ, DROP, HALT };
static const int8_t program[] = {PUSH, 1,    PUSH, 100, SWAP, PUSH, 3,	 MUL, PUSH, 7,
				 ADD,  SWAP, PUSH, 1,	SUB,  DUP,  JNZ, -13, DROP, HALT};
static int64_t run(const int8_t *code)
{
	int64_t stack[32], *top = stack;
	for (;;) {
		switch (*code++) {
		case PUSH:
			*++top = *code++;
			break;
		case ADD:
			top--;
			*top += top[1];
			break;
		case SUB:
			top--;
			*top -= top[1];
			break;
		case MUL:
			top--;
			*top = (int64_t)((uint64_t)*top * (uint64_t)top[1] & 0xffffff);
			break;
		case DUP:
			top[1] = *top;
			top++;
			break;
		case SWAP: {
			int64_t t = *top;
			*top = top[-1];
			top[-1] = t;
			break;
		}
		case JNZ:
			if (*top--)
				code += *code;
			else
				code++;
			break;
		case DROP:
			top--;
			break;
		case HALT:
			return *top;
		}
	}
}
int main(int argc, char **argv)
{
	int64_t sum = 0;
	(void)argv;
	DEAD_CODE(argc);
	for (int i = 0; i < SHARE(200); i++)
		sum += run(program);
	printf("%lld\n", (long long)sum);
	return 0;
}
