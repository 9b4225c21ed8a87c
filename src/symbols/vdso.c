/* SPDX-License-Identifier: BSD-2-Clause */
/* The vdso, read from the memory of this process, because it has no file. */
#include "symbols/vdso.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/origin.h"
#include "symbols/symbols_text.h"

/* Copy this process's own vdso. If the running kernel is the recorded one, this is the recorded
 * vdso. The copy is not suitable for processes of other kinds, which have a different vdso
 * ("[vdso32]"). */
static int vdso_copy(uint8_t **ret_data, size_t *ret_len)
{
	uint64_t start = 0, end = 0;
	struct tally_text line;
	char *maps, *at;
	size_t len;
	int ret = tally_file_read("/proc/self/maps", 1 << 24, &maps, &len);

	if (ret)
		return ret;
	at = strstr(maps, "[vdso]");
	while (at && at > maps && at[-1] != '\n')
		at--;
	line = (struct tally_text){at ? at : maps + len, maps + len};
	ret = -ENOENT;
	if (tally_text_hex(&line, &start) && *line.at++ == '-' && tally_text_hex(&line, &end) &&
	    end > start) {
		*ret_data = malloc(end - start);
		ret = *ret_data ? 0 : -ENOMEM;
	}
	if (!ret) {
		memcpy(*ret_data, (const void *)(uintptr_t)start, end - start);
		*ret_len = end - start;
	}
	free(maps);
	return ret;
}

int tally_dso_open_vdso(const struct tally_dso *dso, struct tally_image *ret_image)
{
	uint8_t *data;
	size_t len;
	int ret = dso->build_id.size ? 0 : tally_kernel_is_here(dso->owner);

	if (!ret && strcmp(dso->name, "[vdso]"))
		ret = -ENOENT;
	if (!ret)
		ret = vdso_copy(&data, &len);
	return ret ? ret : tally_image_adopt(data, len, &dso->build_id, ret_image);
}
