/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of this machine, and of its kernel, that belong to the recording. */
#ifndef TALLY_SYMBOLS_ORIGIN_H
#define TALLY_SYMBOLS_ORIGIN_H

#include "symbols/dso.h"

/* Check if a file with the DSO's name may be used in place of the recorded file. Returns 0 if so
 * (the build-id may still have to be compared), or TALLY_DSO_ERROR_FOREIGN if not. */
int tally_dso_is_here(const struct tally_dso *dso);

/* Check if the running kernel, its modules and its vdso may be used in place of the recorded ones.
 * Returns 0 if so; TALLY_DSO_ERROR_FOREIGN if it is unknown whether the running kernel is the
 * recorded one; -ESTALE if the build-ids differ; or the error that prevented the check. */
int tally_kernel_is_here(struct tally_symbols *symbols);

/* Get the build-id that a kernel image must have. If the build-id is unknown, an image is accepted
 * only if the user named it or the directory that contains it. Returns 0, or an error from
 * tally_kernel_is_here(). */
int tally_kernel_expected_id(const struct tally_dso *dso, struct tally_build_id *ret_want);

enum { TALLY_KALLSYMS_MAX = 256 << 20 }; /* maximum size of kallsyms, bytes */

/* Read the running kernel's kallsyms into `symbols->kallsyms`, unless it has been read. Returns 0
 * or -errno. */
int tally_kallsyms_read_running(struct tally_symbols *symbols);

#endif
