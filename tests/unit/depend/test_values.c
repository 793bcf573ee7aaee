/* SPDX-License-Identifier: MIT */
/*
 * The semantics against the processor: each row is run natively and by the machine on the
 * same random registers, flags and memory. What the machine knows must be the same; and it
 * must know all registers and memory, and the flags that are defined.
 */
#include "depend/interpreter.h"
#include "blocks.h"

#include <sys/mman.h>

static const struct {
	int line;
	const char *hex, *what;
	bool needs_bmi;
} rows[] = {
	{__LINE__, "4889c8", "mov rax,rcx", false},
	{__LINE__, "89c8", "mov eax,ecx", false},
	{__LINE__, "6689c8", "mov ax,cx", false},
	{__LINE__, "88c8", "mov al,cl", false},
	{__LINE__, "88e8", "mov al,ch", false},
	{__LINE__, "88cc", "mov ah,cl", false},
	{__LINE__, "88fc", "mov ah,bh", false},
	{__LINE__, "48c7c0fbffffff", "mov rax,-5", false},
	{__LINE__, "b8fbffffff", "mov eax,-5", false},
	{__LINE__, "48b8f0debc9a78563412", "movabs rax,0x123456789abcdef0", false},
	{__LINE__, "66b92381", "mov cx,0x8123", false},
	{__LINE__, "0fb6c1", "movzx eax,cl", false},
	{__LINE__, "0fb6ce", "movzx ecx,dh", false},
	{__LINE__, "480fb7c1", "movzx rax,cx", false},
	{__LINE__, "660fb6c1", "movzx ax,cl", false},
	{__LINE__, "0fbec1", "movsx eax,cl", false},
	{__LINE__, "480fbec1", "movsx rax,cl", false},
	{__LINE__, "660fbec2", "movsx ax,dl", false},
	{__LINE__, "480fbfd1", "movsx rdx,cx", false},
	{__LINE__, "4863c1", "movsxd rax,ecx", false},
	{__LINE__, "488d4491f7", "lea rax,[rcx+rdx*4-9]", false},
	{__LINE__, "8d44d164", "lea eax,[rcx+rdx*8+100]", false},
	{__LINE__, "668d0411", "lea ax,[rcx+rdx]", false},
	{__LINE__, "488d0c7500000000", "lea rcx,[rsi*2]", false},
	{__LINE__, "67488d0411", "lea rax,[ecx+edx]", false},
	{__LINE__, "4801c8", "add rax,rcx", false},
	{__LINE__, "01c8", "add eax,ecx", false},
	{__LINE__, "6601c8", "add ax,cx", false},
	{__LINE__, "00c8", "add al,cl", false},
	{__LINE__, "00dc", "add ah,bl", false},
	{__LINE__, "00e0", "add al,ah", false},
	{__LINE__, "4883c180", "add rcx,-128", false},
	{__LINE__, "81c1ffffff7f", "add ecx,0x7fffffff", false},
	{__LINE__, "0464", "add al,100", false},
	{__LINE__, "4811c8", "adc rax,rcx", false},
	{__LINE__, "83d005", "adc eax,5", false},
	{__LINE__, "10c8", "adc al,cl", false},
	{__LINE__, "4829c8", "sub rax,rcx", false},
	{__LINE__, "29c8", "sub eax,ecx", false},
	{__LINE__, "6629c8", "sub ax,cx", false},
	{__LINE__, "28fa", "sub dl,bh", false},
	{__LINE__, "4829c0", "sub rax,rax", false},
	{__LINE__, "4883ee7f", "sub rsi,127", false},
	{__LINE__, "4819c8", "sbb rax,rcx", false},
	{__LINE__, "19d2", "sbb edx,edx", false},
	{__LINE__, "1c07", "sbb al,7", false},
	{__LINE__, "4839c8", "cmp rax,rcx", false},
	{__LINE__, "38c8", "cmp al,cl", false},
	{__LINE__, "83f9ff", "cmp ecx,-1", false},
	{__LINE__, "48ffc0", "inc rax", false},
	{__LINE__, "ffc0", "inc eax", false},
	{__LINE__, "66ffc0", "inc ax", false},
	{__LINE__, "fec4", "inc ah", false},
	{__LINE__, "48ffc9", "dec rcx", false},
	{__LINE__, "fec9", "dec cl", false},
	{__LINE__, "48f7d8", "neg rax", false},
	{__LINE__, "f7d8", "neg eax", false},
	{__LINE__, "f6d8", "neg al", false},
	{__LINE__, "66f7d9", "neg cx", false},
	{__LINE__, "48f7d0", "not rax", false},
	{__LINE__, "f7d0", "not eax", false},
	{__LINE__, "f6d2", "not dl", false},
	{__LINE__, "4821c8", "and rax,rcx", false},
	{__LINE__, "83e0f0", "and eax,-16", false},
	{__LINE__, "240f", "and al,15", false},
	{__LINE__, "4809c8", "or rax,rcx", false},
	{__LINE__, "09d1", "or ecx,edx", false},
	{__LINE__, "4831c8", "xor rax,rcx", false},
	{__LINE__, "31c0", "xor eax,eax", false},
	{__LINE__, "30fb", "xor bl,bh", false},
	{__LINE__, "4885c8", "test rax,rcx", false},
	{__LINE__, "84c0", "test al,al", false},
	{__LINE__, "f7c180000000", "test ecx,0x80", false},
	{__LINE__, "48d1e0", "shl rax,1", false},
	{__LINE__, "c1e007", "shl eax,7", false},
	{__LINE__, "66c1e003", "shl ax,3", false},
	{__LINE__, "d2e0", "shl al,cl", false},
	{__LINE__, "48d3e0", "shl rax,cl", false},
	{__LINE__, "d3e2", "shl edx,cl", false},
	{__LINE__, "c0e209", "shl dl,9", false},
	{__LINE__, "48d1e8", "shr rax,1", false},
	{__LINE__, "c1e81f", "shr eax,31", false},
	{__LINE__, "66d3e8", "shr ax,cl", false},
	{__LINE__, "48d3ea", "shr rdx,cl", false},
	{__LINE__, "c0ef03", "shr bh,3", false},
	{__LINE__, "48d1f8", "sar rax,1", false},
	{__LINE__, "c1f805", "sar eax,5", false},
	{__LINE__, "d2f8", "sar al,cl", false},
	{__LINE__, "48d3fa", "sar rdx,cl", false},
	{__LINE__, "66c1fa0c", "sar dx,12", false},
	{__LINE__, "48d1c0", "rol rax,1", false},
	{__LINE__, "c1c007", "rol eax,7", false},
	{__LINE__, "66d3c0", "rol ax,cl", false},
	{__LINE__, "d2c2", "rol dl,cl", false},
	{__LINE__, "48d3c2", "rol rdx,cl", false},
	{__LINE__, "48d1c8", "ror rax,1", false},
	{__LINE__, "c1c809", "ror eax,9", false},
	{__LINE__, "66d3cb", "ror bx,cl", false},
	{__LINE__, "c0cb05", "ror bl,5", false},
	{__LINE__, "48d3ce", "ror rsi,cl", false},
	{__LINE__, "c1e000", "shl eax,0", false},
	{__LINE__, "480fafc1", "imul rax,rcx", false},
	{__LINE__, "0fafc1", "imul eax,ecx", false},
	{__LINE__, "660fafc1", "imul ax,cx", false},
	{__LINE__, "486bc1b3", "imul rax,rcx,-77", false},
	{__LINE__, "69d139300000", "imul edx,ecx,12345", false},
	{__LINE__, "48f7e9", "imul rcx", false},
	{__LINE__, "f7e9", "imul ecx", false},
	{__LINE__, "66f7e9", "imul cx", false},
	{__LINE__, "f6e9", "imul cl", false},
	{__LINE__, "48f7e1", "mul rcx", false},
	{__LINE__, "f7e1", "mul ecx", false},
	{__LINE__, "66f7e1", "mul cx", false},
	{__LINE__, "f6e1", "mul cl", false},
	{__LINE__, "f6e7", "mul bh", false},
	{__LINE__, "4891", "xchg rax,rcx", false},
	{__LINE__, "91", "xchg eax,ecx", false},
	{__LINE__, "86e8", "xchg al,ch", false},
	{__LINE__, "6687da", "xchg dx,bx", false},
	{__LINE__, "480fc1c8", "xadd rax,rcx", false},
	{__LINE__, "0fc0d1", "xadd cl,dl", false},
	{__LINE__, "0fc1c0", "xadd eax,eax", false},
	{__LINE__, "0fc1f2", "xadd edx,esi", false},
	{__LINE__, "480fc8", "bswap rax", false},
	{__LINE__, "0fc9", "bswap ecx", false},
	{__LINE__, "6698", "cbw", false},
	{__LINE__, "98", "cwde", false},
	{__LINE__, "4898", "cdqe", false},
	{__LINE__, "6699", "cwd", false},
	{__LINE__, "99", "cdq", false},
	{__LINE__, "4899", "cqo", false},
	{__LINE__, "480f42c1", "cmovb rax,rcx", false},
	{__LINE__, "0f42c1", "cmovb eax,ecx", false},
	{__LINE__, "480f43c1", "cmovae rax,rcx", false},
	{__LINE__, "480f44c1", "cmove rax,rcx", false},
	{__LINE__, "0f45c2", "cmovne eax,edx", false},
	{__LINE__, "660f46c1", "cmovbe ax,cx", false},
	{__LINE__, "480f47c2", "cmova rax,rdx", false},
	{__LINE__, "480f48c2", "cmovs rax,rdx", false},
	{__LINE__, "480f49c2", "cmovns rax,rdx", false},
	{__LINE__, "480f4ac2", "cmovp rax,rdx", false},
	{__LINE__, "480f4bc2", "cmovnp rax,rdx", false},
	{__LINE__, "480f40c2", "cmovo rax,rdx", false},
	{__LINE__, "480f41c2", "cmovno rax,rdx", false},
	{__LINE__, "480f4cc2", "cmovl rax,rdx", false},
	{__LINE__, "480f4dc2", "cmovge rax,rdx", false},
	{__LINE__, "480f4ec2", "cmovle rax,rdx", false},
	{__LINE__, "480f4fc2", "cmovg rax,rdx", false},
	{__LINE__, "0f92c0", "setb al", false},
	{__LINE__, "0f9cc4", "setl ah", false},
	{__LINE__, "0f9fc1", "setg cl", false},
	{__LINE__, "0f90c2", "seto dl", false},
	{__LINE__, "0f9bc3", "setnp bl", false},
	{__LINE__, "0f96c7", "setbe bh", false},
	{__LINE__, "0f94c0", "sete al", false},
	{__LINE__, "480fa3c8", "bt rax,rcx", false},
	{__LINE__, "0fbae003", "bt eax,3", false},
	{__LINE__, "480fabc8", "bts rax,rcx", false},
	{__LINE__, "0fb3d1", "btr ecx,edx", false},
	{__LINE__, "660fbbda", "btc dx,bx", false},
	{__LINE__, "480fbae83f", "bts rax,63", false},
	{__LINE__, "5059", "push rax; pop rcx", false},
	{__LINE__, "6651665a", "push cx; pop dx", false},
	{__LINE__, "50488b1424488d642408", "push rax; mov rdx,[rsp]; lea rsp,[rsp+8]", false},
	{__LINE__, "6afd58", "push -3; pop rax", false},
	{__LINE__, "554889e5488d6424f0c9", "push rbp; mov rbp,rsp; lea rsp,[rsp-16]; leave", false},
	{__LINE__, "5152595a", "push rcx; push rdx; pop rcx; pop rdx", false},
	{__LINE__, "5048871c2459", "push rax; xchg rbx,[rsp]; pop rcx", false},
	{__LINE__, "488b07", "mov rax,[rdi]", false},
	{__LINE__, "8b4705", "mov eax,[rdi+5]", false},
	{__LINE__, "668b4707", "mov ax,[rdi+7]", false},
	{__LINE__, "8a4703", "mov al,[rdi+3]", false},
	{__LINE__, "8a6f09", "mov ch,[rdi+9]", false},
	{__LINE__, "488907", "mov [rdi],rax", false},
	{__LINE__, "894703", "mov [rdi+3],eax", false},
	{__LINE__, "66894706", "mov [rdi+6],ax", false},
	{__LINE__, "885701", "mov [rdi+1],dl", false},
	{__LINE__, "887701", "mov [rdi+1],dh", false},
	{__LINE__, "48c74705feffffff", "mov qword ptr [rdi+5],-2", false},
	{__LINE__, "488907894f04488b5702", "mov [rdi],rax; mov [rdi+4],ecx; mov rdx,[rdi+2]",
	 false},
	{__LINE__, "884f07895708488b4706", "mov [rdi+7],cl; mov [rdi+8],edx; mov rax,[rdi+6]",
	 false},
	{__LINE__, "0fb74707", "movzx eax,word ptr [rdi+7]", false},
	{__LINE__, "480fbe4f02", "movsx rcx,byte ptr [rdi+2]", false},
	{__LINE__, "48635706", "movsxd rdx,dword ptr [rdi+6]", false},
	{__LINE__, "480307", "add rax,[rdi]", false},
	{__LINE__, "480107", "add [rdi],rax", false},
	{__LINE__, "814704e8030000", "add dword ptr [rdi+4],1000", false},
	{__LINE__, "fe4702", "inc byte ptr [rdi+2]", false},
	{__LINE__, "48f75f08", "neg qword ptr [rdi+8]", false},
	{__LINE__, "66314f03", "xor [rdi+3],cx", false},
	{__LINE__, "c12703", "shl dword ptr [rdi],3", false},
	{__LINE__, "48d32f", "shr qword ptr [rdi],cl", false},
	{__LINE__, "488707", "xchg [rdi],rax", false},
	{__LINE__, "f0480fc14f08", "lock xadd [rdi+8],rcx", false},
	{__LINE__, "483907", "cmp [rdi],rax", false},
	{__LINE__, "f60710", "test byte ptr [rdi],16", false},
	{__LINE__, "480faf07", "imul rax,[rdi]", false},
	{__LINE__, "6b0f09", "imul ecx,[rdi],9", false},
	{__LINE__, "48f727", "mul qword ptr [rdi]", false},
	{__LINE__, "ff3758", "push qword ptr [rdi]; pop rax", false},
	{__LINE__, "508f4708", "push rax; pop qword ptr [rdi+8]", false},
	{__LINE__, "0f9407", "sete byte ptr [rdi]", false},
	{__LINE__, "480f424f02", "cmovb rcx,[rdi+2]", false},
	{__LINE__, "480fc307", "movnti [rdi],rax", false},
	{__LINE__, "4801c84811da400f92c64d0f48c1",
	 "add rax,rcx; adc rdx,rbx; setb sil; cmovs r8,r9", false},
	{__LINE__, "4829c84819d24821ca4801d0", "sub rax,rcx; sbb rdx,rdx; and rdx,rcx; add rax,rdx",
	 false},
	{__LINE__, "ffc083d10066ffca80db03", "inc eax; adc ecx,0; dec dx; sbb bl,3", false},
	{__LINE__, "6639c8490f4cf00f9fc2490f47d9", "cmp ax,cx; cmovl rsi,r8; setg dl; cmova rbx,r9",
	 false},
	{__LINE__, "88cc00e00fb7d048c1e209", "mov ah,cl; add al,ah; movzx edx,ax; shl rdx,9",
	 false},
	{__LINE__, "c4e2f0f2c2", "andn rax,rcx,rdx", true},
	{__LINE__, "c4e270f2c2", "andn eax,ecx,edx", true},
	{__LINE__, "c4e2f8f3d9", "blsi rax,rcx", true},
	{__LINE__, "c4e278f3d9", "blsi eax,ecx", true},
	{__LINE__, "c4e2f8f3c9", "blsr rax,rcx", true},
	{__LINE__, "c4e268f3ce", "blsr edx,esi", true},
	{__LINE__, "c4e2f8f3d1", "blsmsk rax,rcx", true},
	{__LINE__, "c4e278f3d1", "blsmsk eax,ecx", true},
	{__LINE__, "c4e2e8f5c1", "bzhi rax,rcx,rdx", true},
	{__LINE__, "c4e268f5c1", "bzhi eax,ecx,edx", true},
	{__LINE__, "c4e2e9f7c1", "shlx rax,rcx,rdx", true},
	{__LINE__, "c4e269f7c1", "shlx eax,ecx,edx", true},
	{__LINE__, "c4e2ebf7c1", "shrx rax,rcx,rdx", true},
	{__LINE__, "c4e26bf7f1", "shrx esi,ecx,edx", true},
	{__LINE__, "c4e2eaf7c1", "sarx rax,rcx,rdx", true},
	{__LINE__, "c4e26af7c1", "sarx eax,ecx,edx", true},
	{__LINE__, "c4e3fbf0c10d", "rorx rax,rcx,13", true},
	{__LINE__, "c4e37bf0c121", "rorx eax,ecx,33", true},
	{__LINE__, "f3480fb8c1", "popcnt rax,rcx", true},
	{__LINE__, "66f30fb8c1", "popcnt ax,cx", true},
	{__LINE__, "f30fb8c1", "popcnt eax,ecx", true},
	{__LINE__, "f3480fbdc1", "lzcnt rax,rcx", true},
	{__LINE__, "f30fbdc1", "lzcnt eax,ecx", true},
	{__LINE__, "66f30fbdc1", "lzcnt ax,cx", true},
	{__LINE__, "f3480fbcc1", "tzcnt rax,rcx", true},
	{__LINE__, "f30fbcc1", "tzcnt eax,ecx", true},
	{__LINE__, "66f30fbcc1", "tzcnt ax,cx", true},
	{__LINE__, "480f38f04701", "movbe rax,[rdi+1]", true},
	{__LINE__, "0f38f10f", "movbe [rdi],ecx", true},
	{__LINE__, "660f38f007", "movbe ax,[rdi]", true},
	{__LINE__, "c4e2f3f707", "shrx rax,[rdi],rcx", true},
};

