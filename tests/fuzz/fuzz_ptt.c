/* SPDX-License-Identifier: MIT */
/* Any bytes as a kernel of likwid-bench: it becomes assembly, or the one error says why not. */
#include <stdlib.h>
#include <string.h>

#include "validate/ptt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_ptt ptt;

	if (takt_ptt_read(data, size, "fuzz.ptt", diag, &ptt) == TAKT_OK) {
		if (!ptt.streams || ptt.streams > KERNEL_STREAMS_MAX || !ptt.increment ||
		    !(ptt.bytes || ptt.flops) || takt_diag_error_count(diag) ||
		    !memmem(takt_text_data(&ptt.assembly), ptt.assembly.size_bytes, "; ret\n", 6))
			abort();
		takt_ptt_release(&ptt);
	} else if (takt_diag_error_count(diag) != 1) {
		abort();
	}
	takt_diag_free(diag);
	return 0;
}
