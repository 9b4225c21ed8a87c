/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of source files by line. Debug information names the files, and may be anybody's: only
 * regular files are read, up to a size each and one for all (with where their lines begin), and
 * none of the kernel's (/proc, /sys).
 *
 * It does not: find out whether a file is the one that was compiled.
 */
#ifndef TALLY_PROFILE_SOURCE_TEXTS_H
#define TALLY_PROFILE_SOURCE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_source_texts;

/* Where files are looked for; all zero: where they were compiled. Borrowed. */
struct tally_source_options {
	const char *prefix; /* goes before absolute paths, without their first directories: */
	unsigned prefix_strip;
	const char *symfs; /* goes before everything */
	/* What comes of it is handed on, and whoever wrote the recording chose the paths: only
	 * files that are called as source is, or that everybody may read. */
	bool handed_on;
};

/* 0 or -ENOMEM. */
int tally_source_texts_new(const struct tally_source_options *options,
			   struct tally_source_texts **ret_texts);
void tally_source_texts_free(struct tally_source_texts *texts);

/* Line `line`, from 1, of the file that the debug information calls `path`: its bytes without the
 * end of line, valid until all are freed. 0; -ERANGE: the file is shorter; -EFBIG: it is larger
 * than 16 MiB, or all are larger than 256 MiB; -ENOMEM; -EACCES: it is not to be handed on; or an
 * error of tally_file_open(). */
int tally_source_texts_get(struct tally_source_texts *texts, const char *path, uint32_t line,
			   const char **ret_text, size_t *ret_len);

/* How many files were left out because they are not to be handed on. */
size_t tally_source_texts_nr_private(const struct tally_source_texts *texts);

#endif
