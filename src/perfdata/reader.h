/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader's insides, shared by the files that make it up. */
#ifndef TALLY_PERFDATA_READER_H
#define TALLY_PERFDATA_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "perfdata/events.h"
#include "perfdata/names.h"
#include "perfdata/order.h"
#include "perfdata/window.h"
#include "tally/perfdata.h"

/* Record types of features in pipes of perf 3.2: HOSTNAME to NUMA_TOPOLOGY in the order of their
 * numbers, then PMU_MAPPINGS. */
enum { TALLY_OLD_FEATURE_FIRST = 69, TALLY_OLD_FEATURE_LAST = 81 };

/* Payloads of a stream that are kept; longer ones are skipped. */
#define TALLY_PAYLOAD_MAX ((uint64_t)64 << 20)

/* Memory for records that wait for their round to end, of streams and compressed files, whose
 * records are copies: 512 MiB hold two rounds of 256 CPUs with perf's rings. Mapped files need
 * less than they are long and have no such limit. */
#define TALLY_WAITING_MAX ((uint64_t)512 << 20)

/* What compressed records may expand to. perf's go up to a hundred times (dumps of stacks that
 * hardly change), and the smaller the records, the less: of those without stacks five to seven
 * times. What is beyond was made to cost memory and time. */
#define TALLY_EXPANDED_RATIO 256
#define TALLY_EXPANDED_MIN   ((uint64_t)64 << 20) /* bytes that are always permitted */
#define TALLY_EXPANDED_RECORDS_MIN \
	((uint64_t)1 << 20) /* the same in records, and one for two bytes */

struct tally_inflater;

/* One range of bytes with records: of a mapped file, or of memory. */
struct tally_range {
	const uint8_t *data;
	uint64_t len;
	uint64_t offset; /* of data[0] in its file */
	uint32_t file;   /* as in struct tally_perfdata_record */
};

/* Where the present record comes from. */
struct tally_input {
	TALLY_VEC(struct tally_range) ranges; /* unless it is a stream */
	size_t range;                         /* the one being read */
	uint64_t at;                          /* in it; of a stream from its start */
	struct tally_window stream;
	int fd; /* of the stream */
	void (*idle)(void *arg);
	void *idle_arg;
	uint64_t idle_at;      /* when that was called last: ns, CLOCK_MONOTONIC */
	bool has_old_features; /* as perf 3.2 wrote them into pipes */
};

/* Pages of mappings that were read and may be given back. */
struct tally_release {
	bool enabled;
	const uint8_t *low, *high; /* touched since the last time */
	uint64_t touched;
};

struct tally_perfdata {
	struct tally_perfdata_info info;
	const uint8_t *bytes; /* the file with the header, unless it is a stream */
	size_t len;
	TALLY_VEC(struct tally_file_map) maps;
	void *slurped; /* a file-mode header came down a pipe */
	int own_fd;    /* to close, or -1 */

	struct tally_chunk_pool pool;
	struct tally_input input;
	struct tally_inflater *inflater; /* NULL until the first COMPRESSED */
	struct tally_chunk *scratch;     /* copies of records: foreign ones are turned round here */
	size_t scratch_len;
	struct tally_release release;
	uint64_t processed, read;  /* records noted as attrs, names ..., and of this pass */
	struct tally_error failed; /* of the file: given again and again */

	struct tally_order order;
	struct tally_chunk *held; /* of the record handed out last */
	const uint64_t *wanted;   /* bits of samples by number; NULL: all are */
	uint64_t nr_wanted;
	uint64_t waiting_max; /* TALLY_WAITING_MAX; less in tests */
	bool ended;

	struct tally_perfdata_events events;
	struct tally_names names;
	TALLY_VEC(struct tally_perfdata_feature) features;
	TALLY_VEC(struct tally_perfdata_build_id *) build_ids;
	TALLY_VEC(struct tally_perfdata_note) notes;
	struct tally_arena texts; /* features of pipes, file names */
	struct tally_perfdata_slice tracing_bytes;
	struct tally_perfdata_tracing *tracing;
	struct tally_perfdata_env env;
	struct tally_arena env_arena;
};

/* A record as it was found, before it is looked up and put in order. */
struct tally_raw {
	const uint8_t *data; /* in the file's byte order */
	uint32_t type;
	uint16_t misc, size;
	uint16_t flags;
	uint32_t file;
	uint64_t offset;
	const uint8_t *payload;
	uint64_t payload_len;
	struct tally_chunk *chunk; /* that holds the data, NULL if mapped */
};

/* Note something odd, counting repetitions of the same kind and text: there are as many notes as
 * texts in the source, whatever the file is. Never fails: a note that finds no memory is lost. */
void tally_reader_note(struct tally_perfdata *data, struct tally_perfdata_note note);

/* Room for a copy of a record, in data->scratch; it stays until the next call of this function,
 * or as long as that chunk is referenced. NULL when out of memory. */
uint8_t *tally_reader_scratch(struct tally_perfdata *data, size_t size);

/* ---- header.c: the front of the file ------------------------------------ */

/* Tell mode and byte order from the first bytes, fill in info. `*ret_size` is the header's
 * size field. 0 or -EINVAL. */
int tally_header_probe(struct tally_perfdata *data, const uint8_t *bytes, size_t len,
		       uint64_t *ret_size, struct tally_error *err);

/* Read header, attrs, and feature table of a file in memory (data->bytes), and add the
 * range of records to the input. 0, -EINVAL or -ENOMEM. */
int tally_header_read(struct tally_perfdata *data, struct tally_error *err);

/* Which features a file of ours or of others has. The bits are longs of the writer. Foreign ones of
 * 32 bits look wrong as 64: nearly every file has a host name or a command line, so without them
 * it is seen whether the other way has: true if so. The file has a header of 104 bytes. */
bool tally_header_feature_bits(const struct tally_perfdata *data,
			       uint64_t ret_bits[TALLY_FEATURE_LIMIT / 64]);

/* ---- metadata.c: records that tell about the file -------------------------- */

/* Take in HEADER_ATTR, EVENT_TYPE, EVENT_UPDATE, HEADER_FEATURE, BUILD_ID, TRACING_DATA, before
 * they are swapped. 0 or -ENOMEM. */
int tally_reader_metadata_add(struct tally_perfdata *data, const struct tally_raw *raw);

/* ---- release.c ----------------------------------------------------------- */

/* `len` bytes at `at` of a mapping were looked at; now and then pages go back. */
void tally_release_touch(struct tally_perfdata *data, const uint8_t *at, size_t len);

#endif
