/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/settings_apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/str.h"
#include "cli/main/print.h"

/* The option that a value becomes. */
enum effect {
	VALUE,    /* --NAME VALUE */
	FLAG,     /* --NAME or --no-NAME */
	ONLY_ON,  /* --NAME if true */
	ONLY_OFF, /* --NAME if false */
	WORD,     /* --NAME if the value is `word` */
	CHAIN,    /* the default of -g */
	PART,     /* a part of report's --call-graph */
	BUILDIDS, /* the directory of build IDs */
};

/* perf's settings that have an effect here. */
static const struct setting_rule {
	const char *name, *command, *option;
	enum effect effect;
	const char *word;
} rules[] = {
	{"annotate.disassembler_style", "annotate", "disassembler-style", VALUE},
	{"annotate.hide_src_code", "annotate", "no-source", ONLY_ON},
	{"annotate.show_nr_samples", "annotate", "show-nr-samples", ONLY_ON},
	{"annotate.show_total_period", "annotate", "show-total-period", ONLY_ON},
	{"buildid.dir", NULL, "buildid-dir", BUILDIDS},
	{"call-graph.print-type", "report", "call-graph", PART},
	{"call-graph.threshold", "report", "call-graph", PART},
	{"call-graph.print-limit", "report", "call-graph", PART},
	{"call-graph.order", "report", "call-graph", PART},
	{"call-graph.record-mode", "record", "call-graph-default", CHAIN},
	{"diff.compute", "diff", "compute", VALUE},
	{"record.build-id", "record", "no-buildid", WORD, "skip"},
	{"record.build-id", "record", "buildid-mmap", WORD, "mmap"},
	{"record.call-graph", "record", "call-graph-default", CHAIN},
	{"report.children", "report", "children", FLAG},
	{"report.group", "report", "no-group", ONLY_OFF},
	{"report.percent-limit", "report", "percent-limit", VALUE},
	{"report.sort_order", "report", "sort", VALUE},
	{"stat.big-num", "stat", "no-big-num", ONLY_OFF},
	{"top.children", "top", "children", FLAG},
};

void tally_settings_print(const char *before)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rules); i++)
		if (!i || strcmp(rules[i].name, rules[i - 1].name))
			puts(rules[i].name);
}

static int add_word(struct tally_arguments *to, const char *text)
{
	char *word = tally_arena_strndup(&to->texts, text, strlen(text));

	return word ? tally_vec_push(&to->words, word) : -ENOMEM;
}

/* Add "--NAME" or, with a value, "--NAME=VALUE". */
static int add_option(struct tally_arguments *to, const char *no, const char *name,
		      const char *value)
{
	struct tally_str text = {0};
	int ret;

	tally_str_addf(&text, "--%s%s%s%s", no, name, value ? "=" : "", value ? value : "");
	ret = tally_str_error(&text) ? -ENOMEM : add_word(to, tally_str_text(&text));
	tally_str_free(&text);
	return ret;
}

static void warn_value(const struct tally_setting *setting, const char *what)
{
	tally_print_warning("%s, line %u: %s = %s: %s; the setting is ignored", setting->file,
			    setting->line, setting->name, setting->value, what);
}

static int apply_flag(struct tally_arguments *to, const struct tally_setting *setting,
		      const char *option, enum effect effect)
{
	bool on;

	if (!tally_settings_bool(setting->value, &on)) {
		warn_value(setting, "must be true or false");
		return 0;
	}
	if (effect == FLAG)
		return add_option(to, on ? "" : "no-", option, NULL);
	return on == (effect == ONLY_ON) ? add_option(to, "", option, NULL) : 0;
}

/* The default method of -g, with the size of stack dumps. */
static int apply_chain(struct tally_arguments *to, const struct tally_settings *settings,
		       const struct tally_setting *setting)
{
	const char *size = tally_settings_get(settings, "call-graph.dump-size");
	struct tally_str mode = {0};
	int ret;

	tally_str_addf(&mode, "%s%s%s", setting->value,
		       size && !strcmp(setting->value, "dwarf") ? "," : "",
		       size && !strcmp(setting->value, "dwarf") ? size : "");
	ret = tally_str_error(&mode)
		      ? -ENOMEM
		      : add_option(to, "", "call-graph-default", tally_str_text(&mode));
	tally_str_free(&mode);
	return ret;
}

