/* SPDX-License-Identifier: MIT */
/* Images: what is written is what is read; mutilated ones do no harm. */
#include "fixture.h"
#include "model/draft.h"

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return takt_hash64(*state);
}

/* The image of every core of the fixture's directory. */
static struct takt_image_bytes compile(struct fixture *fixture, struct takt_arena *arena)
{
	struct takt_loader loader = {.arena = arena, .diag = fixture->diag, .dir = fixture->dir};
	struct takt_loaded_core loaded[8];
	struct takt_image_bytes bytes = {NULL, 0};
	bool fine = takt_loader_open(&loader) && loader.core_count <= 8;

	for (size_t i = 0; fine && i < loader.core_count; i++)
		fine = takt_loader_load(&loader, loader.cores[i], &loaded[i]);
	if (!fine || !takt_image_write(loaded, loader.core_count, arena, fixture->diag, &bytes))
		tap_note("%s", takt_diag_text(fixture->diag));
	return bytes;
}

static void write_cores(struct fixture *fixture)
{
	fixture_clear(fixture);
	fixture_write(fixture, "cores/a.core",
		      CORE_HEAD_AS("A") "title one\naliases first\ntiming a\nextensions avx\n"
					"vendor GenuineIntel\ncpuid 6 85 0-4\n"
					"fuse cmp : e\ncompose load | 1*p2 |\n"
					"compose store | 1*p0+1*p1 |\ndefault int | 1*p0 |\n");
	fixture_write(fixture, "cores/b.core",
		      CORE_HEAD_AS("B") "title two\ntiming b\nrob_entries 9 e\n");
	fixture_write(fixture, "timing/a.timing",
		      "takt timing 1\nname a\nsource e estimated test\ndefault-source e\n"
		      "add r64, r64 | 1*p01 | lat=1\nxor r32, r32 [same] | - | slots=1 zero\n"
		      "imul r64, r64 | 1*p1 | lat=3,2>1:4\nmov r64, m64 | 1*p2 | lat=3,a>1:5\n");
	fixture_write(fixture, "timing/b.timing",
		      "takt timing 1\nname b\nbase a\nsource v vendor test\ndefault-source v\n"
		      "add r64, r64 | 1*p012 | lat=1\nxor r32, r32 [same] | none |\n");
}

/* Everything that reads an image, on every core of it. */
static void use(const struct takt_image *image)
{
	static const char *const codes[] = {"4801d8", "480303", "31c0",		"488903",
					    "0fb603", "c3",	"62f16cd95808", "480faf03"};
	struct takt_insn cmp = fixture_insn("4839d8"), je = fixture_insn("7400");

	const struct takt_image_bytes none = {NULL, 0};

	takt_image_find_core(image, "first");
	for (uint32_t i = 0; i < image->cores_count; i++) {
		struct takt_model *model = takt_model_from_image(image, &image->cores[i], none);
		struct takt_text text = {0};
		struct takt_arena arena = {0};

		for (size_t j = 0; j < TAKT_COUNT_OF(codes); j++) {
			struct takt_insn insn = fixture_insn(codes[j]);
			struct takt_timing_storage storage;
			struct takt_timing timing;

			takt_model_timing(model, &insn, &storage, &timing);
			takt_timing_latency(&timing, TAKT_SLOT_BASE, TAKT_SLOT_1);
			takt_model_source(model, timing.source);
			takt_model_supports(model, &insn);
		}
		takt_model_fuses(model, &cmp, &je);
		takt_model_write_show(model, NULL, &text);
		takt_model_write_show(model, "*", &text);
		takt_model_write_check(model, &text);
		takt_model_write_diff(model, model, NULL, &text);
		takt_core_from_image(image, &image->cores[i], &arena);
		takt_timing_draft_from_image(image, &image->cores[i], &arena);
		takt_arena_release(&arena);
		takt_text_release(&text);
		takt_model_close(model);
	}
}

static void test_round_trip(const struct takt_image_bytes *bytes)
{
	struct takt_image image;
	const struct takt_image_core *core;
	const struct takt_image_timing *timing;
	struct takt_model *model;
	const char *error = "";
	size_t error_index;
	takt_form_key add =
		takt_form_parse(&takt_isa_x86, "add r64, r64", 12, &error_index, &error);
	takt_form_key same =
		takt_form_parse(&takt_isa_x86, "xor r32, r32 [same]", 19, &error_index, &error);
	takt_form_key plain =
		takt_form_parse(&takt_isa_x86, "xor r32, r32", 12, &error_index, &error);

	if (!ok(takt_image_open(*bytes, &image, &error), "opened: %s", error ? error : "fine"))
		return;
	is_int(image.cores_count, 2, "cores");
	ok(takt_image_find_core(&image, "FIRST") == image.cores, "core by alias");
	core = takt_image_find_core(&image, "b");
	if (!ok(core == image.cores + 1, "core by name"))
		return;
	ok(!takt_image_find_core(&image, "c") && !takt_image_find_core(&image, ""), "no such core");
	model = takt_model_from_image(&image, core, (struct takt_image_bytes){NULL, 0});
	is_int(core->form_count, 3, "forms of B: one of four removed");
	is_int(model->params.rob_entries, 9, "parameter");
	timing = takt_model_row(model, add);
	ok(timing && image.uops[timing->uops_index].ports == 7, "B's row");
	ok(!takt_model_row(model, same), "removed");
	ok(takt_image_find(&image, plain) != TAKT_NO_SLOT && !takt_model_row(model, plain),
	   "a qualified form's plain form has a slot, but no row");
	is_string(takt_model_source(model, timing->source), "vendor: test", "source");
	use(&image);
	takt_model_close(model);
}

