/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text of source files, by line. The file names come from debug information, which may be
 * malicious. Only regular files are read, up to a maximum size for each and for all (including the
 * index of lines), and none of the kernel's files (/proc, /sys).
 *
 * This module does not check whether a file is the one that was compiled.
 */
#ifndef TALLY_PROFILE_SOURCE_TEXTS_H
#define TALLY_PROFILE_SOURCE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_source_texts;

/* Search options for files; all zero: the path where they were compiled. Strings are borrowed. */
struct tally_source_options {
	const char *prefix; /* prepended to absolute paths, after removing this many leading
	                     * directories: */
	unsigned prefix_strip;
	const char *symfs; /* prepended to all paths */
	/* The output is passed on to others, and the author of the recording chose the paths: read
	 * only files with the name of a source file, or that everyone may read. */
	bool handed_on;
};

/* Create an empty set of files. Returns 0 or -ENOMEM. */
int tally_source_texts_new(const struct tally_source_options *options,
			   struct tally_source_texts **ret_texts);
void tally_source_texts_free(struct tally_source_texts *texts);

/* Return line `line`, from 1, of the file that the debug information calls `path`. The text
 * excludes the end of line, and is valid until the set is freed. Returns 0; -ERANGE if the file is
 * shorter; -EFBIG if the file is larger than 16 MiB, or all files are larger than 256 MiB; -EACCES
 * if the file must not be passed on; -ENOMEM; or an error of tally_file_open(). */
int tally_source_texts_get(struct tally_source_texts *texts, const char *path, uint32_t line,
			   const char **ret_text, size_t *ret_len);

/* Return the number of files that were rejected because they must not be passed on. */
size_t tally_source_texts_nr_private(const struct tally_source_texts *texts);

#endif
