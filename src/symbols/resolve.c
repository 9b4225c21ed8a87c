/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/resolve.h"

#include <errno.h>
#include <string.h>

#include "base/arith.h"

/* Names are only compared up to NAME_MAX_COMPARED bytes, to limit the time that a malicious file
 * can take. */
enum { PAGE = 4096, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, NAME_MAX_COMPARED = 4096 };

/* Do one stable pass of a radix sort, by 11 bits of the start addresses. Returns false if these
 * bits are the same in all entries. */
static bool sort_pass(const struct tally_symtab_entry *from, struct tally_symtab_entry *to,
		      size_t len, unsigned int shift)
{
	uint32_t at[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < len; i++)
		at[from[i].start >> shift & (DIGITS - 1)]++;
	if (at[from[0].start >> shift & (DIGITS - 1)] == len)
		return false;
	for (size_t i = 0; i < DIGITS; i++) {
		uint32_t nr = at[i];

		at[i] = sum;
		sum += nr;
	}
	for (size_t i = 0; i < len; i++)
		to[at[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
	return true;
}

/* Most tables are already sorted, e.g. kallsyms. */
static bool is_sorted(const struct tally_symtab_entry *entries, size_t len)
{
	for (size_t i = 1; i < len; i++) {
		if (entries[i].start < entries[i - 1].start)
			return false;
	}
	return true;
}

int tally_symtab_sort(struct tally_symtab *table)
{
	struct tally_symtab_entry *from = table->entries.data, *to, *spare;
	size_t len = table->entries.len;

	if (is_sorted(from, len))
		return 0;
	to = malloc(len * sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (unsigned int shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!sort_pass(from, to, len, shift))
			continue;
		spare = from;
		from = to;
		to = spare;
	}
	table->entries.data = from;
	table->entries.cap = len; /* both buffers have at least this capacity */
	free(to);
	return 0;
}

static bool same_module(const struct tally_symtab_entry *a, const struct tally_symtab_entry *b)
{
	if (!a->module || !b->module)
		return a->module == b->module;
	return a->module == b->module || !strcmp(a->module, b->module);
}

static uint64_t page_end(uint64_t start)
{
	return start > UINT64_MAX - 2 * PAGE ? UINT64_MAX : tally_round_up(start, PAGE) + PAGE;
}

/* Return true if the entry is considered in a pass. */
static bool in_pass(const struct tally_symtab_entry *entry, int pass)
{
	return entry->pass <= pass && !entry->dropped;
}

/* Set the end of an entry without a size to `end`, or to the entry's limit if that is lower. */
static void fix_end(struct tally_symtab_entry *entry, uint64_t end)
{
	if (entry->end == entry->start)
		entry->end = entry->limit ? TALLY_MIN(end, entry->limit) : end;
}

void tally_symtab_fix_ends(struct tally_symtab *table, int pass, bool kallsyms)
{
	struct tally_symtab_entry *prev = NULL;

	tally_vec_for_each (entry, &table->entries) {
		if (!in_pass(entry, pass))
			continue;
		if (prev)
			fix_end(prev, kallsyms && !same_module(prev, entry) ? page_end(prev->start)
									    : entry->start);
		prev = entry;
	}
	if (prev)
		fix_end(prev, page_end(prev->start));
}

static int compare(uint64_t first, uint64_t second)
{
	return (first > second) - (first < second);
}

static const char *shown(const struct tally_symtab_entry *entry,
			 const struct tally_symtab_options *options)
{
	return options->shown_name ? options->shown_name(options->arg, entry->name) : entry->name;
}

static size_t leading_underscores(const char *name)
{
	size_t nr = 0;

	while (nr < NAME_MAX_COMPARED && name[nr] == '_')
		nr++;
	return nr;
}

/* Return true for the system call aliases "SyS_x" and "compat_SyS_x", which are as long as the
 * preferred names. */
static bool is_syscall_alias(const char *name)
{
	return !strncmp(name, "SyS", 3) || !strncmp(name, "compat_SyS", 10);
}

/* Return true to keep `first`, false to keep `second`. Both start at the same address, and `first`
 * was added earlier. */
static bool prefers_first(const struct tally_symtab_entry *first,
			  const struct tally_symtab_entry *second,
			  const struct tally_symtab_options *options)
{
	const char *a, *b;
	int by;

	by = compare(first->end != first->start, second->end != second->start);
	if (!by)
		by = compare(first->binding != TALLY_SYMBOL_WEAK,
			     second->binding != TALLY_SYMBOL_WEAK);
	if (!by)
		by = compare(first->binding == TALLY_SYMBOL_GLOBAL,
			     second->binding == TALLY_SYMBOL_GLOBAL);
	if (by)
		return by > 0;
	/* The names are the same (in .symtab and .dynsym), so they need not be demangled. */
	if (!strncmp(first->name, second->name, NAME_MAX_COMPARED))
		return !is_syscall_alias(first->name);
	a = shown(first, options);
	b = shown(second, options);
	by = compare(leading_underscores(b), leading_underscores(a));
	if (!by)
		by = compare(strnlen(a, NAME_MAX_COMPARED), strnlen(b, NAME_MAX_COMPARED));
	return by ? by > 0 : !is_syscall_alias(a);
}

void tally_symtab_drop_aliases(struct tally_symtab *table, int pass,
			       const struct tally_symtab_options *options)
{
	struct tally_symtab_entry *best = NULL;

	tally_vec_for_each (entry, &table->entries) {
		if (!in_pass(entry, pass))
			continue;
		if (!best || entry->start != best->start) {
			best = entry;
		} else if (prefers_first(best, entry, options)) {
			entry->dropped = (uint8_t)(pass + 1);
		} else {
			best->dropped = (uint8_t)(pass + 1);
			best = entry;
		}
	}
}
