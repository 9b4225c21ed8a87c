/* SPDX-License-Identifier: BSD-2-Clause */
/* Where dump_models.c has its models from: one file for those built in, one for those read. */
#ifndef TALLY_TESTS_DUMP_MODELS_H
#define TALLY_TESTS_DUMP_MODELS_H

#include "jevents/models.h"

const struct tally_models *models_open(void); /* NULL if there are none, told */
void models_close(const struct tally_models *models);

#endif
