/* SPDX-License-Identifier: MIT */
/* One instruction of a thread: what it is and accesses before it runs, and its records after. */
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "trace/native/native.h"

#define FLAG_TRAP 0x100u
#define FLAG_ZERO 0x40u
#define FLAG_DIRECTION 0x400u
#define STATE_BYTES_MAX 16384u
#define MAP_ANONYMOUS_FLAG 0x20u
#define MAP_STACK_FLAG 0x20000u
#define ERRORS 4095u

enum call {
	CALL_MMAP = 9,
	CALL_MPROTECT = 10,
	CALL_MUNMAP = 11,
	CALL_BRK = 12,
	CALL_MREMAP = 25,
	CALL_SHMAT = 30,
	CALL_PKEY_MPROTECT = 329,
};

static void add_record(struct native_thread *thread, uint64_t record)
{
	native_ring_add(thread->program->area, thread->program->feed, thread->ring, record);
}

const struct native_insn *native_step_insn(const struct native_thread *thread)
{
	return thread->block ? &thread->block->insns[thread->insn] : NULL;
}

bool native_step_is_syscall(const struct native_thread *thread)
{
	return thread->block && native_step_insn(thread)->flags & NATIVE_SYSCALL;
}

/* ---- before ---- */

static void copy_registers(const struct user_regs_struct *from, struct native_registers *ret_to)
{
	*ret_to = (struct native_registers){
		.general = {from->rax, from->rcx, from->rdx, from->rbx, from->rsp, from->rbp,
			    from->rsi, from->rdi, from->r8, from->r9, from->r10, from->r11,
			    from->r12, from->r13, from->r14, from->r15},
		.fs = from->fs_base,
		.gs = from->gs_base,
		.backwards = (from->eflags & FLAG_DIRECTION) != 0,
	};
}

/* Read the vector and mask registers, which stay valid until the next call. */
static void read_state(struct native_thread *thread)
{
	static uint8_t state[STATE_BYTES_MAX];
	struct iovec part = {state, sizeof(state)};

	if (ptrace(PTRACE_GETREGSET, thread->thread, NT_X86_XSTATE, &part) < 0)
		return;
	thread->prepared.state = state;
	thread->prepared.state_bytes = part.iov_len;
}

static void compute_accesses(struct native_thread *thread)
{
	const struct native_insn *insn = native_step_insn(thread);

	if (!insn->memory_count ||
	    (insn->flags & NATIVE_REPEATS && !native_insn_count(insn, &thread->prepared)))
		return;
	if (native_insn_needs_state(insn))
		read_state(thread);
	thread->access_count = native_insn_accesses(insn, &thread->prepared, 0, thread->accesses);
}

void native_step_prepare(struct native_thread *thread, bool has_accesses)
{
	uint64_t address = thread->registers.rip;

	if (!thread->is_known ||
	    !native_block_holds(thread->program, thread->block, address, thread->insn)) {
		thread->block = native_block_find(thread->program, address);
		thread->insn = 0;
		thread->enters = true;
		thread->is_known = thread->block != NULL;
	}
	thread->access_count = 0;
	copy_registers(&thread->registers, &thread->prepared);
	if (thread->block && has_accesses)
		compute_accesses(thread);
	thread->prepared.state = NULL;
}

/* ---- after ---- */

/* Write an access as one record, or as several if its size has no code. */
static void add_access(struct native_thread *thread, const struct native_access *access)
{
	uint64_t address = access->address;
	uint32_t left = access->size_bytes;

	while (left) {
		unsigned code = 0;

		for (unsigned i = 1; i <= TRACE_SIZE_10; i++)
			if (trace_size_bytes[i] <= left &&
			    trace_size_bytes[i] > trace_size_bytes[code])
				code = i;
		add_record(thread, TRACE_ACCESS | (uint64_t)thread->insn << TRACE_INSN_SHIFT |
					   (access->store ? TRACE_STORE : 0) |
					   (uint64_t)code << TRACE_SIZE_SHIFT |
					   (address & TRACE_VALUE_MASK));
		address += trace_size_bytes[code];
		left -= trace_size_bytes[code];
	}
}

static void add_block(struct native_thread *thread)
{
	if (thread->enters)
		add_record(thread, trace_record(TRACE_KIND_BLOCK, thread->block->number));
	thread->enters = false;
}

static void add_accesses(struct native_thread *thread)
{
	for (uint32_t i = 0; i < thread->access_count; i++)
		add_access(thread, &thread->accesses[i]);
}

