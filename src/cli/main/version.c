/* SPDX-License-Identifier: BSD-2-Clause */
/* tally version: print the version and the build options. */
#include <stdio.h>

#include "cli/main/commands.h"
#include "cli/main/global_options.h"
#include "cli/main/built_features.h"

/* The version of perf to which options and output are compared. Programs that start perf require
 * at least some version. */
#define PERF_VERSION "6.1.0"

struct version_config {
	bool build_options, verbose;
};

static const struct tally_option version_options[] = {
	{0, "build-options", TALLY_OPTION_FLAG, offsetof(struct version_config, build_options),
	 NULL, "show which features are built in"},
	{'v', "verbose", TALLY_OPTION_FLAG, offsetof(struct version_config, verbose), NULL,
	 "as --build-options, with an explanation of each feature"},
	TALLY_OPTION_END,
};

static int version_run(int argc, char **argv)
{
	struct version_config config = {0};
	int first, ret;

	ret = tally_options_parse(&tally_command_version, &config, argc, argv, 0, &first);
	if (ret)
		return ret - 1;
	if (tally_is_perf())
		printf("perf version %s (tally %s)\n", PERF_VERSION, TALLY_VERSION);
	else
		printf("tally version %s\n", TALLY_VERSION);
	if (config.build_options || config.verbose)
		tally_features_print(config.verbose);
	return TALLY_EXIT_OK;
}

const struct tally_command tally_command_version = {
	.name = "version",
	.summary = "Show the version and the build options",
	.usage = "[--build-options | -v]",
	.options = version_options,
	.run = version_run,
};