#define ROUNDS 300u
#define REGISTERS 16u
#define BUFFER_BYTES 64u
#define FLAGS_FIXED 2u /* a bit of the flags register that is always set */

/* What a run starts from and leaves, at the offsets that the code below has. */
struct state {
	uint64_t registers[REGISTERS];
	uint64_t flags;
};

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	return takt_hash64(takt_hash64(random_state++) + 0x1234567);
}

/* Often a special one. */
static uint64_t random_value(void)
{
	static const uint64_t specials[] = {
		0, 1, UINT64_MAX, 0x80, 0x8000, 0x80000000, (uint64_t)1 << 63, 0x7f, 31, 64};
	uint64_t value = next_random();

	switch (next_random() % 4) {
	case 0:
		return specials[value % TAKT_COUNT_OF(specials)];
	case 1:
		return value % 128;
	default:
		return value;
	}
}

static struct state random_start(uint64_t buffer)
{
	struct state state;

	for (unsigned i = 0; i < REGISTERS; i++)
		state.registers[i] = random_value();
	state.registers[7] = buffer; /* rdi */
	state.flags = (next_random() & TAKT_FLAGS_ALL) | FLAGS_FIXED;
	return state;
}

#if defined(__x86_64__)

/* Called with a struct state; loads rax rcx rdx rbx rsi rdi r8 r9 and the flags … */
static const char prologue[] =
	"535541544989fc41ffb424800000009d498b0424498b4c2408498b542410498b5c2418498b7424"
	"30498b7c24384d8b4424404d8b4c2448";
