/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each command has a directory in src/cli and exports one const entry. Its options are the rows of
 * a table; parsing, --help, shell completion and the check of the manual all use that table.
 */
#ifndef TALLY_CLI_MAIN_COMMAND_H
#define TALLY_CLI_MAIN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses in addition to the profiled command's own and those of sampler/child.h. */
enum {
	TALLY_EXIT_OK = 0,
	TALLY_EXIT_ERROR = 1,
	TALLY_EXIT_USAGE = 129,
};

enum tally_option_kind {
	TALLY_OPTION_GROUP, /* heading in --help, not an option */
	TALLY_OPTION_FLAG,  /* bool = true; --no-NAME sets false */
	TALLY_OPTION_CLEAR, /* bool = false; the name includes its "no-" */
	TALLY_OPTION_COUNT, /* int += 1 each time it is given */
	TALLY_OPTION_U64,   /* uint64_t, decimal or 0x */
	TALLY_OPTION_INT,   /* int */
	TALLY_OPTION_TEXT,  /* const char * */
	TALLY_OPTION_LIST,  /* struct tally_option_list: each use adds one value */
	TALLY_OPTION_CALL,  /* call() with the argument */
};

/* All values of an option that may be given several times. A zeroed list is empty. */
struct tally_option_list {
	const char **items; /* freed with tally_options_free() */
	size_t nr;
};

struct tally_option {
	char letter;      /* 0: none */
	const char *name; /* long name without dashes; NULL: none */
	uint8_t kind;     /* enum tally_option_kind */
	size_t offset;    /* offset of the member in the command's config */
	const char *arg;  /* name of the argument for --help; NULL: takes no argument */
	const char *help;
	const char *optional; /* value if the argument is left out; or NULL */
	/* For TALLY_OPTION_CALL. `arg` is NULL if the argument was left out. Returns 0, or -EINVAL
	 * after printing the reason. */
	int (*call)(void *config, const char *arg);
	size_t given; /* offset of a bool that is set if the option is given; 0: none */
	/* With `optional`: the argument may also be the next word, unless that is an option.
	 * Otherwise it must follow '=', or follow the letter in the same word. */
	bool next_word;
	/* With `next_word`: returns true if `word` can be the argument. NULL: any word that is not
	 * an option. */
	bool (*fits)(const char *word);
};

/* For commands that look up events by name; `offset` is that of the tally_event_source member in
 * the config. */
#define TALLY_OPTION_EVENTS_DIR(offset)                                                         \
	{                                                                                       \
		0, "events-dir", TALLY_OPTION_TEXT, offset, "path",                             \
			"use event tables from this directory or file instead of the built-in " \
			"ones"                                                                  \
	}

/* Terminates a table of options. */
#define TALLY_OPTION_END \
	{                \
		0        \
	}

struct tally_command {
	const char *name;
	const char *summary; /* one line, for `tally help` */
	const char *usage;   /* text after "tally NAME", one form a line */
	const char *about;   /* a paragraph or two printed after the options; NULL: none */
	const struct tally_option *options;
	/* The command opens events or reads kallsyms. It starts with its capabilities kept but
	 * lowered, until it drops them (sampler/privileges.h). For all other commands they are
	 * dropped before run(). */
	bool privileged;
	/* argv[0] is the command's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

/* All commands, in the order of `tally help`; terminated by NULL. */
extern const struct tally_command *const tally_commands[];

/* Return the command called `name`, or NULL. */
const struct tally_command *tally_command_find(const char *name);

/* Flags of tally_options_parse(). With neither, a word that is not an option is a usage error. */
enum {
	/* The first word that is not an option ends the options; it begins a command. */
	TALLY_PARSE_STOP = 1 << 0,
	/* Words may appear anywhere between the options. */
	TALLY_PARSE_WORDS = 1 << 1,
};

/* Parse argv[1...] into `config`. `*ret_first` is the index of the first word that is not an
 * option. With PARSE_STOP the words stay in place; with PARSE_WORDS they are moved after the
 * options. Returns 0 to go on, or a positive number N to stop and exit with status N - 1 (--help or
 * a usage error was printed). */
int tally_options_parse(const struct tally_command *command, void *config, int argc, char **argv,
			unsigned flags, int *ret_first);

/* Free the option lists in `config`. */
void tally_options_free(const struct tally_command *command, void *config);

/* Print the --help text of a command. */
void tally_command_help(const struct tally_command *command);

/* Report an unknown command `word`, with a hint: the command with a similar name, or how to list
 * all commands. For a command that only perf has, print the alternative instead. */
void tally_command_unknown(const char *word);

#endif
