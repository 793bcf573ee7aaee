/* SPDX-License-Identifier: MIT */
/* A join of two tables by hash: entries in chains, or next to each other (OPEN). */
#include <string.h>

#include "program.h"

#define ROWS 2048
#define PROBES 32768
#define SLOTS 4096

struct row {
	uint32_t key, value;
};

static struct row rows[ROWS];
static uint32_t wanted[PROBES];

static inline uint32_t hash(uint32_t key)
{
	return key * 2654435761u >> 20;
}

#ifdef OPEN
static struct row slots[SLOTS];

static void build(void)
{
	memset(slots, 0, sizeof(slots));
	for (size_t i = 0; i < ROWS; i++) {
		uint32_t slot = hash(rows[i].key);

		while (slots[slot].key)
			slot = (slot + 1) % SLOTS;
		slots[slot] = rows[i];
	}
}

static uint32_t find(uint32_t key)
{
	uint32_t slot = hash(key);

	while (slots[slot].key && slots[slot].key != key)
		slot = (slot + 1) % SLOTS;
	return slots[slot].value;
}
#else
struct link {
	struct row row;
	struct link *next;
};

static struct link *heads[SLOTS], links[ROWS];

static void build(void)
{
	memset(heads, 0, sizeof(heads));
	for (size_t i = 0; i < ROWS; i++) {
		uint32_t slot = hash(rows[i].key);

		links[i].row = rows[i];
		links[i].next = heads[slot];
		heads[slot] = &links[i];
	}
}

static uint32_t find(uint32_t key)
{
	for (const struct link *link = heads[hash(key)]; link; link = link->next)
		if (link->row.key == key)
			return link->row.value;
	return 0;
}
#endif

void program_setup(void)
{
	uint64_t state = 1;

	for (uint32_t i = 0; i < ROWS; i++)
		rows[i] = (struct row){(i + 1) * 7919, random_next(&state)};
	for (size_t i = 0; i < PROBES; i++)
		wanted[i] = (random_next(&state) % (ROWS + ROWS / 8) + 1) * 7919;
}

uint64_t program_work(void)
{
	uint64_t sum = 0;

	build();
	for (size_t i = 0; i < PROBES; i++)
		sum += find(wanted[i]);
	return sum;
}
