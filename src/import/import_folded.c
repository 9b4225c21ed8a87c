/* SPDX-License-Identifier: BSD-2-Clause */
/* Folded stacks: a line for each stack, "comm;outermost;...;innermost WEIGHT". */
#include <errno.h>
#include <string.h>

#include "base/scan.h"
#include "import/import_stacks.h"

/* Split off the weight after the last blank. Returns false if there is none. */
static bool weight_split(const char *line, size_t *len, uint64_t *ret_weight)
{
	size_t end = *len;
	struct tally_scan scan;

	while (end && tally_is_digit(line[end - 1]))
		end--;
	scan = tally_scan_of(line + end, *len - end);
	if (!end || !tally_is_blank(line[end - 1]) || tally_scan_number(&scan, 10, ret_weight))
		return false;
	while (end && tally_is_blank(line[end - 1]))
		end--;
	*len = end;
	return end > 0;
}

static int line_add(struct import_stacks *stacks, const char *line, size_t len)
{
	struct import_sample sample = {.cpu = IMPORT_NONE};
	int ret;

	if (!weight_split(line, &len, &sample.weight)) {
		tally_message_error(stacks->messages, "%s: line %" PRIu64 " is not a folded stack",
				    stacks->path, stacks->line);
		tally_message_hint(stacks->messages,
				   "lines are 'comm;outermost;...;innermost WEIGHT'");
		return -EINVAL;
	}
	ret = import_event_named(stacks, "samples", &sample.event);
	ret = ret ? ret : import_folded_set(stacks, line, len, true, &sample);
	return ret ? ret : import_sample_add(stacks, &sample);
}

int import_folded(struct imported *imported, const struct import_input *input)
{
	struct import_stacks stacks = {
		.imported = imported, .path = input->path, .messages = input->messages};
	const char *at = input->bytes, *end = at + input->len;
	int ret = 0;

	while (at < end && !ret) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);

		stacks.line++;
		if (len && at[len - 1] == '\r')
			len--;
		if (len)
			ret = line_add(&stacks, at, len);
		at = newline ? newline + 1 : end;
	}
	import_stacks_free(&stacks);
	return ret;
}
