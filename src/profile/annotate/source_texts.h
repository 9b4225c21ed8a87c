/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contents of source files, by line. The file names come from debug information, which may be
 * malicious. Only regular files are read, with a maximum size for each file and for all files
 * together (including the line index), and the kernel's own files (/proc, /sys) are never read.
 *
 * This module does not check whether a file is the one that was compiled.
 */
#ifndef TALLY_PROFILE_ANNOTATE_SOURCE_TEXTS_H
#define TALLY_PROFILE_ANNOTATE_SOURCE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_source_texts;

/* Options for finding files. With all options zero, files are read from the path at which they were
 * compiled. Strings are borrowed. */
struct tally_source_options {
	/* Prepended to absolute paths, after removing `prefix_strip` leading directories. */
	const char *prefix;
	unsigned prefix_strip;
	const char *symfs; /* prepended to all paths */
	/* The output is passed on to others, but the paths were chosen by the author of the
	 * recording. Read only files that have the name of a source file, or are in /usr/include.
	 * Symbolic links are followed first. */
	bool handed_on;
	bool public_only; /* with handed_on: of these, only files that all users may read */
};

/* Create an empty set of files. Returns 0 or -ENOMEM. */
int tally_source_texts_new(const struct tally_source_options *options,
			   struct tally_source_texts **ret_texts);
void tally_source_texts_free(struct tally_source_texts *texts);

/* Return line `line`, counted from 1, of the file that is named `path` in debug information. The
 * text excludes the newline, and is valid until the set is freed. Returns 0; -ERANGE if the file
 * has fewer lines; -EFBIG if the file is larger than 16 MiB, or all files together are larger
 * than 256 MiB; -EACCES if the file must not be passed on; -ENOMEM; or an error from
 * tally_file_open(). */
int tally_source_texts_get(struct tally_source_texts *texts, const char *path, uint32_t line,
			   const char **ret_text, size_t *ret_len);

/* Return the number of files rejected because they must not be passed on. */
size_t tally_source_texts_nr_private(const struct tally_source_texts *texts);

#endif
