/* SPDX-License-Identifier: BSD-2-Clause */
/* Parse arbitrary bytes as perf.data, and read all of it: in file order and in time order, in file
 * mode and in pipe mode. */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/abi_record.h"
#include "abi/abi_sample.h"
#include "base/error.h"
#include "tally/perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read all bytes, so that the sanitizer detects invalid pointers. */
static uint64_t touch(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t sum = 0;

	while (len--)
		sum += *at++;
	return sum;
}

static void use_record(const struct tally_perfdata_record *record)
{
	const struct tally_record_desc *desc = tally_perfdata_describe(record->type);
	struct tally_record_cursor cursor;
	struct tally_record_value value;
	struct tally_sample sample;
	volatile uint64_t sum = touch(record->data, record->size);

	if (record->payload)
		sum += touch(record->payload, record->payload_len);
	if (!record->event) {
		if (desc) {
			tally_record_walk(&cursor, desc, record->data, record->size, 0, 0);
			while (tally_record_next(&cursor, &value, NULL) > 0)
				;
		}
		return;
	}
	if (record->type == PERF_RECORD_SAMPLE)
		(void)tally_sample_decode(record->event->layout, record->data, record->size,
					  &sample, NULL);
	else
		(void)tally_trailer_decode(record->event->layout, record->data, record->size,
					   &sample, NULL);
}

static void use_rest(struct tally_perfdata *file)
{
	const struct tally_perfdata_tracing *tracing;
	const struct tally_perfdata_env *env;
	const struct tally_perfdata_build_id *build_id;
	struct tally_perfdata_feature feature;
	volatile uint64_t sum = 0;

	for (size_t i = 0; (build_id = tally_perfdata_build_id(file, i)); i++)
		sum += touch(build_id->filename, 1) + touch(build_id->bytes, build_id->size);
	for (size_t i = 0; tally_perfdata_feature(file, i, &feature); i++)
		sum += touch(feature.bytes.data, feature.bytes.len);
	for (size_t i = 0; i < tally_perfdata_nr_events(file); i++)
		sum += touch(tally_perfdata_event(file, i)->name, 1);
	if (!tally_perfdata_env(file, &env)) {
		for (uint32_t i = 0; i < env->cmdline.nr; i++)
			sum += touch(env->cmdline.items[i], 1);
		for (uint32_t i = 0; i < env->nr_mem_nodes; i++)
			sum += touch(env->mem_nodes[i].bits.data, env->mem_nodes[i].bits.len);
		for (uint32_t i = 0; i < env->nr_bpf_progs; i++)
			sum += touch(env->bpf_progs[i].data.data, env->bpf_progs[i].data.len);
	}
	if (!tally_perfdata_tracing(file, &tracing, NULL)) {
		for (size_t i = 0; i < tracing->nr_formats; i++)
			sum += touch(tracing->formats[i].text.data, tracing->formats[i].text.len);
	}
}

static void read_all(struct tally_perfdata *file, bool ordered)
{
	struct tally_perfdata_record record;
	struct tally_error err;
	int ret;

	do {
		ret = ordered ? tally_perfdata_next_ordered(file, &record, &err)
			      : tally_perfdata_next(file, &record, &err);
		if (ret > 0)
			use_record(&record);
	} while (ret > 0);
	use_rest(file);
}

/* Read the same bytes as a stream, if they fit into a pipe. */
static void read_stream(const uint8_t *data, size_t size)
{
	struct tally_perfdata *file;
	int ends[2];

	if (size > 65536 || pipe2(ends, O_CLOEXEC))
		return;
	if (write(ends[1], data, size) == (ssize_t)size) {
		close(ends[1]);
		ends[1] = -1;
		if (!tally_perfdata_open_fd(ends[0], &file, NULL)) {
			read_all(file, true);
			tally_perfdata_close(file);
		}
	}
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_perfdata *file;

	if (!tally_perfdata_open_bytes(data, size, &file, NULL)) {
		read_all(file, false);
		if (!tally_perfdata_rewind(file))
			read_all(file, true);
		tally_perfdata_close(file);
	}
	read_stream(data, size);
	return 0;
}
