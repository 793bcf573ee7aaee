/* SPDX-License-Identifier: MIT */
/* takt-pfm.so: encodes events by the names that libpfm4 knows. */
#include <perfmon/pfmlib_perf_event.h>
#include <string.h>

#include "events/pmu.h"

const char *takt_pfm_encode(const char *name, struct pfm_encoding *ret_encoding);

const char *takt_pfm_encode(const char *name, struct pfm_encoding *ret_encoding)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes)};
	pfm_perf_encode_arg_t argument = {.attr = &attributes, .size = sizeof(argument)};
	int error = pfm_initialize();

	if (error == PFM_SUCCESS)
		error = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT,
						  &argument);
	if (error != PFM_SUCCESS)
		return pfm_strerror(error);
	*ret_encoding = (struct pfm_encoding){
		.type = attributes.type,
		.config = attributes.config,
		.config1 = attributes.config1,
		.config2 = attributes.config2,
	};
	return NULL;
}
