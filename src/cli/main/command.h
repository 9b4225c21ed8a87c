/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each command has a directory in src/cli and exports one const entry. The command's option table
 * drives parsing, --help, shell completion and the manual pages.
 */
#ifndef TALLY_CLI_MAIN_COMMAND_H
#define TALLY_CLI_MAIN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses of tally itself. The profiled command's own status and the statuses in
 * sampler/child.h are used as well. */
enum {
	TALLY_EXIT_OK = 0,
	TALLY_EXIT_ERROR = 1,
	TALLY_EXIT_USAGE = 129,
};

enum tally_option_kind {
	TALLY_OPTION_GROUP, /* heading in --help, not an option */
	TALLY_OPTION_FLAG,  /* bool = true; --no-NAME sets false */
	TALLY_OPTION_CLEAR, /* bool = false; NAME includes the "no-" */
	TALLY_OPTION_COUNT, /* int += 1 each time it is given */
	TALLY_OPTION_U64,   /* uint64_t, decimal or 0x */
	TALLY_OPTION_INT,   /* int */
	TALLY_OPTION_TEXT,  /* const char * */
	TALLY_OPTION_LIST,  /* struct tally_option_list: each use adds one value */
	TALLY_OPTION_CALL,  /* calls call() with the argument */
};

/* All values of an option that may be given several times. A zeroed list is empty. */
struct tally_option_list {
	const char **items; /* freed with tally_options_free() */
	size_t nr;
};

struct tally_option {
	char letter;      /* 0 if there is no short option */
	const char *name; /* long name without dashes, or NULL */
	uint8_t kind;     /* enum tally_option_kind */
	size_t offset;    /* offset of the member in the command's config */
	const char *arg;  /* argument name for --help; NULL if there is no argument */
	const char *help;
	const char *optional; /* value if the argument is omitted, or NULL */
	/* Callback for TALLY_OPTION_CALL. `arg` is NULL if the argument was omitted. Returns 0, or
	 * -EINVAL after printing the reason. */
	int (*call)(void *config, const char *arg);
	size_t given; /* offset of a bool to set if the option is used, or 0 */
	/* If set, the argument of an `optional` option may also be the next word, unless that word
	 * is an option. If not set, the argument must follow '=', or follow the letter in the same
	 * word. */
	bool next_word;
	/* With `next_word`, return true if `word` can be the argument. If NULL, any word that is
	 * not an option can be the argument. */
	bool (*fits)(const char *word);
	bool takes_no; /* for TALLY_OPTION_CALL: --no-NAME calls call() with "no" */
};

/* The --events-dir option, for commands that look up events by name. `offset` is the offset of the
 * config's tally_event_source member. */
#define TALLY_OPTION_EVENTS_DIR(offset)                                                         \
	{                                                                                       \
		0, "events-dir", TALLY_OPTION_TEXT, offset, "path",                             \
			"use event tables from this directory or file instead of the built-in " \
			"ones"                                                                  \
	}

/* End of an option table. */
#define TALLY_OPTION_END \
	{                \
		0        \
	}

/* The words that an option takes, or the arguments of a command, for shell completion. */
struct tally_command_words {
	const char *option; /* long name; NULL for the arguments */
	/* Print the words, each on a line. `before` is the argument before the word, or "". */
	void (*print)(const char *before);
};

struct tally_command {
	const char *name;
	const char *summary; /* one line, for `tally help` */
	const char *usage;   /* text after "tally NAME", one synopsis per line */
	const char *about;   /* one or two paragraphs printed after the options, or NULL */
	const struct tally_option *options;
	/* Words that are not in the help; ends with an entry without print(). NULL if there are
	 * none. */
	const struct tally_command_words *words;
	/* Set if the command opens events or reads kallsyms. Such a command starts with its
	 * capabilities kept but lowered, and drops them when they are no longer needed
	 * (sampler/privileges.h). For all other commands, capabilities are dropped before run(). */
	bool privileged;
	/* argv[0] is the command's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

/* All commands, in the order of `tally help`; terminated by NULL. */
extern const struct tally_command *const tally_commands[];

/* Return the command called `name`, or NULL. */
const struct tally_command *tally_command_find(const char *name);

/* Flags of tally_options_parse(). If neither is set, a word that is not an option is a usage
 * error. */
enum {
	/* Stop parsing at the first word that is not an option; that word begins a command. */
	TALLY_PARSE_STOP = 1 << 0,
	/* Allow words that are not options anywhere on the command line. */
	TALLY_PARSE_WORDS = 1 << 1,
};

/* Parse argv[1...] into `config`. `*ret_first` is set to the index of the first word that is not an
 * option. With PARSE_STOP, words stay in place; with PARSE_WORDS, words are moved after the
 * options. Returns 0 to continue, or a positive number N to exit with status N - 1 (after printing
 * --help or a usage error). */
int tally_options_parse(const struct tally_command *command, void *config, int argc, char **argv,
			unsigned flags, int *ret_first);

/* Free the option lists in `config`. */
void tally_options_free(const struct tally_command *command, void *config);

/* Print a command's --help text. */
void tally_command_help(const struct tally_command *command);

/* Report the unknown command `word`, and suggest a command with a similar name, or the command
 * list. If only perf has the command, print what to use instead. */
void tally_command_unknown(const char *word);

#endif
