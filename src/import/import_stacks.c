/* SPDX-License-Identifier: BSD-2-Clause */
#include "import/import_stacks.h"

#include <errno.h>
#include <string.h>

enum { SUFFIX = 4 };

/* Cut a suffix like "_[k]" off a name. Returns its letter, or NUL. */
static char suffix_cut(const char *name, size_t *len)
{
	const char *at = name + *len - SUFFIX;

	if (*len <= SUFFIX || at[0] != '_' || at[1] != '[' || at[3] != ']' ||
	    !memchr("kij", at[2], 3))
		return '\0';
	*len -= SUFFIX;
	return at[2];
}

int import_function_add(struct import_stacks *stacks, const char *name, size_t len)
{
	struct imported *imported = stacks->imported;
	bool is_kernel = suffix_cut(name, &len) == 'k';
	const char *module = is_kernel ? "[kernel.kallsyms]" : IMPORT_MODULE;
	struct import_row row = {.file = IMPORT_NONE};
	struct import_place at = {0};
	uint32_t text, place;
	int ret = import_text(imported, name, len, &row.function);

	ret = ret ? ret : import_text(imported, module, strlen(module), &text);
	ret = ret ? ret : import_module(imported, text, is_kernel, &at.module);
	ret = ret ? ret : import_place(imported, &at, &row, 1, &place);
	return ret ? ret : tally_vec_push(&stacks->places, place);
}

int import_stack_set(struct import_stacks *stacks, struct import_sample *sample)
{
	int ret = import_stack(stacks->imported, stacks->places.data, (uint32_t)stacks->places.len,
			       &sample->stack);

	stacks->places.len = 0;
	return ret;
}

int import_sample_add(struct import_stacks *stacks, const struct import_sample *sample)
{
	if (sample->weight)
		return tally_vec_push(&stacks->imported->samples, *sample);
	stacks->imported->notes.dropped++;
	return 0;
}

int import_folded_set(struct import_stacks *stacks, const char *text, size_t len, bool has_comm,
		      struct import_sample *sample)
{
	const char *semicolon = has_comm ? memchr(text, ';', len) : NULL;
	size_t comm = semicolon ? (size_t)(semicolon - text) : len;
	const char *start = has_comm ? text + comm + (semicolon != NULL) : text, *end = text + len;
	int ret = has_comm ? import_comm_set(stacks, text, comm, sample) : 0;

	/* From the end, where the innermost function is. */
	while (start < end && !ret) {
		const char *before = memrchr(start, ';', (size_t)(end - start));
		const char *word = before ? before + 1 : start;

		if (stacks->places.len == IMPORT_FRAMES_MAX) {
			stacks->imported->notes.cut++;
			break;
		}
		if (word < end)
			ret = import_function_add(stacks, word, (size_t)(end - word));
		end = before ? before : start;
	}
	return ret ? ret : import_stack_set(stacks, sample);
}

int import_event_named(struct import_stacks *stacks, const char *name, uint32_t *ret_event)
{
	uint32_t text;
	int ret = import_text(stacks->imported, name, strlen(name), &text);

	return ret ? ret : import_event(stacks->imported, text, ret_event);
}

int import_comm_set(struct import_stacks *stacks, const char *name, size_t len,
		    struct import_sample *sample)
{
	struct import_thread thread;
	int ret = import_text(stacks->imported, name, len, &sample->comm);

	if (ret)
		return ret;
	/* Comms are numbered like processes, from 1. */
	thread = (struct import_thread){0, (int32_t)sample->comm + 1, (int32_t)sample->comm + 1};
	return import_thread(stacks->imported, &thread, &sample->thread);
}

void import_stacks_free(struct import_stacks *stacks)
{
	tally_vec_free(&stacks->places);
}
