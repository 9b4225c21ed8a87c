/* SPDX-License-Identifier: BSD-2-Clause */
/* tally config: show the settings and what they do. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/str.h"
#include "cli/main/commands.h"
#include "cli/main/print.h"
#include "cli/main/settings_apply.h"

struct show_config {
	bool list, effects;
};

#define AT(member) offsetof(struct show_config, member)

static const struct tally_option config_options[] = {
	{'l', "list", TALLY_OPTION_FLAG, AT(list), NULL, "list all settings (default)"},
	{'v', "verbose", TALLY_OPTION_FLAG, AT(effects), NULL,
	 "also show where settings are, and their effect"},
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

/* Print the settings with a name. Returns false, after printing an error, if there is none. */
static bool print_named(const struct show_config *config, const struct tally_settings *settings,
			const char *name)
{
	const struct tally_setting *last = NULL;

	if (strchr(name, '=')) {
		tally_print_error("tally config does not change settings");
		tally_print_hint("edit ~/.perfconfig, or ~/.config/tally/config");
		return false;
	}
	tally_vec_for_each (setting, &settings->all)
		if (!strcmp(setting->name, name))
			last = setting;
	if (last)
		print_setting(config, last);
	else
		tally_print_error("there is no setting '%s'", name);
	return last;
}

static int config_run(int argc, char **argv)
{
	struct tally_settings settings = {0};
	struct show_config config = {0};
	int first, ret;
	bool ok = true;

	ret = tally_options_parse(&tally_command_config, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (ret)
		return ret - 1;
	ok = !tally_settings_read(&settings);
	for (int i = first; i < argc && ok; i++)
		ok = print_named(&config, &settings, argv[i]);
	if (ok && first == argc)
		tally_vec_for_each (setting, &settings.all)
			print_setting(&config, setting);
	tally_settings_free(&settings);
	return ok ? TALLY_EXIT_OK : TALLY_EXIT_ERROR;
}

const struct tally_command tally_command_config = {
	.name = "config",
	.summary = "Show the settings from configuration files",
	.usage = "[-l] [-v] [SECTION.NAME]...",
	.about = " Files: /etc/perfconfig and ~/.perfconfig, or only $PERF_CONFIG; then\n"
		 " ~/.config/tally/config, or $TALLY_CONFIG.\n",
	.options = config_options,
	.run = config_run,
};
