/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/elf/elf_frames.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"

/* ---- sections ------------------------------------------------------------------- */

static void add_section(struct tally_elf_frames *frames, const struct tally_elf *elf,
			const char *name, bool is_debug)
{
	enum { SECTION_MAX = 256 << 20 };
	size_t nr = frames->source.nr_sections;
	struct tally_elf_bytes *bytes = &frames->bytes[nr];

	if (nr == TALLY_FRAMES_SECTIONS || tally_elf_bytes_get(elf, name, SECTION_MAX, bytes))
		return;
	frames->sections[nr] = (struct tally_cfi_section){.data = bytes->data,
							  .len = bytes->len,
							  .vaddr = bytes->addr,
							  .is_debug = is_debug,
							  .swap = elf->swap};
	frames->source.nr_sections++;
}

/* Find .eh_frame in an image without sections, using .eh_frame_hdr, the search table that the
 * program itself needs to handle exceptions. It contains the address of .eh_frame, but not its
 * size. */
static void add_by_header(struct tally_elf_frames *frames, const struct tally_elf *elf)
{
	enum { VERSION = 1, BEFORE_POINTER = 4 };
	struct tally_bytes_reader bytes = {.swap = elf->swap};
	struct tally_elf_segment segment;
	uint64_t vaddr, offset;
	uint32_t i = 0;

	while (tally_elf_segment(elf, i, &segment) && segment.type != PT_GNU_EH_FRAME)
		i++;
	if (i == elf->phnum || !tally_range_ok(segment.offset, segment.filesz, elf->len) ||
	    segment.filesz < BEFORE_POINTER || elf->data[segment.offset] != VERSION)
		return;
	bytes.at = elf->data + segment.offset + BEFORE_POINTER;
	bytes.end = elf->data + segment.offset + segment.filesz;
	if (!tally_cfi_address(&bytes, elf->data[segment.offset + 1],
			       segment.vaddr + BEFORE_POINTER, &vaddr) ||
	    bytes.failed || !tally_elf_vaddr_to_offset(elf, vaddr, &offset) || offset >= elf->len)
		return;
	frames->sections[frames->source.nr_sections++] =
		(struct tally_cfi_section){.data = elf->data + offset,
					   .len = elf->len - offset,
					   .vaddr = vaddr,
					   .is_open = true,
					   .swap = elf->swap};
}

/* ---- code ------------------------------------------------------------------------ */

/* Add the code in a segment. The code will be scanned, so leave out holes, which can be gigabytes
 * in size. However, include holes of up to 1 MB in total; otherwise, the array could be too small
 * for a copied file in which zeros became holes. */
static void add_code(struct tally_elf_frames *frames, const struct tally_elf *elf,
		     const struct tally_elf_segment *segment)
{
	enum { HOLES_MAX = 1 << 20 };
	const uint64_t end = segment->offset + segment->filesz;
	uint64_t at = segment->offset, holes = 0, start, next;
	struct tally_unwind_piece *code = NULL;

	for (; at < end; at = next) {
		tally_file_map_data(&elf->file, at, end, &start, &next);
		if (start == end)
			return;
		if (code && start - at <= HOLES_MAX - holes) {
			holes += start - at;
			code->size = next - code->offset;
			continue;
		}
		if (frames->source.nr_code == TALLY_FRAMES_CODE)
			return;
		code = &frames->code[frames->source.nr_code++];
		*code = (struct tally_unwind_piece){start, next - start, elf->data + start};
	}
}

static void add_segments(struct tally_elf_frames *frames, const struct tally_elf *elf)
{
	struct tally_elf_segment segment;
	size_t nr = 0;

	for (uint32_t i = 0; tally_elf_segment(elf, i, &segment) && nr < TALLY_FRAMES_SEGMENTS;
	     i++) {
		if (segment.type != PT_LOAD || !(segment.flags & PF_X) ||
		    !tally_range_ok(segment.offset, segment.filesz, elf->len))
			continue;
		frames->segments[nr++] = (struct tally_unwind_segment){
			segment.vaddr, segment.filesz, segment.offset};
		add_code(frames, elf, &segment);
	}
	frames->source.nr_segments = nr;
}

static void add_stubs(struct tally_elf_frames *frames, const struct tally_elf *elf)
{
	static const char *const names[TALLY_FRAMES_STUBS] = {".plt", ".plt.sec", ".plt.got",
							      ".iplt"};
	struct tally_elf_section section;

	for (size_t i = 0; i < TALLY_FRAMES_STUBS; i++) {
		if (tally_elf_section_by_name(elf, names[i], &section))
			frames->stubs[frames->source.nr_stubs++] =
				(struct tally_unwind_stubs){section.addr, section.size};
	}
}

int tally_elf_frames_gather(const struct tally_elf *elf, const struct tally_elf *debug,
			    struct tally_elf_frames *frames)
{
	*frames = (struct tally_elf_frames){
		.source = {.machine = elf->machine, .swap = elf->swap, .entry = elf->entry}};
	if (!elf->is64 || (debug && !debug->is64))
		return -ENOTSUP;
	frames->source.segments = frames->segments;
	frames->source.code = frames->code;
	frames->source.sections = frames->sections;
	frames->source.stubs = frames->stubs;
	add_segments(frames, elf);
	add_section(frames, elf, ".eh_frame", false);
	if (!frames->source.nr_sections)
		add_by_header(frames, elf);
	add_section(frames, elf, ".debug_frame", true);
	if (debug)
		add_section(frames, debug, ".debug_frame", true);
	add_stubs(frames, elf);
	return 0;
}

void tally_elf_frames_free(struct tally_elf_frames *frames)
{
	for (size_t i = 0; i < TALLY_FRAMES_SECTIONS; i++)
		tally_elf_bytes_free(&frames->bytes[i]);
}
