/* SPDX-License-Identifier: BSD-2-Clause */
/* A prompt on the line above the key bar, and the input typed so far. */
#ifndef TALLY_CLI_BROWSER_PROMPT_H
#define TALLY_CLI_BROWSER_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "cli/browser/complete.h"

struct browser;

/* A prompt. A zero-initialised prompt is closed. */
struct browser_prompt {
	const char *question; /* NULL if no prompt is open */
	struct tally_str text;
	int (*answer)(struct browser *browser, const char *text);
	/* Finds completions, which Tab shows one after the other; NULL if there are none. */
	int (*complete)(struct browser *browser, const char *text, struct browser_completions *out);
	struct browser_completions found; /* until another key is pressed */
};

/* Open a prompt. `first` is the initial text, or NULL. `answer` is called when the user presses
 * Enter. */
void browser_prompt_open(struct browser_prompt *prompt, const char *question, const char *first,
			 int (*answer)(struct browser *browser, const char *text));

/* Handle a key while a prompt is open. Return 0, or the result of `answer`. */
int browser_prompt_press(struct browser_prompt *prompt, struct browser *browser, uint32_t press);

void browser_prompt_free(struct browser_prompt *prompt);

#endif
