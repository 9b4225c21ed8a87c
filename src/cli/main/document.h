/* SPDX-License-Identifier: BSD-2-Clause */
/* Output for documents generated from recordings. A document is written to stdout, to a regular
 * file that is replaced atomically, or to a pipe or device. */
#ifndef TALLY_CLI_MAIN_DOCUMENT_H
#define TALLY_CLI_MAIN_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/main/replace.h"

/* The destination of a document. Strings are borrowed. */
struct tally_document_place {
	const char *option; /* option that requested the document */
	const char *path;   /* NULL or "-" for stdout */
	unsigned kinds;     /* TALLY_OVERWRITE_* kinds of existing files that may be replaced */
	bool force;         /* any existing file may be replaced */
	bool is_binary;     /* must not be written to a terminal */
};

struct tally_document {
	struct tally_document_place place;
	const char *path; /* NULL for stdout */
	int fd;           /* -1 until the first bytes are written */
	bool replaces;    /* `replacement` is in use because the output is a regular file */
	struct tally_replacement replacement;
	uint64_t bytes; /* size of the output so far */
};

/* Check that `place` can be written to, before spending time on reading a long recording. Returns
 * 0, or -errno after printing an error. */
int tally_document_check(const struct tally_document_place *place);

/* Return true if the name requests a compressed file (*.gz). Return false for NULL. */
bool tally_document_is_packed(const char *path);

/* Reject a name ending in .gz for an option with uncompressed output. `path` may be NULL. Returns
 * 0, or -EINVAL after printing an error. */
int tally_document_check_plain(const char *option, const char *path);

/* Print an error and return true if `path` is the same file as the recording at `input`, which
 * would be overwritten. */
bool tally_document_is(const char *path, const char *input);

/* Begin a document. The first write opens the destination; before that, a signal terminates the
 * process without leaving a file. */
void tally_document_begin(const struct tally_document_place *place,
			  struct tally_document *ret_document);

/* Write all bytes. `document` is a struct tally_document. Returns 0 or -errno; -EINTR, without a
 * message, if INT, TERM or HUP arrived. */
int tally_document_write(void *document, const void *bytes, size_t len);

/* Finish the document. If `ret` is 0, give the file the mode of the file that it replaces, or the
 * default mode for new files, and rename it to its final name. Otherwise, remove the file and print
 * the error. Some errors are not printed here: -EINTR is never printed, -ENODATA and -ENOMEM have
 * already been printed, and main() reports errors writing to stdout. Returns `ret`, or the error
 * from finishing the file. */
int tally_document_close(struct tally_document *document, int ret);

/* Print the written file's path and size, prefixed with the name `command`. */
void tally_document_print(const struct tally_document *document, const char *command,
			  const char *what);

#endif
