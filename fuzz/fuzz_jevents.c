/* SPDX-License-Identifier: BSD-2-Clause */
/* The input up to the first NUL is a JSON file, followed by the standard events of the
 * architecture: build a model, emit C in both forms, and look up each name in the model. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jevents/jevents_build.h"
#include "jevents/emit.h"

static int parse(struct tally_reading *reading, const char *text, size_t len,
		 struct tally_standard *standard)
{
	const struct tally_source *source;
	const struct tally_json_value *root;
	int ret = tally_reading_parse(reading, "fuzz.json", text, len, &source, &root);

	if (ret)
		return ret;
	return standard ? tally_standard_add(standard, source, root)
			: tally_reading_add(reading, source, "metricgroups", root);
}

/* Looking up each name in the model must find the first row with this name and PMU. */
static void names_find(const struct tally_model *model)
{
	for (uint32_t i = 0; i < model->events.nr; i++) {
		const struct tally_model_event *row = tally_model_event(model, i), *found;
		const char *name = tally_model_text(model, row->name);
		uint32_t pos = 0;

		found = tally_model_event_find(model, row->pmu, name, strlen(name), &pos);
		if (!found || found > row || found->name != row->name)
			abort();
	}
	for (uint32_t i = 0; i < model->metrics.nr; i++) {
		const struct tally_model_metric *row = tally_model_metric(model, i);

		if (!tally_model_metric_find(model, row->pmu, tally_model_text(model, row->name)))
			abort();
	}
}

static void model_use(struct tally_reading *reading)
{
	struct tally_model *model = NULL;
	struct tally_str out = {0};
	int ret = tally_model_build(reading, "x86", "fuzz", false, false, &model);

	if (!ret) {
		names_find(model);
		tally_emit_model(&out, model, "x86_fuzz");
		if (tally_emit_classic(&out, reading, "fuzz") > 0)
			abort();
		for (size_t i = 0; i < out.len; i++)
			if ((unsigned char)out.data[i] >= 0x7f)
				abort();
	} else if (!reading->messages->errors) {
		abort(); /* an error was not reported */
	}
	tally_str_free(&out);
	free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, 0, size);
	size_t len = nul ? (size_t)(nul - data) : size, rest = nul ? size - len - 1 : 0;
	struct tally_diagnostics messages = {0};
	struct tally_standard standard = {0};
	struct tally_reading reading = {.messages = &messages, .standard = &standard};
	int ret = 0;

	if (rest)
		ret = parse(&reading, (const char *)nul + 1, rest, &standard);
	tally_standard_sort(&standard);
	if (!ret)
		ret = parse(&reading, (const char *)data, len, NULL);
	if (!ret)
		model_use(&reading);
	else if (!messages.errors)
		abort();
	tally_standard_free(&standard);
	tally_reading_free(&reading);
	return 0;
}
