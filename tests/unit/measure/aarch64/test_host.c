/* SPDX-License-Identifier: MIT */
/*
 * The host layer of AArch64, cross-compiled and run in qemu-user: the child starts, runs
 * what is emitted, counts its runs, maps pages on fault and reports signals. qemu-user has
 * no seccomp, so the sandbox is left out, and takes forever to unmap what there is not, so
 * inherited memory stays. It says nothing about time on hardware.
 */
#include <signal.h>
#include <string.h>

#include "../../tap.h"
#include "measure/host.h"

bool takt_sandbox_enter(uint64_t base, pid_t parent, bool reads_clock)
{
	(void)base, (void)parent, (void)reads_clock;
	return true;
}

/* Linked with --wrap=takt_child_enter. */
__attribute__((noreturn)) void __real_takt_child_enter(const struct takt_child *own, pid_t parent);
__attribute__((noreturn)) void __wrap_takt_child_enter(const struct takt_child *own, pid_t parent);

void __wrap_takt_child_enter(const struct takt_child *own, pid_t parent)
{
	own->results->page_count = 0;
	__real_takt_child_enter(own, parent);
}

void takt_namespaces_open(int *ret_namespaces)
{
	for (int i = 0; i < TAKT_CHILD_NAMESPACES; i++)
		ret_namespaces[i] = -1;
}

void takt_namespaces_close(int *namespaces)
{
	(void)namespaces;
}

void takt_namespaces_join(const int *namespaces)
{
	(void)namespaces;
}

#define SECONDS 20.0
#define COPIES 1000u

static struct takt_child child;
static struct takt_emitter emitter;
static struct takt_host_state state;

/* For a new child: qemu does not see that another process writes its code anew. */
static void begin_code(void)
{
	takt_child_kill(&child);
	emitter = (struct takt_emitter){.data = child.view,
					.size_bytes = TAKT_CHILD_RUNNER_BYTES,
					.capacity_bytes = TAKT_CHILD_CODE_BYTES};
	takt_host_state_init(&state, false);
}

static void add(uint32_t instruction)
{
	takt_emit(&emitter, &instruction, sizeof(instruction));
}

/* Where a run starts, whose body the caller emits next. */
static uint32_t enter(void)
{
	uint32_t entry;

	takt_emit_align(&emitter, 0);
	entry = (uint32_t)emitter.size_bytes;
	takt_host_emit_enter(&emitter, TAKT_CLOCK_ADD_CHAIN, &state);
	return entry;
}

static void leave(void)
{
	takt_host_emit_leave(&emitter, TAKT_CLOCK_ADD_CHAIN, &state);
}

static enum takt_child_end command(const uint32_t *entries, uint32_t count, uint32_t repeat,
				   uint32_t flags)
{
	struct takt_child_control *control = child.control;

	for (uint32_t i = 0; i < count; i++) {
		control->run_entries[i] = entries[i];
		control->run_restores[i] = 1;
	}
	control->run_count = count;
	control->repeat = repeat;
	control->flags = flags;
	return takt_child_command(&child, SECONDS);
}

static uint64_t *saved_x(uint32_t index)
{
	return (uint64_t *)(void *)(child.view + TAKT_CHILD_PAGES) + index;
}

/* A body that stores x0…x3 and v7 to [x4], which is anywhere. */
static void test_registers(void)
{
	uint32_t entry;

	begin_code();
	ok(takt_host_state_set(&state, "x0", 0x1122334455667788), "x0");
	ok(takt_host_state_set(&state, "x1", 7), "x1");
	ok(takt_host_state_set(&state, "v7", 0x3ff0000000000000), "v7");
	ok(takt_host_state_set(&state, "x4", 0x600000), "x4");
	ok(takt_host_state_set(&state, "sp", 0x700800), "sp");
	ok(!takt_host_state_set(&state, "x31", 0), "no x31");
	ok(!takt_host_state_set(&state, "rax", 0), "no rax");
	state.vector_bytes = 16;
	entry = enter();
	add(0xa9000480); /* stp x0, x1, [x4] */
	add(0x910003e2); /* mov x2, sp */
	add(0xf9000882); /* str x2, [x4, #16] */
	add(0x3d800887); /* str q7, [x4, #32] */
	add(0xd53b4403); /* mrs x3, fpcr */
	add(0xf9000c83); /* str x3, [x4, #24] */
	add(0xf90003ff); /* str xzr, [sp] */
	leave();
	is_int(command(&entry, 1, 1, TAKT_CHILD_MAP_FAULTS), TAKT_CHILD_DONE, "runs");
	is_int(child.results->page_count, 2, "two pages mapped on fault");
	ok(*saved_x(0) == 0x1122334455667788, "x0 as set");
	ok(*saved_x(1) == 7, "x1 as set");
	ok(*saved_x(2) == 0x700800, "sp as set");
	ok(*saved_x(3) >> 24 & 1, "denormals are flushed");
	ok(*saved_x(4) == 0x3ff0000000000000 && *saved_x(5) == *saved_x(4), "both lanes of v7");
}

