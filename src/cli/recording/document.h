/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of a document made from a recording: to stdout, to a regular file that is replaced
 * atomically, or to a pipe or device. */
#ifndef TALLY_CLI_RECORDING_DOCUMENT_H
#define TALLY_CLI_RECORDING_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/recording/replace.h"

/* The destination of a document. Strings are borrowed. */
struct tally_document_place {
	const char *option; /* the option that requested it */
	const char *path;   /* NULL or "-": stdout */
	unsigned kinds;     /* TALLY_OVERWRITE_*: kinds of existing files that may be replaced */
	bool force;         /* any existing file may be replaced */
	bool is_binary;     /* must not be written to a terminal */
};

struct tally_document {
	struct tally_document_place place;
	const char *path; /* NULL: stdout */
	int fd;           /* -1 until the first bytes are written */
	bool replaces;    /* `replacement` is in use: writing to a regular file */
	struct tally_replacement replacement;
	uint64_t bytes; /* written so far */
};

/* Check that `place` can be written, before spending time on reading a long recording. Returns 0,
 * or -errno after printing an error. */
int tally_document_check(const struct tally_document_place *place);

/* True if the name asks for a compressed file (*.gz). False for NULL. */
bool tally_document_is_packed(const char *path);

/* Reject a name ending in .gz for an option with uncompressed output. `path` may be NULL. Returns
 * 0, or -EINVAL after printing an error. */
int tally_document_check_plain(const char *option, const char *path);

/* True, after printing an error, if `path` is the file of the recording at `input`, which would be
 * overwritten. */
bool tally_document_is(const char *path, const char *input);

/* Begin a document. The destination is opened by the first write: until then a signal ends the
 * process without leaving a file. */
void tally_document_begin(const struct tally_document_place *place,
			  struct tally_document *ret_document);

/* Write all bytes. `document` is a struct tally_document. Returns 0 or -errno; -EINTR, without a
 * message, if INT, TERM or HUP arrived. */
int tally_document_write(void *document, const void *bytes, size_t len);

/* Finish the document. If `ret` is 0, rename the file to its final name; it gets the mode of the
 * file it replaces, or of any new file. Otherwise remove the file and print the error, except for
 * -ENODATA and -ENOMEM (already printed), -EINTR, and stdout (main() prints the error). Returns
 * `ret`, or the error of finishing the file. */
int tally_document_close(struct tally_document *document, int ret);

/* Print, in the name of `command`, the path of the written file and its size. */
void tally_document_print(const struct tally_document *document, const char *command,
			  const char *what);

#endif
