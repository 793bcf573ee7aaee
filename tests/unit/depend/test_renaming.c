/* SPDX-License-Identifier: MIT */
/* Which loads get what was stored at rename, by core, and by whether the code repeats. */
#include "blocks.h"

/* S: in straight-line code, L: in code that repeats itself. */
static const struct {
	int line;
	const char *core, *hex, *renamed;
	const char *what;
} rows[] = {
	{__LINE__, "ZEN3", "488906488b06", "L", "mov [rsi], rax; mov rax, [rsi]"},
	{__LINE__, "ZEN3", "89068b06", "L", "32 bits"},
	{__LINE__, "ZEN3", "88068a06", "L", "8 bits"},
	{__LINE__, "ZEN3", "668906668b06", "", "but not 16"},
	{__LINE__, "ZEN3", "4889068b06", "", "half of what was stored"},
	{__LINE__, "ZEN3", "8906488b06", "", "more than was stored"},
	{__LINE__, "ZEN3", "4889460848ffc0488b4608", "L", "with a displacement"},
	{__LINE__, "ZEN3", "488904fe488b04fe", "", "with an index"},
	{__LINE__, "ZEN3", "4889064889f7488b07", "", "through another register"},
	{__LINE__, "ZEN3", "48890500010000488b05f9000000", "", "without a base register"},
	{__LINE__, "ZEN3", "c5fa1106c5fa1006", "", "a vector register"},
	{__LINE__, "ZEN3", "d91ed906", "", "a register of the x87"},
	{__LINE__, "ZEN3", "4889042448ffc0488b0424", "SL", "rsp is served in any code"},
	{__LINE__, "ZEN3", "5058", "SL", "push; pop"},
	{__LINE__, "ZEN3", "48ff06", "L", "inc [rsi]"},
	{__LINE__, "ZEN3", "480106", "L", "add [rsi], rax"},
	{__LINE__, "ZEN2", "4889042448ffc0488b0424", "SL", "rsp"},
	{__LINE__, "ZEN2", "488906488b06", "SL", "any code"},
	{__LINE__, "ZEN2", "4889064889f6488b06", "L", "but for an address that is written"},
	{__LINE__, "ZEN2", "488904fe488b04fe", "SL", "with an index"},
	{__LINE__, "ZEN2", "480106", "SL", "add [rsi], rax"},
	{__LINE__, "ZEN2", "8306c8", "SL", "add [rsi], -56"},
	{__LINE__, "ZEN2", "880631c98a06", "", "8 bits"},
	{__LINE__, "ZEN2", "666801006658", "", "16 bits"},
	{__LINE__, "ZEN2", "480fc106", "", "xadd [rsi], rax"},
	{__LINE__, "ZEN4", "488b0648ffc0488906", "SL", "mov, inc, mov"},
	{__LINE__, "ZEN4", "830401fe", "SL", "with an index"},
	{__LINE__, "ZEN4", "488904fe31ff488b04fe", "L", "that is written between"},
	{__LINE__, "ZEN4", "480106", "SL", "add [rsi], rax"},
	{__LINE__, "ZEN4", "480306488906", "", "but not add rax, [rsi]; mov [rsi], rax"},
	{__LINE__, "ZEN4", "0f4406ffc08906", "SL", "cmovz eax, [rsi]"},
	{__LINE__, "ZEN4", "800601", "", "8 bits"},
	{__LINE__, "ZEN4", "48630648ffc08906", "", "movsxd rax, [rsi]; mov [rsi], eax"},
	{__LINE__, "ZEN4", "480304fe488904fe", "SL", "add rax, [rsi+rdi*8], which has an index"},
	{__LINE__, "ZEN4", "486304be8904be", "SL", "movsxd rax, [rsi+rdi*4]"},
	{__LINE__, "ZEN4", "480304fd40000000488904fd40000000", "", "but not with an index alone"},
	{__LINE__, "ZEN4", "02043e88043e", "", "nor 8 bits"},
	{__LINE__, "ZEN4", "4889064889f7488b07", "L", "through another register"},
	{__LINE__, "ZEN4", "48890500010000488b05f9000000", "L", "without a base register"},
	{__LINE__, "ZEN4", "4889068b06", "SL", "the first half of what was stored"},
	{__LINE__, "ZEN4", "4889068b4604", "", "but not the second"},
	{__LINE__, "ZEN5", "48630648ffc08906", "SL", "movsxd rax, [rsi]; mov [rsi], eax"},
	{__LINE__, "ZEN5", "48ff04fe", "SL", "with an index"},
	{__LINE__, "ZEN5", "48ff05f9000000", "L", "inc [rip + 249]"},
	{__LINE__, "ZEN5", "48ff042500010000", "L", "inc [256]"},
	{__LINE__, "ZEN5", "4889064889f7488b07", "L", "through another register"},
	{__LINE__, "ZEN5", "4889068b06", "SL", "the first half of what was stored"},
	{__LINE__, "ZEN5", "4889068b4604", "", "but not the second"},
	{__LINE__, "ZEN5", "8906488b06", "", "nor more than was stored"},
	{__LINE__, "ZEN5", "4889060fb606", "", "movzx"},
	{__LINE__, "SPR", "480fba2e03", "SL", "bts [rsi], 3"},
	{__LINE__, "ZEN5", "480fbb3e", "", "btc [rsi], rdi"},
	{__LINE__, "ZEN5", "48d116", "SL", "rcl [rsi], 1"},
	{__LINE__, "ZEN5", "48c11603", "", "but not by 3"},
	{__LINE__, "ZEN5", "48d31e", "", "nor rcr by cl"},
	{__LINE__, "ZEN5", "0fc70e", "", "cmpxchg8b"},
	{__LINE__, "ICL", "488906488b06", "SL", "mov [rsi], rax; mov rax, [rsi]"},
	{__LINE__, "ICL", "488904244889d8488b0424", "SL", "rsp is as others"},
	{__LINE__, "ICL", "488906480306", "SL", "mov [rsi], rax; add rax, [rsi]"},
	{__LINE__, "ICL", "88060fb606", "SL", "mov [rsi], al; movzx eax, [rsi]"},
	{__LINE__, "ICL", "5058", "SL", "push; pop"},
	{__LINE__, "ICL", "48ff06", "", "inc [rsi]"},
	{__LINE__, "ICL", "41830903", "", "or [r9], 3"},
	{__LINE__, "TGL", "41830903", "", "or [r9], 3"},
	{__LINE__, "RKL", "41830903", "", "or [r9], 3"},
	{__LINE__, "ICL", "480106", "", "add [rsi], rax"},
	{__LINE__, "ICL", "480fc106", "", "xadd [rsi], rax"},
	{__LINE__, "ICL", "480f38f006480f38f106", "", "movbe rax, [rsi]; movbe [rsi], rax"},
	{__LINE__, "ICL", "ff368f06", "", "push [rsi]; pop [rsi]"},
	{__LINE__, "ICL", "488904fe488b04fe", "", "with an index"},
	{__LINE__, "SPR", "488906488b06", "SL", "any code"},
	{__LINE__, "SPR", "48ff06", "SL", "inc [rsi]"},
	{__LINE__, "SPR", "480106", "", "but not add [rsi], rax"},
	{__LINE__, "SPR", "48830601", "SL", "add [rsi], 1"},
	{__LINE__, "SPR", "48831601", "", "but not adc [rsi], 1: it combines the flags"},
	{__LINE__, "SPR", "48d116", "", "nor rcl [rsi], 1"},
	{__LINE__, "SPR", "48c12601", "SL", "shl [rsi], 1"},
	{__LINE__, "SPR", "89064863c64863c8486306", "", "movsxd rax, [rsi]"},
	{__LINE__, "SPR", "668906668b06", "", "16 bits"},
	{__LINE__, "SPR", "480fc306488b06", "", "non-temporal"},
	{__LINE__, "SKL", "488906488b06", "", "never"},
	{__LINE__, "HSW", "5058", "", "never"},
};

