/* SPDX-License-Identifier: MIT */
/*
 * µops of single instructions. Written as kind (load, compute, store address, data), memory
 * operand or group (* is all), ports, xCYCLES that a port is kept, /UNIT*CYCLES, or /UNITS
 * all*CYCLES; + joins the slot of the µop before.
 */
#include "kernel.h"
#include "sim/block/block.h"

#define TEXT_MAX 256

struct wanted {
	int line;
	const char *core, *what, *uops, *bytes;
	size_t size_bytes;
};

#define ROW(core, what, uops, bytes)                                                               \
	{                                                                                          \
		__LINE__, core, what, uops, bytes, sizeof(bytes) - 1                               \
	}

static const struct wanted rows[] = {
	ROW("SKL", "add rax, rbx", "c0.p0156", "\x48\x01\xd8"),
	ROW("SKL", "xor eax, eax", "", "\x31\xc0"),
	ROW("SKL", "mov rax, rbx", "", "\x48\x89\xd8"),
	ROW("SKL", "mov rax, [rdi]", "l0.p23", "\x48\x8b\x07"),
	ROW("SKL", "pop rax", "l0.p23", "\x58"),
	ROW("SKL", "add rax, [rdi]", "l0.p23 +c0.p0156", "\x48\x03\x07"),
	ROW("SKL", "vaddpd ymm0, ymm1, [rdi]", "l0.p23 +c0.p01", "\xc5\xf5\x58\x07"),
	ROW("SKL", "vaddpd ymm0, ymm1, [rdi+rsi]: un-laminated", "l0.p23 c0.p01",
	    "\xc5\xf5\x58\x04\x37"),
	ROW("SKL", "mov [rdi], rax", "a0.p237 +d0.p4", "\x48\x89\x07"),
	ROW("SKL", "mov [rdi+rsi], rax: not on p7", "a0.p23 +d0.p4", "\x48\x89\x04\x37"),
	ROW("SKL", "push rax", "a0.p237 +d0.p4", "\x50"),
	ROW("SKL", "add [rdi], rax", "l0.p23 +c0.p0156 a0.p237 +d0.p4", "\x48\x01\x07"),
	ROW("SKL", "add [rdi+rsi], rax", "l0.p23 c0.p0156 a0.p23 +d0.p4", "\x48\x01\x04\x37"),
	ROW("SKL", "adc [rdi], rax: none leads", "l0.p23 +c0.p0156 c1.p06 c*.p06 a0.p237 +d0.p4",
	    "\x48\x11\x07"),
	ROW("SKL", "cmovbe rax, rbx: flags first", "c1.p06 c0.p06", "\x48\x0f\x46\xc3"),
	ROW("SKL", "shl rax, cl", "c0.p06 c1.p06 c*.p06", "\x48\xd3\xe0"),
	ROW("SKL", "xchg rax, rbx", "c0.p0156 c1.p0156 c*.p0156", "\x48\x87\xd8"),
	ROW("SKL", "vdivpd ymm0, ymm1, ymm2", "c0.p0/d0*8", "\xc5\xf5\x5e\xc2"),
	ROW("SKL", "cmp rax, rbx; jne", "c0.p6", "\x48\x39\xd8\x75\xfb"),
	ROW("SKL", "cmp [rdi], rax; jne", "l0.p23 +c0.p6", "\x48\x39\x07\x75\xfb"),
	ROW("SNB", "mov rax, [rdi]", "l0.p23/d12*1", "\x48\x8b\x07"),
	ROW("SNB", "vmovapd ymm0, [rdi]", "l0.p23/d12 all*1", "\xc5\xfd\x28\x07"),
	ROW("SNB", "vmovapd [rdi], ymm0: data in two cycles", "a0.p23 +d0.p4x2",
	    "\xc5\xfd\x29\x07"),
	ROW("SNB", "mov [rdi+rsi], rax: un-laminated", "a0.p23 d0.p4", "\x48\x89\x04\x37"),
	ROW("SNB", "add [rdi], rax", "l0.p23/d12*1 +c0.p015 a0.p23 +d0.p4", "\x48\x01\x07"),
	ROW("SNB", "cmovbe rax, rbx", "c1.p05 c2.p05 c0.p015", "\x48\x0f\x46\xc3"),
	ROW("SNB", "vdivpd ymm0, ymm1, ymm2", "c0.p05 c*.p0 c*.p0/d0*20", "\xc5\xf5\x5e\xc2"),
	ROW("ZEN3", "mov rax, [rdi]", "l0.g012", "\x48\x8b\x07"),
	ROW("ZEN3", "vmovapd ymm0, [rdi]", "l0.g012/d34*1", "\xc5\xfd\x28\x07"),
	ROW("ZEN3", "vaddpd ymm0, ymm1, [rdi]", "l0.g012/d34*1 +c0.f23", "\xc5\xf5\x58\x07"),
	ROW("ZEN3", "mov [rdi], rax: data takes no port", "a0.g012 +d0.-/d56*1", "\x48\x89\x07"),
	ROW("ZEN3", "vmovapd [rdi], ymm0", "c0.f45 +a0.g012 +d0.f45/d56*1", "\xc5\xfd\x29\x07"),
	ROW("ZEN3", "shl rax, cl", "c0.a12", "\x48\xd3\xe0"),
	ROW("ZEN3", "vdivpd ymm0, ymm1, ymm2", "c0.f01/d12*9", "\xc5\xf5\x5e\xc2"),
	ROW("ZEN3", "cmp rax, rbx; jne", "c0.a0b1", "\x48\x39\xd8\x75\xfb"),
};

