/* SPDX-License-Identifier: BSD-2-Clause */
/* The loaders of symbols, by kind, and what they have in common. */
#ifndef TALLY_SYMBOLS_LOAD_H
#define TALLY_SYMBOLS_LOAD_H

#include "symbols/dso.h"

/* Each fills the DSO's table, source and path. 0 or -errno, which becomes its state. */
int tally_dso_load_user(struct tally_dso *dso);
int tally_dso_load_vdso(struct tally_dso *dso);
int tally_dso_load_kernel(struct tally_dso *dso);
int tally_dso_load_module(struct tally_dso *dso);

/* Load the symbols, if that was not tried before. */
void tally_dso_load(struct tally_dso *dso);

/* Open the vdso. 0 or an error of tally_image_open(). */
int tally_dso_open_vdso(const struct tally_dso *dso, struct tally_image *ret_image);

/* Open the file of a module, whose address is known. 0; TALLY_DSO_ERROR_FOREIGN; -ENOENT: the
 * record did not say which file it is; or an error of tally_image_open(). */
int tally_dso_open_module(const struct tally_dso *dso, struct tally_image *ret_image);

/* Which kernel an image has to be of. Where that is not known, only an image that the user named,
 * or that is in the directory the user named, will do. 0, or as of tally_kernel_is_here(). */
int tally_kernel_wanted(const struct tally_dso *dso, struct tally_build_id *ret_want);

/* Note where symbols came from. 0 or -ENOMEM. */
int tally_dso_set_source(struct tally_dso *dso, enum tally_dso_source source, const char *path);

/* Finish the DSO's table with the names people will see. 0 or -ENOMEM. */
int tally_dso_finish(struct tally_dso *dso);

/* Let go of the files that symbols were loaded from. 0, or -EIO if one of them became shorter. */
int tally_dso_release(struct tally_dso *dso);

/* Append symfs, if any, and `path`. */
void tally_dso_add_path(const struct tally_dso *dso, struct tally_str *str, const char *path);

/* Append "DIR/.build-id/xx/yyyy" for an id of at least two bytes; false for a shorter one. */
bool tally_build_id_add_path(const struct tally_build_id *id, const char *dir,
			     struct tally_str *str);

/* The state that a failure becomes. */
enum tally_dso_state tally_dso_state_of_error(int code);

/* Of two failures the one that tells more: a wrong file beats a missing one. */
int tally_worse_error(int a, int b);

#endif
