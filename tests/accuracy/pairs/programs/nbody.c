/* SPDX-License-Identifier: MIT */
/* Bodies that attract each other, step by step. */
#include <math.h>

#include "program.h"

#define BODIES 8
#define STEPS 1500

struct body {
	double x, y, z, vx, vy, vz, mass;
};

static struct body first[BODIES], bodies[BODIES];

void program_setup(void)
{
	uint64_t state = 1;

	for (int i = 0; i < BODIES; i++)
		first[i] = (struct body){
			.x = random_next(&state) % 1000,
			.y = random_next(&state) % 1000,
			.z = random_next(&state) % 1000,
			.mass = 1 + random_next(&state) % 10,
		};
}

static void advance(double time)
{
	for (int i = 0; i < BODIES; i++)
		for (int j = i + 1; j < BODIES; j++) {
			struct body *a = &bodies[i], *b = &bodies[j];
			double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
			double square = dx * dx + dy * dy + dz * dz + 1.0;
			double force = time / (square * sqrt(square));

			a->vx -= dx * b->mass * force;
			a->vy -= dy * b->mass * force;
			a->vz -= dz * b->mass * force;
			b->vx += dx * a->mass * force;
			b->vy += dy * a->mass * force;
			b->vz += dz * a->mass * force;
		}
	for (int i = 0; i < BODIES; i++) {
		bodies[i].x += time * bodies[i].vx;
		bodies[i].y += time * bodies[i].vy;
		bodies[i].z += time * bodies[i].vz;
	}
}

/* Rounded, since compilers may contract a product and a sum. */
uint64_t program_work(void)
{
	double sum = 0;

	for (int i = 0; i < BODIES; i++)
		bodies[i] = first[i];
	for (int step = 0; step < STEPS; step++)
		advance(0.5);
	for (int i = 0; i < BODIES; i++)
		sum += bodies[i].x + bodies[i].y + bodies[i].z;
	return (uint64_t)(int64_t)(sum * 0.01);
}
