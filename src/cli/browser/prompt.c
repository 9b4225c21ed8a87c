/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/prompt.h"

#include "base/utf8.h"
#include "view/terminal.h"

enum { ANSWER_MAX = 1000, CTRL_U = 'U' - '@' };

void browser_prompt_open(struct browser_prompt *prompt, const char *question, const char *first,
			 int (*answer)(struct browser *browser, const char *text))
{
	prompt->question = question;
	prompt->answer = answer;
	prompt->complete = NULL;
	browser_completions_free(&prompt->found);
	tally_str_clear(&prompt->text);
	tally_str_add(&prompt->text, first ? first : "");
}

static void add_code(struct tally_str *out, uint32_t code)
{
	char bytes[4];

	tally_str_add_bytes(out, bytes, (size_t)(tally_utf8_put(bytes, code) - bytes));
}

static void drop_last(struct tally_str *text)
{
	while (text->len && ((unsigned char)text->data[text->len - 1] & 0xc0) == 0x80)
		text->len--;
	text->len -= text->len > 0;
	if (text->data)
		text->data[text->len] = '\0';
}

/* Show the next completion. */
static int show_next(struct browser_prompt *prompt, struct browser *browser)
{
	struct browser_completions *found = &prompt->found;
	int ret = 0;

	if (!prompt->complete)
		return 0;
	if (!found->texts.len)
		ret = prompt->complete(browser, tally_str_text(&prompt->text), found);
	if (ret || !found->texts.len)
		return ret;
	tally_str_clear(&prompt->text);
	tally_str_add(&prompt->text, found->texts.data[found->next]);
	found->next = (found->next + 1) % found->texts.len;
	return 0;
}

int browser_prompt_press(struct browser_prompt *prompt, struct browser *browser, uint32_t press)
{
	if (press == TALLY_PRESS_TAB)
		return show_next(prompt, browser);
	browser_completions_free(&prompt->found);
	switch (press) {
	case TALLY_PRESS_ENTER:
		prompt->question = NULL;
		return prompt->answer(browser, tally_str_text(&prompt->text));
	case TALLY_PRESS_ESCAPE: prompt->question = NULL; return 0;
	case TALLY_PRESS_BACKSPACE: drop_last(&prompt->text); return 0;
	case CTRL_U: tally_str_clear(&prompt->text); return 0;
	default:
		if (press >= ' ' && press < TALLY_PRESS_NONE && prompt->text.len < ANSWER_MAX)
			add_code(&prompt->text, press);
		return 0;
	}
}

void browser_prompt_free(struct browser_prompt *prompt)
{
	tally_str_free(&prompt->text);
	browser_completions_free(&prompt->found);
	*prompt = (struct browser_prompt){0};
}
