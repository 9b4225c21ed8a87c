/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event names in the syntax of other tools:
 *
 *	clx::MEM_LOAD_RETIRED:L1_MISS:u:c=1	libpfm: CPU, event, umasks, modifiers
 *	MEM_LOAD_RETIRED_L1_MISS:PMC0:THRESHOLD=0x2	likwid: event, counter, options
 *
 * and table names that contain colons.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arith.h"
#include "base/str.h"
#include "events/cursor.h"
#include "events/lookup.h"
#include "events/parse.h"
#include "events/events_error.h"

enum { MAX_PIECES = 16, MAX_NAME = 256 };

/* CPU names in libpfm, and the corresponding tables. */
static const char *const cpus[][2] = {
	{"slm", "silvermont"},
	{"skx", "skylakex"},
	{"clx", "cascadelakex"},
	{"icx", "icelakex"},
	{"spr", "sapphirerapids"},
	{"amd64_fam19h_zen3", "amdzen3"},
	{"amd64_fam19h_zen4", "amdzen4"},
	{"amd64_fam1ah_zen5", "amdzen5"},
	{"arm_n1", "arm/neoverse-n1"},
	{"arm_n2", "arm/neoverse-n2"},
	{"arm_n3", "arm/neoverse-n3"},
	{"arm_v1", "arm/neoverse-v1"},
	{"arm_v2", "arm/neoverse-v2"},
	{"arm_v3", "arm/neoverse-v3"},
	{"arm_ac53", "arm/cortex-a53"},
	{"arm_ac55", "arm/cortex-a55"},
	{"arm_ac57", "arm/cortex-a57"},
	{"arm_ac72", "arm/cortex-a57"},
	{"arm_ac76", "arm/cortex-a76"},
	{"arm_a64fx", "fujitsu/a64fx"},
	{"arm_kunpeng", "hisilicon/hip08"},
	{"arm_thunderx2", "cavium/thunderx2"},
	{"power8", "power8"},
};

/* Events that have different names in the other tools. */
static const char *const others[][2] = {
	{"instr_retired_any", "inst_retired.any"},
	{"instruction_retired", "inst_retired.any"},
	{"instructions_retired", "inst_retired.any"},
	{"cpu_clk_unhalted_core", "cpu_clk_unhalted.thread"},
	{"unhalted_core_cycles", "cpu_clk_unhalted.thread"},
	{"cpu_clk_unhalted_ref", "cpu_clk_unhalted.ref_tsc"},
	{"unhalted_reference_cycles", "cpu_clk_unhalted.ref_tsc"},
	{"topdown_slots", "topdown.slots"},
	{"llc_references", "longest_lat_cache.reference"},
	{"llc_misses", "longest_lat_cache.miss"},
	{"branch_instructions_retired", "br_inst_retired.all_branches"},
	{"mispredicted_branch_retired", "br_misp_retired.all_branches"},
	{"retired_instructions", "ex_ret_instr"},
	{"cycles_not_in_halt", "ls_not_halted_cyc"},
	{"retired_branch_instructions", "ex_ret_brn"},
	{"retired_branch_instructions_mispredicted", "ex_ret_brn_misp"},
};

/* libpfm modifiers and likwid options that correspond to PMU terms. */
static const struct {
	const char *word, *term;
	bool likwid;
} settings[] = {
	{"c", "cmask", false},
	{"e", "edge", false},
	{"i", "inv", false},
	{"t", "any", false},
	{"ldlat", "ldlat", false},
	{"intx", "in_tx", false},
	{"intxcp", "in_tx_cp", false},
	{"fe_thres", "frontend", false},
	{"THRESHOLD", "cmask", true},
	{"EDGEDETECT", "edge", true},
	{"INVERT", "inv", true},
	{"ANYTHREAD", "any", true},
	{"IN_TRANSACTION", "in_tx", true},
	{"IN_TRANSACTION_ABORTED", "in_tx_cp", true},
};

struct spelling {
	struct tally_word cpu; /* the part before "::" */
	struct tally_word pieces[MAX_PIECES];
	size_t nr, nr_name; /* number of pieces; how many of them form the name */
	const char *name;   /* name in the table */
	struct tally_terms terms;
	char modifiers[MAX_PIECES]; /* perf's modifiers */
	size_t nr_modifiers;
	struct tally_word counter; /* likwid's counter, such as PMC0 */
	bool kernel;
};

static bool word_equals(struct tally_word word, const char *text)
{
	return strlen(text) == word.len && !strncasecmp(text, word.text, word.len);
}

