/* SPDX-License-Identifier: MIT */
/* Branches that values along a path decide. */
#include "depend/depend.h"
#include "unit/tap.h"

#define RDI (TAKT_LOC_GPR + 7)

/* Run the code once, up to its last instruction, a branch; return whether that is taken. */
static int branch_of(const struct takt_isa *isa, const char *bytes, size_t size_bytes, bool called)
{
	const struct takt_entry_value entry = {RDI, 5};
	struct takt_arena arena = {0};
	struct takt_path_values *values;
	struct takt_block block;
	int taken = -2;

	if (takt_isa_can_decode(isa, NULL) &&
	    takt_decode_block(
		    isa, &(struct takt_code_bytes){(const uint8_t *)bytes, size_bytes, 0, "", NULL},
		    &arena, NULL, &block) == TAKT_OK) {
		values = takt_path_values_new(&block, &entry, 1, &arena);
		for (uint32_t i = 0; i + 1 < block.count; i++)
			takt_path_values_run(values, i);
		if (called)
			takt_path_values_call(values);
		taken = takt_path_values_branch(values, block.count - 1);
	}
	takt_arena_release(&arena);
	return taken;
}

#define X86(bytes, called) branch_of(&takt_isa_x86, bytes, sizeof(bytes) - 1, called)

int main(void)
{
	is_int(X86("\x83\xff\x05\x74\x00", false), 1, "cmp edi, 5; je: known at entry");
	is_int(X86("\x83\xff\x05\x75\x00", false), 0, "jne");
	is_int(X86("\x83\xfe\x05\x74\x00", false), -1, "esi is unknown");
	is_int(X86("\x31\xf6\x83\xfe\x00\x74\x00", false), 1, "unless it is set");
	is_int(X86("\xff\xcf\x83\xff\x04\x7e\x00", false), 1, "dec edi; cmp edi, 4; jle");
	is_int(X86("\x8b\x07\x85\xc0\x74\x00", false), -1, "memory is unknown");
	is_int(X86("\x83\xff\x05\x74\x00", true), -1, "a called function changes flags");
	return tap_done();
}
