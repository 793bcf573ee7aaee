/* SPDX-License-Identifier: MIT */
/*
 * characterize: what each instruction of a machine costs, found by measuring code made for the
 * purpose: throughput, latencies by operand pair, ports. After Abel and Reineke, "uops.info"
 * (ASPLOS 2019). The interface is takt.h's.
 */
#ifndef TAKT_CHARACTERIZE_H
#define TAKT_CHARACTERIZE_H

#include "model/model.h"

#endif
