/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug information from a file in fuzz/corpus/dwarf. */
#ifndef TESTS_DWARF_CORPUS_H
#define TESTS_DWARF_CORPUS_H

#include <stdlib.h>

#include "dwarf/dwarf.h"
#include "symbols/elf/elf_bytes.h"
#include "symbols/elf/image.h"

struct corpus {
	struct tally_image image;
	struct tally_elf_bytes bytes[TALLY_DWARF_SECTIONS];
	struct tally_dwarf_file file;
};

static inline void corpus_open(const char *path, struct corpus *corpus)
{
	*corpus = (struct corpus){0};
	assert_int_equal(tally_image_open(path, NULL, &corpus->image), 0);
	corpus->file.is64 = corpus->image.elf.is64;
	corpus->file.machine = corpus->image.elf.machine;
	for (int i = 0; i < TALLY_DWARF_SECTIONS; i++) {
		struct tally_elf_bytes *bytes = &corpus->bytes[i];

		if (tally_elf_bytes_get(&corpus->image.elf,
					tally_dwarf_section_name((enum tally_dwarf_section)i),
					1 << 20, bytes))
			continue;
		corpus->file.sections[i].data = bytes->data;
		corpus->file.sections[i].len = bytes->len;
	}
}

static inline void corpus_close(struct corpus *corpus)
{
	for (int i = 0; i < TALLY_DWARF_SECTIONS; i++)
		tally_elf_bytes_free(&corpus->bytes[i]);
	tally_image_free(&corpus->image);
}

#endif
