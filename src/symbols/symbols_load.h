/* SPDX-License-Identifier: BSD-2-Clause */
/* Loaders of symbols by kind of DSO, and functions that they share. */
#ifndef TALLY_SYMBOLS_LOAD_H
#define TALLY_SYMBOLS_LOAD_H

#include "symbols/dso.h"

/* Each loader fills the DSO's table, source and path. Returns 0, or -errno, from which the state of
 * the DSO follows. */
int tally_dso_load_user(struct tally_dso *dso);
int tally_dso_load_vdso(struct tally_dso *dso);
int tally_dso_load_kernel(struct tally_dso *dso);
int tally_dso_load_module(struct tally_dso *dso);

/* Load the symbols, unless that was tried before. */
void tally_dso_load(struct tally_dso *dso);

/* Open the vdso. Returns 0; -ENOENT for the vdso of another kind of process; or an error of
 * tally_kernel_is_here() or tally_image_open(). */
int tally_dso_open_vdso(const struct tally_dso *dso, struct tally_image *ret_image);

/* Open the file of a module with a known address. Returns 0; TALLY_DSO_ERROR_FOREIGN; -ENOENT if
 * the recording does not have its path; or an error of tally_image_open(). */
int tally_dso_open_module(const struct tally_dso *dso, struct tally_image *ret_image);

/* Get the build-id that a kernel image must have. If it is unknown, only an image that the user
 * named, or that is in a directory that the user named, is accepted. Returns 0, or an error of
 * tally_kernel_is_here(). */
int tally_kernel_expected_id(const struct tally_dso *dso, struct tally_build_id *ret_want);

/* Set the source of the symbols; `path` is copied and may be NULL. Returns 0 or -ENOMEM. */
int tally_dso_set_source(struct tally_dso *dso, enum tally_dso_source source, const char *path);

/* Finish the DSO's table, with the names that users will see. Returns 0 or -ENOMEM. */
int tally_dso_finish(struct tally_dso *dso);

/* Close the files that symbols were loaded from. Returns 0, or -EIO if one became shorter. */
int tally_dso_release(struct tally_dso *dso);

/* Append `path`, below symfs if that is set. */
void tally_dso_add_path(const struct tally_dso *dso, struct tally_str *str, const char *path);

/* Append "DIR/.build-id/xx/yyyy". Returns false for an id of less than two bytes. */
bool tally_build_id_add_path(const struct tally_build_id *id, const char *dir,
			     struct tally_str *str);

/* Return the state that an error maps to. */
enum tally_dso_state tally_dso_state_of_error(int code);

/* Return the more informative one of two errors: a wrong file ranks above a missing one. */
int tally_worse_error(int a, int b);

#endif