/* Combine the parts of --call-graph, in the order of the rules. */
static int apply_parts(struct tally_arguments *to, const struct tally_settings *settings)
{
	struct tally_str parts = {0};
	int ret = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rules); i++) {
		const char *value = rules[i].effect == PART
					    ? tally_settings_get(settings, rules[i].name)
					    : NULL;

		/* The limit of lines is the second number. */
		if (value && !strcmp(rules[i].name, "call-graph.print-limit") &&
		    !tally_settings_get(settings, "call-graph.threshold"))
			tally_str_addf(&parts, "%s0.5", parts.len ? "," : "");
		if (value)
			tally_str_addf(&parts, "%s%s", parts.len ? "," : "", value);
	}
	if (tally_str_error(&parts))
		ret = -ENOMEM;
	else if (parts.len)
		ret = add_option(to, "", "call-graph", tally_str_text(&parts));
	tally_str_free(&parts);
	return ret;
}

static int apply_rule(struct tally_arguments *to, const struct tally_settings *settings,
		      const struct tally_setting *setting, const struct setting_rule *rule)
{
	switch (rule->effect) {
	case VALUE: return add_option(to, "", rule->option, setting->value);
	case FLAG:
	case ONLY_ON:
	case ONLY_OFF: return apply_flag(to, setting, rule->option, rule->effect);
	case WORD:
		return strcmp(setting->value, rule->word) ? 0
							  : add_option(to, "", rule->option, NULL);
	case CHAIN: return apply_chain(to, settings, setting);
	case BUILDIDS: return setenv("PERF_BUILDID_DIR", setting->value, 0) ? -ENOMEM : 0;
	case PART: return 0; /* see apply_parts() */
	}
	return 0;
}

static const struct tally_option *find_option(const struct tally_command *command, const char *name)
{
	const struct tally_option *option = command->options;

	for (; option->letter || option->name || option->help; option++)
		if (option->name && !strcmp(option->name, name))
			return option;
	return NULL;
}

/* Apply a setting of tally's own file: the long name of any option in the command's section. */
static int apply_own(struct tally_arguments *to, const struct tally_setting *setting,
		     const struct tally_command *command)
{
	size_t len = strlen(command->name);
	const struct tally_option *option;

	if (strncmp(setting->name, command->name, len) || setting->name[len] != '.')
		return 0;
	option = find_option(command, setting->name + len + 1);
	if (!option) {
		warn_value(setting, "the command has no such option");
		return 0;
	}
	return option->arg ? add_option(to, "", option->name, setting->value)
			   : apply_flag(to, setting, option->name, FLAG);
}

static int apply_setting(struct tally_arguments *to, const struct tally_settings *settings,
			 const struct tally_setting *setting, const struct tally_command *command)
{
	bool is_perfs = false;
	int ret = 0;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rules) && !ret; i++) {
		const struct setting_rule *rule = &rules[i];

		if (strcmp(rule->name, setting->name))
			continue;
		is_perfs = true;
		if (!rule->command || !strcmp(rule->command, command->name))
			ret = apply_rule(to, settings, setting, rule);
	}
	return ret || is_perfs || !setting->is_own ? ret : apply_own(to, setting, command);
}

static int apply_all(const struct tally_settings *settings, const struct tally_command *command,
		     int argc, char **argv, struct tally_arguments *to)
{
	int ret = tally_vec_push(&to->words, argv[0]);

	tally_vec_for_each (setting, &settings->all) {
		if (!ret)
			ret = apply_setting(to, settings, setting, command);
	}
	if (!ret && !strcmp(command->name, "report"))
		ret = apply_parts(to, settings);
	for (int i = 1; i < argc && !ret; i++)
		ret = tally_vec_push(&to->words, argv[i]);
	to->nr = (int)to->words.len;
	return ret ? ret : tally_vec_push(&to->words, NULL);
}

int tally_settings_apply(const struct tally_settings *settings, const struct tally_command *command,
			 int argc, char **argv, struct tally_arguments *ret_arguments)
{
	int ret;

	*ret_arguments = (struct tally_arguments){0};
	ret = apply_all(settings, command, argc, argv, ret_arguments);
	if (ret) {
		tally_print_error("cannot use the settings: out of memory");
		tally_arguments_free(ret_arguments);
	}
	return ret;
}

void tally_arguments_free(struct tally_arguments *arguments)
{
	tally_vec_free(&arguments->words);
	tally_arena_free(&arguments->texts);
	*arguments = (struct tally_arguments){0};
}

const char *tally_settings_effect(const struct tally_setting *setting)
{
	if (!strcmp(setting->name, "call-graph.dump-size"))
		return "call-graph-default";
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].name, setting->name))
			return rules[i].option;
	if (!setting->is_own)
		return NULL;
	for (const struct tally_command *const *c = tally_commands; *c; c++) {
		size_t len = strlen((*c)->name);

		if (!strncmp(setting->name, (*c)->name, len) && setting->name[len] == '.' &&
		    find_option(*c, setting->name + len + 1))
			return setting->name + len + 1;
	}
	return NULL;
}
