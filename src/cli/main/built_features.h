/* SPDX-License-Identifier: BSD-2-Clause */
/* The features that a build of tally has. */
#ifndef TALLY_CLI_MAIN_BUILT_FEATURES_H
#define TALLY_CLI_MAIN_BUILT_FEATURES_H

/* Print all features in the format of perf version --build-options, which scripts parse. */
void tally_features_print(void);

#endif
