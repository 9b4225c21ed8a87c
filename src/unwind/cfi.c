/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/cfi.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"

/* DW_EH_PE_*: address encodings. */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_RELATION = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

enum { WIDE_LENGTH = 0xffffffff, ADDRESS_SIZE = 8, AUGMENTATION_MAX = 32, MAX_EMPTY = 16 };

static bool address_read(struct tally_bytes_reader *bytes, uint8_t format, uint64_t *ret_value)
{
	switch (format) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8: *ret_value = tally_bytes_u64(bytes); return true;
	case PE_ULEB128: *ret_value = tally_bytes_uleb(bytes); return true;
	case PE_SLEB128: *ret_value = (uint64_t)tally_bytes_sleb(bytes); return true;
	case PE_UDATA2: *ret_value = tally_bytes_u16(bytes); return true;
	case PE_UDATA4: *ret_value = tally_bytes_u32(bytes); return true;
	case PE_SDATA2: *ret_value = (uint64_t)(int16_t)tally_bytes_u16(bytes); return true;
	case PE_SDATA4: *ret_value = (uint64_t)(int32_t)tally_bytes_u32(bytes); return true;
	}
	return false;
}

bool tally_cfi_address(struct tally_bytes_reader *bytes, uint8_t encoding, uint64_t vaddr,
		       uint64_t *ret_address)
{
	uint8_t relation = encoding & PE_RELATION;
	uint64_t value;

	if (relation && relation != PE_PCREL)
		return false;
	if (!address_read(bytes, encoding & PE_FORMAT, &value))
		return false;
	*ret_address = relation ? value + vaddr : value;
	return true;
}

/* Return the virtual address of the next byte to be read. */
static uint64_t here(const struct tally_cfi_section *section,
		     const struct tally_bytes_reader *bytes)
{
	return section->vaddr + (uint64_t)(bytes->at - section->data);
}

/* Parse the letters after 'z' in an augmentation, with their data. */
static bool common_letters(const struct tally_cfi_section *section, const char *letters,
			   struct tally_bytes_reader *bytes, struct tally_cfi_common *common)
{
	uint64_t ignored;
	uint8_t encoding;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'L': tally_bytes_u8(bytes); break;
		case 'R': common->encoding = tally_bytes_u8(bytes); break;
		case 'S': common->is_signal = true; break;
		case 'B': break; /* AArch64: return addresses are signed with key B */
		case 'P':
			/* The address is skipped, so its base does not matter. */
			encoding = tally_bytes_u8(bytes);
			if (encoding != PE_OMIT &&
			    !address_read(bytes, encoding & PE_FORMAT, &ignored))
				return false;
			break;
		default: return false;
		}
	}
	return true;
}

/* Parse a CIE's augmentation. Return false if it is unknown, because then the CIE cannot be
 * interpreted. */
static bool common_augmentation(const struct tally_cfi_section *section, const char *text,
				struct tally_bytes_reader *bytes, struct tally_cfi_common *common)
{
	struct tally_bytes_reader data = *bytes;
	uint64_t len;
	const uint8_t *behind;

	if (!*text)
		return true;
	if (*text != 'z')
		return false;
	len = tally_bytes_uleb(bytes);
	data = *bytes;
	behind = tally_bytes_skip(bytes, len);
	if (!behind)
		return false;
	data.end = bytes->at;
	common->has_augmentation = true;
	return common_letters(section, text + 1, &data, common) && !data.failed;
}

/* Parse the version and the augmentation string. Version 4 adds the address size, and the segment
 * selector size, which must be 0. */
static bool common_head(struct tally_bytes_reader *bytes, const char **ret_text,
			uint8_t *ret_version)
{
	const uint8_t *text, *nul;

	*ret_version = tally_bytes_u8(bytes);
	if (*ret_version != 1 && *ret_version != 3 && *ret_version != 4)
		return false;
	text = bytes->at;
	nul = memchr(text, 0, TALLY_MIN(tally_bytes_left(bytes), AUGMENTATION_MAX));
	if (!nul)
		return false;
	*ret_text = (const char *)text;
	tally_bytes_skip(bytes, (uint64_t)(nul - text) + 1);
	return *ret_version < 4 ||
	       (tally_bytes_u8(bytes) == ADDRESS_SIZE && tally_bytes_u8(bytes) == 0);
}

