/* SPDX-License-Identifier: MIT */
#include "depend/streams.h"

/* Runs with different random values: so many that agreement of all is no coincidence. */
#define SEEDS 16u
/* Iterations run for each seed, and how many of them pass before addresses are recorded. */
#define ITERATIONS 14u
#define SETTLING 6u
#define PAGE_BYTES 4096u
#define ALIAS_PAIRS_MAX 16384u

/* The addresses of one memory access over all seeds. */
struct course {
	uint32_t sliced;
	uint8_t touch;
	bool known, strided;
	uint32_t looks;		  /* addresses recorded with this seed */
	uint64_t address, stride; /* last ones with this seed */
	uint64_t first_start;	  /* first address recorded with the first seed */
	uint64_t start_bits;	  /* address bits in which the seeds' first addresses differ */
	uint64_t bits;		  /* address bits that ever differ from first_start */
	uint64_t common_stride;	  /* stride with the first seed */
};

struct observer {
	struct takt_finder *finder;
	struct course *courses;
	uint32_t count;
};

static const struct takt_touch *touch_of(const struct observer *observer,
					 const struct course *course)
{
	return &observer->finder->program.sliced[course->sliced].touches[course->touch];
}

static void list_courses(struct observer *observer)
{
	const struct takt_program *program = &observer->finder->program;

	observer->courses =
		TAKT_NEW_ARRAY(observer->finder->arena, takt_track_count(program), struct course);
	for (uint32_t s = 0; s < program->sliced_count; s++)
		for (uint8_t m = 0; m < program->sliced[s].touch_count; m++)
			if (program->sliced[s].touches[m].read ||
			    program->sliced[s].touches[m].write)
				observer->courses[observer->count++] = (struct course){
					.sliced = s, .touch = m, .known = true, .strided = true};
}

/* ---- watching ---------------------------------------------------------------------- */

static void look(struct course *course, const struct takt_value *address, bool first_seed)
{
	uint64_t stride = address->bits - course->address;

	course->known &= address->known;
	if (!course->looks) {
		if (first_seed)
			course->first_start = address->bits;
		course->start_bits |= address->bits ^ course->first_start;
	} else {
		if (first_seed && course->looks == 1)
			course->common_stride = stride;
		course->strided &= stride == course->common_stride;
		course->stride = stride;
	}
	course->looks++;
	course->bits |= address->bits ^ course->first_start;
	course->address = address->bits;
}

static void watch(struct observer *observer, uint64_t seed)
{
	struct takt_finder *finder = observer->finder;
	const struct takt_program *program = &finder->program;
	struct takt_machine machine;

	for (uint32_t c = 0; c < observer->count; c++)
		observer->courses[c].looks = 0;
	takt_finder_start(finder, seed, program->follows_memory ? ITERATIONS : 0, &machine);
	for (uint32_t iteration = 0; iteration < ITERATIONS; iteration++) {
		struct course *course = observer->courses;

		for (uint32_t s = 0; s < program->sliced_count; s++) {
			struct takt_value addresses[TAKT_MEMORIES_MAX];
			struct takt_outcome outcome;

			takt_machine_locate(&machine, &program->sliced[s], addresses);
			while (course < observer->courses + observer->count &&
			       course->sliced == s) {
				if (iteration >= SETTLING)
					look(course, &addresses[course->touch], seed == 1);
				course++;
			}
			takt_machine_execute(&machine, &program->sliced[s], addresses, 0, &outcome);
		}
	}
}

/* ---- lines --------------------------------------------------------------------------- */

static bool crosses(uint64_t offset, uint64_t size_bytes)
{
	return offset % TAKT_LINE_BYTES + size_bytes > TAKT_LINE_BYTES;
}

static void fill_crossing(const struct course *course, uint16_t size_bytes,
			  struct takt_stream *stream)
{
	uint32_t count = 0;

	if (stream->offset_bytes + size_bytes <= stream->alignment_bytes) {
		stream->crossing_known = true;
		return;
	}
	if (!course->strided || course->start_bits % TAKT_LINE_BYTES)
		return;
	/* Offsets within the line repeat after at most TAKT_LINE_BYTES iterations. */
	for (uint32_t i = 0; i < TAKT_LINE_BYTES; i++)
		count += crosses(course->first_start + course->common_stride * i, size_bytes);
	stream->crossing_known = true;
	stream->crossing_share = (double)count / TAKT_LINE_BYTES;
}

static struct takt_stream make_stream(const struct observer *observer, const struct course *course)
{
	const struct takt_sliced_insn *sliced = &observer->finder->program.sliced[course->sliced];
	uint64_t differ = course->bits | TAKT_LINE_BYTES;
	struct takt_stream stream = {
		.insn = sliced->insn, .memory = course->touch, .known = course->known};

