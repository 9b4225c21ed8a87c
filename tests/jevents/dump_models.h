/* SPDX-License-Identifier: BSD-2-Clause */
/* Source of the models that dump_models.c prints: dump_builtin.c returns the built-in models, and
 * dump_loaded.c loads models at run time. */
#ifndef TALLY_TESTS_DUMP_MODELS_H
#define TALLY_TESTS_DUMP_MODELS_H

#include "jevents/models.h"

const struct tally_models *models_open(void); /* NULL after printing a message on failure */
void models_close(const struct tally_models *models);

#endif
