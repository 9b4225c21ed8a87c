/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_RECORD_OPTIONS_H
#define TALLY_CLI_RECORD_OPTIONS_H

#include "cli/record/config.h"

/* The rows of the command line, with which `struct record_config` is filled. */
extern const struct tally_option record_options[];

#endif