	if (!course->known)
		return stream;
	stream.strided = course->strided;
	if (course->strided)
		stream.stride_bytes = (int64_t)course->common_stride;
	stream.alignment_bytes = (uint8_t)(differ & (0 - differ));
	stream.offset_bytes = (uint8_t)(course->first_start % stream.alignment_bytes);
	fill_crossing(course, sliced->touches[course->touch].size_bytes, &stream);
	return stream;
}

/* ---- aliases --------------------------------------------------------------------------- */

/* True if the accesses overlap by the low 12 bits of their addresses, but not by all bits. */
static bool is_alias(const struct observer *observer, const struct course *store,
		     const struct course *load, uint32_t iterations)
{
	int64_t apart = (int64_t)(store->address - store->stride * iterations - load->address);
	int64_t store_bytes = touch_of(observer, store)->size_bytes;
	int64_t load_bytes = touch_of(observer, load)->size_bytes;
	int64_t low = apart & (PAGE_BYTES - 1);

	if (apart > -store_bytes && apart < load_bytes)
		return false;
	return low < load_bytes || low - PAGE_BYTES > -store_bytes;
}

/* Return how many iterations before the load the store was that it aliases; UINT32_MAX: none. */
static uint32_t alias_distance(const struct observer *observer, const struct course *store,
			       const struct course *load)
{
	const struct takt_finder *finder = observer->finder;
	uint32_t store_insn = finder->program.sliced[store->sliced].insn;
	uint32_t load_insn = finder->program.sliced[load->sliced].insn;

	if (!store->known || !load->known || !store->strided || !load->strided ||
	    store->stride != load->stride)
		return UINT32_MAX;
	for (uint32_t i = store_insn >= load_insn;
	     takt_finder_distance(finder, store_insn, load_insn, i) < finder->window; i++) {
		if (is_alias(observer, store, load, i))
			return i;
		if (!store->stride)
			break;
	}
	return UINT32_MAX;
}

/* Fill `aliases` with those of the seed just watched, and return their number. */
static uint32_t find_aliases(const struct observer *observer, struct takt_alias *aliases)
{
	uint32_t count = 0;

	for (uint32_t l = 0; l < observer->count; l++) {
		const struct course *load = &observer->courses[l];

		if (!touch_of(observer, load)->read)
			continue;
		for (uint32_t s = 0; s < observer->count; s++) {
			const struct course *store = &observer->courses[s];
			uint32_t iterations;

			if (!touch_of(observer, store)->write)
				continue;
			iterations = alias_distance(observer, store, load);
			if (iterations == UINT32_MAX)
				continue;
			aliases[count++] = (struct takt_alias){
				.store = observer->finder->program.sliced[store->sliced].insn,
				.load = observer->finder->program.sliced[load->sliced].insn,
				.iterations = (uint16_t)iterations,
				.store_memory = store->touch,
				.load_memory = load->touch};
		}
	}
	return count;
}

static bool same_alias(const struct takt_alias *left, const struct takt_alias *right)
{
	return left->store == right->store && left->load == right->load &&
	       left->iterations == right->iterations && left->store_memory == right->store_memory &&
	       left->load_memory == right->load_memory;
}

static uint32_t keep_common(struct takt_alias *kept, uint32_t kept_count,
			    const struct takt_alias *others, uint32_t other_count)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < kept_count; i++)
		for (uint32_t k = 0; k < other_count; k++)
			if (same_alias(&kept[i], &others[k])) {
				kept[count++] = kept[i];
				break;
			}
	return count;
}

void takt_streams_find(struct takt_finder *finder, struct takt_memory_dependences *dependences)
{
	struct observer observer = {.finder = finder};
	struct takt_alias *kept, *others;
	struct takt_stream *streams;
	uint32_t kept_count = 0;
	size_t pairs;

	list_courses(&observer);
	pairs = (size_t)observer.count * observer.count;
	if (pairs > ALIAS_PAIRS_MAX)
		pairs = 0;
	kept = TAKT_NEW_ARRAY(finder->arena, pairs, struct takt_alias);
	others = TAKT_NEW_ARRAY(finder->arena, pairs, struct takt_alias);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		watch(&observer, seed);
		if (!pairs)
			continue;
		if (seed == 1)
			kept_count = find_aliases(&observer, kept);
		else
			kept_count = keep_common(kept, kept_count, others,
						 find_aliases(&observer, others));
	}
	streams = TAKT_NEW_ARRAY(finder->arena, observer.count, struct takt_stream);
	for (uint32_t c = 0; c < observer.count; c++)
		streams[c] = make_stream(&observer, &observer.courses[c]);
	dependences->streams = streams;
	dependences->stream_count = observer.count;
	dependences->aliases = kept;
	dependences->alias_count = kept_count;
}
