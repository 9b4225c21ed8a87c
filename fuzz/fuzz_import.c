/* SPDX-License-Identifier: BSD-2-Clause */
/* Import stacks from a Parquet file or folded text, and write the recording of them. */
#include <stdlib.h>
#include <unistd.h>

#include "base/memory_file.h"
#include "import/imported.h"
#include "parquet/parquet_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct import_input input = {
		.path = "input", .bytes = (const char *)data, .len = size};
	struct imported imported = {0};
	int ret, fd;

	ret = tally_parquet_is(data, size) ? import_table(&imported, &input)
					   : import_folded(&imported, &input);
	if (!ret) {
		fd = tally_memory_file("fuzz");
		if (fd < 0 || import_write(&imported, fd))
			abort();
		close(fd);
	}
	imported_free(&imported);
	return 0;
}
