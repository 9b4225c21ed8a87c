/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/health_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/json.h"
#include "symbols/symbols.h"

/* Print the hint for a reason if more than one in this many stacks ended for that reason. */
enum { HINT_SHARE = 100 };

/* JSON key and hint for each reason why a stack may end. */
static const struct {
	const char *key, *hint;
} ends[TALLY_UNWIND_NR_ENDS] = {
	[TALLY_UNWIND_BOTTOM] = {"whole", NULL},
	[TALLY_UNWIND_LIMIT] = {"limit", NULL},
	[TALLY_UNWIND_SHORT] = {"short_dump",
				"use 'record --call-graph dwarf,65528' to dump more of each stack"},
	[TALLY_UNWIND_OTHER_STACK] = {"other_stack", NULL},
	[TALLY_UNWIND_NO_RULES] = {"no_rules",
				   "install debug files for the files without unwind rules, or "
				   "build them with -fasynchronous-unwind-tables"},
	[TALLY_UNWIND_NO_FILE] = {"no_file",
				  "for files from a container or another machine, use "
				  "--symfs with a directory that contains copies of them"},
	[TALLY_UNWIND_ANONYMOUS] =
		{"anonymous", "enable frame pointers in JIT code (node "
			      "--interpreted-frames-native-stack, java -XX:+PreserveFramePointer)"},
	[TALLY_UNWIND_UNMAPPED] = {"unmapped", NULL},
	[TALLY_UNWIND_BAD_RULE] = {"bad_rule", NULL},
	[TALLY_UNWIND_POINTERS] = {"pointers", NULL},
};

/* Return the reason why a file is not available, or NULL if it is simply missing. */
static const char *why_no_file(const struct tally_dso *dso, enum tally_unwind_end end)
{
	enum tally_dso_state state;

	if (!dso || end != TALLY_UNWIND_NO_FILE)
		return NULL;
	state = tally_dso_rules_state(dso);
	return state == TALLY_DSO_NOT_LOADED || state == TALLY_DSO_LOADED ||
			       state == TALLY_DSO_MISSING || state == TALLY_DSO_NO_FILE
		       ? NULL
		       : tally_dso_state_text(state);
}

/* Stacks that ended in the same file for the same reason. */
struct file_end {
	const struct tally_dso *dso; /* NULL if outside any file */
	enum tally_unwind_end end;
	uint64_t nr;
};

static int file_end_compare(const void *left, const void *right)
{
	const struct file_end *a = left, *b = right;
	const char *names[2];
	int ret;

	if (a->nr != b->nr)
		return a->nr > b->nr ? -1 : 1;
	names[0] = a->dso ? tally_dso_name(a->dso) : "";
	names[1] = b->dso ? tally_dso_name(b->dso) : "";
	ret = strcmp(names[0], names[1]);
	return ret ? ret : (a->end > b->end) - (a->end < b->end);
}

/* List the files in which stacks ended, with the reason for ending there, sorted by number of
 * stacks. The caller frees `*ret_ends`. The list is incomplete if memory runs out. */
static size_t file_ends(const struct tally_unwinder *unwinder, struct file_end **ret_ends)
{
	const struct tally_map_slot *slot;
	TALLY_VEC(struct file_end) all = {0};
	size_t pos = 0;

	while ((slot = tally_map_next(&unwinder->by_dso, &pos))) {
		struct file_end one = {.nr = slot->value};

		one.dso = tally_unwinder_key_parse(slot->key, &one.end);
		if (tally_vec_push(&all, one))
			break;
	}
	if (all.len)
		qsort(all.data, all.len, sizeof(*all.data), file_end_compare);
	*ret_ends = all.data;
	return all.len;
}

static uint64_t stacks_in_all(const struct tally_unwinder *unwinder)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < TALLY_UNWIND_NR_ENDS; i++)
		nr += unwinder->counts.ends[i];
	return nr;
}

