/* SPDX-License-Identifier: MIT */
/*
 * Estimates cycles, and their confidence interval, from the units of a sample: a regression on
 * causes that are known of the whole run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "trace/timing/sample.h"

#define CAUSES SAMPLE_CAUSES
#define UNITS_FOR_CAUSES 30u /* fewer units do not say what a cause costs */
#define LEVERAGE_MAX 0.9
/*
 * Standard error, as a share of the cycles, of what the units do not show: of phases so short that
 * no unit may be in them, which cost the same causes less or more, and of what the pipeline would
 * have held at the begin of a unit (0.01 to 0.08 % of all units together). Without it, 91 instead
 * of 97 of 100 intervals had the true value where they were narrowest (docs/notes/trace-speed.md).
 */
#define UNSEEN_ERROR 0.002

/*
 * The cost of a cause, in cycles, and its standard error, before anything is simulated: of the
 * cycles that lines are away, a core may lose all or none.
 */
static const struct {
	double cost, error;
} usual[CAUSES] = {
	[SAMPLE_FETCHES] = {0.5, 0.5},
	[SAMPLE_LOADS] = {0.5, 0.5},
	[SAMPLE_STORES] = {0.5, 0.5},
	[SAMPLE_MISPREDICTS] = {15, 10},
};

typedef double causes_matrix[CAUSES][CAUSES];

/* From a few degrees of freedom on, the expansion of Fisher and Cornish is right to three digits.
 */
double trace_sample_student(double degrees)
{
	static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571};
	const unsigned few_count = TAKT_COUNT_OF(few);
	const double z = 1.959963984540054;
	double z2 = z * z;

	if (degrees >= 1 && degrees < few_count + 1)
		return few[(unsigned)degrees - 1];
	return z + z * (z2 + 1) / (4 * degrees) +
	       z * (5 * z2 * z2 + 16 * z2 + 3) / (96 * degrees * degrees);
}

