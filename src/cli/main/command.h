/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command is a folder of src/cli that exports one const entry; its options are rows of a table,
 * from which parsing, --help, completion and the manual's check are made.
 */
#ifndef TALLY_CLI_MAIN_COMMAND_H
#define TALLY_CLI_MAIN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses besides the profiled command's own, and those of sampler/child.h. */
enum {
	TALLY_EXIT_OK = 0,
	TALLY_EXIT_ERROR = 1,
	TALLY_EXIT_USAGE = 129,
};

enum tally_option_kind {
	TALLY_OPTION_GROUP, /* a heading in --help, no option */
	TALLY_OPTION_FLAG,  /* bool = true; --no-NAME sets false */
	TALLY_OPTION_CLEAR, /* bool = false; written as the "no-" option it is */
	TALLY_OPTION_COUNT, /* int += 1 for each time given */
	TALLY_OPTION_U64,   /* uint64_t, decimal or 0x */
	TALLY_OPTION_INT,   /* int */
	TALLY_OPTION_TEXT,  /* const char * */
	TALLY_OPTION_LIST,  /* struct tally_option_list: each time one more */
	TALLY_OPTION_CALL,  /* call() with the argument */
};

/* All values of an option that may be given several times. Zeroed: none. */
struct tally_option_list {
	const char **items; /* freed with tally_options_free() */
	size_t nr;
};

struct tally_option {
	char letter;      /* 0: none */
	const char *name; /* long name without dashes; NULL: none */
	uint8_t kind;     /* enum tally_option_kind */
	size_t offset;    /* of the member in the command's config */
	const char *arg;  /* name of the argument for --help; NULL: takes none */
	const char *help;
	const char *optional; /* value when the argument is left out; or NULL */
	/* TALLY_OPTION_CALL: 0, or -EINVAL after having said why. `arg` NULL when left out. */
	int (*call)(void *config, const char *arg);
	size_t given; /* offset of a bool that tells it was given, 0: not wanted */
	/* With `optional`: the argument may also be the next word, unless that is an option. Else
	 * it has to stand behind '=', or behind the letter in the same word. */
	bool next_word;
	/* With `next_word`: whether a word may be the argument; NULL: any that is no option. */
	bool (*fits)(const char *word);
};

/* For the commands that know events by name; `offset` of the member of tally_event_source. */
#define TALLY_OPTION_EVENTS_DIR(offset)                                            \
	{                                                                          \
		0, "events-dir", TALLY_OPTION_TEXT, offset, "path",                \
			"event tables of this tree or file, not the built-in ones" \
	}

/* The last row. */
#define TALLY_OPTION_END \
	{                \
		0        \
	}

struct tally_command {
	const char *name;
	const char *summary; /* one line, for `tally help` */
	const char *usage;   /* what follows "tally NAME", one form a line */
	const char *about;   /* a paragraph or two behind the options; NULL: none */
	const struct tally_option *options;
	/* It opens events or reads kallsyms: capabilities are kept, lowered, until it drops them
	 * (sampler/privileges.h). For all others they are dropped before it runs. */
	bool privileged;
	int (*run)(int argc,
		   char **argv); /* argv[0] is the command's name; gives the exit status */
};

/* Every command, in the order of `tally help`; NULL ends it. */
extern const struct tally_command *const tally_commands[];

const struct tally_command *tally_command_find(const char *name);

/* How argv is split. Without either, a word that is no option is a usage error. */
enum {
	TALLY_PARSE_STOP =
		1 << 0, /* the first word that is no option ends the options: a command */
	TALLY_PARSE_WORDS = 1 << 1, /* words may stand anywhere between the options */
};

/* Parse argv[1...] into `config`. `*ret_first` is the index of the first word that is not an
 * option; with PARSE_STOP words are left in place, with PARSE_WORDS they are moved behind the
 * options. 0 to go on; a positive number N: stop and exit with status N - 1 (--help was printed, or
 * a usage error was told). */
int tally_options_parse(const struct tally_command *command, void *config, int argc, char **argv,
			unsigned flags, int *ret_first);

/* Free the lists in `config`. */
void tally_options_free(const struct tally_command *command, void *config);

void tally_command_help(const struct tally_command *command);

/* Print that there is no command `word`, and the hint that the one of a similar name may be meant,
 * if there is one, else where commands are listed. Of one that only perf has: what to use instead.
 */
void tally_command_unknown(const char *word);

#endif
