/* SPDX-License-Identifier: BSD-2-Clause */
/* Read real recordings: check the records of each type, their time order, and big-endian copies. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "abi/abi_record.h"
#include "abi/abi_sample.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "fixtures.h"
#include "tally/perfdata.h"

/* ---- records by type ----------------------------------------------------- */

struct count {
	char name[32];
	unsigned nr;
};

struct counts {
	TALLY_VEC(struct count) list;
};

static void counts_add(struct counts *counts, const char *name)
{
	struct count count = {.nr = 1};

	tally_vec_for_each (old, &counts->list) {
		if (!strcmp(old->name, name)) {
			old->nr++;
			return;
		}
	}
	snprintf(count.name, sizeof(count.name), "%s", name);
	assert_int_equal(tally_vec_push(&counts->list, count), 0);
}

static void counts_add_type(struct counts *counts, uint32_t type)
{
	const struct tally_record_desc *desc = tally_perfdata_describe(type);
	char name[32];

	snprintf(name, sizeof(name), "type%u", type);
	counts_add(counts, desc ? desc->name : name);
}

static int count_compare(const void *a, const void *b)
{
	return strcmp(((const struct count *)a)->name, ((const struct count *)b)->name);
}

/* Format the counts as in golden/record-counts.tsv. */
static void counts_text(struct counts *counts, struct tally_str *ret_text)
{
	if (counts->list.len)
		qsort(counts->list.data, counts->list.len, sizeof(struct count), count_compare);
	tally_vec_for_each (count, &counts->list)
		tally_str_addf(ret_text, "%s%s=%u", ret_text->len ? " " : "", count->name,
			       count->nr);
	tally_vec_free(&counts->list);
}

static void check_counts(const char *root, const char *file, const char *expected)
{
	char path[FIXTURE_PATH];
	struct tally_perfdata *data;
	struct tally_perfdata_record record;
	struct counts counts = {0};
	struct tally_str text = {0};
	int ret;

	assert_true((size_t)snprintf(path, sizeof(path), "%s/perfdata/%s", root, file) <
		    sizeof(path));
	assert_int_equal(tally_perfdata_open(path, &data, NULL), 0);
	while ((ret = tally_perfdata_next(data, &record, NULL)) > 0)
		counts_add_type(&counts, record.type);
	if (ret < 0) {
		assert_int_equal(ret, -EINVAL);
		counts_add(&counts, "?short");
	}
	counts_text(&counts, &text);
	if (strcmp(tally_str_text(&text), expected))
		fail_msg("%s:\n got %s\nwant %s", file, tally_str_text(&text), expected);
	tally_str_free(&text);
	tally_perfdata_close(data);
}

static int check_all_counts(const char *root)
{
	char path[FIXTURE_PATH], line[4096];
	int nr = 0;
	FILE *list;

	snprintf(path, sizeof(path), "%s/golden/record-counts.tsv", root);
	list = fopen(path, "r");
	assert_non_null(list);
	while (fgets(line, sizeof(line), list)) {
		char *tab = strchr(line, '\t');

		if (!nr++ || !tab)
			continue;
		*tab = '\0';
		tab[1 + strcspn(tab + 1, "\n")] = '\0';
		check_counts(root, line, tab + 1);
	}
	fclose(list);
	return nr;
}

static void counts_records_as_golden_files(void **state)
{
	(void)state;
	for (int set = 0; set < NR_FIXTURE_SETS; set++) {
		const char *root = fixtures_root(set);

		if (root)
			assert_true(check_all_counts(root) > fixture_sets[set].nr_counted);
	}
}

/* ---- time order ---------------------------------------------------------- */

struct seen {
	uint64_t time, number, offset;
	uint32_t type;
};

typedef TALLY_VEC(struct seen) seen_list;

