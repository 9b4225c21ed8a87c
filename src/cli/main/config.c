/* SPDX-License-Identifier: BSD-2-Clause */
/* tally config: show the settings and what they do, and change them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/replace.h"
#include "cli/main/settings_apply.h"
#include "cli/main/settings_edit.h"

struct show_config {
	bool list, effects, system, user;
};

#define AT(member) offsetof(struct show_config, member)

static const struct tally_option config_options[] = {
	{'l', "list", TALLY_OPTION_FLAG, AT(list), NULL, "list all settings (default)"},
	{'v', "verbose", TALLY_OPTION_FLAG, AT(effects), NULL,
	 "also show where settings are, and their effect"},
	{0, "system", TALLY_OPTION_FLAG, AT(system), NULL,
	 "show or change only the settings in /etc/perfconfig"},
	{0, "user", TALLY_OPTION_FLAG, AT(user), NULL,
	 "show or change only the settings in ~/.perfconfig (default for changes)"},
	TALLY_OPTION_END,
};

static void print_setting(const struct show_config *config, const struct tally_setting *setting)
{
	struct tally_str line = {0};
	const char *effect = tally_settings_effect(setting);

	tally_str_addf(&line, "%s=%s", setting->name, setting->value);
	if (config->effects) {
		tally_str_addf(&line, "  (%s, line %u; ", setting->file, setting->line);
		if (effect)
			tally_str_addf(&line, "--%s)", effect);
		else
			tally_str_add(&line, "no effect in tally)");
	}
	tally_str_escape(&line, 0);
	puts(tally_str_text(&line));
	tally_str_free(&line);
}

/* Return true if the setting is in the file that the options choose. */
static bool is_chosen(const struct show_config *config, const struct tally_setting *setting)
{
	char *path;
	bool is_there;

	if (!config->system && !config->user)
		return true;
	path = tally_settings_path(config->system);
	is_there = path && !strcmp(setting->file, path);
	free(path);
	return is_there;
}

/* Print the settings with a name. Returns false, after printing an error, if there is none. */
static bool print_named(const struct show_config *config, const struct tally_settings *settings,
			const char *name)
{
	const struct tally_setting *last = NULL;

	tally_vec_for_each (setting, &settings->all)
		if (!strcmp(setting->name, name) && is_chosen(config, setting))
			last = setting;
	if (last)
		print_setting(config, last);
	else
		tally_print_error("there is no setting '%s'", name);
	return last;
}

/* ---- changing settings ---------------------------------------------------------- */

/* Check "section.name=value". */
static bool check_change(const char *word)
{
	const char *value = strchr(word, '=');
	struct tally_setting setting = {.name = word};
	char *name;

	if (!tally_settings_is_name(word, (size_t)(value - word))) {
		tally_print_error("'%s': a setting is changed by SECTION.NAME=VALUE", word);
		return false;
	}
	if (!value[1] || strpbrk(value, "\r\n")) {
		tally_print_error("'%s': %s", word,
				  value[1] ? "a value must be a single line" : "there is no value");
		return false;
	}
	name = strndup(word, (size_t)(value - word));
	setting.name = name ? name : word;
	setting.value = value + 1;
	if (!tally_settings_effect(&setting))
		tally_print_warning("the setting '%s' has no effect in tally", setting.name);
	free(name);
	return true;
}

/* Change the text for one "section.name=value". */
static int change_text(char **text, const char *word)
{
	const char *value = strchr(word, '=') + 1;
	char *name = strndup(word, (size_t)(value - 1 - word));
	struct tally_str out = {0};
	int ret = name ? tally_settings_edit(*text, name, value, &out) : -ENOMEM;

	free(name);
	if (ret) {
		tally_str_free(&out);
		return ret;
	}
	free(*text);
	*text = out.data;
	return 0;
}

/* Returns 0, or -errno after printing an error. */
static int write_text(const char *path, const char *text)
{
	struct tally_replacement file;
	int ret = tally_replacement_open(path, &file);

	if (ret)
		return ret;
	ret = tally_file_write_all(file.fd, text, strlen(text));
	if (ret)
		tally_replacement_print_error(path, ret);
	else
		ret = tally_replacement_commit(&file, -1);
	tally_replacement_close(&file);
	return ret;
}

/* Change the settings in the file that the options choose. All words are checked first, so that
 * either all or none are changed. */
static bool change_settings(const struct show_config *config, char **words, int nr)
{
	char *path = tally_settings_path(config->system), *text = NULL;
	bool ok = path;
	int ret = 0;

	if (!path)
		tally_print_error("there is no file to change: HOME is not set");
	for (int i = 0; i < nr && ok; i++)
		ok = check_change(words[i]);
	if (ok)
		ret = tally_settings_text(path, &text);
	for (int i = 0; i < nr && ok && !ret; i++)
		ret = change_text(&text, words[i]);
	if (ret == -ENOMEM)
		tally_print_error("out of memory");
	if (ok && !ret)
		ret = write_text(path, text);
	free(text);
	free(path);
	return ok && !ret;
}

static bool show_settings(const struct show_config *config, char **words, int nr)
{
	struct tally_settings settings = {0};
	bool ok = !tally_settings_read(&settings);

	for (int i = 0; i < nr && ok; i++)
		ok = print_named(config, &settings, words[i]);
	if (ok && !nr)
		tally_vec_for_each (setting, &settings.all)
			if (is_chosen(config, setting))
				print_setting(config, setting);
	tally_settings_free(&settings);
	return ok;
}

static int config_run(int argc, char **argv)
{
	struct show_config config = {0};
	int first, nr_changes = 0, ret;
	bool ok;

	ret = tally_options_parse(&tally_command_config, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	for (int i = first; i < argc; i++)
		nr_changes += strchr(argv[i], '=') != NULL;
	if ((config.system && config.user) || (nr_changes && nr_changes != argc - first)) {
		tally_print_error(nr_changes ? "settings cannot be shown and changed at once"
					     : "--system and --user cannot be used together");
		return TALLY_EXIT_USAGE;
	}
	ok = nr_changes ? change_settings(&config, argv + first, argc - first)
			: show_settings(&config, argv + first, argc - first);
	return ok ? TALLY_EXIT_OK : TALLY_EXIT_ERROR;
}

static const struct tally_command_words config_words[] = {
	{NULL, tally_settings_print},
	{NULL, NULL},
};

const struct tally_command tally_command_config = {
	.name = "config",
	.summary = "Show and change the settings in configuration files",
	.usage = "[-l] [-v] [SECTION.NAME]...\n[--system|--user] SECTION.NAME=VALUE...",
	.about = " Files: /etc/perfconfig and ~/.perfconfig, or only $PERF_CONFIG; then\n"
		 " ~/.config/tally/config, or $TALLY_CONFIG.\n",
	.options = config_options,
	.words = config_words,
	.run = config_run,
};
