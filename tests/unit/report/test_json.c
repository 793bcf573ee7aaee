/* SPDX-License-Identifier: MIT */
/*
 * The JSON is well-formed, says what the record says, and keeps to the schema, of whose
 * language this understands what analyze.schema.json uses.
 */
#include <jansson.h>

#include "../tap.h"
#include "fixture.h"

static bool conforms(const json_t *root, const json_t *schema, const json_t *value,
		     const char *place);

static bool complain(const char *place, const char *what)
{
	tap_note("%s: %s", place, what);
	return false;
}

static bool is_type(const char *type, const json_t *value)
{
	if (strcmp(type, "integer") == 0)
		return json_is_integer(value);
	if (strcmp(type, "number") == 0)
		return json_is_number(value);
	if (strcmp(type, "string") == 0)
		return json_is_string(value);
	if (strcmp(type, "boolean") == 0)
		return json_is_boolean(value);
	if (strcmp(type, "null") == 0)
		return json_is_null(value);
	return strcmp(type, "array") == 0 ? json_is_array(value)
					  : strcmp(type, "object") == 0 && json_is_object(value);
}

static bool has_type(const json_t *type, const json_t *value)
{
	if (json_is_string(type))
		return is_type(json_string_value(type), value);
	for (size_t i = 0; i < json_array_size(type); i++)
		if (is_type(json_string_value(json_array_get(type, i)), value))
			return true;
	return !type;
}

static bool in_enum(const json_t *choices, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(choices); i++)
		if (json_equal(json_array_get(choices, i), value))
			return true;
	return !choices;
}

static bool in_range(const json_t *schema, const json_t *value)
{
	const json_t *least = json_object_get(schema, "minimum");
	const json_t *most = json_object_get(schema, "maximum");

	if (!json_is_number(value))
		return true;
	return (!least || json_number_value(value) >= json_number_value(least)) &&
	       (!most || json_number_value(value) <= json_number_value(most));
}

static bool object_conforms(const json_t *root, const json_t *schema, const json_t *value,
			    const char *place)
{
	const json_t *properties = json_object_get(schema, "properties");
	const json_t *more = json_object_get(schema, "additionalProperties");
	const json_t *required = json_object_get(schema, "required");
	bool good = true;

	for (size_t i = 0; i < json_array_size(required); i++) {
		const char *key = json_string_value(json_array_get(required, i));

		if (!json_object_get(value, key))
			good = complain(key, "is missing");
	}
	for (void *at = json_object_iter((json_t *)(uintptr_t)value); at;
	     at = json_object_iter_next((json_t *)(uintptr_t)value, at)) {
		const char *key = json_object_iter_key(at);
		const json_t *property = json_object_get(properties, key);

		if (property)
			good &= conforms(root, property, json_object_iter_value(at), key);
		else if (json_is_object(more))
			good &= conforms(root, more, json_object_iter_value(at), key);
		else
			good = complain(place, key);
	}
	return good;
}

static bool conforms(const json_t *root, const json_t *schema, const json_t *value,
		     const char *place)
{
	const char *reference = json_string_value(json_object_get(schema, "$ref"));
	const json_t *items = json_object_get(schema, "items");
	bool good = true;

	if (reference) {
		const json_t *defs = json_object_get(root, "$defs");
		const json_t *target = json_object_get(defs, strrchr(reference, '/') + 1);

		return target ? conforms(root, target, value, place) : complain(place, reference);
	}
	if (!has_type(json_object_get(schema, "type"), value))
		return complain(place, "has the wrong type");
	if (!in_enum(json_object_get(schema, "enum"), value))
		return complain(place, "is none of the choices");
	if (!in_range(schema, value))
		return complain(place, "is out of range");
	for (size_t i = 0; items && i < json_array_size(value); i++)
		good &= conforms(root, items, json_array_get(value, i), place);
	return json_is_object(value) ? object_conforms(root, schema, value, place) : good;
}

static json_t *write_and_load(const struct takt_analysis *analysis)
{
	struct takt_text *text = takt_text_new();
	json_error_t error;
	json_t *root;

	takt_write_analysis_json(analysis, text);
	root = json_loads(takt_text_data(text), JSON_REJECT_DUPLICATES, &error);
	if (!ok(root != NULL, "well-formed"))
		tap_note("line %d: %s", error.line, error.text);
	takt_text_free(text);
	return root;
}

static double number_at(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void test_values(const json_t *root)
{
	const json_t *bounds = json_object_get(root, "bounds");
	const json_t *insn = json_array_get(json_object_get(root, "instructions"), 1);
	const json_t *unknown = json_array_get(json_object_get(root, "unknown"), 0);

	is_near(number_at(root, "cycles_per_iteration"), 4, "headline");
	is_near(number_at(bounds, "ports"), 1, "ports");
	is_near(number_at(bounds, "critical_path"), 10, "critical path");
	is_near(json_number_value(json_object_get(bounds, "front_end")), 1.5, "front end");
	is_near(json_number_value(json_object_get(root, "simulated")), 4, "simulated");
	is_int(json_integer_value(json_object_get(root, "period")), 2, "period");
	is_int((long long)json_array_size(json_object_get(root, "waits")), 2, "waits");
	is_string(json_string_value(json_object_get(
			  json_array_get(json_object_get(root, "relaxations"), 1), "what")),
		  "one more port like p0", "relaxations");
	is_near(number_at(json_object_get(root, "port_pressure"), "p1"), 1, "port pressure");
	is_int((long long)json_array_size(json_object_get(root, "instructions")), 4,
	       "instructions");
	is_string(json_string_value(json_object_get(insn, "text")), "vaddsd %xmm0, %xmm1, %xmm1",
		  "text");
	is_near(number_at(json_object_get(insn, "port_pressure"), "p1"), 0.75, "its pressure");
	ok(json_is_true(json_object_get(insn, "on_loop_carried")), "on the loop-carried cycle");
	is_int(json_integer_value(json_object_get(unknown, "instruction")), 2, "unknown one");
}

static void test_schema(const json_t *root, const char *path)
{
	json_t *schema = json_load_file(path, 0, NULL);
	const json_t *defs = json_object_get(schema, "$defs");

	if (ok(schema != NULL, "schema loads"))
		ok(conforms(schema, json_object_get(defs, "analysis"), root, "analysis"),
		   "keeps to the schema");
	json_decref(schema);
}

int main(int argc, char **argv)
{
	struct takt_analysis analysis = fixture_analysis();
	json_t *root = write_and_load(&analysis);

	test_values(root);
	if (argc > 1)
		test_schema(root, argv[1]);
	json_decref(root);
	analysis.simulated_cycles = NAN;
	root = write_and_load(&analysis);
	ok(json_is_null(json_object_get(root, "simulated")), "null without a simulation");
	if (argc > 1)
		test_schema(root, argv[1]);
	json_decref(root);
	return tap_done();
}
