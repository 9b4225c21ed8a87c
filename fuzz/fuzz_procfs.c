/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>

#include "client/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct procfs_status status = {0};
	uint64_t inode = 0;
	int64_t value = 0;

	procfs_status_parse(text, size, &status);
	procfs_number(text, size, &value);
	procfs_namespace(text, size, &inode);
	return 0;
}
