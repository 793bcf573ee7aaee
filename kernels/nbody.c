/* SPDX-License-Identifier: MIT */
/*
 * forces between bodies
 * VARIANTS: REAL=double,float UNROLL=0,2,4
 */
#include "kernel.h"

#define N 40

DATA REAL x[N], y[N], z[N], mass[N], force[3][N];

INIT
{
	FILL(x, 1);
	FILL(y, 2);
	FILL(z, 3);
	FILL(mass, 4);
}

KERNEL
{
	FOR(i, 0, N) {
		REAL fx = 0, fy = 0, fz = 0;

		INNER(j, 0, N) {
			REAL dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
			REAL square = dx * dx + dy * dy + dz * dz + (REAL)0.01;
			REAL scale = mass[j] / (square * (sizeof(REAL) == sizeof(float)
								  ? (REAL)sqrtf((float)square)
								  : (REAL)sqrt((double)square)));

			fx += dx * scale;
			fy += dy * scale;
			fz += dz * scale;
		}
		force[0][i] = fx;
		force[1][i] = fy;
		force[2][i] = fz;
	}
}

CHECK
{
	static const REAL *const place[3] = {x, y, z};
	static REAL wanted[3][N];

	FOR(i, 0, N)
		FOR(axis, 0, 3) {
			double sum = 0;

			FOR(j, 0, N) {
				double square = 0.01;

				FOR(k, 0, 3)
					square += pow((double)place[k][j] - (double)place[k][i], 2);
				sum += (double)mass[j] * ((double)place[axis][j] - (double)place[axis][i]) *
				       pow(square, -1.5);
			}
			wanted[axis][i] = (REAL)sum;
		}
	return SAME(force, wanted);
}