static int seen_compare(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

typedef int next_fn(struct tally_perfdata *, struct tally_perfdata_record *, struct tally_error *);

/* Collect all records with a timestamp. Returns the result of the last read. */
static int see_all(struct tally_perfdata *data, next_fn *next, seen_list *list)
{
	struct tally_perfdata_record record;
	int end;

	while ((end = next(data, &record, NULL)) > 0) {
		struct seen seen = {record.time, record.number, record.offset, record.type};
		struct perf_event_header header = tally_record_header(record.data);

		assert_int_equal(header.type, record.type);
		assert_int_equal(header.size, record.size);
		if (record.time)
			assert_int_equal(tally_vec_push(list, seen), 0);
	}
	return end;
}

static void check_read(const char *path, next_fn *next, seen_list *list, int *ret_end,
		       uint64_t *ret_late)
{
	struct tally_perfdata *data;

	assert_int_equal(tally_perfdata_open(path, &data, NULL), 0);
	*ret_end = see_all(data, next, list);
	*ret_late = tally_perfdata_info(data)->nr_late;
	tally_perfdata_close(data);
}

static void assert_same(const struct seen *a, const struct seen *b)
{
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->number, b->number);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->type, b->type);
}

static void check_order(const char *path)
{
	seen_list plain = {0}, ordered = {0};
	uint64_t late;
	int end, ordered_end;

	check_read(path, tally_perfdata_next, &plain, &end, &late);
	check_read(path, tally_perfdata_next_ordered, &ordered, &ordered_end, &late);
	if (plain.len)
		qsort(plain.data, plain.len, sizeof(struct seen), seen_compare);
	assert_int_equal(end, ordered_end);
	assert_int_equal(plain.len, ordered.len);
	if (late)
		fprintf(stderr, "# %s: %llu late\n", path, (unsigned long long)late);
	for (size_t i = 0; !late && i < plain.len; i++)
		assert_same(&plain.data[i], &ordered.data[i]);
	tally_vec_free(&plain);
	tally_vec_free(&ordered);
}

/* Check that a request for every third sample returns exactly these samples and all records of
 * other types. */
static void check_wanted(const char *path)
{
	enum { WANTED_WORDS = 3 };
	static const uint64_t wanted[WANTED_WORDS] = {0x9249249249249249, 0x4924924924924924,
						      0x2492492492492492};
	uint64_t nr_wanted = 64 * WANTED_WORDS;
	seen_list all = {0}, some = {0};
	struct tally_perfdata *data;
	size_t at = 0;
	int end;

	assert_int_equal(tally_perfdata_open(path, &data, NULL), 0);
	end = see_all(data, tally_perfdata_next_ordered, &all);
	assert_int_equal(tally_perfdata_rewind(data), 0);
	tally_perfdata_select(data, wanted, nr_wanted);
	assert_int_equal(see_all(data, tally_perfdata_next_ordered, &some), end);
	for (size_t i = 0; !tally_perfdata_info(data)->nr_late && i < all.len; i++) {
		const struct seen *seen = &all.data[i];

		if (seen->type == PERF_RECORD_SAMPLE &&
		    (seen->number >= nr_wanted || seen->number % 3))
			continue;
		assert_true(at < some.len);
		assert_same(&some.data[at++], seen);
	}
	assert_true(tally_perfdata_info(data)->nr_late || at == some.len);
	tally_perfdata_close(data);
	tally_vec_free(&all);
	tally_vec_free(&some);
}

static void returns_records_in_time_order(void **state)
{
	(void)state;
	fixtures_each(check_order);
}

static void returns_only_requested_samples(void **state)
{
	(void)state;
	fixtures_each(check_wanted);
}

/* ---- big-endian copies --------------------------------------------------- */

/* HEADER_FEATURE records keep the file's byte order; everything else must be equal. */
static void check_same_records(struct tally_perfdata *a, struct tally_perfdata *b)
{
	struct tally_perfdata_record x, y;
	int ret;

	while ((ret = tally_perfdata_next(a, &x, NULL)) > 0) {
		assert_int_equal(tally_perfdata_next(b, &y, NULL), 1);
		assert_int_equal(x.type, y.type);
		assert_int_equal(x.misc, y.misc);
		assert_int_equal(x.size, y.size);
		assert_int_equal(x.time, y.time);
		assert_int_equal(!x.event, !y.event);
		if (x.event)
			assert_int_equal(x.event->index, y.event->index);
		if (x.type != TALLY_PERFDATA_HEADER_FEATURE)
			assert_memory_equal(x.data, y.data, x.size);
	}
	assert_int_equal(tally_perfdata_next(b, &y, NULL), ret);
}

