/* SPDX-License-Identifier: MIT */
/*
 * edges of an image by Deriche's recursive filter, along rows and then columns
 * VARIANTS: REAL=double,float UNROLL=0,2,4
 */
#include "kernel.h"

#define W 24
#define H 24

DATA REAL image[W][H], left[W][H], right[W][H], half[W][H], result[W][H];
static REAL a[8], b1, b2, c1 = 1;

INIT
{
	double alpha = 0.25, e = exp(-alpha);
	double k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - exp(-2 * alpha));

	FILL(image, 1);
	a[0] = a[4] = (REAL)k;
	a[1] = a[5] = (REAL)(k * e * (alpha - 1));
	a[2] = a[6] = (REAL)(k * e * (alpha + 1));
	a[3] = a[7] = (REAL)(-k * exp(-2 * alpha));
	b1 = (REAL)pow(2, -alpha);
	b2 = (REAL)-exp(-2 * alpha);
}

KERNEL
{
	FOR(i, 0, W) {
		REAL before = 0, before2 = 0, x1 = 0, x2 = 0;

		INNER(j, 0, H) {
			left[i][j] = a[0] * image[i][j] + a[1] * x1 + b1 * before + b2 * before2;
			x1 = image[i][j];
			before2 = before;
			before = left[i][j];
		}
		before = before2 = x1 = 0;
		UNROLLED
		for (int j = H - 1; j >= 0; j--) {
			right[i][j] = a[2] * x1 + a[3] * x2 + b1 * before + b2 * before2;
			x2 = x1;
			x1 = image[i][j];
			before2 = before;
			before = right[i][j];
		}
	}
	FOR(i, 0, W)
		INNER(j, 0, H)
			half[i][j] = c1 * (left[i][j] + right[i][j]);
	FOR(j, 0, H) {
		REAL before = 0, before2 = 0, x1 = 0, x2 = 0;

		INNER(i, 0, W) {
			left[i][j] = a[4] * half[i][j] + a[5] * x1 + b1 * before + b2 * before2;
			x1 = half[i][j];
			before2 = before;
			before = left[i][j];
		}
		before = before2 = x1 = 0;
		UNROLLED
		for (int i = W - 1; i >= 0; i--) {
			right[i][j] = a[6] * x1 + a[7] * x2 + b1 * before + b2 * before2;
			x2 = x1;
			x1 = half[i][j];
			before2 = before;
			before = right[i][j];
		}
	}
	FOR(i, 0, W)
		INNER(j, 0, H)
			result[i][j] = c1 * (left[i][j] + right[i][j]);
}

/* x[-1], … and y[-1], … are 0. */
#define AT(line, k) ((k) < 0 || (k) >= H ? 0 : (line)[k])

static void filter(const double *x, double *ret_y)
{
	double forth[H], back[H];

	FOR(k, 0, H)
		forth[k] = (double)a[0] * x[k] + (double)a[1] * AT(x, k - 1) +
			   (double)b1 * AT(forth, k - 1) + (double)b2 * AT(forth, k - 2);
	for (int k = H - 1; k >= 0; k--)
		back[k] = (double)a[2] * AT(x, k + 1) + (double)a[3] * AT(x, k + 2) +
			  (double)b1 * AT(back, k + 1) + (double)b2 * AT(back, k + 2);
	FOR(k, 0, H)
		ret_y[k] = forth[k] + back[k];
}

CHECK
{
	static double rows[W][H], line[H], filtered[H];
	static REAL wanted[W][H];

	FOR(i, 0, W) {
		FOR(j, 0, H)
			line[j] = (double)image[i][j];
		filter(line, rows[i]);
	}
	FOR(j, 0, H) {
		FOR(i, 0, W)
			line[i] = rows[i][j];
		filter(line, filtered);
		FOR(i, 0, W)
			wanted[i][j] = (REAL)filtered[i];
	}
	return SAME(result, wanted);
}
