/* SPDX-License-Identifier: BSD-2-Clause */
/* .gnu_debuglink: the name and CRC32 of the separate file that contains an image's debug
 * sections. */
#include "symbols/elf/elf.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/arith.h"
#include "base/endian.h"

int tally_elf_debuglink(const struct tally_elf *elf, const char **ret_name, uint32_t *ret_crc)
{
	struct tally_elf_section section;
	const uint8_t *data, *end;
	size_t len, at;

	if (!tally_elf_section_by_name(elf, ".gnu_debuglink", &section))
		return -ENOENT;
	data = tally_elf_section_data(elf, &section, &len);
	end = data ? memchr(data, 0, len) : NULL;
	if (!end || end == data)
		return -EINVAL;
	at = tally_round_up((size_t)(end - data) + 1, 4);
	if (!tally_range_ok(at, sizeof(uint32_t), len))
		return -EINVAL;
	*ret_name = (const char *)data;
	*ret_crc = tally_load_u32(data + at, elf->swap);
	return 0;
}

uint32_t tally_elf_debuglink_crc(const uint8_t *data, size_t len)
{
	return (uint32_t)crc32_z(0, data, len);
}
