/* SPDX-License-Identifier: MIT */
/*
 * dead: code that runs once and changes no result, some 36 instructions in main with -DDEAD; and
 * how much work there is: -DPERCENT=101 is 1 % more.
 */
static volatile unsigned idle;
#ifdef DEAD
#define DEAD_CODE(argc)                                                                            \
	do {                                                                                       \
		idle = (unsigned)(argc)*3u;                                                        \
		idle = idle + 17u;                                                                 \
		if (idle > 1000u)                                                                  \
			idle = idle / 7u;                                                          \
		idle = idle ^ 0x55u;                                                               \
		idle = idle << 2;                                                                  \
		idle = idle + (unsigned)(argc);                                                    \
		idle = idle * 5u + 1u;                                                             \
		idle = idle >> 1;                                                                  \
	} while (0)
#else
#define DEAD_CODE(argc) ((void)(argc), (void)idle)
#endif

#ifndef PERCENT
#define PERCENT 100
#endif
#define SHARE(amount) ((int)((long)(amount)*PERCENT / 100))