static void check_same_events(struct tally_perfdata *a, struct tally_perfdata *b)
{
	size_t nr = tally_perfdata_nr_events(a);

	assert_int_equal(tally_perfdata_nr_events(b), nr);
	for (size_t i = 0; i < nr; i++) {
		const struct tally_perfdata_event *x = tally_perfdata_event(a, i);
		const struct tally_perfdata_event *y = tally_perfdata_event(b, i);

		assert_memory_equal(&x->attr, &y->attr, sizeof(x->attr));
		assert_string_equal(x->name, y->name);
		assert_int_equal(x->nr_ids, y->nr_ids);
		for (size_t n = 0; n < x->nr_ids; n++)
			assert_int_equal(x->ids[n], y->ids[n]);
	}
}

static void check_same_strings(struct tally_perfdata_strings a, struct tally_perfdata_strings b)
{
	assert_int_equal(a.nr, b.nr);
	for (uint32_t i = 0; i < a.nr; i++)
		assert_string_equal(a.items[i], b.items[i]);
}

/* Check that all known features in a file are decoded. Big-endian copies lack a few features. */
static void check_all_present(struct tally_perfdata *data, const struct tally_perfdata_env *env)
{
	struct tally_perfdata_feature feature;

	for (size_t i = 0; tally_perfdata_feature(data, i, &feature); i++)
		assert_true(feature.id >= TALLY_FEATURE_MAX ||
			    tally_perfdata_env_has(env, feature.id));
}

static void check_same_env(struct tally_perfdata *a, struct tally_perfdata *b)
{
	const struct tally_perfdata_env *x, *y;

	assert_int_equal(tally_perfdata_env(a, &x), 0);
	assert_int_equal(tally_perfdata_env(b, &y), 0);
	check_all_present(a, x);
	check_all_present(b, y);
	assert_string_equal(x->hostname, y->hostname);
	assert_string_equal(x->cpudesc, y->cpudesc);
	assert_int_equal(x->nr_cpus_online, y->nr_cpus_online);
	assert_int_equal(x->total_mem_kb, y->total_mem_kb);
	check_same_strings(x->cmdline, y->cmdline);
	check_same_strings(x->core_siblings, y->core_siblings);
	assert_int_equal(x->nr_cpus, y->nr_cpus);
	for (uint32_t i = 0; i < x->nr_cpus; i++)
		assert_memory_equal(&x->cpus[i], &y->cpus[i], sizeof(x->cpus[i]));
	assert_int_equal(x->nr_nodes, y->nr_nodes);
	assert_int_equal(x->nr_pmus, y->nr_pmus);
	for (uint32_t i = 0; i < x->nr_pmus; i++) {
		assert_int_equal(x->pmus[i].type, y->pmus[i].type);
		assert_string_equal(x->pmus[i].name, y->pmus[i].name);
	}
	assert_int_equal(x->nr_groups, y->nr_groups);
}

static void check_same_build_ids(struct tally_perfdata *a, struct tally_perfdata *b)
{
	const struct tally_perfdata_build_id *x, *y;

	for (size_t i = 0; (x = tally_perfdata_build_id(a, i)); i++) {
		y = tally_perfdata_build_id(b, i);
		assert_non_null(y);
		assert_int_equal(x->pid, y->pid);
		assert_int_equal(x->misc, y->misc);
		assert_int_equal(x->size, y->size);
		assert_memory_equal(x->bytes, y->bytes, x->size);
		assert_string_equal(x->filename, y->filename);
	}
}

