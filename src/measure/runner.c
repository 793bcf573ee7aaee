/* SPDX-License-Identifier: MIT */
/* Gives the offsets of the runner's parts; its code is in runner_x86.c and runner_aarch64.c. */
#include "measure/host.h"

#if defined(__x86_64__) || defined(__aarch64__)
extern const uint8_t takt_runner_begin[], takt_runner_start[], takt_runner_leave[],
	takt_runner_handler[], takt_runner_restorer[], takt_runner_read[], takt_runner_end[];

static uint32_t offset_of(const uint8_t *label)
{
	return (uint32_t)(label - takt_runner_begin);
}

void takt_host_runner(struct takt_runner *ret_runner)
{
	*ret_runner = (struct takt_runner){
		.bytes = takt_runner_begin,
		.size_bytes = offset_of(takt_runner_end),
		.start = offset_of(takt_runner_start),
		.leave = offset_of(takt_runner_leave),
		.handler = offset_of(takt_runner_handler),
		.restorer = offset_of(takt_runner_restorer),
		.read = offset_of(takt_runner_read),
	};
}
#else
void takt_host_runner(struct takt_runner *ret_runner)
{
	*ret_runner = (struct takt_runner){0};
}
#endif
