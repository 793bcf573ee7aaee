/* SPDX-License-Identifier: MIT */
/*
 * Formulas: recursive descent turns text into postfix operations, which then evaluate values and
 * units.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "events/events.h"

#define OPS_MAX 256u
#define NESTING_MAX 32u
#define NUMBER_BYTES_MAX 32u

enum op_kind { OP_NUMBER, OP_NAME, OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE, OP_MIN, OP_MAX };

struct op {
	enum op_kind kind;
	uint32_t name; /* number of the name, of OP_NAME */
	uint32_t at;   /* offset in the text */
	double number; /* value of OP_NUMBER, in base units */
	struct events_unit unit;
};

struct events_formula {
	uint32_t op_count;
	struct op ops[];
};

struct parser {
	const char *text;
	size_t size, at;
	const struct events_names *names;
	struct events_problem *problem;
	unsigned nesting;
	uint32_t op_count;
	struct op ops[OPS_MAX];
};

static bool fail(struct parser *parser, size_t at, size_t size, const char *what)
{
	if (!parser->problem->what)
		*parser->problem = (struct events_problem){what, at, size ? size : 1};
	return false;
}

static bool emit(struct parser *parser, struct op op)
{
	if (parser->op_count == OPS_MAX)
		return fail(parser, op.at, 1, "the formula is too long");
	parser->ops[parser->op_count++] = op;
	return true;
}

static void skip_blanks(struct parser *parser)
{
	while (parser->at < parser->size && (takt_is_blank(parser->text[parser->at])))
		parser->at++;
}

/* Return the next character that is not blank, or NUL. */
static char peek(struct parser *parser)
{
	skip_blanks(parser);
	return parser->at < parser->size ? parser->text[parser->at] : '\0';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t word_size(const struct parser *parser)
{
	size_t end = parser->at;

	while (end < parser->size &&
	       (is_letter(parser->text[end]) || takt_is_digit(parser->text[end])))
		end++;
	return end - parser->at;
}

static bool parse_sum(struct parser *parser);

static bool expect(struct parser *parser, char c, const char *what)
{
	if (peek(parser) != c)
		return fail(parser, parser->at, 1, what);
	parser->at++;
	return true;
}

/* Parse a number: "64", "1e-3", "64 B". */
static bool parse_number(struct parser *parser)
{
	char buffer[NUMBER_BYTES_MAX + 1], *end;
	struct op op = {.kind = OP_NUMBER, .at = (uint32_t)parser->at, .unit = EVENTS_UNIT_NONE};
	size_t size = parser->size - parser->at;

	if (size > NUMBER_BYTES_MAX)
		size = NUMBER_BYTES_MAX;
	memcpy(buffer, parser->text + parser->at, size);
	buffer[size] = '\0';
	op.number = takt_strtod(buffer, &end);
	if (end == buffer || !isfinite(op.number))
		return fail(parser, parser->at, 1, "not a number");
	parser->at += (size_t)(end - buffer);
	if (is_letter(peek(parser))) {
		size = word_size(parser);
		if (!takt_events_unit_parse_factor(parser->text + parser->at, size, &op.unit))
			return fail(parser, parser->at, size, "no unit, and no operator before it");
		parser->at += size;
	}
	op.number *= op.unit.scale;
	op.unit.scale = 1;
	op.unit.any = op.number == 0;
	return emit(parser, op);
}

/* Parse what follows "min" or "max": "(a, b, …)". */
static bool parse_choice(struct parser *parser, enum op_kind kind, size_t at)
{
	if (!expect(parser, '(', "'(' is missing") || !parse_sum(parser))
		return false;
	if (peek(parser) != ',')
		return fail(parser, at, 3, "it takes two values and more");
	while (peek(parser) == ',') {
		parser->at++;
		if (!parse_sum(parser) ||
		    !emit(parser, (struct op){.kind = kind, .at = (uint32_t)at}))
			return false;
	}
	return expect(parser, ')', "')' is missing");
}

static bool parse_name(struct parser *parser)
{
	const char *word = parser->text + parser->at;
	size_t size = word_size(parser), at = parser->at;
	int index;

	parser->at += size;
	if (size == 3 && memcmp(word, "min", 3) == 0)
		return parse_choice(parser, OP_MIN, at);
	if (size == 3 && memcmp(word, "max", 3) == 0)
		return parse_choice(parser, OP_MAX, at);
	index = parser->names->find(parser->names->context, word, size);
	if (index < 0)
		return fail(parser, at, size, "neither an event nor a metric before this one");
	return emit(parser,
		    (struct op){.kind = OP_NAME, .name = (uint32_t)index, .at = (uint32_t)at});
}

static bool parse_factor(struct parser *parser)
{
	char c = peek(parser);
	bool fine;

	if (takt_is_digit(c) || c == '.')
		return parse_number(parser);
	if (is_letter(c))
		return parse_name(parser);
	if (c != '(' && c != '-')
		return fail(parser, parser->at, 1, "a name, a number or '(' is missing");
	if (++parser->nesting > NESTING_MAX)
		return fail(parser, parser->at, 1, "too many parentheses in each other");
	if (c == '-') {
		struct op zero = {.number = 0, .at = (uint32_t)parser->at, .unit = {.any = true}};

		parser->at++;
		fine = emit(parser, zero) && parse_factor(parser) &&
		       emit(parser, (struct op){.kind = OP_SUBTRACT, .at = zero.at});
	} else {
		parser->at++;
		fine = parse_sum(parser) && expect(parser, ')', "')' is missing");
	}
	parser->nesting--;
	return fine;
}

static bool parse_product(struct parser *parser)
{
	if (!parse_factor(parser))
		return false;
	for (char c = peek(parser); c == '*' || c == '/'; c = peek(parser)) {
		uint32_t at = (uint32_t)parser->at++;

		if (!parse_factor(parser) ||
		    !emit(parser,
			  (struct op){.kind = c == '*' ? OP_MULTIPLY : OP_DIVIDE, .at = at}))
			return false;
	}
	return true;
}

static bool parse_sum(struct parser *parser)
{
	bool fine;

	/* The parentheses of min() and max() count, too. */
	if (++parser->nesting > NESTING_MAX)
		return fail(parser, parser->at, 1, "too many parentheses in each other");
	fine = parse_product(parser);
	for (char c = peek(parser); fine && (c == '+' || c == '-'); c = peek(parser)) {
		uint32_t at = (uint32_t)parser->at++;

		fine = parse_product(parser) &&
		       emit(parser, (struct op){.kind = c == '+' ? OP_ADD : OP_SUBTRACT, .at = at});
	}
	parser->nesting--;
	return fine;
}

const struct events_formula *takt_events_formula_parse(const char *text, size_t size_bytes,
						       const struct events_names *names,
						       struct takt_arena *arena,
						       struct events_problem *ret_problem)
{
	struct events_formula *formula;
	struct parser parser;

	*ret_problem = (struct events_problem){0};
	parser.text = text;
	parser.size = size_bytes;
	parser.at = 0;
	parser.names = names;
	parser.problem = ret_problem;
	parser.nesting = 0;
	parser.op_count = 0;
	if (!parse_sum(&parser))
		return NULL;
	peek(&parser);
	if (parser.at < parser.size) {
		fail(&parser, parser.at, 1, "an operator is missing");
		return NULL;
	}
	formula =
		takt_arena_alloc(arena, 1, sizeof(*formula) + parser.op_count * sizeof(struct op));
	formula->op_count = parser.op_count;
	memcpy(formula->ops, parser.ops, parser.op_count * sizeof(struct op));
	return formula;
}

static double apply(enum op_kind kind, double left, double right)
{
	switch (kind) {
	case OP_ADD:
		return left + right;
	case OP_SUBTRACT:
		return left - right;
	case OP_MULTIPLY:
		return left * right;
	case OP_DIVIDE:
		return right == 0 ? NAN : left / right;
	case OP_MIN:
		/* fmin() is not used because it ignores NaN. */
		return isnan(left) || left < right ? left : right;
	case OP_MAX:
		return isnan(left) || left > right ? left : right;
	case OP_NUMBER:
	case OP_NAME:
		break;
	}
	return NAN;
}

double takt_events_formula_value(const struct events_formula *formula, const double *values)
{
	double stack[OPS_MAX] = {NAN};
	size_t height = 0;

	for (uint32_t i = 0; i < formula->op_count; i++) {
		const struct op *op = &formula->ops[i];

		if (op->kind == OP_NUMBER || op->kind == OP_NAME) {
			stack[height++] = op->kind == OP_NUMBER ? op->number : values[op->name];
			continue;
		}
		assert(height >= 2);
		height--;
		stack[height - 1] = apply(op->kind, stack[height - 1], stack[height]);
	}
	return stack[0];
}

uint32_t takt_events_formula_origins(const struct events_formula *formula, const uint32_t *origins)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < formula->op_count; i++)
		if (formula->ops[i].kind == OP_NAME)
			all |= origins[formula->ops[i].name];
	return all;
}

