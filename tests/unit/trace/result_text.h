/* SPDX-License-Identifier: MIT */
/* A small result, as docs/formats/results.md has it, of two functions that tests change. */
#ifndef RESULT_TEXT_H
#define RESULT_TEXT_H

/* Of 5 % of the cycles: `sum`'s second block. mov eax,1 / inc eax; ret */
#define RESULT_TEXT                                                                                \
	"{\"schema\": \"takt-trace-1\", \"guest\": \"x86-64\", \"core\": \"SKX\", "                \
	"\"settings\": \"--cache\", \"units\": {\"cycles\": \"of the core\"}, "                    \
	"\"loss_names\": [\"retiring\", \"unheard of\", \"memory\"], "                             \
	"\"instructions\": 1000, \"repeats\": 0, \"interrupted\": 0, \"blocks\": 300, "            \
	"\"taken\": 1, \"not_taken\": 2, \"loads\": null, \"load_bytes\": null, "                  \
	"\"stores\": null, \"store_bytes\": null, \"syscalls\": 3, \"uops\": 1100, "               \
	"\"cycles\": 500, \"losses\": [400, 0, 100], \"distinct_blocks\": 3, "                     \
	"\"checked_instructions\": null, \"exit_status\": -1, \"signal\": 6, "                     \
	"\"became_other\": true, \"threads\": [{\"instructions\": 1000}], "                        \
	"\"functions\": [{\"name\": \"main\", \"symbol\": \"main\", \"file\": \"/bin/old\", "      \
	"\"address\": \"0x401000\", \"size_bytes\": 16, \"calls\": 1, \"instructions\": 400, "     \
	"\"cycles\": 200, \"losses\": [150, 0, 50], \"total_instructions\": 1000, "                \
	"\"total_cycles\": 500}, {\"name\": \"sum(int)\", \"symbol\": \"_Z3sumi\", "               \
	"\"file\": \"/bin/old\", \"address\": \"0x401010\", \"size_bytes\": null, "                \
	"\"calls\": 100, \"instructions\": 600, \"cycles\": 300, \"losses\": [250, 0, 50], "       \
	"\"total_instructions\": 600, \"total_cycles\": 300}], "                                   \
	"\"blocks_run\": [{\"function\": 0, \"offset\": 0, \"address\": \"0x401000\", "            \
	"\"length\": 1, \"bytes\": \"b801000000\", \"executions\": 400, \"instructions\": 400, "   \
	"\"cycles\": 200, \"losses\": [150, 0, 50]}, {\"function\": 1, \"offset\": 0, "            \
	"\"address\": \"0x401010\", \"length\": 1, \"bytes\": \"b801000000\", "                    \
	"\"executions\": 100, \"instructions\": 100, \"cycles\": 275, "                            \
	"\"losses\": [225, 0, 50]}, {\"function\": 1, \"offset\": 5, \"address\": \"0x401015\", "  \
	"\"length\": 2, \"bytes\": \"ffc0c3\", \"executions\": 100, \"instructions\": 200, "       \
	"\"cycles\": 25, \"losses\": [25, 0, 0]}], \"lines\": []}\n"

#endif
