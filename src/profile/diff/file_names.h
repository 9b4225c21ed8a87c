/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names by which the files of several recordings are compared. Two builds of a program have
 * different build IDs, and often different directories, so a file has its own name without
 * directories. But a file that was seen before under another name, as its build ID shows, keeps the
 * first name.
 */
#ifndef TALLY_PROFILE_FILE_NAMES_H
#define TALLY_PROFILE_FILE_NAMES_H

#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "profile/profile_frames.h"

/* All zero is empty. Must not be moved. */
struct tally_file_names {
	struct tally_intern names, build_ids;
	TALLY_VEC(uint32_t) of_build_id; /* number in `names` */
	struct tally_map of_dso;         /* number in `names`, by address of the DSO */
};

/* Begin another recording: its DSOs may have the same addresses as others before. */
void tally_file_names_begin(struct tally_file_names *files);

/* Find the number of the name of a frame's file. Returns 0 or -ENOMEM. */
int tally_file_names_find(struct tally_file_names *files, const struct tally_frame *frame,
			  uint32_t *ret_name);

/* Return the name, not escaped. It lives as long as `files`. */
const char *tally_file_names_text(const struct tally_file_names *files, uint32_t name);

void tally_file_names_free(struct tally_file_names *files);

#endif
