/* SPDX-License-Identifier: BSD-2-Clause */
/* mapfile.csv: which CPU has which directory. Internal to jevents. */
#ifndef TALLY_JEVENTS_MAPFILE_H
#define TALLY_JEVENTS_MAPFILE_H

#include "base/arena.h"
#include "base/vec.h"
#include "jevents/diagnostic.h"

enum { TALLY_MAPFILE_ROWS = 4096 };

/* One line. Texts live in the arena. */
struct tally_mapfile_row {
	const char *cpuid, *version, *dir, *type;
	const char *role; /* seventh column of Intel's map: "Atom"; else "" */
	size_t offset;    /* of the line */
};

struct tally_mapfile {
	TALLY_VEC(struct tally_mapfile_row) rows;
	size_t wrong; /* lines that have errors, and are not in `rows` */
};

/* Append the rows of a file: its first line does not count, nor do empty lines and those that start
 * with #; the comma separates, whatever it stands between; columns beyond those above are left
 * out. Goes on after a line that is wrong. 0; -EINVAL (told) for lines with fewer than four columns
 * or with a pattern that is none; -E2BIG (told) beyond TALLY_MAPFILE_ROWS; -ENOMEM. The caller
 * frees the rows. */
int tally_mapfile_read(const struct tally_source *source, struct tally_arena *arena,
		       struct tally_mapfile *mapfile);

/* Make the directories of all rows relative to the architecture: the map lies in its directory
 * `dir`, "" for the architecture itself. 0 or -ENOMEM. */
int tally_mapfile_move(struct tally_mapfile *mapfile, const char *dir, struct tally_arena *arena);

#endif
