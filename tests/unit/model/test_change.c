/* SPDX-License-Identifier: MIT */
/* A core with one more port, faster loads or other parameters is that in every accessor. */
#include "../tap.h"
#include "model/model.h"

static struct takt_model *open_model(struct takt_diag *diag)
{
	struct takt_model *model = NULL;

	ok(takt_model_open("SKX", NULL, diag, &model) == TAKT_OK, "model");
	return model;
}

static uint32_t ports_of(const struct takt_model *model, const uint8_t *bytes, size_t size)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct takt_insn insn;

	if (takt_decode(&takt_isa_x86, bytes, size, 0, &insn) != TAKT_OK)
		return 0;
	takt_model_timing(model, &insn, &storage, &timing);
	return timing.uops_count ? timing.uops[0].ports : 0;
}

static void test_twin(const struct takt_model *model)
{
	/* imul rax, rdx: p1 */
	static const uint8_t multiply[] = {0x48, 0x0f, 0xaf, 0xc2};
	uint32_t count = takt_model_port_count(model), new_port = (uint32_t)1 << count;
	struct takt_model_change change = {.twin_ports = 1u << 1};
	struct takt_model *changed = takt_model_change(model, &change);
	struct takt_access_ports access, plain;

	is_int(takt_model_port_count(changed), count + 1, "one more port");
	is_int(ports_of(changed, multiply, sizeof(multiply)), 1u << 1 | new_port, "which does it");
	is_int(ports_of(model, multiply, sizeof(multiply)), 1u << 1, "only there");
	ok(takt_model_class_ports(changed, TAKT_CLASS_INT) & new_port, "classes know it");
	is_string(takt_model_port_name(changed, 1), takt_model_port_name(model, 1), "names stay");
	takt_model_close(changed);
	change.twin_ports = 1u << 4;
	changed = takt_model_change(model, &change);
	takt_model_access_ports(changed, false, 8, false, &access);
	takt_model_access_ports(model, false, 8, false, &plain);
	is_int(access.store_data, plain.store_data | new_port, "store data");
	is_int(access.load, plain.load, "not loads");
	takt_model_close(changed);
}

static void test_loads(const struct takt_model *model)
{
	struct takt_model_change change = {.load_cycles_less = 1};
	struct takt_model *changed = takt_model_change(model, &change);
	struct takt_access_ports access, plain;

	takt_model_access_ports(changed, false, 8, false, &access);
	takt_model_access_ports(model, false, 8, false, &plain);
	is_int(access.load_latency_cycles, plain.load_latency_cycles - 1, "a cycle less");
	takt_model_close(changed);
}

static void test_set(const struct takt_model *model, struct takt_diag *diag)
{
	static const struct takt_setting good[] = {{"rob_entries", "512"},
						   {"loop_buffer", "yes"},
						   {"move_elimination_int_slots", "-1"}};
	static const struct {
		struct takt_setting setting;
		enum takt_status status;
		const char *message;
	} bad[] = {
		{{"rob_entry", "1"}, TAKT_NOT_FOUND, "did you mean 'rob_entries'"},
		{{"rob_entries", "2"}, TAKT_BAD_INPUT, "is from 4 to 1024, not 2"},
		{{"rob_entries", "many"}, TAKT_BAD_INPUT, "needs a number of µops"},
		{{"loop_buffer", "1"}, TAKT_BAD_INPUT, "is 'yes' or 'no'"},
		{{"issue_width", "0"}, TAKT_BAD_INPUT, "is from 1 to 64, not 0"},
		{{"store_commit_lines", "0"}, TAKT_BAD_INPUT, "is from 1 to 64, not 0"},
		{{"port.p9", "2"}, TAKT_NOT_FOUND, "core 'SKX' has no port 'p9'"},
		{{"port.p5", "5"}, TAKT_BAD_INPUT, "is a number from 0 to 4, not '5'"},
		{{"port.p5", "-1"}, TAKT_BAD_INPUT, "is a number from 0 to 4, not '-1'"},
		{{"port.", "1"}, TAKT_NOT_FOUND, "has no port ''"},
	};
	struct takt_model *changed = NULL, *none = NULL;

	is_int(takt_model_set(model, good, 3, diag, &changed), TAKT_OK, "settings");
	is_int(takt_model_params(changed)->rob_entries, 512, "number");
	is_int(takt_model_params(changed)->loop_buffer, 1, "yes");
	is_int(takt_model_params(changed)->move_elimination_int_slots, -1, "no limit");
	is_int(takt_model_params(changed)->issue_width, takt_model_params(model)->issue_width,
	       "the rest stays");
	takt_model_close(changed);
	for (size_t i = 0; i < TAKT_COUNT_OF(bad); i++) {
		takt_diag_clear(diag);
		is_int(takt_model_set(model, &bad[i].setting, 1, diag, &none), bad[i].status,
		       bad[i].setting.name);
		ok(strstr(takt_diag_text(diag), bad[i].message) != NULL, "%s", bad[i].message);
	}
	ok(!none, "output untouched");
}

static void test_set_ports(const struct takt_model *model, struct takt_diag *diag)
{
	static const uint8_t add[] = {0x48, 0x01, 0xd0};	    /* p0156 */
	static const uint8_t multiply[] = {0x48, 0x0f, 0xaf, 0xc2}; /* p1 */
	static const struct takt_setting settings[] = {
		{"port.p1", "3"}, {"port.p6", "0"}, {"port.p5", "1"}};
	static const struct takt_setting fewer[] = {{"port.p1", "0"}};
	static const struct takt_setting most[] = {
		{"port.p0", "4"}, {"port.p1", "4"}, {"port.p2", "4"}};
	uint32_t count = takt_model_port_count(model), twins = (uint32_t)3 << count;
	struct takt_model *changed = NULL, *again;

	is_int(takt_model_set(model, settings, 3, diag, &changed), TAKT_OK, "ports");
	is_int(takt_model_port_count(changed), count + 2, "two more");
	is_string(takt_model_port_name(changed, count), "+p1", "its name");
	is_int(ports_of(changed, multiply, sizeof(multiply)), 1u << 1 | twins, "one of three");
	is_int(ports_of(changed, add, sizeof(add)), 0x23 | twins,
	       "without the port that is spared");
	ok(takt_model_digest(changed) != takt_model_digest(model), "another core");
	/* A trial of one more port comes on top. */
	again = takt_model_change(changed, &(struct takt_model_change){.twin_ports = 1});
	is_int(ports_of(again, add, sizeof(add)), 0x23 | twins | (uint32_t)4 << count, "a third");
	takt_model_close(again);
	takt_model_close(changed);
	is_int(takt_model_set(model, fewer, 1, diag, &changed), TAKT_OK, "one less");
	is_int(ports_of(changed, multiply, sizeof(multiply)), 1u << 1, "where nothing else can");
	is_int(ports_of(changed, add, sizeof(add)), 0x61, "and not where others can");
	ok(takt_model_digest(changed) != takt_model_digest(model), "another core, too");
	takt_model_close(changed);
	is_int(takt_model_set(model, most, 3, diag, &changed), TAKT_BAD_INPUT, "too many");
	ok(takt_model_has_setting(model, "port.p5") &&
		   takt_model_has_setting(model, "rob_entries") &&
		   !takt_model_has_setting(model, "port.FP0"),
	   "ports that it has");
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model = open_model(diag);

	if (model) {
		test_twin(model);
		test_loads(model);
		test_set(model, diag);
		test_set_ports(model, diag);
	}
	takt_model_close(model);
	takt_diag_free(diag);
	return tap_done();
}