static void test_deterministic(struct fixture *fixture, const struct takt_image_bytes *bytes)
{
	struct takt_arena arena = {0};
	struct takt_image_bytes again = compile(fixture, &arena);

	ok(again.size_bytes == bytes->size_bytes &&
		   memcmp(again.data, bytes->data, again.size_bytes) == 0,
	   "equal data gives equal bytes");
	takt_image_free(again);
	takt_arena_release(&arena);
}

static void test_refused(const struct takt_image_bytes *bytes)
{
	char *copy = malloc(bytes->size_bytes + 1);
	struct takt_image_header *header = (void *)copy;
	struct takt_image image;
	const char *error;

	memcpy(copy, bytes->data, bytes->size_bytes);
	ok(!takt_image_open((struct takt_image_bytes){copy, 8}, &image, &error), "cut short");
	ok(!takt_image_open((struct takt_image_bytes){NULL, 0}, &image, &error), "nothing");
	ok(!takt_image_open((struct takt_image_bytes){copy + 1, bytes->size_bytes - 1}, &image,
			    &error),
	   "not aligned");
	header->version++;
	ok(!takt_image_open((struct takt_image_bytes){copy, bytes->size_bytes}, &image, &error),
	   "another version");
	header->version--;
	header->numbering++;
	ok(!takt_image_open((struct takt_image_bytes){copy, bytes->size_bytes}, &image, &error),
	   "another decoder");
	is_string(error, "made with another version of the decoder", "reason");
	header->numbering--;
	header->sections[TAKT_IMAGE_UOPS].count = UINT32_MAX;
	ok(!takt_image_open((struct takt_image_bytes){copy, bytes->size_bytes}, &image, &error),
	   "a section beyond the end");
	free(copy);
}

/* Random bytes changed anywhere: it opens or not, but nothing is read outside. */
static void test_hostile(const struct takt_image_bytes *bytes)
{
	uint64_t state = 1;
	unsigned opened = 0;

	for (unsigned round = 0; round < 3000; round++) {
		/* Exactly as large as the image, so that a sanitizer sees a step outside. */
		char *copy = malloc(bytes->size_bytes);
		struct takt_image image;
		const char *error;
		unsigned changes = 1 + (unsigned)(next_random(&state) % 40);
		size_t first = round % 2 ? sizeof(struct takt_image_header) : 0;

		memcpy(copy, bytes->data, bytes->size_bytes);
		while (changes--) {
			size_t at = first + next_random(&state) % (bytes->size_bytes - first);

			copy[at] = (char)next_random(&state);
		}
		if (takt_image_open((struct takt_image_bytes){copy, bytes->size_bytes}, &image,
				    &error)) {
			use(&image);
			opened++;
		}
		free(copy);
	}
	ok(opened > 1000, "%u mutilated images were used", opened);
}

/* Random changes in the text of files: loaded or refused with a message. */
static void test_hostile_text(struct fixture *fixture)
{
	static const char core[] =
		CORE_HEAD "title x\ntiming t\nfuse cmp : e\ncpuid 6 85 0-4\nextensions avx\n"
			  "compose load | 1*p2 | lat=5\ndefault int | 1*p0 | lat=1\n"
			  "rob_entries 9 e\n";
	static const char timing[] = TIMING_HEAD
		"adc m64, r64 [indexed] | 1*p01+2*p2 | lat=2,1b>1:10,*>f:1 slots=5 rtp=1.5\n"
		"xor r32, r32 [same] | - | slots=1 zero\nnop | none |\n";
	uint64_t state = 7;
	unsigned loaded = 0, refused = 0, silent = 0;

	for (unsigned round = 0; round < 2000; round++) {
		char a[sizeof(core)], b[sizeof(timing)];
		struct takt_model *model;
		unsigned changes = 1 + (unsigned)(next_random(&state) % 3);

		memcpy(a, core, sizeof(a));
		memcpy(b, timing, sizeof(b));
		while (changes--) {
			char *target = next_random(&state) % 2 ? a : b;
			size_t size = target == a ? sizeof(a) : sizeof(b);

			target[next_random(&state) % (size - 1)] =
				(char)(next_random(&state) % 4 ? ' ' + next_random(&state) % 95
							       : next_random(&state));
		}
		fixture_clear(fixture);
		fixture_write(fixture, "cores/t.core", a);
		fixture_write(fixture, "timing/t.timing", b);
		model = fixture_model(fixture, "T");
		loaded += model != NULL;
		refused += model == NULL;
		silent += !model && takt_diag_error_count(fixture->diag) == 0;
		takt_model_close(model);
	}
	ok(loaded > 20 && refused > 100, "%u loaded, %u refused", loaded, refused);
	is_int(silent, 0, "none refused without a message");
}

int main(void)
{
	struct takt_arena arena = {0};
	struct takt_image_bytes bytes;
	struct fixture fixture;

	fixture_open(&fixture);
	write_cores(&fixture);
	bytes = compile(&fixture, &arena);
	if (ok(bytes.data != NULL, "compiled")) {
		test_round_trip(&bytes);
		test_deterministic(&fixture, &bytes);
		test_refused(&bytes);
		test_hostile(&bytes);
	}
	takt_image_free(bytes);
	takt_arena_release(&arena);
	test_hostile_text(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