/* Map equivalent characters to the same one: case is ignored, and dots, colons and underscores are
 * equivalent. */
static int fold(int c)
{
	return c == '.' || c == ':' ? '_' : tolower(c);
}

static bool fold_equals(const char *name, struct tally_word word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!name[i] || fold((unsigned char)name[i]) != fold((unsigned char)word.text[i]))
			return false;
	return !name[word.len];
}

/* Return the name in the tables, or NULL. */
static const char *name_find(struct tally_events *events, struct tally_word written)
{
	struct tally_table_cursor cursor = {0};
	struct tally_table_event event;

	if (tally_table_next(events, &cursor, written, &event))
		return tally_model_text(event.table->model, event.row->name);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(others); i++)
		if (fold_equals(others[i][0], written))
			written = (struct tally_word){others[i][1], strlen(others[i][1])};
	tally_vec_for_each (table, &events->tables.list) {
		for (uint32_t i = 0; i < table->model->events.nr; i++) {
			const struct tally_model_event *row = tally_model_event(table->model, i);
			const char *name = tally_model_text(table->model, row->name);

			if (fold_equals(name, written))
				return name;
		}
	}
	return NULL;
}

bool tally_table_has_prefix(struct tally_events *events, struct tally_word word)
{
	char prefix[MAX_NAME];
	size_t len = TALLY_MIN(word.len, sizeof(prefix) - 1);
	uint32_t first;

	for (size_t i = 0; i < len; i++)
		prefix[i] = (char)tolower((unsigned char)word.text[i]);
	prefix[len++] = '.';
	tally_vec_for_each (table, &events->tables.list) {
		for (uint32_t pmu = 0; pmu < table->model->pmus.nr; pmu++)
			if (tally_model_event_prefix(table->model, pmu, prefix, len, &first))
				return true;
	}
	return false;
}

/* ---- after the name ------------------------------------------------------------------- */

static bool counter_accept(struct spelling *s, struct tally_word piece)
{
	bool is_fixed = piece.len > 4 && !memcmp(piece.text, "FIXC", 4);
	size_t letters = is_fixed ? 4 : 3;

	if (piece.len <= letters || piece.len > letters + 2 ||
	    (!is_fixed && memcmp(piece.text, "PMC", 3)))
		return false;
	for (size_t i = letters; i < piece.len; i++)
		if (!isdigit((unsigned char)piece.text[i]))
			return false;
	s->counter = piece;
	return true;
}

static bool setting_accept(struct spelling *s, struct tally_word piece)
{
	const char *equals = memchr(piece.text, '=', piece.len);
	struct tally_word word = piece, value = {NULL, 0};

	if (equals) {
		word.len = (size_t)(equals - piece.text);
		value = (struct tally_word){equals + 1, piece.len - word.len - 1};
	}
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(settings); i++) {
		const char *term = settings[i].term;

		if (!tally_word_is(word, settings[i].word) ||
		    settings[i].likwid != (s->counter.len > 0))
			continue;
		s->terms.term[s->terms.nr++] =
			(struct tally_term){{term, strlen(term)}, value, false};
		return true;
	}
	return false;
}

static bool modifiers_accept(struct spelling *s, struct tally_word piece)
{
	bool accepted =
		tally_modifiers_are_valid(piece) && s->nr_modifiers + piece.len <= MAX_PIECES;

	for (size_t i = 0; accepted && i < piece.len; i++)
		s->modifiers[s->nr_modifiers++] = piece.text[i];
	return accepted;
}

/* Accept the pieces after the name. The modifiers e, i, c and t have different meanings in libpfm
 * and perf. libpfm's meaning applies if the event is in libpfm's syntax, with a CPU or separate
 * umasks. */
static bool suffix_accept(struct spelling *s)
{
	bool libpfm = s->cpu.len || s->nr_name > 1;

	s->terms.nr = s->nr_modifiers = 0;
	s->counter.len = 0;
	s->kernel = false;
	for (size_t i = s->nr_name; i < s->nr; i++) {
		struct tally_word piece = s->pieces[i];

		if (i == s->nr_name && !s->cpu.len && counter_accept(s, piece))
			continue;
		if (s->counter.len && tally_word_is(piece, "KERNEL"))
			s->kernel = true;
		else if (!((libpfm || s->counter.len) && setting_accept(s, piece)) &&
			 !(!s->counter.len && modifiers_accept(s, piece)))
			return false;
	}
	return true;
}

