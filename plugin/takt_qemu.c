/* SPDX-License-Identifier: MIT */
/*
 * The plugin's entry point and callbacks, written for qemu-user 7.2. It relies on these facts:
 * - vcpu numbers are unique among running threads, and reused after a thread has ended;
 *   a thread is announced on its creator's thread, before it runs.
 * - A block's callback comes before its first instruction, an access's after the access.
 * - 7.2 confuses callbacks for loads alone and for stores alone: only those for both are right.
 * - An atomic operation is one access of both kinds.
 * - There is no callback for a crash: takt finds the last records in the ring.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"
#include "qemu_plugin.h"
#include "x86.h"

#define BLOCK_BYTES_MAX (512 * 16)

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API_VERSION;

/* The options of takt, and the guest's instruction set. */
static bool wants_accesses, wants_count, guest_is_x86;

/* [guest_is_x86] Numbers of mmap, munmap, mremap and shmat. */
static const int64_t map_syscalls[2][4] = {{222, 215, 216, 196}, {9, 11, 25, 30}};

/* Bit of a callback's data: an access of the instruction may continue the access before it. */
#define MAY_JOIN ((uint64_t)1 << 63)

/* ---- while the guest runs ---- */

static struct feed_ring *ring_of(unsigned vcpu)
{
	return rings[vcpu % FEED_RINGS];
}

static void on_block(unsigned vcpu, void *data)
{
	ring_add(ring_of(vcpu), (uint64_t)(uintptr_t)data);
}

static void on_insn(unsigned vcpu, void *data)
{
	(void)data;
	ring_of(vcpu)->insns_begun++;
}

/*
 * Join an access to the one before it if it continues that; false if not. qemu splits vectors into
 * pieces of eight bytes, and x87's extended format into eight and two.
 */
static bool join(struct feed_ring *ring, uint64_t record)
{
	uint64_t at = atomic_load_explicit(&ring->written, memory_order_relaxed) - 1;
	uint64_t *last = &ring->records[at % FEED_RING_RECORDS];
	uint64_t place = ~(TRACE_VALUE_MASK | (uint64_t)15 << TRACE_SIZE_SHIFT);
	uint64_t code = *last >> TRACE_SIZE_SHIFT & 15;

	if (((*last ^ record) & place) != 0 || code < TRACE_SIZE_8 || code >= TRACE_SIZE_64 ||
	    trace_value(*last) + trace_size(*last) != trace_value(record))
		return false;
	if (trace_size(record) == 8)
		*last += (uint64_t)1 << TRACE_SIZE_SHIFT;
	else if (code == TRACE_SIZE_8)
		*last += (uint64_t)(TRACE_SIZE_10 - TRACE_SIZE_8) << TRACE_SIZE_SHIFT;
	else
		return false;
	return true;
}

static void add_access(struct feed_ring *ring, uint64_t record, bool may_join)
{
	if (!may_join || !join(ring, record))
		ring_add(ring, record);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	uint64_t insn = (uint64_t)(uintptr_t)data;
	uint64_t shift = qemu_plugin_mem_size_shift(info);
	uint64_t record =
		(insn & ~MAY_JOIN) | shift << TRACE_SIZE_SHIFT | (address & TRACE_VALUE_MASK);
	bool may_join = insn & MAY_JOIN && (shift == 3 || shift == 1);

	if (QEMU_PLUGIN_MEMINFO_RW(info) & QEMU_PLUGIN_MEM_R)
		add_access(ring_of(vcpu), record, may_join);
	if (QEMU_PLUGIN_MEMINFO_RW(info) & QEMU_PLUGIN_MEM_W)
		add_access(ring_of(vcpu), record | TRACE_STORE, may_join);
}

/* NOLINTNEXTLINE(readability-function-size): qemu prescribes the parameters */
static void on_syscall(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
		       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	const uint64_t arguments[4] = {a1, a2, a3, a4};

	(void)id, (void)a5, (void)a6, (void)a7, (void)a8;
	effects_note(guest_is_x86, number, arguments);
	mappings_begin(guest_is_x86, vcpu, number, arguments);
	processes_begin(guest_is_x86, vcpu, number, a1);
	ring_add(ring_of(vcpu), trace_record(TRACE_KIND_SYSCALL, (uint64_t)number));
	programs_begin(guest_is_x86, number, arguments);
}