static void check(size_t r)
{
	const struct takt_memory_options options = {.loop = true};
	struct takt_memory_dependences found;
	struct takt_arena arena = {0};
	struct takt_block block = make_block(rows[r].hex, &arena);
	struct takt_model *model;
	char renamed[3] = "";

	if (takt_model_open(rows[r].core, NULL, NULL, &model) != TAKT_OK) {
		printf("Bail out! no %s\n", rows[r].core);
		exit(EXIT_FAILURE);
	}
	takt_memory_dependences_find(&block, &options, &arena, &found);
	if (tap_ok_at(__FILE__, rows[r].line, found.edge_count > 0, "an edge")) {
		if (takt_memory_edge_is_renamed(model, &block, found.edges, false))
			strcat(renamed, "S");
		if (takt_memory_edge_is_renamed(model, &block, found.edges, true))
			strcat(renamed, "L");
	}
	tap_ok_at(__FILE__, rows[r].line, strcmp(renamed, rows[r].renamed) == 0,
		  "%s: %s: got '%s', want '%s'", rows[r].core, rows[r].what, renamed,
		  rows[r].renamed);
	takt_model_close(model);
	takt_arena_release(&arena);
}

int main(void)
{
	for (size_t r = 0; r < TAKT_COUNT_OF(rows); r++)
		check(r);
	return tap_done();
}
