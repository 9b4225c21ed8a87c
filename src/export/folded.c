/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks: "comm;outermost;...;leaf weight", one line for each stack. The format cannot
 * represent ';' or a newline in a name, so they are written as \x3b and \n.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/escape.h"
#include "export/formats.h"
#include "export/model.h"
#include "export/stream.h"

struct folded {
	const struct tally_export *export;
	struct tally_export_model model;
	struct tally_export_tree tree;
	uint64_t *weights;         /* by path; UINT64_MAX if no stack ends at the path */
	TALLY_VEC(uint32_t) units; /* functions on a path, leaf first */
	struct tally_export_stream stream;
	bool counts_samples;
};

static void add_name(struct tally_str *out, const char *name)
{
	size_t start = out->len;
	const char *end;

	for (; (end = strchr(name, ';')); name = end + 1) {
		tally_str_add_bytes(out, name, (size_t)(end - name));
		tally_str_add(out, "\\x3b");
	}
	tally_str_add(out, name);
	tally_str_escape(out, start);
}

static void add_unit(struct folded *folded, uint32_t unit)
{
	const struct tally_profile *profile = folded->export->profile;
	struct tally_str name = {0};

	if (unit >= folded->tree.nr_units) {
		add_name(&folded->stream.text,
			 tally_intern_text(tally_machine_comms(profile->machine),
					   unit - folded->tree.nr_units));
		return;
	}
	tally_export_add_function(&folded->model.functions.data[unit], &name);
	add_name(&folded->stream.text, tally_str_text(&name));
	folded->stream.text.failed |= name.failed;
	tally_str_free(&name);
}

static int add_stack(struct folded *folded, uint32_t path)
{
	const struct tally_path *paths = folded->tree.paths.all.data;
	struct tally_str *text = &folded->stream.text;
	int ret = 0;

	folded->units.len = 0;
	for (uint32_t at = path; at != TALLY_PATH_NONE && !ret; at = paths[at].parent)
		ret = tally_vec_push(&folded->units, paths[at].frame);
	for (size_t i = folded->units.len; i-- > 0 && !ret;) {
		add_unit(folded, folded->units.data[i]);
		tally_str_add_char(text, i ? ';' : ' ');
	}
	tally_str_add_u64(text, folded->weights[path]);
	tally_str_add_char(text, '\n');
	return ret ? ret : tally_export_flush_some(&folded->stream);
}

static int sum(struct folded *folded)
{
	const struct tally_profile *profile = folded->export->profile;
	size_t nr = folded->tree.paths.all.len;

	folded->weights = malloc(nr * sizeof(*folded->weights));
	if (!folded->weights)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		folded->weights[i] = UINT64_MAX;
	for (size_t i = 0; i < profile->buckets.len; i++) {
		uint32_t path = folded->tree.path_of[i];

		if (path == TALLY_PATH_NONE)
			continue;
		if (folded->weights[path] == UINT64_MAX)
			folded->weights[path] = 0;
		folded->weights[path] =
			tally_export_sum(folded->export, folded->weights[path],
					 folded->counts_samples ? profile->buckets.data[i].nr
								: profile->buckets.data[i].period);
	}
	return 0;
}

static int folded_write(struct folded *folded)
{
	int ret = tally_export_tree_build(&folded->model, TALLY_EXPORT_COMMS_AND_FUNCTIONS,
					  folded->export->events[0].number, &folded->tree);

	if (!ret)
		ret = sum(folded);
	for (uint32_t i = 1; !ret && i < folded->tree.paths.all.len; i++) {
		if (folded->weights[i] != UINT64_MAX)
			ret = add_stack(folded, i);
	}
	free(folded->weights);
	tally_vec_free(&folded->units);
	tally_export_tree_free(&folded->tree);
	return ret;
}

static int write_folded(const struct tally_export *export, bool counts_samples)
{
	struct folded folded = {.export = export, .counts_samples = counts_samples};
	int ret = tally_export_model_build(export, &folded.model);

	if (!ret)
		ret = tally_export_stream_start(&folded.stream, export, export->packs);
	if (!ret)
		ret = folded_write(&folded);
	ret = tally_export_stream_end(&folded.stream, ret);
	tally_export_model_free(&folded.model);
	return ret;
}

static int write_periods(const struct tally_export *export)
{
	return write_folded(export, false);
}

static int write_samples(const struct tally_export *export)
{
	return write_folded(export, true);
}

const struct tally_export_format tally_export_folded = {
	.name = "folded",
	.help = "one line per stack: flamegraph.pl, inferno, speedscope",
	.one_event = true,
	.by = TALLY_BY_COMM,
	.lines = TALLY_LINES_APART,
	.write = write_periods,
};

const struct tally_export_format tally_export_folded_samples = {
	.name = "folded-samples",
	.help = "folded, with numbers of samples, as from stackcollapse-perf.pl",
	.one_event = true,
	.by = TALLY_BY_COMM,
	.lines = TALLY_LINES_APART,
	.write = write_samples,
};
