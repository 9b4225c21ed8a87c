/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arith.h"
#include "symbols/cache/index_format.h"

_Static_assert((int)TALLY_INDEX_END <= (int)TALLY_INDEX_SECTIONS,
	       "the header's table must hold all sections");
_Static_assert(sizeof(struct tally_index_header) == 16 + 2 * 24 + 16 + TALLY_INDEX_SECTIONS * 32,
	       "the header must not have padding");

/* ELF header of this program or library in memory, defined by the linker. */
extern const uint8_t __ehdr_start[] __attribute__((weak, visibility("hidden")));

int tally_index_producer(struct tally_build_id *ret_id)
{
	const ElfW(Ehdr) *ehdr = (const void *)__ehdr_start;
	const ElfW(Phdr) * phdr;
	uint64_t first = UINT64_MAX;
	int ret = -ENOENT;

	if (!ehdr)
		return -ENOENT;
	phdr = (const void *)(__ehdr_start + ehdr->e_phoff);
	for (int i = 0; i < ehdr->e_phnum; i++) {
		if (phdr[i].p_type == PT_LOAD && !phdr[i].p_offset)
			first = phdr[i].p_vaddr;
	}
	for (int i = 0; i < ehdr->e_phnum && ret && first != UINT64_MAX; i++) {
		if (phdr[i].p_type == PT_NOTE)
			ret = tally_notes_build_id(__ehdr_start + (phdr[i].p_vaddr - first),
						   phdr[i].p_memsz, ret_id->id, &ret_id->size);
	}
	return ret;
}

void tally_index_name_set(struct tally_index_name *name, const struct tally_build_id *id)
{
	*name = (struct tally_index_name){.size = (uint32_t)id->size};
	memcpy(name->id, id->id, id->size);
}

static bool name_is(const struct tally_index_name *name, const struct tally_build_id *id)
{
	return id->size && name->size == id->size && !memcmp(name->id, id->id, id->size);
}

static bool header_is_ours(const struct tally_index_header *header)
{
	struct tally_build_id producer;

	return !memcmp(header->magic, TALLY_INDEX_MAGIC, sizeof(header->magic)) &&
	       header->version == TALLY_INDEX_VERSION && header->order == TALLY_INDEX_ORDER &&
	       !tally_index_producer(&producer) && name_is(&header->producer, &producer);
}

static bool sections_fit(const struct tally_index_header *header)
{
	for (size_t i = 0; i < TALLY_INDEX_SECTIONS; i++) {
		const struct tally_index_section *section = &header->sections[i];

		if (section->offset % TALLY_INDEX_ALIGN ||
		    !tally_range_ok(section->offset, section->size, header->size))
			return false;
	}
	return true;
}

int tally_index_parse(const void *data, size_t len, const struct tally_build_id *object,
		      struct tally_index *ret_index)
{
	struct tally_index_header header;

	if (len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, data, sizeof(header));
	if (!header_is_ours(&header) || header.size != len || !name_is(&header.object, object) ||
	    header.sum != tally_index_header_sum(&header) || !sections_fit(&header))
		return -EBADMSG;
	*ret_index = (struct tally_index){.data = data, .len = len};
	return 0;
}

/* Read and check a section header again, because the file may have changed since it was opened. */
static bool section_get(const struct tally_index *index, size_t i,
			struct tally_index_section *ret_section)
{
	const struct tally_index_header *header = (const void *)index->data;

	*ret_section = header->sections[i];
	return ret_section->offset % TALLY_INDEX_ALIGN == 0 &&
	       tally_range_ok(ret_section->offset, ret_section->size, index->len);
}

static bool section_is_intact(struct tally_index *index, size_t i,
			      const struct tally_index_section *section)
{
	uint32_t bit = UINT32_C(1) << i;

	if (!(index->intact & bit) && !(index->is_broken & bit)) {
		if (tally_index_sum(index->data + section->offset, section->size) == section->sum)
			index->intact |= bit;
		else
			index->is_broken |= bit;
	}
	return index->intact & bit;
}

const void *tally_index_section(struct tally_index *index, enum tally_index_id id, size_t *ret_len)
{
	struct tally_index_section section;

	*ret_len = 0;
	for (size_t i = 0; index->data && i < TALLY_INDEX_SECTIONS; i++) {
		if (!section_get(index, i, &section) || section.id != id || !section.size)
			continue;
		if (!section_is_intact(index, i, &section))
			return NULL;
		*ret_len = section.size;
		return index->data + section.offset;
	}
	return NULL;
}

void tally_index_free(struct tally_index *index)
{
	if (index->is_mapped)
		munmap((void *)index->data, index->len);
	*index = (struct tally_index){0};
}
