/* SPDX-License-Identifier: BSD-2-Clause */
/* Source of the models of dump_models.c: dump_builtin.c has built-in ones, dump_loaded.c reads
 * them. */
#ifndef TALLY_TESTS_DUMP_MODELS_H
#define TALLY_TESTS_DUMP_MODELS_H

#include "jevents/models.h"

const struct tally_models *models_open(void); /* NULL on failure, with a message */
void models_close(const struct tally_models *models);

#endif