static void on_syscall_end(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result)
{
	(void)id;
	mappings_end(guest_is_x86, vcpu, number, result);
	processes_end(result);
	programs_end(guest_is_x86, number);
	for (size_t i = 0; i < sizeof(map_syscalls[0]) / sizeof(map_syscalls[0][0]); i++)
		if (number == map_syscalls[guest_is_x86][i])
			places_changed();
}

static void on_thread_start(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	if (ring_open(vcpu)) {
		ring_add(ring_of(vcpu), trace_record(TRACE_KIND_START, processes_new_thread()));
	} else {
		/* Records of two threads in one ring would make no sense: tracing stops instead. */
		feed_give_up(&feed->rings_missing);
		feed_leave();
	}
}

static void on_thread_end(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	ring_add(ring_of(vcpu), trace_record(TRACE_KIND_END, 0));
}

/* ---- when a block is translated ---- */

static void watch_insn(struct qemu_plugin_insn *insn, size_t index, const uint8_t *bytes,
		       size_t size_bytes)
{
	uint64_t data = TRACE_ACCESS | (uint64_t)index << TRACE_INSN_SHIFT;

	if (!guest_is_x86 || !x86_scatters(bytes, size_bytes))
		data |= MAY_JOIN;
	if (wants_accesses)
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)data);
	if (wants_count)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

/* Note where the guest's memory is in qemu's: the same distance everywhere. */
static void note_base(const struct trace_block_header *header, const void *place)
{
	if (place)
		programs_set_base((uint64_t)(uintptr_t)place - header->address);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct trace_block_header header = {.address = qemu_plugin_tb_vaddr(tb)};
	uint8_t lengths[TRACE_INSN_MAX + 1], bytes[BLOCK_BYTES_MAX];
	size_t count = qemu_plugin_tb_n_insns(tb), size = 0;
	uint32_t number;

	(void)id;
	if (count == 0 || count > TRACE_INSN_MAX + 1)
		return;
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		/* Instructions have 1 … 15 bytes in all supported sets, so they fit. */
		lengths[i] = (uint8_t)qemu_plugin_insn_size(insn);
		if (lengths[i] > 16)
			return;
		memcpy(bytes + size, qemu_plugin_insn_data(insn), lengths[i]);
		watch_insn(insn, i, bytes + size, lengths[i]);
		size += lengths[i];
	}
	if (guest_is_x86 && x86_repeats(bytes + size - lengths[count - 1], lengths[count - 1]))
		header.flags |= TRACE_BLOCK_REPEATS;
	header.insn_count = (uint16_t)count;
	header.size_bytes = (uint32_t)size;
	note_base(&header, qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0)));
	places_find(qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0)), &header);
	number = block_register(&header, lengths, bytes);
	qemu_plugin_register_vcpu_tb_exec_cb(
		tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
		(void *)(uintptr_t)trace_record(TRACE_KIND_BLOCK, number));
}

/* The machine of the ELF files of a target of qemu, 0: takt traces none of it. */
static uint16_t machine_of(const char *target)
{
	return strcmp(target, "x86_64") == 0	? EM_X86_64
	       : strcmp(target, "aarch64") == 0 ? EM_AARCH64
	       : strcmp(target, "riscv64") == 0 ? EM_RISCV
						: EM_NONE;
}

/* Install the plugin. Its arguments are feed=DESCRIPTOR, slot=NUMBER, accesses=on, count=on. */
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	int descriptor = -1, slot = -1;

	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "feed=", 5) == 0)
			descriptor = atoi(argv[i] + 5);
		if (strncmp(argv[i], "slot=", 5) == 0)
			slot = atoi(argv[i] + 5);
		wants_accesses |= strcmp(argv[i], "accesses=on") == 0;
		wants_count |= strcmp(argv[i], "count=on") == 0;
	}
	if (info->system_emulation || slot < 0 || !feed_attach(descriptor, (uint32_t)slot) ||
	    !processes_init())
		return -1;
	programs_set_machine(machine_of(info->target_name));
	guest_is_x86 = strcmp(info->target_name, "x86_64") == 0;
	qemu_plugin_register_vcpu_init_cb(id, on_thread_start);
	qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_end);
	atomic_store(&area->attached, 1);
	return 0;
}
