/* SPDX-License-Identifier: MIT */
/*
 * Meanings of processors' events. To add one, add a row. Rows are for events whose expected counts
 * follow exactly from those of kernels; if prefetchers, wrong paths or other programs contribute to
 * an event, it is expected to count as if they did not, and the verdict shows whether that holds.
 */
#include <string.h>

#include "validate/check.h"
#include "validate/meanings.h"

#define FP32 "FP32_SCALAR+FP32_128+FP32_256+FP32_512"
#define FP64 "FP64_SCALAR+FP64_128+FP64_256+FP64_512"
#define ACCESSES "LOADS+STORES"

const struct check_meaning takt_meanings[] = {
	{"INST_RETIRED.ANY_P", "INSTRUCTIONS", 1, 0},
	{"INST_RETIRED", "INSTRUCTIONS", 1, 0},
	{"INST_SPEC", "INSTRUCTIONS", 1, 0},
	{"ex_ret_instr", "INSTRUCTIONS", 1, 0},
	{"BR_INST_RETIRED.ALL_BRANCHES", "BRANCHES", 1, 0},
	{"BR_RETIRED", "BRANCHES", 1, 0},
	{"BR_PRED", "BRANCHES", 1, 0},
	{"ex_ret_brn", "BRANCHES", 1, 0},
	{"MEM_INST_RETIRED.ALL_LOADS", "LOADS", 1, 0},
	{"MEM_UOPS_RETIRED.ALL_LOADS", "LOADS", 1, 0},
	{"LD_SPEC", "LOADS", 1, 0},
	{"L1D_CACHE_RD", "LOADS", 1, 0},
	{"MEM_ACCESS_RD", "LOADS", 1, 0},
	{"ls_dispatch.ld_dispatch", "LOADS", 1, 0},
	{"MEM_INST_RETIRED.ALL_STORES", "STORES", 1, 0},
	{"MEM_UOPS_RETIRED.ALL_STORES", "STORES", 1, 0},
	{"ST_SPEC", "STORES", 1, 0},
	{"L1D_CACHE_WR", "STORES", 1, 0},
	{"MEM_ACCESS_WR", "STORES", 1, 0},
	{"ls_dispatch.store_dispatch", "STORES", 1, 0},
	{"L1D_CACHE", ACCESSES, 1, 0},
	{"MEM_ACCESS", ACCESSES, 1, 0},
	/* Among the kernels, only `atomic` loads and stores the same data by one instruction. */
	{"ls_dispatch.ld_st_dispatch", "ATOMICS", 1, MEANING_KERNELS},
	{"FP_ARITH_INST_RETIRED.SCALAR_DOUBLE", "FP64_SCALAR", 1, 0},
	{"FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE", "FP64_128", 2, 0},
	{"FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE", "FP64_256", 4, 0},
	{"FP_ARITH_INST_RETIRED.512B_PACKED_DOUBLE", "FP64_512", 8, 0},
	{"FP_ARITH_INST_RETIRED.SCALAR_SINGLE", "FP32_SCALAR", 1, 0},
	{"FP_ARITH_INST_RETIRED.128B_PACKED_SINGLE", "FP32_128", 4, 0},
	{"FP_ARITH_INST_RETIRED.256B_PACKED_SINGLE", "FP32_256", 8, 0},
	{"FP_ARITH_INST_RETIRED.512B_PACKED_SINGLE", "FP32_512", 16, 0},
	{"AVX_INSTS.CALC", "FP_INSTRUCTIONS", 1, 0},
	/*
	 * The event counts sums, products, quotients and roots; the oracle also counts comparisons,
	 * minima and maxima.
	 */
	{"fp_ret_sse_avx_ops.all", FP32 "+" FP64, 1, MEANING_KERNELS},
	/* These events count all but SVE instructions, which no kernel has. */
	{"FP_FIXED_OPS_SPEC", FP32 "+" FP64, 1, MEANING_KERNELS},
	{"FP_SP_FIXED_OPS_SPEC", FP32, 1, MEANING_KERNELS},
	{"FP_DP_FIXED_OPS_SPEC", FP64, 1, MEANING_KERNELS},
	{"L1D.REPLACEMENT", "L1_LINES_IN", 1, 0},
	{"L1D_CACHE_REFILL", "L1_LINES_IN", 1, 0},
	{"ls_any_fills_from_sys.all", "L1_LINES_IN", 1, 0},
	{"l2_request_g1.all_dc", "L1_LINES_IN", 1, 0},
	{"L2_TRANS.L1D_WB", "L1_LINES_OUT", 1, 0},
	{"L1D.M_EVICT", "L1_LINES_OUT", 1, 0},
	{"L1D_CACHE_WB", "L1_LINES_OUT", 1, 0},
	{"L2_LINES_IN.ALL", "L2_LINES_IN", 1, 0},
	{"L2D_CACHE_REFILL", "L2_LINES_IN", 1, 0},
	{"L2_TRANS.L2_WB", "L2_LINES_OUT", 1, 0},
	{"L2D_CACHE_WB", "L2_LINES_OUT", 1, 0},
	{"L3D_CACHE_REFILL", "L3_LINES_IN", 1, 0},
	{"LL_CACHE_MISS_RD", "L3_LINES_IN", 1, 0},
	{"UNC_M_CAS_COUNT.RD", "L3_LINES_IN", 1, 0},
	{"UNC_MC_FREE_RUNNING.RD", "L3_LINES_IN", 1, 0},
	{"l3_lookup_state.l3_miss", "L3_LINES_IN", 1, 0},
	{"l3_comb_clstr_state.request_miss", "L3_LINES_IN", 1, 0},
	{"umc_cas_cmd.rd", "L3_LINES_IN", 1, 0},
	{"CMEM_RD_DATA", "L3_LINES_IN", 0.5, 0}, /* counts transfers of 32 bytes */
	{"UNC_M_CAS_COUNT.WR", "L3_LINES_OUT", 1, 0},
	{"UNC_MC_FREE_RUNNING.WR", "L3_LINES_OUT", 1, 0},
	{"UNC_H_IMC_WRITES.ALL", "L3_LINES_OUT", 1, 0},
	{"umc_cas_cmd.wr", "L3_LINES_OUT", 1, 0},
	{"CMEM_WR_TOTAL_BYTES", "L3_LINES_OUT", 1.0 / 64, 0},
	{"MEM_LOAD_UOPS_L3_HIT_RETIRED.XSNP_HITM", "SHARED_LINES_WRITTEN", 1, MEANING_ORDER},
	{"MEM_LOAD_UOPS_L3_MISS_RETIRED.REMOTE_HITM", "SHARED_LINES_WRITTEN", 1, MEANING_ORDER},
	{"MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD", "SHARED_LINES_WRITTEN", 1, MEANING_ORDER},
	{"MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM", "SHARED_LINES_WRITTEN", 1, MEANING_ORDER},
	{"ls_dmnd_fills_from_sys.local_ccx", "SHARED_LINES_WRITTEN", 1, MEANING_ORDER},
	{"ls_dmnd_fills_from_sys.near_cache", "SHARED_LINES_WRITTEN", 1, MEANING_ORDER},
	{"ls_dmnd_fills_from_sys.far_cache", "SHARED_LINES_WRITTEN", 1, MEANING_ORDER},
	{"ls_refills_from_sys.ls_mabresp_lcl_cache", "SHARED_LINES_WRITTEN", 1, MEANING_ORDER},
	{"ls_refills_from_sys.ls_mabresp_rmt_cache", "SHARED_LINES_WRITTEN", 1, MEANING_ORDER},
};

