/* SPDX-License-Identifier: BSD-2-Clause */
/* Print models as rows, one per line, in the format of the fixtures' jevents68.*.tsv. Arguments:
 * `events`, `metrics`, `map`, or `find ARCH CPUID`. */
#include <stdio.h>
#include <string.h>

#include "dump_models.h"

static void text_print(const char *text)
{
	for (; *text; text++) {
		if (*text == '\n' || *text == '\r' || *text == '\t')
			printf("\\%c", *text == '\n' ? 'n' : *text == '\r' ? 'r' : 't');
		else
			putchar(*text);
	}
}

/* Print the model and the PMU as one identifier, such as "pmu_events__arm_cmn_sys_arm_cmn". */
static void table_print(const struct tally_model *model, const char *kind, uint32_t pmu)
{
	const char *parts[] = {tally_model_text(model, model->name),
			       tally_model_text(model, tally_model_pmu(model, pmu)->name)};

	printf("%s_", kind);
	for (int i = 0; i < 2; i++) {
		putchar('_');
		for (const char *at = parts[i]; *at; at++)
			putchar(strchr("-/,", *at) ? '_' : *at);
	}
}

static void event_print(const struct tally_model *model, const struct tally_model_event *event)
{
	const struct tally_model_traits *traits = tally_model_traits(model, event);
	const char *texts[] = {
		tally_model_text(model, event->name), tally_model_text(model, traits->topic),
		tally_model_event_desc(model, event), tally_model_text(model, event->terms),
		tally_model_text(model, traits->compat)};

	table_print(model, "pmu_events", event->pmu);
	for (int i = 0; i < 5; i++) {
		putchar('\t');
		text_print(texts[i]);
	}
	printf("\t%d\t%d\t%s\t", !!(traits->flags & TALLY_EVENT_DEPRECATED),
	       !!(traits->flags & TALLY_EVENT_PER_PACKAGE), tally_model_text(model, traits->unit));
	text_print(tally_model_event_long_desc(model, event));
	putchar('\n');
}

static void metric_print(const struct tally_model *model, const struct tally_model_metric *metric)
{
	const uint32_t texts[] = {metric->name,         metric->groups, metric->expr,
				  metric->threshold,    metric->desc,   metric->long_desc,
				  metric->unit,         metric->compat, metric->no_groups,
				  metric->default_group};

	table_print(model, "pmu_metrics", metric->pmu);
	for (int i = 0; i < 10; i++) {
		putchar('\t');
		text_print(tally_model_text(model, texts[i]));
	}
	printf("\t%d%d\n", metric->aggregation, metric->constraint);
}

static void map_print(const struct tally_models *models)
{
	for (uint32_t i = 0; i < models->nr_rows; i++) {
		const struct tally_models_row *row = &models->rows[i];
		const struct tally_model *model = tally_models_model(models, row->model);

		printf("%s\t%s\t%s\t%s\t%s\n", tally_models_text(models, row->arch),
		       tally_models_text(models, row->cpuid),
		       tally_models_text(models, row->version),
		       tally_models_text(models, row->type), tally_model_text(model, model->name));
	}
}

static void rows_print(const struct tally_model *model, const char *what)
{
	for (uint32_t i = 0; !strcmp(what, "events") && i < model->events.nr; i++)
		event_print(model, tally_model_event(model, i));
	for (uint32_t i = 0; !strcmp(what, "metrics") && i < model->metrics.nr; i++)
		metric_print(model, tally_model_metric(model, i));
}

static void find_print(const struct tally_models *models, const char *arch, const char *cpuid)
{
	const struct tally_models_row *row;
	uint32_t pos = 0;

	while ((row = tally_models_find(models, arch, cpuid, &pos))) {
		const struct tally_model *model = tally_models_model(models, row->model);

		printf("%s\t%s\n", tally_models_text(models, row->type),
		       tally_model_text(model, model->name));
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "map";
	const struct tally_models *models = models_open();

	if (!models)
		return 1;
	if (!strcmp(what, "map"))
		map_print(models);
	else if (!strcmp(what, "find") && argc > 3)
		find_print(models, argv[2], argv[3]);
	for (uint32_t i = 0; i < models->nr_models; i++)
		rows_print(tally_models_model(models, i), what);
	models_close(models);
	return 0;
}
