/* SPDX-License-Identifier: BSD-2-Clause */
#include "dataset/dataset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "dataset/dataset_private.h"

/* ---- partitions ------------------------------------------------------------------ */

static int file_write(void *arg, const void *bytes, size_t len)
{
	const struct dataset_file *file = arg;
	const struct tally_dataset_output *output = &file->dataset->output;

	return output->write(output->arg, file->table, bytes, len);
}

/* End the files of the current partition, if there is one. Returns `ret`, or the first error if it
 * is 0. */
static int partition_end(struct tally_dataset *dataset, int ret)
{
	char name[TALLY_DECIMAL_MAX];
	int code;

	for (size_t i = 0; i < TALLY_DATASET_TABLES; i++) {
		ret = tally_parquet_close(dataset->files[i].writer, ret);
		dataset->files[i].writer = NULL;
	}
	tally_map_free(&dataset->stacks);
	tally_map_free(&dataset->frames);
	if (!dataset->has_files)
		return ret;
	snprintf(name, sizeof(name), "%016" PRIx64, dataset->ids);
	code = dataset->output.end(dataset->output.arg, ret ? NULL : name);
	dataset->has_files = false;
	dataset->ids = 0;
	return ret ? ret : code;
}

static int partition_begin(struct tally_dataset *dataset)
{
	const struct tally_dataset_output *output = &dataset->output;
	int ret = output->begin(output->arg, tally_str_text(&dataset->date),
				tally_str_text(&dataset->host));

	dataset->has_files = true;
	for (size_t i = 0; i < TALLY_DATASET_TABLES && !ret; i++) {
		struct dataset_file *file = &dataset->files[i];
		const struct tally_parquet_table table = {
			.columns = dataset_schemas[i].columns,
			.nr_columns = dataset_schemas[i].nr,
			.created_by = dataset->options.created_by,
			.write = file_write,
			.arg = file,
		};

		*file = (struct dataset_file){dataset, (enum tally_dataset_table)i, NULL};
		ret = tally_parquet_open(&table, &file->writer);
	}
	return ret;
}

/* Switch to the recording's partition. */
static int partition_set(struct dataset_recording *recording)
{
	struct tally_dataset *dataset = recording->dataset;
	int ret = 0;

	if (tally_map_get(&dataset->recordings, recording->identity.id) != TALLY_MAP_NONE)
		return -EEXIST;
	if (tally_map_set(&dataset->recordings, recording->identity.id, 0))
		return -ENOMEM;
	if (!dataset->has_files ||
	    strcmp(tally_str_text(&dataset->date), recording->identity.date) ||
	    strcmp(tally_str_text(&dataset->host), recording->identity.host)) {
		ret = partition_end(dataset, 0);
		tally_str_clear(&dataset->date);
		tally_str_add(&dataset->date, recording->identity.date);
		tally_str_clear(&dataset->host);
		tally_str_add(&dataset->host, recording->identity.host);
		ret = ret ? ret : tally_str_error(&dataset->date);
		ret = ret ? ret : tally_str_error(&dataset->host);
		ret = ret ? ret : partition_begin(dataset);
	}
	dataset->ids += recording->identity.id; /* in any order */
	return ret;
}

/* ---- rows ------------------------------------------------------------------------ */

/* IDs that are remembered. */
enum { IDS_MAX = 1 << 20 };

bool dataset_is_new(struct tally_map *ids, uint64_t id, int *ret_error)
{
	if (tally_map_get(ids, id) != TALLY_MAP_NONE)
		return false;
	if (ids->len == IDS_MAX)
		tally_map_free(ids);
	if (tally_map_set(ids, id, 0))
		*ret_error = -ENOMEM;
	return true;
}

void dataset_add_text(struct tally_dataset *dataset, enum tally_dataset_table table, size_t column,
		      const char *text)
{
	struct tally_parquet *writer = dataset->files[table].writer;

	if (!text) {
		tally_parquet_add_null(writer, column);
		return;
	}
	tally_str_clear(&dataset->text);
	tally_str_add_escaped(&dataset->text, text);
	tally_parquet_add_text(writer, column, tally_str_text(&dataset->text), dataset->text.len);
}

/* ---- recordings ------------------------------------------------------------------ */

static int recording_begin(struct dataset_recording *recording,
			   const struct tally_feed_sample *sample)
{
	int ret = dataset_recording_begin(recording, sample);

	recording->has_begun = true;
	return ret ? ret : partition_set(recording);
}

static int on_record(void *arg, struct tally_session *session,
		     const struct tally_perfdata_record *record, struct tally_feed_sample *sample)
{
	struct dataset_recording *recording = arg;
	int ret = 0;

	(void)session;
	(void)record;
	if (!sample)
		return 0;
	if (!recording->has_begun)
		ret = recording_begin(recording, sample);
	return ret ? ret : dataset_sample_add(recording, sample);
}

/* Add what is known after the last sample. */
static int recording_end(struct dataset_recording *recording)
{
	int ret = 0;

	if (!recording->has_begun)
		ret = recording_begin(recording, NULL);
	ret = ret ? ret : dataset_samples_flush(recording);
	return ret ? ret : dataset_recording_add(recording);
}

int tally_dataset_add(struct tally_dataset *dataset, struct tally_session *session,
		      struct tally_dataset_counts *ret_counts)
{
	struct dataset_recording recording = {
		.dataset = dataset,
		.session = session,
		.places.machine = session->machine,
	};
	int ret = tally_session_run(session, on_record, &recording), code = 0;

	if (!ret || ret == -EINVAL)
		code = recording_end(&recording);
	dataset_places_free(&recording.places);
	tally_map_free(&recording.id_of_stack);
	tally_vec_free(&recording.waiting);
	ret_counts->samples = recording.samples;
	return code ? code : ret;
}

/* ---- lifetime -------------------------------------------------------------------- */

int tally_dataset_open(const struct tally_dataset_options *options,
		       const struct tally_dataset_output *output,
		       struct tally_dataset **ret_dataset)
{
	struct tally_dataset *dataset = calloc(1, sizeof(*dataset));

	if (!dataset)
		return -ENOMEM;
	dataset->options = *options;
	dataset->output = *output;
	*ret_dataset = dataset;
	return 0;
}

int tally_dataset_close(struct tally_dataset *dataset, int ret)
{
	if (!dataset)
		return ret;
	ret = partition_end(dataset, ret);
	tally_map_free(&dataset->recordings);
	tally_str_free(&dataset->date);
	tally_str_free(&dataset->host);
	tally_str_free(&dataset->text);
	tally_str_free(&dataset->bytes);
	free(dataset);
	return ret;
}