static void add_share(uint64_t nr, uint64_t all, struct tally_str *out)
{
	uint64_t tenths = tally_mul_div(nr, 1000, all);

	if (nr && !tenths)
		tally_str_add(out, "under 0.1 %");
	else
		tally_str_addf(out, "%" PRIu64 ".%" PRIu64 " %%", tenths / 10, tenths % 10);
}

static void add_hints(const struct tally_unwinder *unwinder, uint64_t all, struct tally_str *out)
{
	for (size_t i = 0; i < TALLY_UNWIND_NR_ENDS; i++) {
		if (ends[i].hint && unwinder->counts.ends[i] > all / HINT_SHARE)
			tally_str_addf(out, "# Hint: %s: %s\n",
				       tally_unwind_end_text((enum tally_unwind_end)i),
				       ends[i].hint);
	}
}

static void add_files(const struct tally_unwinder *unwinder, size_t max_files,
		      struct tally_str *out)
{
	struct file_end *all;
	size_t nr = file_ends(unwinder, &all);

	for (size_t i = 0; i < nr && i < max_files; i++) {
		const char *why = why_no_file(all[i].dso, all[i].end);
		struct tally_str line = {0};

		tally_str_addf(&line, "# Stacks ended early: %s: %" PRIu64 " %s",
			       all[i].dso ? tally_dso_name(all[i].dso) : "[no file]", all[i].nr,
			       tally_unwind_end_text(all[i].end));
		if (why)
			tally_str_addf(&line, " (%s)", why);
		tally_str_add_line(out, "%s", tally_str_text(&line));
		tally_str_free(&line);
	}
	if (nr > max_files && max_files)
		tally_str_addf(out, "# Stacks ended early: %zu more\n", nr - max_files);
	free(all);
}

void tally_health_stacks_text(const struct tally_unwinder *unwinder, size_t max_files,
			      struct tally_str *out)
{
	const struct tally_unwind_counts *counts = &unwinder->counts;
	uint64_t all = stacks_in_all(unwinder);
	const char *joint = "; ended early: ";

	if (counts->foreign)
		tally_str_addf(out,
			       "# Stacks: %" PRIu64
			       " not unwound: not from a 64-bit program for x86-64 or AArch64\n",
			       counts->foreign);
	if (!all)
		return;
	tally_str_addf(out, "# Stacks: %" PRIu64 " unwound, ", all);
	add_share(counts->ends[TALLY_UNWIND_BOTTOM], all, out);
	tally_str_add(out, " complete");
	for (size_t i = TALLY_UNWIND_BOTTOM + 1; i < TALLY_UNWIND_NR_ENDS; i++) {
		if (!counts->ends[i])
			continue;
		tally_str_add(out, joint);
		add_share(counts->ends[i], all, out);
		tally_str_addf(out, " %s", tally_unwind_end_text((enum tally_unwind_end)i));
		joint = ", ";
	}
	tally_str_add_char(out, '\n');
	add_hints(unwinder, all, out);
	add_files(unwinder, max_files, out);
}

void tally_health_stacks_json(const struct tally_unwinder *unwinder, struct tally_str *out)
{
	struct file_end *all;
	size_t nr = file_ends(unwinder, &all);

	tally_json_open(out, "stacks", '{');
	tally_json_u64(out, "unwound", stacks_in_all(unwinder));
	tally_json_u64(out, "foreign", unwinder->counts.foreign);
	for (size_t i = 0; i < TALLY_UNWIND_NR_ENDS; i++)
		tally_json_u64(out, ends[i].key, unwinder->counts.ends[i]);
	tally_json_open(out, "files", '[');
	for (size_t i = 0; i < nr; i++) {
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "file", all[i].dso ? tally_dso_name(all[i].dso) : "");
		tally_json_text(out, "end", ends[all[i].end].key);
		tally_json_u64(out, "stacks", all[i].nr);
		if (why_no_file(all[i].dso, all[i].end))
			tally_json_text(out, "why", why_no_file(all[i].dso, all[i].end));
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
	tally_json_close(out, '}');
	free(all);
}
