/* SPDX-License-Identifier: BSD-2-Clause */
/* Documents of regions: whatever was accepted can be printed. */
#include <stdlib.h>

#include "base/json.h"
#include "cli/main/region_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct region_tables tables = {0};
	struct tally_str out = {0};

	/* Add the input twice, so that its regions are found again. */
	if (!region_tables_add(&tables, (const char *)data, size) &&
	    region_tables_add(&tables, (const char *)data, size))
		abort();
	region_tables_print(&tables, "#", ",", &out);
	tally_str_clear(&out);
	tally_json_open(&out, NULL, '{');
	region_tables_json(&tables, &out);
	tally_json_close(&out, '}');
	tally_vec_for_each (table, &tables.tables) {
		size_t nr = 0;

		for (uint32_t row = table->first; row != REGION_NO_ROW;
		     row = region_table_next(table, row))
			nr++;
		if (nr != table->rows.len)
			abort();
	}
	tally_str_free(&out);
	region_tables_free(&tables);
	return 0;
}
