/* SPDX-License-Identifier: MIT */
/* Sends and receives messages over a socket (wire.h), in the library and in takt-assembler. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "input/wire.h"

/* Wait until the socket is ready for `events`; false if the deadline passes first. */
static bool wait_for(struct takt_wire *wire, short events)
{
	struct pollfd entry = {.fd = wire->socket, .events = events};
	double left = wire->deadline_seconds - takt_now_seconds();
	int count;

	if (left <= 0) {
		wire->late = true;
		return false;
	}
	count = poll(&entry, 1, left < 1000 ? (int)(left * 1000) + 1 : 1000000);
	return count >= 0 || errno == EINTR;
}

/* True if the call that failed should be tried again, once the socket is ready for `events`. */
static bool may_retry(struct takt_wire *wire, short events)
{
	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	return wait_for(wire, events);
}

bool takt_wire_send(struct takt_wire *wire, const void *data, size_t size_bytes)
{
	int flags = MSG_NOSIGNAL | (wire->deadline_seconds > 0 ? MSG_DONTWAIT : 0);
	const char *next = data;

	while (size_bytes) {
		ssize_t sent = send(wire->socket, next, size_bytes, flags);

		if (sent >= 0) {
			next += sent;
			size_bytes -= (size_t)sent;
		} else if (!may_retry(wire, POLLOUT)) {
			return false;
		}
	}
	return true;
}

bool takt_wire_receive(struct takt_wire *wire, void *data, size_t size_bytes)
{
	int flags = wire->deadline_seconds > 0 ? MSG_DONTWAIT : 0;
	char *next = data;

	while (size_bytes) {
		ssize_t received = recv(wire->socket, next, size_bytes, flags);

		if (received == 0)
			return false;
		if (received > 0) {
			next += received;
			size_bytes -= (size_t)received;
		} else if (!may_retry(wire, POLLIN)) {
			return false;
		}
	}
	return true;
}

bool takt_wire_reply_is_fit(const struct takt_wire_reply *reply)
{
	if (reply->kind < TAKT_WIRE_DONE || reply->kind > TAKT_WIRE_NO_MODULE ||
	    reply->report_count > TAKT_SHIM_REPORTS_MAX)
		return false;
	if (reply->kind == TAKT_WIRE_GAVE_UP &&
	    (reply->cause < TAKT_SHIM_TIME || reply->cause > TAKT_SHIM_CRASH))
		return false;
	return reply->object_size_bytes <= TAKT_SHIM_OBJECT_MAX_BYTES &&
	       reply->insn_count <= TAKT_WIRE_INSNS_MAX &&
	       reply->label_count <= TAKT_WIRE_INSNS_MAX;
}

bool takt_wire_insns_are_fit(const struct takt_assembled_insn *insns, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (insns[i].section < insns[i - 1].section ||
		    (insns[i].section == insns[i - 1].section &&
		     insns[i].offset < insns[i - 1].offset))
			return false;
	return true;
}