/* Loops of all kinds come to their end, and every run leaves its ticks. */
static void test_runs(void)
{
	uint32_t entries[4], all = 0;
	size_t body;

	begin_code();
	takt_host_state_set(&state, "x4", 0x600000);
	entries[0] = enter();
	takt_host_emit_add_chain(&emitter, COPIES);
	leave();
	entries[1] = enter();
	takt_host_emit_dispatch_canary(&emitter, 1);
	leave();
	entries[2] = enter();
	takt_host_emit_vector_canary(&emitter, 1);
	leave();
	entries[3] = enter();
	body = takt_emit_loop_begin(&emitter, 15, 70000, 16);
	add(0xf9400085); /* ldr x5, [x4] */
	add(0x910004a5); /* add x5, x5, #1 */
	add(0xf9000085); /* str x5, [x4] */
	takt_host_emit_loop_end(&emitter, 15, body);
	leave();
	is_int((long long)(body % 64), 16, "the loop lies where it was wanted");
	is_int(command(entries, 0, 0, 0), TAKT_CHILD_DONE, "a child starts with empty results");
	memset(child.results->ticks, 0xff, sizeof(child.results->ticks));
	is_int(command(entries, 4, 3, TAKT_CHILD_MAP_FAULTS), TAKT_CHILD_DONE, "runs");
	for (size_t i = 0; i < 12; i++)
		all += child.results->ticks[i] != UINT64_MAX;
	is_int(all, 12, "ticks of every run");
	ok(child.results->ticks[12] == UINT64_MAX, "and of no other");
	ok(child.results->ticks[3] > 0, "70000 trips take time");
	is_int((long long)*saved_x(0), 70000, "as many trips as told, from a fresh page each time");
}

/* A body that doubles v7 until it is infinite. */
static void test_values(void)
{
	uint32_t entry;

	begin_code();
	takt_host_state_set(&state, "v7", 0x7fe0000000000000);
	state.vector_bytes = 16;
	entry = enter();
	add(0x1e6728e7); /* fadd d7, d7, d7 */
	leave();
	is_int(command(&entry, 1, 1, 0), TAKT_CHILD_DONE, "runs");
	ok(takt_host_fp_read(child.results->fp_raised, &state, false).infinite,
	   "overflow is noticed");
	ok(!takt_host_fp_read(child.results->fp_raised, &state, false).denormal,
	   "and nothing else");
}

static void test_signals(void)
{
	uint32_t entry;

	begin_code();
	entry = enter();
	add(0x00000000); /* udf */
	leave();
	is_int(command(&entry, 1, 1, 0), TAKT_CHILD_SIGNAL, "illegal instruction");
	is_int((long long)child.results->signal, SIGILL, "its signal");
	begin_code();
	entry = enter();
	add(0xf940001f); /* ldr xzr, [x0], x0 is 0 */
	leave();
	is_int(command(&entry, 1, 1, TAKT_CHILD_MAP_FAULTS), TAKT_CHILD_SIGNAL, "null pointer");
	is_int((long long)child.results->signal, SIGSEGV, "its signal");
	is_int((long long)child.results->fault_address, 0, "its address");
	ok(child.results->fault_ip > child.base, "and its place");
}

int main(void)
{
	struct takt_child_options options = {.clock = TAKT_CLOCK_ADD_CHAIN};
	struct takt_diag *diag = takt_diag_new();
	struct takt_text cpu = {0};

	if (!ok(takt_child_open(&options, diag, &child) == TAKT_OK, "a child starts")) {
		tap_note("why: %s", takt_diag_text(diag));
		return tap_done();
	}
	test_registers();
	test_runs();
	test_values();
	test_signals();
	takt_host_cpu(&cpu);
	ok(strncmp(takt_text_data(&cpu), "AArch64", 7) == 0, "%s", takt_text_data(&cpu));
	takt_text_release(&cpu);
	takt_child_close(&child);
	takt_diag_free(diag);
	return tap_done();
}
