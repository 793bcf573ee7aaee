/* SPDX-License-Identifier: MIT */
/* The table keeps to its width, whatever the core's ports. */
#include "../tap.h"
#include "fixture.h"
#include "report/table.h"

static const struct takt_port_column *column(const struct takt_table *table, const char *header)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (strcmp(table->columns[i].header, header) == 0)
			return &table->columns[i];
	return NULL;
}

static void test_fixture(void)
{
	struct takt_analysis analysis = fixture_analysis();
	struct takt_table table;

	takt_table_layout(&analysis, NULL, 100, &table);
	is_int(table.count, 4, "ports with work");
	is_int(table.idle, 2, "ports without");
	ok(column(&table, "p2") && column(&table, "p3"), "wide enough for each port alone");
	ok(!table.merged, "nothing shared");
	takt_table_layout(&analysis, NULL, 75, &table);
	ok(column(&table, "p23") != NULL, "equal ports share a column");
	ok(table.merged, "and it is said");
	is_int(table.place_is_address, false, "lines are known");
}

/* `equal`: of every four ports all have the same load. */
static uint32_t width_for(uint32_t ports, bool equal, uint32_t columns, bool *ret_fits)
{
	struct takt_analysis_insn insns[2] = {
		{.text = "vfmadd231pd ymm0, ymm1, ymmword ptr [rax+8*rcx+1024]",
		 .note = "",
		 .line = 100000,
		 .slots = 4,
		 .uops = 4},
		{.text = "x", .note = "", .line = 1},
	};
	struct takt_analysis analysis = fixture_analysis();
	char names[TAKT_PORTS_MAX][4];
	struct takt_table table;
	uint32_t used;

	for (uint32_t port = 0; port < ports; port++) {
		snprintf(names[port], sizeof(names[port]), "%c%X", 'a' + (int)(port / 8), port % 8);
		analysis.port_names[port] = names[port];
		insns[0].port_cycles[port] = 1 + 0.5 * (equal ? port / 4 : port);
		analysis.port_cycles[port] = insns[0].port_cycles[port];
	}
	analysis.port_count = ports;
	analysis.insns = insns;
	analysis.insn_count = 2;
	takt_table_layout(&analysis, NULL, columns, &table);
	used = 3 + table.text + table.critical_path + 1 + table.loop_carried + 1 + table.slots + 1 +
	       table.uops + 1 + table.latency + 1 + table.place + 1;
	for (uint32_t i = 0; i < table.count; i++)
		used += table.columns[i].width + 1;
	*ret_fits = table.text >= 26;
	return used;
}

static void test_widths(void)
{
	for (uint32_t ports = 1; ports <= TAKT_PORTS_MAX; ports++)
		for (uint32_t columns = 80; columns <= 160; columns += 20) {
			bool fits = false, fits_equal = false;
			uint32_t used = width_for(ports, false, columns, &fits);
			uint32_t used_equal = width_for(ports, true, columns, &fits_equal);

			if (used <= columns && used_equal <= columns && fits && fits_equal)
				continue;
			ok(false, "%u ports in %u columns: %u and %u", ports, columns, used,
			   used_equal);
			return;
		}
	ok(true, "1 to 32 ports in 80 to 160 columns");
}

static void test_names(void)
{
	static const struct {
		int line;
		uint32_t ports;
		const char *header;
	} rows[] = {
		{__LINE__, 0x3, "p01"},
		{__LINE__, 0x7, "p012"},
		{__LINE__, 0xb, "p015"},
		{__LINE__, 0x1f, "p0125f0"},
	};
	struct takt_analysis_insn insn = {.text = "a text that is far too long for the table, so "
						  "that equal ports have to share their columns",
					  .note = ""};
	struct takt_analysis analysis = {
		.port_count = 5,
		.port_names = {"p0", "p1", "p2", "p5", "f0"},
		.unroll_factor = 1,
		.insns = &insn,
		.insn_count = 1,
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_table table;

		for (uint32_t port = 0; port < 5; port++) {
			insn.port_cycles[port] = rows[i].ports >> port & 1;
			analysis.port_cycles[port] = insn.port_cycles[port];
		}
		takt_table_layout(&analysis, NULL, 60, &table);
		tap_is_string(__FILE__, rows[i].line, table.columns[0].header, rows[i].header,
			      "shared header");
	}
}

int main(void)
{
	test_fixture();
	test_widths();
	test_names();
	return tap_done();
}