/* … and stores them. */
static const char epilogue[] =
	"4989042449894c2408498954241049895c2418498974243049897c24384d894424404d894c2448"
	"9c418f842480000000415c5d5bc3";

static size_t add_code(uint8_t *page, size_t at, const char *hex)
{
	for (; *hex; hex += 2) {
		unsigned value = 0;

		sscanf(hex, "%2x", &value);
		page[at++] = (uint8_t)value;
	}
	return at;
}

static bool run_natively(uint8_t *page, const char *hex, struct state *state)
{
	void (*run)(struct state * state);
	size_t at = add_code(page, 0, prologue);

	at = add_code(page, at, hex);
	add_code(page, at, epilogue);
	memcpy(&run, &page, sizeof(run));
	run(state);
	return true;
}

static bool can_run(bool needs_bmi)
{
	return !needs_bmi || (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"));
}

#else

static bool run_natively(uint8_t *page, const char *hex, struct state *state)
{
	(void)page, (void)hex, (void)state;
	return false;
}

static bool can_run(bool needs_bmi)
{
	(void)needs_bmi;
	return false;
}

#endif

/* The same by the machine, in place; what it does not know is left in `ret_known`. */
static void run_machine(const struct takt_program *program, struct takt_machine *machine,
			const struct state *start)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		if (i != TAKT_LOC_RSP - TAKT_LOC_GPR)
			machine->registers[i] = (struct takt_value){start->registers[i], true};
	machine->flags = (struct takt_flags){(uint16_t)start->flags, TAKT_FLAGS_ALL};
	for (uint32_t s = 0; s < program->sliced_count; s++) {
		struct takt_value addresses[TAKT_MEMORIES_MAX];
		struct takt_outcome outcome;

		takt_machine_locate(machine, &program->sliced[s], addresses);
		takt_machine_execute(machine, &program->sliced[s], addresses, s, &outcome);
	}
}

