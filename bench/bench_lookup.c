/* SPDX-License-Identifier: BSD-2-Clause */
/* Measure the time to find an event by name in the built-in models, in ns, with warm and with cold
 * caches. Prints one line: number of names, warm ns, cold ns, cold ns of one memory access, size of
 * the models in bytes, size of their strings in bytes, and number of rows. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jevents/models.h"

enum { EVICT = 64 << 20, COLD = 300, WARM = 64, ROUNDS = 2000 };

struct name {
	const struct tally_model *model;
	const char *text;
	size_t len;
};

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double pass(const struct name *names, size_t nr)
{
	double start = now_ns();
	size_t found = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t pos = 0;

		found += !!tally_model_event_find(names[i].model, -1, names[i].text, names[i].len,
						  &pos);
	}
	if (found != nr)
		exit(1);
	return now_ns() - start;
}

static int double_compare(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) -
	       (*(const double *)a < *(const double *)b);
}

/* Return the median time of single lookups, or of single memory reads, after filling the caches
 * with other data. */
static double cold(const struct name *names, size_t nr, char *evict, int reads)
{
	static double times[COLD];

	for (int i = 0; i < COLD; i++) {
		const struct name *name = &names[(size_t)i * 7919 % nr];
		const volatile char *far = evict + (size_t)i * 4096;
		double start;

		if (reads)
			memset(evict + (4 << 20), i, EVICT - (4 << 20));
		else
			memset(evict, i, EVICT);
		start = now_ns();
		if (reads)
			(void)*far;
		else
			pass(name, 1);
		times[i] = now_ns() - start;
	}
	qsort(times, COLD, sizeof(times[0]), double_compare);
	return times[COLD / 2];
}

/* Copy and shuffle all names, so that reading a name does not warm the model. */
static size_t names_collect(const struct tally_models *models, struct name *names)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < models->nr_models; i++) {
		const struct tally_model *model = tally_models_model(models, i);

		for (uint32_t j = 0; j < model->events.nr; j++) {
			const char *text =
				tally_model_text(model, tally_model_event(model, j)->name);

			names[nr++] = (struct name){model, strdup(text), strlen(text)};
		}
	}
	for (size_t i = nr; i > 1; i--) {
		size_t other = (size_t)rand() % i;
		struct name swap = names[i - 1];

		names[i - 1] = names[other];
		names[other] = swap;
	}
	return nr;
}

int main(void)
{
	struct tally_models models;
	uint64_t bytes = 0, texts = 0, rows = 0;
	struct name *names;
	char *evict = malloc(EVICT);
	double warm = 0;
	size_t nr;

	tally_models_builtin(&models);
	for (uint32_t i = 0; i < models.nr_models; i++) {
		const struct tally_model *model = tally_models_model(&models, i);

		/* The models share one pool. */
		bytes += model->size;
		texts = model->pool.nr;
		rows += model->events.nr + model->metrics.nr;
	}
	bytes += texts;
	names = calloc(rows + 1, sizeof(*names));
	if (!names || !evict || !rows)
		return 1;
	memset(evict, 1, EVICT);
	nr = names_collect(&models, names);
	for (int i = 0; i < ROUNDS; i++)
		warm += pass(names, nr < WARM ? nr : WARM);
	printf("%zu %.1f %.0f %.0f %llu %llu %llu\n", nr,
	       warm / ROUNDS / (double)(nr < WARM ? nr : WARM), cold(names, nr, evict, 0),
	       cold(names, nr, evict, 1), (unsigned long long)bytes, (unsigned long long)texts,
	       (unsigned long long)rows);
	return 0;
}