const size_t takt_meaning_count = TAKT_COUNT_OF(takt_meanings);

const struct check_meaning *takt_meaning_find(const char *event)
{
	for (size_t i = 0; i < takt_meaning_count; i++)
		if (strcmp(takt_meanings[i].event, event) == 0)
			return &takt_meanings[i];
	return NULL;
}

static size_t find_event(const char *name, size_t size)
{
	size_t i = 0;

	while (!takt_string_is(takt_check_events[i].name, name, size))
		i++;
	return i;
}

double takt_meaning_value(const struct check_meaning *meaning, const struct oracle_counts *counts)
{
	const char *at = meaning->meaning;
	uint64_t sum = 0;

	while (*at) {
		size_t size = strcspn(at, "+");

		sum += takt_check_value(counts, find_event(at, size));
		at += size + (at[size] == '+');
	}
	return (double)sum / meaning->per;
}

bool takt_meaning_is_volume(const struct check_meaning *meaning)
{
	size_t event = find_event(meaning->meaning, strcspn(meaning->meaning, "+"));

	return takt_check_events[event].origin == TAKT_MODELLED;
}

/* ---- all events of a family's groups ---- */

/* True if one of the family's groups has the event; lists those groups: "L2 MEM". */
static bool is_in_groups(const struct events_group *const *groups, uint32_t group_count,
			 const char *event, struct takt_text *ret_names)
{
	bool found = false;

	for (uint32_t i = 0; i < group_count; i++)
		for (uint32_t k = 0; k < groups[i]->event_count; k++) {
			if (strcmp(groups[i]->events[k].counter, event) != 0)
				continue;
			takt_text_printf(ret_names, "%s%s", found ? " " : "", groups[i]->name);
			found = true;
			break;
		}
	return found;
}

