/* SPDX-License-Identifier: MIT */
/*
 * heat that spreads in a cube
 * VARIANTS: REAL=double,float ORDER=0,1,2,3,4,5 TILE=0,4
 */
#include "kernel.h"

#define N 10
#define INSIDE (N - 2)
#define STEPS 3

DATA REAL start[N][N][N], a[N][N][N], b[N][N][N];

INIT
{
	FILL(start, 1);
}

#define BEND(a, x, y, z, dx, dy, dz)                                                 \
	(a[x + 1 + dx][y + 1 + dy][z + 1 + dz] - 2 * a[x + 1][y + 1][z + 1] +        \
	 a[x + 1 - dx][y + 1 - dy][z + 1 - dz])
#define NEXT(a, x, y, z)                                                             \
	((BEND(a, x, y, z, 1, 0, 0) + BEND(a, x, y, z, 0, 1, 0) +                    \
	  BEND(a, x, y, z, 0, 0, 1)) / 8 + a[x + 1][y + 1][z + 1])
#define FORTH(x, y, z) b[x + 1][y + 1][z + 1] = NEXT(a, x, y, z);
#define BACK(x, y, z) a[x + 1][y + 1][z + 1] = NEXT(b, x, y, z);

KERNEL
{
	FOR(x, 0, N)
		FOR(y, 0, N)
			FOR(z, 0, N)
				a[x][y][z] = b[x][y][z] = start[x][y][z];
	FOR(t, 0, STEPS) {
		NEST3(FORTH, x, INSIDE, y, INSIDE, z, INSIDE);
		NEST3(BACK, x, INSIDE, y, INSIDE, z, INSIDE);
	}
}

CHECK
{
	static double now[N][N][N], next[N][N][N];
	static REAL wanted[N][N][N];

	FOR(t, 0, 2 * STEPS + 1)
		FOR(x, 0, N)
			FOR(y, 0, N)
				FOR(z, 0, N) {
					bool inside = x > 0 && y > 0 && z > 0 && x < N - 1 &&
						      y < N - 1 && z < N - 1;

					if (x == 0 && y == 0 && z == 0)
						memcpy(now, next, sizeof(now));
					if (t == 0)
						next[x][y][z] = (double)start[x][y][z];
					else if (inside)
						next[x][y][z] = NEXT(now, x - 1, y - 1, z - 1);
					wanted[x][y][z] = (REAL)next[x][y][z];
				}
	return SAME(a, wanted);
}