static bool same_registers(const struct takt_machine *machine, const struct state *native)
{
	static const uint8_t compared[] = {0, 1, 2, 3, 6, 7, 8, 9};

	for (unsigned i = 0; i < TAKT_COUNT_OF(compared); i++) {
		const struct takt_value *value = &machine->registers[compared[i]];

		if (!value->known || value->bits != native->registers[compared[i]]) {
			tap_note("register %u: %s%#llx, natively %#llx", compared[i],
				 value->known ? "" : "unknown ", (unsigned long long)value->bits,
				 (unsigned long long)native->registers[compared[i]]);
			return false;
		}
	}
	return true;
}

static bool same_flags(const struct takt_machine *machine, const struct state *native)
{
	uint64_t differ = (machine->flags.bits ^ native->flags) & machine->flags.known;

	if (differ & TAKT_FLAGS_ALL)
		tap_note("flags differ by %#llx", (unsigned long long)differ);
	return !(differ & TAKT_FLAGS_ALL);
}

static bool same_memory(const struct takt_shadow *shadow, const uint64_t *buffer)
{
	for (unsigned i = 0; i < BUFFER_BYTES / 8; i++) {
		struct takt_value value = takt_shadow_load(shadow, (uintptr_t)&buffer[i], 8);

		if (!value.known || value.bits != buffer[i]) {
			tap_note("memory %u: %s%#llx, natively %#llx", 8 * i,
				 value.known ? "" : "unknown ", (unsigned long long)value.bits,
				 (unsigned long long)buffer[i]);
			return false;
		}
	}
	return true;
}

