/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser for mapfile.csv, which assigns directories to CPUs. Internal to jevents. */
#ifndef TALLY_JEVENTS_MAPFILE_H
#define TALLY_JEVENTS_MAPFILE_H

#include "base/arena.h"
#include "base/vec.h"
#include "jevents/diagnostic.h"

enum { TALLY_MAPFILE_ROWS = 4096 };

/* A line of the map. Strings are allocated in the arena. */
struct tally_mapfile_row {
	const char *cpuid, *version, *dir, *type;
	const char *role; /* seventh column of Intel's map, such as "Atom", or "" */
	size_t offset;    /* offset of the line */
};

struct tally_mapfile {
	TALLY_VEC(struct tally_mapfile_row) rows;
	size_t wrong; /* number of lines with errors, which are not in `rows` */
};

/* Append the rows of a file. The first line, empty lines, and lines that start with # are skipped.
 * Each comma is a separator, regardless of quotes; columns other than those above are ignored.
 * Reading continues after an invalid line. Returns 0; -EINVAL (reported) for lines with fewer than
 * four columns or an invalid pattern; -E2BIG (reported) for more than TALLY_MAPFILE_ROWS rows;
 * -ENOMEM. The caller frees the rows. */
int tally_mapfile_read(const struct tally_source *source, struct tally_arena *arena,
		       struct tally_mapfile *mapfile);

/* Make the directories of all rows relative to the architecture's directory. `dir` is the directory
 * that contains the map, or "" if the map is in the architecture's directory itself. Returns 0 or
 * -ENOMEM. */
int tally_mapfile_move(struct tally_mapfile *mapfile, const char *dir, struct tally_arena *arena);

#endif