static bool common_parse(const struct tally_cfi_section *section, struct tally_bytes_reader bytes,
			 uint64_t at, struct tally_cfi_common *ret_common)
{
	struct tally_cfi_common common = {.at = at, .encoding = PE_ABSPTR};
	const char *text;
	uint8_t version;

	if (!common_head(&bytes, &text, &version))
		return false;
	common.code_align = tally_bytes_uleb(&bytes);
	common.data_align = tally_bytes_sleb(&bytes);
	common.ra = version == 1 ? tally_bytes_u8(&bytes) : tally_bytes_uleb(&bytes);
	if (!common_augmentation(section, text, &bytes, &common) || bytes.failed)
		return false;
	common.start = (struct tally_cfi_program){bytes.at, tally_bytes_left(&bytes)};
	*ret_common = common;
	return true;
}

/* Head of an entry. */
struct entry_head {
	struct tally_bytes_reader body; /* after `id` */
	uint64_t id, id_at;             /* id is 0 or all ones for a CIE, else locates the CIE */
	uint64_t next;                  /* offset of the next entry */
	bool is_common;
};

/* Read the head of an entry. Return 1, 0 at the end, or -EINVAL if the length exceeds the
 * section. */
static int head_read(const struct tally_cfi_section *section, uint64_t at,
		     struct entry_head *ret_head)
{
	struct tally_bytes_reader bytes = {section->data + at, section->data + section->len,
					   section->swap, false};
	struct entry_head head;
	uint64_t len;
	bool is_wide;

	if (section->len - at < 4)
		return 0;
	len = tally_bytes_u32(&bytes);
	is_wide = len == WIDE_LENGTH;
	if (is_wide)
		len = tally_bytes_u64(&bytes);
	if (!len && section->is_open)
		return 0;
	if (bytes.failed || len > tally_bytes_left(&bytes))
		return -EINVAL;
	bytes.end = bytes.at + len;
	head.next = (uint64_t)(bytes.end - section->data);
	head.id_at = (uint64_t)(bytes.at - section->data);
	head.id = is_wide && section->is_debug ? tally_bytes_u64(&bytes) : tally_bytes_u32(&bytes);
	if (!section->is_debug)
		head.is_common = !head.id;
	else
		head.is_common = head.id == (is_wide ? UINT64_MAX : UINT32_MAX);
	head.body = bytes;
	*ret_head = head;
	return 1;
}

/* Find an entry's CIE. The last CIE is cached, because consecutive entries usually share it. */
static bool common_find(struct tally_cfi_walk *walk, const struct entry_head *head)
{
	const struct tally_cfi_section *section = &walk->section;
	uint64_t at = section->is_debug ? head->id : head->id_at - head->id;
	struct entry_head common;

	if (walk->has_common && walk->common.at == at)
		return true;
	walk->has_common = false;
	if (at >= section->len || head_read(section, at, &common) <= 0 || !common.is_common ||
	    !common_parse(section, common.body, at, &walk->common))
		return false;
	walk->has_common = true;
	return true;
}

static bool entry_parse(const struct tally_cfi_walk *walk, const struct entry_head *head,
			struct tally_cfi_entry *ret_entry)
{
	struct tally_cfi_entry entry = {.common = walk->common};
	struct tally_bytes_reader bytes = head->body;
	uint8_t encoding = entry.common.encoding;

	if (!tally_cfi_address(&bytes, encoding, here(&walk->section, &bytes), &entry.start) ||
	    !address_read(&bytes, encoding & PE_FORMAT, &entry.size))
		return false;
	if (entry.common.has_augmentation)
		tally_bytes_skip(&bytes, tally_bytes_uleb(&bytes));
	if (bytes.failed || entry.common.encoding & PE_INDIRECT)
		return false;
	entry.program = (struct tally_cfi_program){bytes.at, tally_bytes_left(&bytes)};
	*ret_entry = entry;
	return true;
}

/* Return true after too many consecutive zero lengths, which mean that no more entries follow. */
static bool is_padding(struct tally_cfi_walk *walk, const struct entry_head *head)
{
	bool is_empty = head->id_at == head->next;

	walk->nr_empty = is_empty ? walk->nr_empty + 1 : 0;
	return walk->nr_empty > MAX_EMPTY;
}

int tally_cfi_next(struct tally_cfi_walk *walk, struct tally_cfi_entry *ret_entry)
{
	struct entry_head head;
	int ret;

	while (walk->at < walk->section.len) {
		ret = head_read(&walk->section, walk->at, &head);
		if (ret <= 0)
			return ret;
		if (is_padding(walk, &head))
			return 0;
		walk->at = head.next;
		if (head.is_common || head.body.failed)
			continue;
		if (common_find(walk, &head) && entry_parse(walk, &head, ret_entry))
			return 1;
	}
	return 0;
}
