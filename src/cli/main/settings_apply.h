/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings as options of commands. */
#ifndef TALLY_CLI_MAIN_SETTINGS_APPLY_H
#define TALLY_CLI_MAIN_SETTINGS_APPLY_H

#include "cli/main/settings.h"

/* An argument list with the options that settings add. */
struct tally_arguments {
	TALLY_VEC(char *) words; /* NULL-terminated; `nr` without the NULL */
	int nr;
	struct tally_arena texts;
};

/* Make a command's argument list: argv[0], the options from the settings, and the rest of argv.
 * Settings with wrong values are left out after a warning. Returns 0, or -ENOMEM after printing an
 * error. */
int tally_settings_apply(const struct tally_settings *settings, const struct tally_command *command,
			 int argc, char **argv, struct tally_arguments *ret_arguments);
void tally_arguments_free(struct tally_arguments *arguments);

/* Return the long name of the option that a setting becomes, or NULL if the setting has no effect.
 * The string is constant. */
const char *tally_settings_effect(const struct tally_setting *setting);

/* Print the names of the settings that have an effect, for shells. */
void tally_settings_print(const char *before);

#endif
