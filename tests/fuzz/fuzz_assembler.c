/* SPDX-License-Identifier: MIT */
/*
 * Any text as x86-64 or AArch64 assembly, of the set that the first byte says; and any bytes as
 * the reply of a process that assembles. The text goes to such a process, so what its end
 * leaves behind is tested here, and not LLVM itself.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "code_target.h"
#include "input/assembler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *context, enum takt_shim_report_kind kind, uint32_t line, uint32_t column,
		   const char *message)
{
	(void)context, (void)kind, (void)line, (void)column;
	if (strlen(message) > TAKT_WIRE_MESSAGE_MAX_BYTES)
		abort();
}

static void read_reply(const uint8_t *data, size_t size)
{
	const struct takt_shim_request request = {.report = ignore};
	struct takt_shim_result result = {0};
	struct takt_assembler_end end;
	struct takt_wire wire = {.deadline_seconds = takt_now_seconds() + 60};
	int pair[2];

	/* What does not fit into the socket's buffer would wait for ever. */
	if (size > 65536 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return;
	wire.socket = pair[1];
	takt_wire_send(&wire, data, size);
	close(pair[1]);
	wire.socket = pair[0];
	takt_assembler_read_reply(&wire, &request, NULL, "m", &result, &end);
	close(pair[0]);
	free(result.object);
	free(result.insns);
	free(result.labels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_reply(data, size);
	if (size && !memchr(data, 0, size)) { /* replies are no text */
		const char *isa = take_isa(&data, &size);
		struct takt_code_options text = {.format = TAKT_INPUT_ASSEMBLY, .isa = isa};

		open_and_walk(data, size, &text);
	}
	return 0;
}
