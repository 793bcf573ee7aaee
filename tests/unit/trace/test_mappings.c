/* SPDX-License-Identifier: MIT */
/* The files that this test has mapped. */
#include <stdlib.h>

#include "native_fixture.h"

int main(void)
{
	struct feed_area *area = new_area();
	struct feed *feed = &area->slots[0];
	struct native_mappings mappings = {.stale = true};
	const struct native_mapping *mapping;
	uint64_t here = (uint64_t)(uintptr_t)&main;
	char own[FEED_PATH_BYTES_MAX];
	ssize_t size = readlink("/proc/self/exe", own, sizeof(own) - 1);
	void *memory;

	own[size > 0 ? size : 0] = '\0';
	native_mappings_update(&mappings, getpid(), feed);
	mapping = native_mappings_find(&mappings, here);
	ok(mapping && mapping->file && !mapping->changeable && mapping->begin <= here &&
		   here < mapping->end,
	   "the code of this function is in a file");
	ok(mapping && feed_file_number(feed, own) == mapping->file, "which is this program");
	ok(!native_mappings_find(&mappings, 0) && !native_mappings_find(&mappings, UINT64_MAX),
	   "at other addresses there is none");
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED) {
		tap_skip("memory that is both written and executed", "the system forbids it");
	} else {
		ok(!native_mappings_find(&mappings, (uint64_t)(uintptr_t)memory),
		   "a new mapping is not known");
		mappings.stale = true;
		native_mappings_update(&mappings, getpid(), feed);
		mapping = native_mappings_find(&mappings, (uint64_t)(uintptr_t)memory);
		ok(mapping && !mapping->file && mapping->changeable,
		   "until the list is read again");
	}
	ok(feed_file_number(feed, "/a") != feed_file_number(feed, "/b") &&
		   feed_file_number(feed, "/a") == feed_file_number(feed, "/a"),
	   "files are numbered once");
	atomic_store(&feed->paths_end, FEED_PATHS_BYTES - 2);
	ok(!feed_file_number(feed, "/long"), "without room, a file has no number");
	free(mappings.items);
	return tap_done();
}
