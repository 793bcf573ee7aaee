/* SPDX-License-Identifier: MIT */
/* A machine with a stack, whose instructions a `switch` or computed jumps (JUMPS) carry out. */
#include "program.h"

enum operation { PUSH, LOAD, STORE, ADD, MUL, AND, SUB, LESS, JUMP_IF, HALT };

struct insn {
	enum operation operation;
	int32_t operand;
};

/* i = 0, s = 1; do { s = (s * 5 + i) & 0xffff; t = t + s; i = i + 1; } while (i < 60000) */
static const struct insn program[] = {
	{PUSH, 0},  {STORE, 0}, {PUSH, 1},     {STORE, 1}, {PUSH, 0},	   {STORE, 2}, {LOAD, 1},
	{PUSH, 5},  {MUL, 0},	{LOAD, 0},     {ADD, 0},   {PUSH, 0xffff}, {AND, 0},   {STORE, 1},
	{LOAD, 2},  {LOAD, 1},	{ADD, 0},      {STORE, 2}, {LOAD, 0},	   {PUSH, 1},  {ADD, 0},
	{STORE, 0}, {LOAD, 0},	{PUSH, 20000}, {LESS, 0},  {JUMP_IF, 6},   {HALT, 0},
};

#ifdef JUMPS
static int64_t run(void)
{
	static const void *const places[] = {&&push, &&load, &&store, &&add,	 &&mul,
					     &&and,  &&sub,  &&less,  &&jump_if, &&halt};
	int64_t stack[16], variables[4] = {0}, *top = stack;
	const struct insn *insn = program;

#define NEXT goto *places[(insn++)->operation]
	NEXT;
push:
	*top++ = insn[-1].operand;
	NEXT;
load:
	*top++ = variables[insn[-1].operand];
	NEXT;
store:
	variables[insn[-1].operand] = *--top;
	NEXT;
add:
	top--;
	top[-1] += top[0];
	NEXT;
mul:
	top--;
	top[-1] *= top[0];
	NEXT;
	and : top--;
	top[-1] &= top[0];
	NEXT;
sub:
	top--;
	top[-1] -= top[0];
	NEXT;
less:
	top--;
	top[-1] = top[-1] < top[0];
	NEXT;
jump_if:
	if (*--top)
		insn = program + insn[-1].operand;
	NEXT;
halt:
	return variables[2];
}
#else
static int64_t run(void)
{
	int64_t stack[16], variables[4] = {0}, *top = stack;

	for (const struct insn *insn = program;; insn++) {
		switch (insn->operation) {
		case PUSH:
			*top++ = insn->operand;
			break;
		case LOAD:
			*top++ = variables[insn->operand];
			break;
		case STORE:
			variables[insn->operand] = *--top;
			break;
		case ADD:
			top--;
			top[-1] += top[0];
			break;
		case MUL:
			top--;
			top[-1] *= top[0];
			break;
		case AND:
			top--;
			top[-1] &= top[0];
			break;
		case SUB:
			top--;
			top[-1] -= top[0];
			break;
		case LESS:
			top--;
			top[-1] = top[-1] < top[0];
			break;
		case JUMP_IF:
			if (*--top)
				insn = program + insn->operand - 1;
			break;
		case HALT:
			return variables[2];
		}
	}
}
#endif

void program_setup(void)
{
}

uint64_t program_work(void)
{
	return (uint64_t)run();
}