/* Compare "ROOT/perfdata/bigendian-twins/NAME.be" with "ROOT/perfdata/ORIGINALS/NAME". */
static void check_twin(const char *twin, const char *original)
{
	struct tally_perfdata *little, *big;

	assert_int_equal(tally_perfdata_open(original, &little, NULL), 0);
	assert_int_equal(tally_perfdata_open(twin, &big, NULL), 0);
	assert_true(tally_perfdata_info(big)->is_big_endian);
	assert_false(tally_perfdata_info(little)->is_big_endian);
	check_same_records(little, big);
	check_same_events(little, big);
	check_same_env(little, big);
	check_same_build_ids(little, big);
	tally_perfdata_close(little);
	tally_perfdata_close(big);
}

static void check_one_twin(const char *twin)
{
	char original[FIXTURE_PATH];

	for (int set = 0; set < NR_FIXTURE_SETS; set++) {
		const char *root = fixtures_root(set), *name = strrchr(twin, '/') + 1;

		if (!root || strncmp(twin, root, strlen(root)))
			continue;
		snprintf(original, sizeof(original), "%s/perfdata/%s/%.*s", root,
			 fixture_sets[set].originals, (int)(strlen(name) - strlen(".be")), name);
		check_twin(twin, original);
		return;
	}
	fail_msg("%s is of no set", twin);
}

static void reads_big_endian_copies_equally(void **state)
{
	char folder[FIXTURE_PATH];

	(void)state;
	for (int set = 0; set < NR_FIXTURE_SETS; set++) {
		if (!fixtures_root(set))
			continue;
		snprintf(folder, sizeof(folder), "%s/perfdata/bigendian-twins", fixtures_root(set));
		assert_true(fixtures_each_of(folder, check_one_twin) >= fixture_sets[set].nr_twins);
	}
}

/* ---- features ------------------------------------------------------------ */

/* Expected notes, selected by a substring of the file's path. */
static const struct {
	const char *part; /* substring of the path */
	enum tally_perfdata_note_kind kind;
} oddities[] = {
	{"extrabyte", TALLY_NOTE_STRAY_BYTES},
	{"/unfinished.", TALLY_NOTE_UNFINISHED},
	{"/damaged/cut-in-record.", TALLY_NOTE_TRUNCATED_DATA},
	{"/damaged/cut-in-record.", TALLY_NOTE_TRUNCATED_RECORD},
	{"/damaged/cut-in-record.", TALLY_NOTE_BAD_FEATURE},
	{"/damaged/features-beyond.", TALLY_NOTE_BAD_FEATURE},
};

static bool is_expected(const char *path, const struct tally_perfdata_note *note)
{
	for (size_t i = 0; i < sizeof(oddities) / sizeof(oddities[0]); i++) {
		if (oddities[i].kind == note->kind && strstr(path, oddities[i].part))
			return true;
	}
	return false;
}

/* Check that every known feature is decoded and that only the notes expected for the path are
 * reported. */
static void check_features(const char *path)
{
	const struct tally_perfdata_note *note;
	const struct tally_perfdata_env *env;
	struct tally_perfdata *data;
	struct tally_perfdata_record record;

	assert_int_equal(tally_perfdata_open(path, &data, NULL), 0);
	while (tally_perfdata_next(data, &record, NULL) > 0)
		assert_false(record.flags & TALLY_PERFDATA_DAMAGED);
	assert_int_equal(tally_perfdata_env(data, &env), 0);
	check_all_present(data, env);
	for (size_t i = 0; (note = tally_perfdata_note(data, i)); i++) {
		if (!is_expected(path, note))
			fail_msg("%s: %s at %llu", path, note->text,
				 (unsigned long long)note->offset);
	}
	tally_perfdata_close(data);
}

static void decodes_all_known_features(void **state)
{
	(void)state;
	fixtures_each(check_features);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_records_as_golden_files),
		cmocka_unit_test(returns_records_in_time_order),
		cmocka_unit_test(returns_only_requested_samples),
		cmocka_unit_test(reads_big_endian_copies_equally),
		cmocka_unit_test(decodes_all_known_features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
