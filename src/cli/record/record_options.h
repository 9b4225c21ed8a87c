/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_RECORD_OPTIONS_H
#define TALLY_CLI_RECORD_OPTIONS_H

#include "cli/record/record_config.h"

/* The command-line options, which set the fields of `struct record_config`. */
extern const struct tally_option record_options[];

#endif
