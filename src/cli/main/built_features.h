/* SPDX-License-Identifier: BSD-2-Clause */
/* The features that a build of tally has. */
#ifndef TALLY_CLI_MAIN_BUILT_FEATURES_H
#define TALLY_CLI_MAIN_BUILT_FEATURES_H

#include <stdbool.h>

/* Print all features in the format of perf version --build-options, which scripts parse. With
 * `explain`, each line ends with the meaning of the feature in tally. */
void tally_features_print(bool explain);

#endif
