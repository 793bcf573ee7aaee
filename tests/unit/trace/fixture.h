/* SPDX-License-Identifier: MIT */
/* A dictionary of x86-64 blocks, and a sink that writes down what it is told. */
#ifndef TAKT_TESTS_TRACE_FIXTURE_H
#define TAKT_TESTS_TRACE_FIXTURE_H

#include "../tap.h"

#include "trace/blocks/record.h"
#include "trace/trace.h"

static inline const struct trace_guest *fixture_guest(const char *name)
{
	return takt_trace_guest_find(name, strlen(name));
}

/* Appends a block to `buffer`; returns its size. */
static inline size_t fixture_block(uint8_t *buffer, uint64_t address, unsigned flags,
				   const uint8_t *lengths, unsigned count, const uint8_t *bytes)
{
	struct trace_block_header header = {
		.address = address, .insn_count = (uint16_t)count, .flags = (uint16_t)flags};
	size_t size;

	for (unsigned i = 0; i < count; i++)
		header.size_bytes += lengths[i];
	size = sizeof(header) + (count + (size_t)header.size_bytes + 7) / 8 * 8;
	memset(buffer, 0, size);
	memcpy(buffer, &header, sizeof(header));
	memcpy(buffer + sizeof(header), lengths, count);
	memcpy(buffer + sizeof(header) + count, bytes, header.size_bytes);
	return size;
}

/*
 * 0: 0x1000 mov rax, [rdi]; jz 0x1000   1: 0x1005 rep movsb   2: 0x1007 syscall
 * 3: 0x1009 ret
 */
static inline size_t fixture_blocks(uint8_t *buffer)
{
	size_t at = 0;

	at += fixture_block(buffer + at, 0x1000, 0, (const uint8_t[]){3, 2}, 2,
			    (const uint8_t[]){0x48, 0x8b, 0x07, 0x74, 0xfb});
	at += fixture_block(buffer + at, 0x1005, TRACE_BLOCK_REPEATS, (const uint8_t[]){2}, 1,
			    (const uint8_t[]){0xf3, 0xa4});
	at += fixture_block(buffer + at, 0x1007, 0, (const uint8_t[]){2}, 1,
			    (const uint8_t[]){0x0f, 0x05});
	at += fixture_block(buffer + at, 0x1009, 0, (const uint8_t[]){1}, 1,
			    (const uint8_t[]){0xc3});
	return at;
}

struct fixture_sink {
	struct trace_sink sink; /* first, so that it is one */
	char text[2048];
};

__attribute__((format(printf, 2, 3))) static inline void fixture_say(struct trace_sink *sink,
								     const char *format, ...)
{
	char *text = ((struct fixture_sink *)sink)->text;
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, sizeof(((struct fixture_sink *)sink)->text) - used, format, args);
	va_end(args);
}

static inline void fixture_step(struct trace_sink *sink, uint32_t thread,
				const struct executed_block *executed)
{
	static const char *const outcomes[] = {"", " taken", " not-taken"};

	fixture_say(sink, "%u:%u/%u%s%s%s", thread, executed->block->number, executed->insn_count,
		    outcomes[executed->outcome], executed->continues ? " continues" : "",
		    executed->interrupted ? " interrupted" : "");
	for (uint32_t i = 0; i < executed->access_count; i++)
		fixture_say(sink, " %c%u@%lx", trace_is_store(executed->accesses[i]) ? 's' : 'l',
			    trace_size(executed->accesses[i]),
			    (unsigned long)trace_value(executed->accesses[i]));
	fixture_say(sink, "\n");
}

static inline void fixture_syscall(struct trace_sink *sink, uint32_t thread, uint64_t number)
{
	fixture_say(sink, "%u:syscall %lu\n", thread, (unsigned long)number);
}

static inline void fixture_start(struct trace_sink *sink, uint32_t thread)
{
	fixture_say(sink, "%u:start\n", thread);
}

static inline void fixture_end(struct trace_sink *sink, uint32_t thread)
{
	fixture_say(sink, "%u:end\n", thread);
}

#define FIXTURE_SINK                                                                               \
	{                                                                                          \
		{fixture_step, fixture_syscall, fixture_start, fixture_end}, ""                    \
	}

static inline uint64_t fixture_load(unsigned insn, unsigned code, uint64_t address)
{
	return TRACE_ACCESS | (uint64_t)insn << TRACE_INSN_SHIFT |
	       (uint64_t)code << TRACE_SIZE_SHIFT | address;
}

#endif
