/* SPDX-License-Identifier: MIT */
/* Flags of instructions, memory dependences, and pairs that a line keeps apart. */
#include "kernel.h"
#include "sim/block/block.h"

struct flagged {
	int line;
	const char *core, *what;
	uint32_t flags;
	const char *bytes;
	size_t size_bytes;
};

#define ROW(core, what, flags, bytes)                                                              \
	{                                                                                          \
		__LINE__, core, what, flags, bytes, sizeof(bytes) - 1                              \
	}

#define BRANCH SIM_INSN_BRANCH
#define FUSED SIM_INSN_FUSED
#define MAY_FUSE SIM_INSN_MAY_FUSE
#define COMPLEX SIM_INSN_COMPLEX
#define IMPLICIT SIM_INSN_RSP_IMPLICIT
#define EXPLICIT SIM_INSN_RSP_EXPLICIT
#define MOVE SIM_INSN_MOVE

/* All flags of the first instruction. */
static const struct flagged flagged[] = {
	ROW("SKL", "lea rax, [rbx]", 0, "\x48\x8d\x03"),
	ROW("SKL", "xor eax, eax", SIM_INSN_ZERO, "\x31\xc0"),
	ROW("SKL", "xor eax, ebx", 0, "\x31\xd8"),
	ROW("SKL", "mov rax, rbx", MOVE | SIM_INSN_WIDE_MOVE, "\x48\x89\xd8"),
	ROW("SKL", "mov eax, ebx", MOVE, "\x89\xd8"),
	ROW("SKL", "mov rax, rax", 0, "\x48\x89\xc0"),
	ROW("SNB", "mov rax, rbx", 0, "\x48\x89\xd8"),
	ROW("SKL", "vmovaps ymm0, ymm1", MOVE | SIM_INSN_VECTOR_MOVE, "\xc5\xfc\x28\xc1"),
	ROW("SKL", "mov ah, bl", SIM_INSN_HIGH8_WRITE, "\x88\xdc"),
	ROW("SKL", "mov al, bl", 0, "\x88\xd8"),
	ROW("SKL", "mov bl, ah", 0, "\x88\xe3"),
	ROW("SNB", "pop r12", IMPLICIT | COMPLEX | SIM_INSN_ENDS_GROUP, "\x41\x5c"),
	ROW("SNB", "pop rbx", IMPLICIT, "\x5b"),
	ROW("SKL", "pop r12", COMPLEX | IMPLICIT, "\x41\x5c"),
	ROW("SKL", "push rax", IMPLICIT, "\x50"),
	ROW("SKL", "mov rax, [rsp]", EXPLICIT, "\x48\x8b\x04\x24"),
	ROW("SKL", "push [rsp]", COMPLEX | IMPLICIT | EXPLICIT, "\xff\x34\x24"),
	ROW("SKL", "add rsp, 8", EXPLICIT | MAY_FUSE, "\x48\x83\xc4\x08"),
	ROW("ADL-P", "add rsp, 8: at rename", MAY_FUSE | MOVE | SIM_INSN_WIDE_MOVE,
	    "\x48\x83\xc4\x08"),
	ROW("SKL", "cmp rax, rbx; jne", FUSED | BRANCH | MAY_FUSE, "\x48\x39\xd8\x75\xfb"),
	ROW("SKL", "add ax, 4660", SIM_INSN_LCP | MAY_FUSE, "\x66\x05\x34\x12"),
	ROW("SKL", "mov rax, imm64", SIM_INSN_EXTRA_SLOT, "\x48\xb8\1\2\3\4\5\6\7\x08"),
	ROW("SKL", "cmovbe rax, rbx", COMPLEX, "\x48\x0f\x46\xc3"),
	ROW("SKL", "cpuid", SIM_INSN_MICROCODE | SIM_INSN_SERIALIZING, "\x0f\xa2"),
};

static struct sim_kernel *kernel_of(const char *core, const char *bytes, size_t size_bytes)
{
	return kernel_new(core, (const uint8_t *)bytes, size_bytes);
}

static const struct sim_program *program_of(struct sim_kernel *kernel)
{
	const struct sim_options options = {.loop = kernel->loop};

	return sim_program_new(&kernel->block, &options, &kernel->arena);
}

static void check_flags(const struct flagged *wanted)
{
	struct sim_kernel *kernel = kernel_of(wanted->core, wanted->bytes, wanted->size_bytes);
	const struct sim_program *program = program_of(kernel);

	tap_ok_at(__FILE__, wanted->line, program->insns->flags == wanted->flags,
		  "%s: %s: got %#x, want %#x", wanted->core, wanted->what, program->insns->flags,
		  wanted->flags);
	kernel_free(kernel);
}

struct depending {
	int line;
	const char *what;
	uint32_t load; /* index of the memory operand */
	struct sim_memory_edge edge;
	const char *bytes;
	size_t size_bytes;
};