__attribute__((format(printf, 2, 3))) static void put(char text[TEXT_MAX], const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, TEXT_MAX - length, format, args);
	va_end(args);
}

/* As in timing files: the letter once. */
static void put_ports(char text[TEXT_MAX], const struct takt_model *model, uint32_t ports)
{
	char letter = 0;

	for (uint32_t p = 0; p < takt_model_port_count(model); p++) {
		const char *name = takt_model_port_name(model, p);

		if (!(ports >> p & 1))
			continue;
		put(text, "%s", name + (*name == letter));
		letter = *name;
	}
	if (!ports)
		put(text, "-");
}

static void put_uop(char text[TEXT_MAX], const struct takt_model *model, const struct sim_uop *uop)
{
	static const char kinds[] = {[SIM_UOP_COMPUTE] = 'c',
				     [SIM_UOP_LOAD] = 'l',
				     [SIM_UOP_STORE_ADDRESS] = 'a',
				     [SIM_UOP_STORE_DATA] = 'd'};

	put(text, "%s%s%c", *text ? " " : "", uop->joins ? "+" : "", kinds[uop->kind]);
	if (uop->kind == SIM_UOP_COMPUTE && uop->group == SIM_GROUP_ALL)
		put(text, "*.");
	else
		put(text, "%d.", uop->kind == SIM_UOP_COMPUTE ? uop->group : uop->memory);
	put_ports(text, model, uop->ports);
	if (uop->port_cycles > 1)
		put(text, "x%d", uop->port_cycles);
	if (!uop->unit_ports)
		return;
	put(text, "/");
	put_ports(text, model, uop->unit_ports);
	put(text, uop->unit_all ? " all*%d" : "*%d", uop->unit_cycles);
}

static void check(const struct wanted *wanted)
{
	struct sim_kernel *kernel =
		kernel_new(wanted->core, (const uint8_t *)wanted->bytes, wanted->size_bytes);
	const struct sim_options options = {.loop = kernel->loop};
	const struct sim_program *program =
		sim_program_new(&kernel->block, &options, &kernel->arena);
	const struct sim_insn *insn = program->insns;
	char text[TEXT_MAX] = "", what[TEXT_MAX] = "";

	for (unsigned i = 0; i < insn->uop_count; i++)
		put_uop(text, kernel->model, &program->uops[insn->uops + i]);
	put(what, "%s: %s", wanted->core, wanted->what);
	tap_is_string(__FILE__, wanted->line, text, wanted->uops, what);
	kernel_free(kernel);
}

/* More µops than there is room for: those left over are dropped. */
static void check_many(void)
{
	static const uint8_t verw[] = {0x0f, 0x00, 0x2f};
	struct sim_kernel *kernel = kernel_new("HSW", verw, sizeof(verw));
	const struct sim_options options = {.loop = kernel->loop};
	const struct sim_program *program =
		sim_program_new(&kernel->block, &options, &kernel->arena);

	ok(program->insns->uop_count <= SIM_UOPS_MAX, "HSW: verw [rdi]");
	kernel_free(kernel);
}

int main(void)
{
	check_many();
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	return tap_done();
}
