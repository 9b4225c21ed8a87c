/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a document made of a recording goes: stdout, a file that is there whole or not at all, or a
 * pipe or device. */
#ifndef TALLY_CLI_RECORDING_DOCUMENT_H
#define TALLY_CLI_RECORDING_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/recording/replace.h"

/* Where one goes. Strings are borrowed. */
struct tally_document_place {
	const char *option; /* that asked for it */
	const char *path;   /* NULL or "-": stdout */
	unsigned kinds;     /* TALLY_OVERWRITE_* of a file that it may replace */
	bool force;         /* any file may be replaced */
	bool is_binary;     /* nothing for terminals */
};

struct tally_document {
	struct tally_document_place place;
	const char *path; /* NULL: stdout */
	int fd;           /* -1: it is opened with the first bytes */
	bool replaces;    /* a file, once it is open: */
	struct tally_replacement replacement;
	uint64_t bytes; /* written so far */
};

/* Whether `place` can be written, which is found out before a long recording is read; says why not.
 * 0 or -errno. */
int tally_document_check(const struct tally_document_place *place);

/* Whether a name asks for a packed file: *.gz. NULL does not. */
bool tally_document_is_packed(const char *path);

/* Whether `path`, which may be NULL, is not the name of a packed file, which what `option` writes
 * is not; says so. 0 or -EINVAL. */
int tally_document_check_plain(const char *option, const char *path);

/* Whether `path` is the file of the recording at `input`, which would be gone; says so. */
bool tally_document_is(const char *path, const char *input);

/* Begin one. Nothing is opened yet: until there are bytes to write a signal ends the process, and
 * nothing is left behind. */
void tally_document_begin(const struct tally_document_place *place,
			  struct tally_document *ret_document);

/* Write all bytes; `document` is a struct tally_document. 0; -errno; -EINTR if the user wants to
 * end: nothing was told. */
int tally_document_write(void *document, const void *bytes, size_t len);

/* Give a file its name if `ret` is 0, and the mode of the one that it replaces or of any new one;
 * else remove it and print why, unless that was told (-ENODATA, -ENOMEM), the user ended it, or it
 * is stdout, of which main() tells. Returns `ret`, or what closing came to. */
int tally_document_close(struct tally_document *document, int ret);

/* Say in the name of `command` that a file is there, and how large it is. */
void tally_document_print(const struct tally_document *document, const char *command,
			  const char *what);

#endif
