/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "isa/isa.h"

struct row {
	int line;
	const char *bytes;
	size_t size;
	bool decodes;
	struct takt_insn_flow step;
};

static const struct row rows[] = {
	{__LINE__, "\x90", 1, true, {1, TAKT_FLOW_NEXT, 0, 0, 0}},
	{__LINE__, "\x75\xf0", 2, true, {2, TAKT_FLOW_BRANCH, 1, 0, -16}},
	{__LINE__, "\x0f\x8f\x00\x01\x00\x00", 6, true, {6, TAKT_FLOW_BRANCH, 4, 0, 256}},
	{__LINE__, "\xe3\xfe", 2, true, {2, TAKT_FLOW_BRANCH, 1, 0, -2}},
	{__LINE__, "\xe2\xfe", 2, true, {2, TAKT_FLOW_BRANCH, 1, 0, -2}},
	{__LINE__, "\xeb\xfe", 2, true, {2, TAKT_FLOW_JUMP, 1, 0, -2}},
	{__LINE__, "\xe9\xfb\xff\xff\xff", 5, true, {5, TAKT_FLOW_JUMP, 4, 0, -5}},
	{__LINE__, "\xe8\x00\x00\x00\x00", 5, true, {5, TAKT_FLOW_CALL, 4, 0, 0}},
	{__LINE__, "\xff\xd0", 2, true, {2, TAKT_FLOW_CALL, 0, 0, 0}},
	{__LINE__, "\xff\xe0", 2, true, {2, TAKT_FLOW_STOP, 0, 0, 0}},
	{__LINE__, "\xc3", 1, true, {1, TAKT_FLOW_STOP, 0, 0, 0}},
	{__LINE__, "\x0f\x0b", 2, true, {2, TAKT_FLOW_STOP, 0, 0, 0}},
	{__LINE__, "\xcc", 1, true, {1, TAKT_FLOW_STOP, 0, 0, 0}},
	/* mov eax, [rip+0x10]; vaddps zmm0 {k1}, zmm1, [rip+0x10] */
	{__LINE__, "\x8b\x05\x10\x00\x00\x00", 6, true, {6, TAKT_FLOW_NEXT, 0, 2, 0}},
	{__LINE__,
	 "\x62\xf1\x74\x49\x58\x05\x10\x00\x00\x00",
	 10,
	 true,
	 {10, TAKT_FLOW_NEXT, 0, 6, 0}},
	{__LINE__, "\xc7\xf8\x00\x00\x00\x00", 6, true, {6, TAKT_FLOW_NEXT, 4, 0, 0}},
	{__LINE__, "\x06", 1, false, {0}},
	{__LINE__, "\x0f\x8f\x00\x01", 4, false, {0}},
	{__LINE__, "", 0, false, {0}},
};

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_insn_flow step = {0};
		bool decodes = takt_insn_flow_decode(&takt_isa_x86, (const uint8_t *)rows[i].bytes,
						     rows[i].size, &step);

		tap_ok_at(__FILE__, rows[i].line,
			  decodes == rows[i].decodes &&
				  step.length_bytes == rows[i].step.length_bytes &&
				  step.flow == rows[i].step.flow &&
				  step.target_size_bytes == rows[i].step.target_size_bytes &&
				  step.rip_index == rows[i].step.rip_index &&
				  step.target == rows[i].step.target,
			  "step: length %u, flow %u, target %u bytes %d, rip %u", step.length_bytes,
			  step.flow, step.target_size_bytes, step.target, step.rip_index);
	}
	return tap_done();
}
