/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings from configuration files: perf's (/etc/perfconfig, then ~/.perfconfig, or only
 * $PERF_CONFIG) and tally's (~/.config/tally/config, or $TALLY_CONFIG). Later files override
 * earlier ones. A file has git's form:
 *
 *	[report]
 *		percent-limit = 1   # a comment
 *
 * Settings become options before those of the command line, which override them.
 */
#ifndef TALLY_CLI_MAIN_SETTINGS_H
#define TALLY_CLI_MAIN_SETTINGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/messages.h"
#include "base/vec.h"
#include "cli/main/command.h"

struct tally_setting {
	const char *name;  /* "report.percent-limit"; the section is in lower case */
	const char *value; /* "true" if there is only a name */
	const char *file;  /* the path of its file */
	unsigned line;     /* its line in the file, from 1 */
	bool is_own;       /* from tally's file */
};

/* All zero is empty. */
struct tally_settings {
	TALLY_VEC(struct tally_setting) all; /* in order of the files */
	struct tally_arena texts;
};

/* Read all files. Missing files are empty; wrong lines are left out after a warning, as are files
 * that belong to another user. Returns 0, or -ENOMEM after printing an error. */
int tally_settings_read(struct tally_settings *settings);

/* Return the path of perf's file for the system or the user; NULL if HOME is not set or memory runs
 * out. The caller frees it. */
char *tally_settings_path(bool is_system);

/* Read the text of perf's file for the system or the user at `path`. A missing file is empty. The
 * caller frees the text. Returns 0, or -errno after printing a message. */
int tally_settings_text(const char *path, char **ret_text);

/* Add the settings in `text`, which is changed. `file` (borrowed) is its name in warnings about
 * wrong lines. Returns 0 or -ENOMEM. */
int tally_settings_parse(struct tally_settings *settings, char *text, const char *file, bool is_own,
			 const struct tally_messages *messages);
void tally_settings_free(struct tally_settings *settings);

/* Return the value of a setting, or NULL if there is none. */
const char *tally_settings_get(const struct tally_settings *settings, const char *name);

/* Parse a boolean value: true, yes, on, 1, or false, no, off, 0. Returns false for other text. */
bool tally_settings_bool(const char *value, bool *ret_value);

#endif
