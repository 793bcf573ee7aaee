/* SPDX-License-Identifier: MIT */
/* Replies as a process writes them that a text has taken over. */
#include <sys/socket.h>
#include <unistd.h>

#include "fixture.h"
#include "input/assembler.h"

static unsigned report_count;

static void count(void *context, enum takt_shim_report_kind kind, uint32_t line, uint32_t column,
		  const char *message)
{
	(void)context, (void)kind, (void)line, (void)column, (void)message;
	report_count++;
}

/* What the library makes of these bytes, which the other side ends with its own end. */
static enum takt_assembler_outcome read_bytes(const struct takt_text *bytes,
					      struct takt_shim_result *result)
{
	const struct takt_shim_request request = {.report = count};
	struct takt_assembler_end end;
	enum takt_assembler_outcome outcome;
	struct takt_wire wire = {.deadline_seconds = takt_now_seconds() + 60};
	int pair[2];

	report_count = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return TAKT_ASSEMBLER_UNAVAILABLE;
	wire.socket = pair[1];
	takt_wire_send(&wire, bytes->data, bytes->size_bytes);
	close(pair[1]);
	wire.socket = pair[0];
	outcome = takt_assembler_read_reply(&wire, &request, NULL, "m", result, &end);
	close(pair[0]);
	return outcome;
}

static void release(struct takt_shim_result *result)
{
	free(result->object);
	free(result->insns);
	free(result->labels);
	*result = (struct takt_shim_result){0};
}

#define ADD(bytes, object) takt_text_add((bytes), (const char *)&(object), sizeof(object))

static void test_done(void)
{
	const struct takt_assembled_insn insns[] = {{1, 0, 1}, {1, 4, 2}, {2, 0, 9}};
	const struct takt_wire_reply reply = {
		.kind = TAKT_WIRE_DONE,
		.object_size_bytes = 3,
		.insn_count = 3,
		.label_count = 1,
	};
	struct takt_assembled_insn wrong[] = {{1, 4, 1}, {1, 0, 2}, {2, 0, 9}};
	struct takt_shim_result result = {0};
	struct takt_text bytes = {0};

	ADD(&bytes, reply);
	takt_text_add(&bytes, "ELF", 3);
	ADD(&bytes, insns);
	ADD(&bytes, insns[0]);
	ok(read_bytes(&bytes, &result) == TAKT_ASSEMBLER_DONE && result.insn_count == 3 &&
		   result.insns[2].line == 9 && result.object[2] == 'F',
	   "a good reply");
	release(&result);
	for (size_t size = 0; size < bytes.size_bytes; size++) {
		struct takt_text cut = {.data = bytes.data, .size_bytes = size};

		if (read_bytes(&cut, &result) != TAKT_ASSEMBLER_GAVE_UP || result.object)
			ok(false, "cut to %zu bytes", size);
	}
	memcpy(bytes.data + sizeof(reply) + 3, wrong, sizeof(wrong));
	ok(read_bytes(&bytes, &result) == TAKT_ASSEMBLER_GAVE_UP && !result.object,
	   "instructions out of order");
	takt_text_release(&bytes);
}

static void test_failed(void)
{
	const struct takt_wire_reply reply = {.kind = TAKT_WIRE_FAILED, .report_count = 2};
	struct takt_wire_report report = {.kind = TAKT_SHIM_ERROR, .line = 1, .size_bytes = 2};
	struct takt_shim_result result = {0};
	struct takt_text bytes = {0};

	ADD(&bytes, reply);
	ADD(&bytes, report);
	takt_text_add(&bytes, "no", 2);
	ADD(&bytes, report);
	takt_text_add(&bytes, "no", 2);
	ok(read_bytes(&bytes, &result) == TAKT_ASSEMBLER_FAILED && report_count == 2,
	   "two reports");
	report.size_bytes = TAKT_WIRE_MESSAGE_MAX_BYTES + 1;
	memcpy(bytes.data + sizeof(reply), &report, sizeof(report));
	is_int(read_bytes(&bytes, &result), TAKT_ASSEMBLER_GAVE_UP, "a message beyond the limit");
	report.size_bytes = 2;
	report.kind = 77;
	memcpy(bytes.data + sizeof(reply), &report, sizeof(report));
	is_int(read_bytes(&bytes, &result), TAKT_ASSEMBLER_GAVE_UP, "a kind that is none");
	takt_text_release(&bytes);
}

static void test_headers(void)
{
	const struct takt_wire_reply unfit[] = {
		{.kind = 0},
		{.kind = 99},
		{.kind = TAKT_WIRE_DONE, .object_size_bytes = UINT64_MAX},
		{.kind = TAKT_WIRE_DONE, .insn_count = UINT64_MAX / 12},
		{.kind = TAKT_WIRE_DONE, .label_count = (uint64_t)1 << 40},
		{.kind = TAKT_WIRE_FAILED, .report_count = UINT32_MAX},
		{.kind = TAKT_WIRE_GAVE_UP, .cause = 0},
		{.kind = TAKT_WIRE_GAVE_UP, .cause = 99},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(unfit); i++)
		ok(!takt_wire_reply_is_fit(&unfit[i]), "header %zu", i);
}

/* The other side lives, but says nothing. */
static void test_late(void)
{
	struct takt_wire wire = {.deadline_seconds = takt_now_seconds() + 0.05};
	char byte;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return;
	wire.socket = pair[0];
	ok(!takt_wire_receive(&wire, &byte, 1) && wire.late, "nothing comes");
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	test_done();
	test_failed();
	test_headers();
	test_late();
	return tap_done();
}