static bool agrees(const struct takt_program *program, const char *hex, uint8_t *page,
		   struct takt_shadow *shadow)
{
	_Alignas(64) uint64_t buffer[BUFFER_BYTES / 8];
	struct state state = random_start((uintptr_t)buffer);
	struct takt_machine machine;

	takt_shadow_clear(shadow, next_random());
	takt_machine_reset(&machine, next_random(), NULL, 0);
	machine.shadow = shadow;
	for (unsigned i = 0; i < BUFFER_BYTES / 8; i++) {
		buffer[i] = random_value();
		takt_shadow_store(shadow, (uintptr_t)&buffer[i], 8,
				  (struct takt_value){buffer[i], true}, 0);
	}
	run_machine(program, &machine, &state);
	run_natively(page, hex, &state);
	return same_registers(&machine, &state) && same_flags(&machine, &state) &&
	       same_memory(shadow, buffer);
}

static void test_row(size_t row, uint8_t *page, struct takt_arena *arena)
{
	struct takt_block block = make_block(rows[row].hex, arena);
	struct takt_program program;
	struct takt_shadow shadow;
	bool fine = true;

	takt_program_make(&block, TAKT_PROGRAM_WHOLE, arena, &program);
	takt_shadow_init(&shadow, 64, arena);
	for (unsigned round = 0; round < ROUNDS && fine; round++)
		fine = agrees(&program, rows[row].hex, page, &shadow);
	tap_ok_at(__FILE__, rows[row].line, fine, "%s", rows[row].what);
}