/* Set *left to the unit of the result of `op` on both operands. */
static bool combine(const struct op *op, struct events_unit *left, const struct events_unit *right,
		    struct events_problem *problem)
{
	if (op->kind == OP_MULTIPLY || op->kind == OP_DIVIDE) {
		if (takt_events_unit_multiply(left, right, op->kind == OP_MULTIPLY ? 1 : -1))
			return true;
		*problem = (struct events_problem){"a unit to a power beyond 8", op->at, 1};
		return false;
	}
	if (takt_events_unit_same(left, right)) {
		if (left->any)
			*left = *right;
		return true;
	}
	*problem = (struct events_problem){"its two sides have different units", op->at,
					   op->kind == OP_MIN || op->kind == OP_MAX ? 3 : 1};
	return false;
}

bool takt_events_formula_unit(const struct events_formula *formula, const struct events_unit *units,
			      struct events_unit *ret_unit, struct events_problem *ret_problem)
{
	struct events_unit stack[OPS_MAX] = {{.scale = 1}};
	size_t height = 0;

	for (uint32_t i = 0; i < formula->op_count; i++) {
		const struct op *op = &formula->ops[i];

		if (op->kind == OP_NUMBER || op->kind == OP_NAME) {
			stack[height] = op->kind == OP_NUMBER ? op->unit : units[op->name];
			stack[height++].scale = 1;
			continue;
		}
		assert(height >= 2);
		height--;
		if (!combine(op, &stack[height - 1], &stack[height], ret_problem))
			return false;
	}
	*ret_unit = stack[0];
	return true;
}
