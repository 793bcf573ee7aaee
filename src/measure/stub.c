/* SPDX-License-Identifier: MIT */
/* Where the parts of the stub are; stub_x86.c and stub_aarch64.c have its code. */
#include "measure/host.h"

#if defined(__x86_64__) || defined(__aarch64__)
extern const uint8_t takt_stub_begin[], takt_stub_start[], takt_stub_leave[], takt_stub_handler[],
	takt_stub_restorer[], takt_stub_read[], takt_stub_end[];

static uint32_t offset_of(const uint8_t *label)
{
	return (uint32_t)(label - takt_stub_begin);
}

void takt_host_stub(struct takt_stub *ret_stub)
{
	*ret_stub = (struct takt_stub){
		.bytes = takt_stub_begin,
		.size_bytes = offset_of(takt_stub_end),
		.start = offset_of(takt_stub_start),
		.leave = offset_of(takt_stub_leave),
		.handler = offset_of(takt_stub_handler),
		.restorer = offset_of(takt_stub_restorer),
		.read = offset_of(takt_stub_read),
	};
}
#else
void takt_host_stub(struct takt_stub *ret_stub)
{
	*ret_stub = (struct takt_stub){0};
}
#endif
