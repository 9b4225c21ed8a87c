/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elf/elf_bytes.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "symbols/elf/unpack.h"

/* Section compression header. */
struct packing {
	uint32_t type; /* ch_type */
	size_t head;   /* size of the header */
	uint64_t size; /* decompressed size */
};

/* Find the old compressed form of a section: ".zdebug_info" for ".debug_info". */
static bool old_section(const struct tally_elf *elf, const char *name,
			struct tally_elf_section *ret_section)
{
	char old[32];

	if (strncmp(name, ".debug", 6))
		return false;
	snprintf(old, sizeof(old), ".z%s", name + 1);
	return tally_elf_section_by_name(elf, old, ret_section);
}

static bool find_section(const struct tally_elf *elf, const char *name,
			 struct tally_elf_section *ret_section, bool *ret_is_old)
{
	*ret_is_old = false;
	if (tally_elf_section_by_name(elf, name, ret_section))
		return ret_section->type != SHT_NOBITS;
	*ret_is_old = true;
	return old_section(elf, name, ret_section) && ret_section->type != SHT_NOBITS;
}

bool tally_elf_has_bytes(const struct tally_elf *elf, const char *name)
{
	struct tally_elf_section section;
	bool is_old;

	return find_section(elf, name, &section, &is_old) && section.size;
}

/* Parse the old compression header: "ZLIB", then the size in big-endian byte order. */
static bool old_packing(const uint8_t *data, size_t len, struct packing *packing)
{
	enum { HEAD = 12 };

	if (len < HEAD || memcmp(data, "ZLIB", 4))
		return false;
	*packing = (struct packing){ELFCOMPRESS_ZLIB, HEAD, 0};
	for (int i = 4; i < HEAD; i++)
		packing->size = packing->size << 8 | data[i];
	return true;
}

static bool new_packing(const struct tally_elf *elf, const uint8_t *data, size_t len,
			struct packing *packing)
{
	if (len < (elf->is64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr)))
		return false;
	packing->type = tally_load_u32(data, elf->swap);
	packing->head = elf->is64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	packing->size = elf->is64 ? tally_load_u64(data + offsetof(Elf64_Chdr, ch_size), elf->swap)
				  : tally_load_u32(data + offsetof(Elf32_Chdr, ch_size), elf->swap);
	return true;
}

static int unpack(const uint8_t *data, size_t len, const struct packing *packing, uint64_t most,
		  struct tally_elf_bytes *bytes)
{
	int ret;

	if (packing->size > most || packing->size > SIZE_MAX)
		return -EFBIG;
	ret = tally_unpack_section(packing->type, data + packing->head, len - packing->head,
				   (size_t)packing->size, &bytes->unpacked);
	if (ret)
		return ret;
	bytes->data = bytes->unpacked;
	bytes->len = (size_t)packing->size;
	return 0;
}

int tally_elf_bytes_get(const struct tally_elf *elf, const char *name, uint64_t most,
			struct tally_elf_bytes *ret_bytes)
{
	struct tally_elf_bytes bytes = {0};
	struct tally_elf_section section;
	struct packing packing = {0};
	bool is_old, is_packed;
	int ret = 0;

	if (!find_section(elf, name, &section, &is_old))
		return -ENOENT;
	if (tally_elf_section_is_hollow(elf, &section))
		return -EFBIG;
	bytes.data = tally_elf_section_data(elf, &section, &bytes.len);
	bytes.addr = section.addr;
	if (!bytes.data)
		return -ENOENT;
	is_packed = is_old || section.flags & SHF_COMPRESSED;
	if (is_packed && !(is_old ? old_packing(bytes.data, bytes.len, &packing)
				  : new_packing(elf, bytes.data, bytes.len, &packing)))
		ret = -EINVAL;
	else if (is_packed)
		ret = unpack(bytes.data, bytes.len, &packing, most, &bytes);
	else if (bytes.len > most)
		ret = -EFBIG;
	if (!ret)
		*ret_bytes = bytes;
	return ret;
}

void tally_elf_bytes_free(struct tally_elf_bytes *bytes)
{
	free(bytes->unpacked);
	*bytes = (struct tally_elf_bytes){0};
}
