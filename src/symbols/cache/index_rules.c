/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cache/index_rules.h"

#include <errno.h>
#include <string.h>

#include "symbols/cache/index_dso.h"
#include "symbols/cache/index_write.h"
#include "symbols/dso_path.h"

/* Minimum size of a table in bytes: making a smaller one takes no longer than reading an index. */
enum { RULES_LEAST = 8 << 10, FUNCTIONS_LEAST = 2 << 10 };

/* Get the state of the object's own file. Returns 0 or -ENOMEM. */
static int own_file_stat(const struct tally_dso *dso, struct tally_source_file *ret_file)
{
	struct tally_str path = {0};
	int ret;

	tally_dso_add_path(dso, &path, dso->name);
	ret = tally_str_error(&path);
	if (!ret)
		*ret_file = tally_source_file_stat(tally_str_text(&path));
	tally_str_free(&path);
	return ret;
}

/* Sections of a table. */
struct sections {
	enum tally_index_id facts, table;
	size_t least; /* minimum size of the table in bytes */
};

static const struct sections in_rules = {TALLY_INDEX_RULES_FACTS, TALLY_INDEX_RULES, RULES_LEAST};
static const struct sections in_functions = {TALLY_INDEX_FUNCTIONS_FACTS, TALLY_INDEX_FUNCTIONS,
					     FUNCTIONS_LEAST};

/* Open a table in the index if it was made from the file `own`. If `own` is NULL, it may be from
 * any file. */
static int table_open(struct tally_index *index, const struct sections *in,
		      const struct tally_source_file *own, struct tally_unwind_table *ret_table,
		      bool *ret_has_frame_pointers)
{
	const struct tally_rules_facts *facts;
	size_t facts_len, len;
	const void *rules;

	facts = tally_index_section(index, in->facts, &facts_len);
	if (facts_len < sizeof(*facts) ||
	    (own && (own->error || memcmp(&facts->own, own, sizeof(*own)) != 0)))
		return -ENOENT;
	rules = tally_index_section(index, in->table, &len);
	if (!rules || tally_unwind_table_open(rules, len, ret_table))
		return -ENOENT;
	*ret_has_frame_pointers = facts->has_frame_pointers;
	return 0;
}

/* Open the DSO's index, and describe its file. Returns 0 or -ENOENT. */
static int index_open(struct tally_dso *dso, struct tally_build_id *ret_object,
		      struct tally_index *ret_index, struct tally_rules_facts *ret_facts)
{
	struct tally_index_dir *dir = tally_index_dir_get(dso->owner);

	*ret_facts = (struct tally_rules_facts){0};
	if (!dir || dso->kind != TALLY_DSO_USER || own_file_stat(dso, &ret_facts->own) ||
	    tally_dso_index_object(dso, ret_object) || tally_index_open(dir, ret_object, ret_index))
		return -ENOENT;
	return 0;
}

int tally_dso_index_load_rules(struct tally_dso *dso, struct tally_rules_facts *ret_facts)
{
	struct tally_build_id object;

	if (index_open(dso, &object, &dso->rules.index, ret_facts))
		return -ENOENT;
	if (!table_open(&dso->rules.index, &in_rules, &ret_facts->own, &dso->rules.table,
			&dso->rules.has_frame_pointers)) {
		(void)tally_index_mark_used(dso->owner, &object, TALLY_INDEX_RULES);
		return 0;
	}
	tally_index_free(&dso->rules.index);
	return -ENOENT;
}

int tally_dso_index_load_functions(struct tally_dso *dso, struct tally_rules_facts *ret_facts)
{
	struct tally_index *index = &dso->bounds.index;
	struct tally_unwind_table *table = &dso->bounds.table;
	struct tally_build_id object;
	bool unused;

	if (index_open(dso, &object, index, ret_facts))
		return -ENOENT;
	if (!table_open(index, &in_functions, &ret_facts->own, table, &unused)) {
		(void)tally_index_mark_used(dso->owner, &object, TALLY_INDEX_FUNCTIONS);
		return 0;
	}
	tally_index_free(index);
	return -ENOENT;
}

int tally_dso_index_load_rules_by_id(struct tally_dso *dso, int error)
{
	int ret = tally_dso_index_open_by_id(dso, error, &dso->rules.index);

	if (ret)
		return ret;
	ret = table_open(&dso->rules.index, &in_rules, NULL, &dso->rules.table,
			 &dso->rules.has_frame_pointers);
	if (ret)
		tally_index_free(&dso->rules.index);
	return ret;
}

int tally_dso_index_load_functions_by_id(struct tally_dso *dso, int error)
{
	int ret = tally_dso_index_open_by_id(dso, error, &dso->bounds.index);
	bool unused;

	if (ret)
		return ret;
	ret = table_open(&dso->bounds.index, &in_functions, NULL, &dso->bounds.table, &unused);
	if (ret)
		tally_index_free(&dso->bounds.index);
	return ret;
}

/* Return true if the opened image is the file that `facts` describes, rather than a process's file
 * at the same path or a pinned file that has since been removed. */
static bool is_own(const struct tally_rules_facts *facts, const struct tally_image *own)
{
	struct tally_source_file file;

	if (facts->own.error || tally_source_file_is_fresh(&facts->own) || !own->map.data)
		return false;
	file = tally_source_file_fstat(own->map.fd);
	return !memcmp(&file, &facts->own, sizeof(file));
}

static void table_write(struct tally_dso *dso, const struct tally_build_id *object,
			const struct sections *in, const struct tally_rules_facts *facts,
			const void *block, size_t len)
{
	struct tally_index_writer *writer;

	if (tally_index_writer_open(&dso->owner->cache.dir, object, len + sizeof(*facts), &writer))
		return;
	tally_index_writer_begin(writer, in->facts);
	tally_index_writer_add(writer, facts, sizeof(*facts));
	tally_index_writer_begin(writer, in->table);
	tally_index_writer_add(writer, block, len);
	(void)tally_index_writer_close(writer, 0);
}

static void table_save(struct tally_dso *dso, const struct sections *in,
		       const struct tally_rules_facts *facts, const struct tally_image *own,
		       const void *block, size_t len)
{
	const struct tally_build_id *object = dso->build_id.size ? &dso->build_id : &own->build_id;
	struct tally_rules_facts made = *facts;

	if (!tally_index_dir_get(dso->owner) || dso->kind != TALLY_DSO_USER ||
	    (!dso->cached.is_kept && (len < in->least || !is_own(facts, own))) ||
	    !tally_index_mark_used(dso->owner, object, in->table))
		return;
	if (dso->cached.is_kept)
		made.own = (struct tally_source_file){.error = ESTALE};
	table_write(dso, object, in, &made, block, len);
}

void tally_dso_index_save_rules(struct tally_dso *dso, const struct tally_rules_facts *facts,
				const struct tally_image *own, size_t len)
{
	struct tally_rules_facts made = *facts;

	made.has_frame_pointers = dso->rules.has_frame_pointers;
	table_save(dso, &in_rules, &made, own, dso->rules.block, len);
}

void tally_dso_index_save_functions(struct tally_dso *dso, const struct tally_rules_facts *facts,
				    const struct tally_image *own, size_t len)
{
	table_save(dso, &in_functions, facts, own, dso->bounds.block, len);
}