static double product(const double a[CAUSES], const double b[CAUSES])
{
	double sum = 0;

	for (unsigned i = 0; i < CAUSES; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Add factor × a × aᵀ. */
static void add_square(causes_matrix matrix, const double a[CAUSES], double factor)
{
	for (unsigned i = 0; i < CAUSES; i++)
		for (unsigned j = 0; j < CAUSES; j++)
			matrix[i][j] += factor * a[i] * a[j];
}

/*
 * Solve matrix × x = right, for a sum of squares. A cause that never varies, or only as others do,
 * gets 0.
 */
static void solve(causes_matrix matrix, const double right[CAUSES], double ret_x[CAUSES])
{
	double rows[CAUSES][CAUSES + 1];

	for (unsigned i = 0; i < CAUSES; i++) {
		memcpy(rows[i], matrix[i], sizeof(matrix[i]));
		rows[i][CAUSES] = right[i];
	}
	for (unsigned i = 0; i < CAUSES; i++) {
		bool varies = rows[i][i] > 1e-9 * matrix[i][i];

		for (unsigned k = 0; k < CAUSES; k++) {
			double factor = varies ? rows[k][i] / rows[i][i] : 0;

			for (unsigned j = 0; k != i && j <= CAUSES; j++)
				rows[k][j] -= factor * rows[i][j];
		}
		for (unsigned j = 0; j <= CAUSES && !varies; j++)
			rows[i][j] = j == i;
	}
	for (unsigned i = 0; i < CAUSES; i++)
		ret_x[i] = rows[i][CAUSES] / rows[i][i];
}

static void subtract(const double a[CAUSES], const double b[CAUSES], double ret_c[CAUSES])
{
	for (unsigned i = 0; i < CAUSES; i++)
		ret_c[i] = a[i] - b[i];
}

/* Return the variance of what the costs do not explain of the differences of successive units. */
static double unexplained(const struct sample_unit *list, size_t count, const double costs[CAUSES])
{
	double sum = 0;

	for (size_t i = 1; i < count; i++) {
		double difference[CAUSES], rest;

		subtract(list[i].causes, list[i - 1].causes, difference);
		rest = (list[i].cpi - list[i - 1].cpi - product(costs, difference)) * list[i].insns;
		sum += rest * rest;
	}
	return sum / (double)(count - 1 - CAUSES);
}

/*
 * Find the cycles of each cause from the differences of successive units. What is known of a cost
 * before counts as much as units that would tell it as exactly (ridge regression: Hoerl and
 * Kennard, Technometrics 12, 1970), so that few units with much of a cause do not say alone what it
 * costs. `ret_known`: by how much the squares of a cause grow by that.
 */
static void find_costs(const struct sample_unit *list, size_t count, double ret_costs[CAUSES],
		       double ret_known[CAUSES])
{
	causes_matrix squares = {{0}};
	double products[CAUSES] = {0}, variance;

	for (size_t i = 1; i < count; i++) {
		double weight = list[i].insns * list[i].insns, difference[CAUSES];

		subtract(list[i].causes, list[i - 1].causes, difference);
		add_square(squares, difference, weight);
		for (unsigned c = 0; c < CAUSES; c++)
			products[c] += weight * difference[c] * (list[i].cpi - list[i - 1].cpi);
	}
	solve(squares, products, ret_costs);
	variance = unexplained(list, count, ret_costs);
	for (unsigned c = 0; c < CAUSES; c++) {
		ret_known[c] = variance / (usual[c].error * usual[c].error);
		squares[c][c] += ret_known[c];
		products[c] += ret_known[c] * usual[c].cost;
	}
	solve(squares, products, ret_costs);
}

/*
 * Multiply the residual of each unit by its weight in the estimate: more where the unit is of a
 * kind of which the whole run has more than the sample (Särndal, Swensson, Wretman, Model Assisted
 * Survey Sampling, 1992, section 6.6), and where the costs follow the unit, so that its residual is
 * too small (MacKinnon and White, Journal of Econometrics 29, 1985). `whole`: causes for each
 * instruction of the whole run; `known`: of find_costs(), whose squares are those of differences.
 */
static void weight_residuals(const struct sample_unit *list, size_t count,
			     const double whole[CAUSES], const double known[CAUSES],
			     double *residuals)
{
	causes_matrix squares = {{0}};
	double insns = 0, insns2 = 0, mean[CAUSES] = {0}, mean_residual = 0, apart[CAUSES],
	       pull[CAUSES];

	for (size_t i = 0; i < count; i++) {
		insns += list[i].insns;
		insns2 += list[i].insns * list[i].insns;
		mean_residual += list[i].insns * residuals[i];
		for (unsigned c = 0; c < CAUSES; c++)
			mean[c] += list[i].insns * list[i].causes[c];
	}
	mean_residual /= insns;
	for (unsigned c = 0; c < CAUSES; c++) {
		mean[c] /= insns;
		apart[c] = insns * (whole[c] - mean[c]);
	}
	for (size_t i = 0; i < count; i++) {
		double from_mean[CAUSES];

		subtract(list[i].causes, mean, from_mean);
		add_square(squares, from_mean, list[i].insns);
	}
	for (unsigned c = 0; c < CAUSES; c++)
		squares[c][c] += known[c] * insns / insns2 / 2;
	solve(squares, apart, pull);
	for (size_t i = 0; i < count; i++) {
		double from_mean[CAUSES], solved[CAUSES], leverage;

		subtract(list[i].causes, mean, from_mean);
		solve(squares, from_mean, solved);
		leverage = fmin(list[i].insns * product(from_mean, solved), LEVERAGE_MAX);
		residuals[i] = (residuals[i] - mean_residual) * (1 + product(pull, from_mean)) /
			       (1 - leverage);
	}
}

/*
 * Return half of the confidence interval. Successive strata are treated as two samples of one
 * stratum (Wolter, Introduction to Variance Estimation, section 8.2: successive differences).
 *
 * If a few of them make up most of the variance, it is known as little as from so few: it has the
 * degrees of freedom 2 × variance² / its own variance (Satterthwaite, Biometrics Bulletin 2, 1946).
 * A part of the sum below has, if its units vary normally by s², the mean s², the variance 2 s⁴ and
 * the covariance s⁴ / 2 with either neighbour, and its square has the mean 3 s⁴. The sum of squares
 * thus estimates the variance of the sum.
 * `degrees`: of freedom at most.
 */
static double half_width(const struct sample_unit *list, size_t count, const double *residuals,
			 double degrees)
{
	double variance = 0, squares = 0;

	for (size_t i = 1; i < count; i++) {
		double difference = (residuals[i] - residuals[i - 1]) * list[i].insns;
		double part = difference * difference / 2;

		variance += part;
		squares += part * part;
	}
	if (count >= UNITS_FOR_CAUSES && squares > 0)
		degrees = fmin(degrees, fmax(2 * variance * variance / squares, 1));
	return trace_sample_student(degrees) * sqrt(variance);
}

void sample_estimate(const struct sample_units *units, const double causes[CAUSES],
		     double *ret_cycles, double *ret_half_width)
{
	const struct sample_unit *list = units->list;
	double *residuals = takt_xcalloc(units->count + 1, sizeof(*residuals));
	double costs[CAUSES] = {0}, known[CAUSES] = {0}, whole[CAUSES];
	double insns = units->rest_insns, cycles, half;
	bool enough = units->count >= UNITS_FOR_CAUSES;

	if (enough)
		find_costs(list, units->count, costs, known);
	cycles = product(costs, causes);
	residuals[0] = units->rest_cpi; /* if there is no unit */
	for (size_t i = 0; i < units->count; i++) {
		residuals[i] = list[i].cpi - product(costs, list[i].causes);
		cycles += residuals[i] * list[i].insns;
		insns += list[i].insns;
	}
	cycles += residuals[units->count ? units->count - 1 : 0] * units->rest_insns;
	for (unsigned c = 0; c < CAUSES; c++)
		whole[c] = insns > 0 ? causes[c] / insns : 0;
	if (enough)
		weight_residuals(list, units->count, whole, known, residuals);
	half = units->count < 2 ? INFINITY
				: half_width(list, units->count, residuals,
					     (double)(units->count - 1 - (enough ? CAUSES : 0)));
	*ret_cycles = cycles;
	*ret_half_width =
		insns > 0 ? hypot(half, trace_sample_student(INFINITY) * UNSEEN_ERROR * cycles) : 0;
	free(residuals);
}
