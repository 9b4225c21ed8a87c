/* SPDX-License-Identifier: BSD-2-Clause */
/* A question in the line above the keys, and what is typed as its answer. */
#ifndef TALLY_CLI_BROWSER_PROMPT_H
#define TALLY_CLI_BROWSER_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct browser;

/* All zero: nothing is asked. */
struct browser_prompt {
	const char *question; /* NULL: none */
	struct tally_str text;
	int (*answer)(struct browser *browser, const char *text);
};

/* Ask; `first` is what stands there at first, NULL: nothing. `answer` is called with Enter. */
void browser_prompt_ask(struct browser_prompt *prompt, const char *question, const char *first,
			int (*answer)(struct browser *browser, const char *text));

/* A key while something is asked. 0, or what the answer came to. */
int browser_prompt_press(struct browser_prompt *prompt, struct browser *browser, uint32_t press);

void browser_prompt_free(struct browser_prompt *prompt);

#endif
