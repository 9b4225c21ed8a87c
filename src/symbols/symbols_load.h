/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbol loaders by kind of DSO, and functions that they share. */
#ifndef TALLY_SYMBOLS_LOAD_H
#define TALLY_SYMBOLS_LOAD_H

#include "symbols/dso.h"

/* Each loader fills in the DSO's table, source and path. Returns 0, or -errno, which determines the
 * DSO's state. */
int tally_dso_load_user(struct tally_dso *dso);
int tally_dso_load_vdso(struct tally_dso *dso);
int tally_dso_load_kernel(struct tally_dso *dso);
int tally_dso_load_module(struct tally_dso *dso);

/* Load the symbols, unless loading has already been attempted. */
void tally_dso_load(struct tally_dso *dso);

/* Open the vdso. Returns 0; -ENOENT for the vdso of another kind of process; or an error from
 * tally_kernel_is_here() or tally_image_open(). */
int tally_dso_open_vdso(const struct tally_dso *dso, struct tally_image *ret_image);

/* Open the file of a module with a known address. Returns 0; TALLY_DSO_ERROR_FOREIGN; -ENOENT if
 * the recording does not contain the module's path; or an error from tally_image_open(). */
int tally_dso_open_module(const struct tally_dso *dso, struct tally_image *ret_image);

/* Get the build-id that a kernel image must have. If the build-id is unknown, an image is accepted
 * only if the user named it or the directory that contains it. Returns 0, or an error from
 * tally_kernel_is_here(). */
int tally_kernel_expected_id(const struct tally_dso *dso, struct tally_build_id *ret_want);

/* Set the source of the symbols; `path` is copied and may be NULL. Returns 0 or -ENOMEM. */
int tally_dso_set_source(struct tally_dso *dso, enum tally_dso_source source, const char *path);

/* Finish the DSO's table, using the names that will be shown to users. Returns 0 or -ENOMEM. */
int tally_dso_finish(struct tally_dso *dso);

/* Close the files from which symbols were loaded. Returns 0, or -EIO if a file was truncated. */
int tally_dso_release(struct tally_dso *dso);

/* Append `path`, prefixed with the symfs directory if one is set. */
void tally_dso_add_path(const struct tally_dso *dso, struct tally_str *str, const char *path);

/* Append "DIR/.build-id/xx/yyyy". Returns false if the ID has fewer than two bytes. */
bool tally_build_id_add_path(const struct tally_build_id *id, const char *dir,
			     struct tally_str *str);

/* Return the state that corresponds to an error. */
enum tally_dso_state tally_dso_state_of_error(int code);

/* Return the more informative of two errors: "wrong file" takes precedence over "no file". */
int tally_worse_error(int a, int b);

#endif