/* What is not known stays so, and no further than it must. */
static void test_unknown(void)
{
	struct takt_flags flags = {0, TAKT_FLAGS_ALL};
	struct takt_computation computation = {
		.operation = TAKT_OPERATION_ADD, .size_bytes = 8, .first = {5, true}};

	ok(!takt_compute(&computation, &flags).low.known, "5 + ?");
	is_int(flags.known, 0, "and its flags");
	computation.operation = TAKT_OPERATION_XOR;
	computation.first.known = false;
	ok(!takt_compute(&computation, &flags).low.known, "? ^ ?");
	computation.same = true;
	ok(takt_compute(&computation, &flags).low.known, "a register ^ itself");
	is_int(flags.known, TAKT_FLAGS_ALL, "and its flags");
	computation = (struct takt_computation){.operation = TAKT_OPERATION_SELECT,
						.size_bytes = 8,
						.first = {5, true},
						.second = {6, true}};
	computation.condition = 4;
	is_int((long long)takt_compute(&computation, &flags).low.bits, 6, "equal: the second");
	flags.known = TAKT_FLAG_CARRY;
	ok(!takt_compute(&computation, &flags).low.known, "a condition on unknown flags");
}

int main(void)
{
	struct takt_arena arena = {0};
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	test_unknown();
	for (size_t row = 0; row < TAKT_COUNT_OF(rows); row++) {
		if (page == MAP_FAILED || !can_run(rows[row].needs_bmi))
			tap_skip(rows[row].what, "this processor has it not");
		else
			test_row(row, page, &arena);
		takt_arena_clear(&arena);
	}
	takt_arena_release(&arena);
	return tap_done();
}