/* ---- entry points ----------------------------------------------------------------------- */

static void pieces_split(struct spelling *s, struct tally_word whole)
{
	const char *at = whole.text, *end = whole.text + whole.len;
	const char *twice = memmem(whole.text, whole.len, "::", 2);

	if (twice) {
		s->cpu = (struct tally_word){whole.text, (size_t)(twice - whole.text)};
		at = twice + 2;
	}
	while (s->nr < MAX_PIECES) {
		const char *colon = memchr(at, ':', (size_t)(end - at));

		s->pieces[s->nr++] = (struct tally_word){at, (size_t)((colon ? colon : end) - at)};
		if (!colon)
			break;
		at = colon + 1;
	}
}

/* Find the longest name that is in a table and is followed only by valid pieces. */
static bool name_accept(struct tally_event_parser *p, struct spelling *s)
{
	const char *start = s->pieces[0].text;

	for (s->nr_name = s->nr; s->nr_name; s->nr_name--) {
		const struct tally_word *last = &s->pieces[s->nr_name - 1];
		struct tally_word written = {start, (size_t)(last->text + last->len - start)};

		s->name = suffix_accept(s) && written.len < MAX_NAME ? name_find(p->events, written)
								     : NULL;
		if (s->name)
			return true;
	}
	return false;
}

static int cpu_check(struct tally_event_parser *p, const struct spelling *s)
{
	const char *ours = tally_tables_name(&p->events->tables);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(cpus); i++) {
		if (!word_equals(s->cpu, cpus[i][0]) || !strcmp(cpus[i][1], ours))
			continue;
		tally_parser_fail(p, -ENOENT, "this event belongs to another CPU", s->cpu);
		snprintf(p->err->fix, sizeof(p->err->fix),
			 "the event is for %s; this CPU's table is %.64s", cpus[i][1],
			 *ours ? ours : "none");
		return -ENOENT;
	}
	return 0;
}

/* Reject a likwid counter that cannot count the event, even though the kernel chooses the counter
 * anyway. */
static int counter_check(struct tally_event_parser *p, const struct spelling *s,
			 const struct tally_event_spec *spec)
{
	bool is_fixed = s->counter.text[0] == 'F';
	size_t letters = is_fixed ? 4 : 3;
	uint64_t nr = 0;
	unsigned can;

	(void)tally_word_u64(
		(struct tally_word){s->counter.text + letters, s->counter.len - letters}, &nr);
	can = is_fixed ? spec->fixed : spec->counters;
	if (!(spec->counters || spec->fixed) || (!is_fixed && spec->fixed) ||
	    (nr < 16 && can >> nr & 1))
		return 0;
	tally_parser_fail(p, -EINVAL, "this counter cannot count the event", s->counter);
	snprintf(p->err->fix, sizeof(p->err->fix),
		 "counters that can count it (masks): PMC 0x%x, FIXC 0x%x", spec->counters,
		 spec->fixed);
	return -EINVAL;
}

static int specs_finish(struct tally_event_parser *p, struct spelling *s, size_t first,
			struct tally_word whole)
{
	struct tally_word letters = {s->modifiers, s->nr_modifiers};
	const char *name = tally_word_dup(p, whole);
	int ret = name ? 0 : -ENOMEM;

	for (size_t i = first; i < p->specs.len; i++)
		p->specs.data[i].name = name;

	for (size_t i = first; s->counter.len && i < p->specs.len && !ret; i++)
		ret = counter_check(p, s, &p->specs.data[i]);
	/* By default, likwid counts only user mode. */
	if (s->counter.len && !s->kernel)
		letters = (struct tally_word){"u", 1};
	return ret ? ret : tally_modifiers_apply(p, letters, first, false);
}

int tally_spelling_parse(struct tally_event_parser *p, struct tally_word whole)
{
	size_t first = p->specs.len;
	struct spelling s = {.nr = 0};
	int ret = tally_tables_open(p->events);

	if (ret)
		return tally_table_fail(p, ret, whole);
	pieces_split(&s, whole);
	ret = s.cpu.len ? cpu_check(p, &s) : 0;
	if (!name_accept(p, &s))
		return ret;
	p->at = tally_parser_end(p, whole);
	if (!ret)
		ret = tally_table_parse(p, (struct tally_word){s.name, strlen(s.name)}, &s.terms);
	if (ret > 0)
		ret = specs_finish(p, &s, first, whole);
	return ret ? ret : 1;
}
