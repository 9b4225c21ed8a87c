/* SPDX-License-Identifier: BSD-2-Clause */
/* Load models from the tree or file in TALLY_EVENTS_DIR. If TALLY_CPUID is set, load only that
 * CPU's model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump_models.h"
#include "jevents/jevents_load.h"

static void emit(void *context, const struct tally_diagnostic *message)
{
	(void)context;
	fprintf(stderr, "%s:%u:%u: %s: %s (%s)\n", message->path, message->line, message->column,
		message->kind == TALLY_DIAGNOSTIC_ERROR ? "error" : "warning", message->what,
		message->why);
}

const struct tally_models *models_open(void)
{
	const struct tally_load_filter filter = {.cpuid = getenv("TALLY_CPUID")};
	const char *path = getenv("TALLY_EVENTS_DIR");
	struct tally_diagnostics messages = {emit, NULL, 0, 0};
	struct tally_models *models = NULL;
	int ret = tally_models_load(path ? path : ".", &filter, &messages, &models);

	if (ret)
		fprintf(stderr, "%s\n", strerror(-ret));
	return models;
}

void models_close(const struct tally_models *models)
{
	tally_models_free((struct tally_models *)models);
}