#define EDGE(what, load, store, iterations, fails, bytes)                                          \
	{                                                                                          \
		__LINE__, what, load, {store, iterations, fails, false}, bytes, sizeof(bytes) - 1  \
	}

static const struct depending depending[] = {
	EDGE("mov [rsi], rax; mov rax, [rsi]", 1, 0, 0, false, "\x48\x89\x06\x48\x8b\x06"),
	EDGE("mov [rsi], eax; mov rax, [rsi]: wider", 1, 0, 0, true, "\x89\x06\x48\x8b\x06"),
	EDGE("mov [rsi], rax; mov eax, [rsi+4]: inside", 1, 0, 0, false,
	     "\x48\x89\x06\x8b\x46\x04"),
	EDGE("mov rax, [rsi]; mov [rsi], rax", 0, 0, 1, false, "\x48\x8b\x06\x48\x89\x06"),
	EDGE("add [rdi], rax", 0, 0, 1, false, "\x48\x01\x07"),
	EDGE("mov [rdi+64], rbx; mov [rdi], rax; mov rax, [rdi]", 2, 1, 0, false,
	     "\x48\x89\x5f\x40\x48\x89\x07\x48\x8b\x07"),
	EDGE("push rax; pop rax", 1, 0, 0, false, "\x50\x58"),
};

static void check_edge(const struct depending *wanted)
{
	struct sim_kernel *kernel = kernel_of("SKL", wanted->bytes, wanted->size_bytes);
	const struct sim_program *program = program_of(kernel);
	const struct sim_memory *load = &program->memories[wanted->load];
	const struct sim_memory_edge *edge = &program->edges[load->first_edge];

	if (tap_ok_at(__FILE__, wanted->line, load->load && load->edge_count == 1, "%s",
		      wanted->what)) {
		tap_is_int(__FILE__, wanted->line, edge->store_index, wanted->edge.store_index,
			   "store");
		tap_is_int(__FILE__, wanted->line, edge->iterations, wanted->edge.iterations,
			   "iterations");
		tap_is_int(__FILE__, wanted->line, edge->fails, wanted->edge.fails, "fails");
	}
	tap_is_int(__FILE__, wanted->line, program->max_distance, wanted->edge.iterations,
		   "distance");
	kernel_free(kernel);
}

/* cmp rax, rbx; jne: three bytes, then two that begin a line or do not */
static void check_line(int line, const char *core, uint32_t alignment_bytes, bool loop, bool fused)
{
	struct sim_kernel *kernel = kernel_of(core, "\x48\x39\xd8\x75\xfb", 5);
	const struct sim_options options = {.loop = loop, .alignment_bytes = alignment_bytes};
	const struct sim_program *program =
		sim_program_new(&kernel->block, &options, &kernel->arena);
	const struct sim_insn *last = &program->insns[program->insn_count - 1];

	tap_is_int(__FILE__, line, program->insn_count, fused ? 1 : 2, "records");
	tap_is_int(__FILE__, line, last->flags & (BRANCH | FUSED), fused ? BRANCH | FUSED : BRANCH,
		   "flags of the jump");
	tap_is_int(__FILE__, line, program->insns->first_length_bytes, 3, "length of the first");
	tap_is_int(__FILE__, line, program->length_bytes, 5, "length");
	tap_is_int(__FILE__, line, program->slots, fused ? 1 : 2, "slots");
	kernel_free(kernel);
}

static void check_lines(void)
{
	check_line(__LINE__, "SKL", 0, true, true);
	check_line(__LINE__, "SKL", 61, true, false);
	check_line(__LINE__, "SKL", 61, false, true); /* copies: elsewhere each time */
	check_line(__LINE__, "SKL", 60, true, true);
	check_line(__LINE__, "SKL", 62, true, true); /* the line ends within the first */
	check_line(__LINE__, "ZEN3", 61, true, true);
}

/* mov rax, rbx that is not eliminated goes where mov rax, rax does: 1*p0156 */
static void check_idle_ports(void)
{
	struct sim_kernel *kernel = kernel_of("SKL", "\x48\x89\xd8", 3);

	is_int(program_of(kernel)->insns->idle_ports, 1 << 0 | 1 << 1 | 1 << 5 | 1 << 6,
	       "ports of a move");
	kernel_free(kernel);
}

/* add [rdi], rax: two slots, or one for each of its four µops */
static void check_no_micro_fusion(void)
{
	struct sim_kernel *kernel = kernel_of("SKL", "\x48\x01\x07", 3);
	const struct sim_options options = {.no_micro_fusion = true};

	is_int(program_of(kernel)->insns->issue_slots, 2, "issue slots");
	is_int(sim_program_new(&kernel->block, &options, &kernel->arena)->insns->issue_slots, 4,
	       "without micro-fusion");
	kernel_free(kernel);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(flagged); i++)
		check_flags(&flagged[i]);
	for (size_t i = 0; i < TAKT_COUNT_OF(depending); i++)
		check_edge(&depending[i]);
	check_lines();
	check_idle_ports();
	check_no_micro_fusion();
	return tap_done();
}
