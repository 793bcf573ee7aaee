/* SPDX-License-Identifier: MIT */
/*
 * B = A'
 * VARIANTS: REAL=double,float,uint8_t ORDER=0,1 TILE=0,4,8 JAM=1,4
 */
#include "kernel.h"

#define N 40

DATA REAL a[N][N], b[N][N];

INIT
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			a[i][j] = (REAL)((i * N + j) % 251);
}

#define STATEMENT(i, j) b[i][j] = a[j][i];

KERNEL
{
	NEST2(STATEMENT, i, N, j, N);
}

CHECK
{
	FOR(i, 0, N)
		FOR(j, 0, N)
			if ((int)b[i][j] != (j * N + i) % 251)
				return false;
	return true;
}
