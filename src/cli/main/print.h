/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages to the user: on stderr, prefixed with the program's name, one line each. */
#ifndef TALLY_CLI_MAIN_PRINT_H
#define TALLY_CLI_MAIN_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/messages.h"

/* "tally: ..." - a failure that terminates the command. */
void tally_print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "tally: warning: ..." - something is not done as requested; the command continues. */
void tally_print_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* " ..." - more detail about the previous line. */
void tally_print_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* " hint: ..." - what to do about the previous line. */
void tally_print_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* If the word looks like a mistyped name, print the hint "did you mean '...'?" and return true. */
bool tally_print_typo(const struct tally_suggest *suggest);

/* The libraries' message callbacks, which print as the functions above do. Informational messages
 * have no prefix. */
extern const struct tally_messages tally_print_messages;

/* Print a parser error as tally_message_parse_error() does. */
void tally_print_parse_error(const char *path, int code, const struct tally_error *err);

#endif