/* Note that a system call mapped memory that is no stack, as plugin/mappings.c does. */
static void note_mapping(struct native_thread *thread)
{
	const uint64_t *before = thread->prepared.general;
	uint64_t result = thread->registers.rax, size = 0, flags = before[10];

	if (before[0] == CALL_MREMAP)
		size = before[2];
	if (before[0] == CALL_MMAP && flags & MAP_ANONYMOUS_FLAG && !(flags & MAP_STACK_FLAG))
		size = before[6];
	if (size && result <= UINT64_MAX - ERRORS)
		feed_add_mapping(thread->program->feed, result, result + size);
}

static void finish_syscall(struct native_thread *thread)
{
	struct native_program *program = thread->program;

	add_record(thread, trace_record(TRACE_KIND_SYSCALL, thread->prepared.general[0]));
	switch (thread->prepared.general[0]) {
	case CALL_BRK:
		feed_move_break(program->feed, thread->registers.rax);
		break;
	case CALL_MMAP:
	case CALL_MPROTECT:
	case CALL_MUNMAP:
	case CALL_MREMAP:
	case CALL_SHMAT:
	case CALL_PKEY_MPROTECT:
		note_mapping(thread);
		program->mappings.stale = true;
		program->generation++;
		break;
	default:
		break;
	}
}

void native_step_hide_trap(struct native_thread *thread)
{
	if (!native_step_is_syscall(thread) || !(thread->registers.r11 & FLAG_TRAP))
		return;
	thread->registers.r11 &= ~(unsigned long long)FLAG_TRAP;
	ptrace(PTRACE_SETREGS, thread->thread, NULL, &thread->registers);
}

/* Take the trap flag out of flags that pushf has stored. */
static void finish_pushf(struct native_thread *thread)
{
	void *place = (void *)(uintptr_t)thread->registers.rsp;
	long word = ptrace(PTRACE_PEEKDATA, thread->thread, place, NULL);

	ptrace(PTRACE_POKEDATA, thread->thread, place,
	       (void *)(uintptr_t)((unsigned long)word & ~(unsigned long)FLAG_TRAP));
}

/* ---- string instructions with rep, one record for each element, as under qemu ---- */

static uint64_t address_of_insn(const struct native_block *block, uint32_t insn)
{
	uint64_t address = block->address;

	for (uint32_t i = 0; i < insn; i++)
		address += block->insns[i].length_bytes;
	return address;
}

/* Enter the block that begins with the string instruction. */
static void repeat(struct native_thread *thread, uint64_t address)
{
	const struct native_block *block = native_block_find(thread->program, address);

	if (!block)
		return;
	thread->block = block;
	thread->insn = 0;
	thread->enters = true;
	add_block(thread);
}

/*
 * True if a comparison ended the instruction. qemu executes it once more to see that no element is
 * left, but not after that.
 */
static bool ended_by_comparison(const struct native_insn *insn, uint64_t flags)
{
	if (insn->flags & NATIVE_UNTIL_EQUAL)
		return (flags & FLAG_ZERO) != 0;
	if (insn->flags & NATIVE_UNTIL_UNEQUAL)
		return (flags & FLAG_ZERO) == 0;
	return false;
}

static void commit_repeats(struct native_thread *thread)
{
	struct native_insn insn = *native_step_insn(thread);
	uint64_t address = address_of_insn(thread->block, thread->insn), before, after;
	bool has_accesses = thread->access_count > 0;
	struct native_registers now;

	copy_registers(&thread->registers, &now);
	before = native_insn_count(&insn, &thread->prepared);
	after = native_insn_count(&insn, &now);
	for (uint64_t i = 0; i < before - after; i++) {
		if (i == 0)
			add_block(thread);
		else
			repeat(thread, address);
		if (has_accesses)
			thread->access_count =
				native_insn_accesses(&insn, &thread->prepared, i, thread->accesses);
		add_accesses(thread);
	}
	if (before == 0)
		add_block(thread);
	else if (thread->registers.rip != address && after == 0 &&
		 !ended_by_comparison(&insn, thread->registers.eflags))
		repeat(thread, address);
}

void native_step_commit(struct native_thread *thread)
{
	const struct native_insn *insn = native_step_insn(thread);
	uint64_t next = thread->registers.rip;

	if (!insn)
		return;
	if (insn->flags & NATIVE_REPEATS) {
		commit_repeats(thread);
		thread->is_known = false;
		return;
	}
	add_block(thread);
	add_accesses(thread);
	if (insn->flags & NATIVE_SYSCALL)
		finish_syscall(thread);
	if (insn->flags & NATIVE_PUSHES_FLAGS)
		finish_pushf(thread);
	thread->is_known = thread->insn + 1u < thread->block->insn_count &&
			   next == address_of_insn(thread->block, thread->insn + 1u);
	if (thread->is_known)
		thread->insn++;
}

void native_step_fault(struct native_thread *thread, int signal)
{
	(void)signal;
	if (thread->block)
		add_block(thread);
}