static void write_events(const struct events_library *library, const struct events_family *family,
			 const struct events_group *const *groups, uint32_t group_count, bool known,
			 struct takt_text *text)
{
	for (uint32_t i = 0; i < library->family_count; i++)
		for (uint32_t k = 0; k < library->families[i].event_count; k++) {
			const struct events_event *event = &library->families[i].events[k];
			const struct check_meaning *meaning = takt_meaning_find(event->name);
			struct takt_text names = {0};

			if (takt_events_event_find(library, family, event->name) != event ||
			    (meaning != NULL) != known)
				continue;
			if (is_in_groups(groups, group_count, event->name, &names)) {
				takt_text_printf(text, "  %s: %s\n", event->name,
						 takt_text_data(&names));
				if (meaning)
					takt_text_printf(
						text, "      %s%s\n",
						meaning->flags & MEANING_ORDER ? "grows with " : "",
						meaning->meaning);
			}
			takt_text_release(&names);
		}
}

enum takt_status takt_write_meanings(const char *family_name, struct takt_diag *diag,
				     struct takt_text *text)
{
	const struct events_group **groups;
	const struct events_family *family = NULL;
	const char *const *names;
	struct events_library library;
	struct takt_arena arena = {0};
	enum takt_status status;
	uint32_t count = 0;

	status = takt_events_library_open(NULL, &arena, diag, &library);
	if (status == TAKT_OK) {
		family = takt_events_family_named(&library, family_name, diag);
		status = family ? TAKT_OK : TAKT_NOT_FOUND;
	}
	if (status == TAKT_OK) {
		names = takt_events_group_names(&library, family, &count);
		groups = TAKT_NEW_ARRAY(&arena, count, const struct events_group *);
		for (uint32_t i = 0; i < count && status == TAKT_OK; i++)
			status = takt_events_group_open(&library, family, names[i], diag,
							&groups[i]);
	}
	if (status == TAKT_OK) {
		takt_text_printf(text, "%s: %s\n\nEvents of groups, and what kernels say of them\n",
				 family->name, family->title);
		write_events(&library, family, groups, count, true, text);
		takt_text_add_string(text, "\nOf which kernels say nothing\n");
		write_events(&library, family, groups, count, false, text);
	}
	takt_arena_release(&arena);
	return status;
}
