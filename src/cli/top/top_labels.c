/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/top/top_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/print.h"

/* ---- options ------------------------------------------------------------------- */

#define AT(member) offsetof(struct tally_sampling, member)

/* Keys that show a field of samples, and what makes the kernel record it. */
static const struct {
	const char *key;
	size_t at; /* offset of a bool */
} key_fields[] = {
	{"cgroup", AT(all_cgroups)},
	{"cgroup_id", AT(namespaces)},
	{"transaction", AT(with_transaction)},
	{"code_page_size", AT(with_code_page)},
	{"local_weight", AT(with_weight)},
	{"weight", AT(with_weight)},
	{"local_ins_lat", AT(with_weight)},
	{"ins_lat", AT(with_weight)},
	{"local_p_stage_cyc", AT(with_weight)},
	{"p_stage_cyc", AT(with_weight)},
	{"local_retire_lat", AT(with_weight)},
	{"retire_lat", AT(with_weight)},
	{"weight1", AT(with_weight)},
	{"weight2", AT(with_weight)},
	{"weight3", AT(with_weight)},
	{"op", AT(with_data_src)},
	{"mem", AT(with_data_src)},
	{"locked", AT(with_data_src)},
	{"tlb", AT(with_data_src)},
	{"snoop", AT(with_data_src)},
	{"blocked", AT(with_data_src)},
	{"symbol_daddr", AT(with_addr)},
	{"dso_daddr", AT(with_addr)},
	{"dcacheline", AT(with_addr)},
	{"phys_daddr", AT(with_phys)},
	{"data_page_size", AT(with_data_page)},
	{"socket", AT(with_cpu)},
	{"cpu", AT(with_cpu)},
};

static void sample_field(struct tally_sampling *sampling, const char *key)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(key_fields); i++)
		if (!strcmp(key, key_fields[i].key))
			*(bool *)((char *)sampling + key_fields[i].at) = true;
}

int top_labels_check(struct top_config *config)
{
	const struct tally_show *show = &config->rows.show;

	for (int i = 0; i < show->nr_columns; i++) {
		const struct tally_view_column *column = show->columns[i];

		if (tally_view_column_is_recorded(column)) {
			tally_print_error("option '--sort': '%s' is not supported by tally top; "
					  "use 'tally record' and 'tally report'",
					  column->name);
			return -EINVAL;
		}
		if (column->of_branch && !config->sampling.branches) {
			tally_print_error("option '--sort': '%s' is a key of branches, and rows "
					  "are samples; add -b",
					  column->name);
			return -EINVAL;
		}
		sample_field(&config->sampling, column->name);
	}
	if (config->sampling.all_cgroups)
		config->sampling.synth |= TALLY_SYNTH_CGROUP;
	return 0;
}

/* ---- labels -------------------------------------------------------------------- */

/* Read the sockets of the CPUs. */
static int read_sockets(struct top_labels *labels)
{
	struct tally_cpus *online;
	uint32_t nr;

	if (tally_cpus_online(NULL, &online))
		return 0; /* cells are "N/A" */
	nr = (uint32_t)online->cpu[online->nr - 1].number + 1;
	free(online);
	labels->cpus = calloc(nr, sizeof(*labels->cpus));
	if (!labels->cpus)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		labels->cpus[i].socket_id =
			tally_cpu_location(NULL, (struct tally_cpu){(int32_t)i}).socket;
	labels->env.cpus = labels->cpus;
	labels->env.nr_cpus = nr;
	return 0;
}

int top_labels_start(struct top_labels *labels, const struct top_config *config,
		     struct tally_machine *machine)
{
	const struct tally_show *show = &config->rows.show;

	tally_labels_start(&labels->of, NULL, machine, show->columns, show->nr_columns);
	labels->of.env = &labels->env;
	return labels->of.nr_columns ? read_sockets(labels) : 0;
}

/* ---- memory -------------------------------------------------------------------- */

static int sweep(struct top_labels *labels, struct tally_profile *profile, uint32_t *marks)
{
	int ret = tally_profile_finish(profile);

	if (ret)
		return ret;
	tally_vec_for_each (bucket, &profile->buckets)
		marks[bucket->key.label] = 1;
	ret = tally_labels_sweep(&labels->of, marks);
	return ret ? ret : tally_profile_relabel(profile, marks);
}

int top_labels_collect(struct top_labels *labels, struct tally_profile *profile)
{
	enum { FEW = 4096 };
	size_t nr = labels->of.strings.strings.len;
	uint32_t *marks;
	int ret;

	if (nr <= FEW + 4 * profile->buckets.len)
		return 0;
	marks = calloc(nr, sizeof(*marks));
	if (!marks)
		return -ENOMEM;
	ret = sweep(labels, profile, marks);
	free(marks);
	return ret;
}

void top_labels_free(struct top_labels *labels)
{
	tally_labels_free(&labels->of);
	free(labels->cpus);
}
