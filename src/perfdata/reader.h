/* SPDX-License-Identifier: BSD-2-Clause */
/* Internals of the reader, shared by its source files. */
#ifndef TALLY_PERFDATA_READER_H
#define TALLY_PERFDATA_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "perfdata/perfdata_events.h"
#include "perfdata/perfdata_names.h"
#include "perfdata/order.h"
#include "perfdata/window.h"
#include "tally/perfdata.h"

/* Record types of features in pipes of perf 3.2: HOSTNAME to NUMA_TOPOLOGY in the order of their
 * numbers, then PMU_MAPPINGS. */
enum { TALLY_OLD_FEATURE_FIRST = 69, TALLY_OLD_FEATURE_LAST = 81 };

/* Maximum size of a payload that is kept when reading a stream; longer ones are skipped. */
#define TALLY_PAYLOAD_MAX ((uint64_t)64 << 20)

/* Memory limit for queued records of streams and compressed files, which have to be copied. 512 MiB
 * hold two rounds of 256 CPUs with perf's ring buffer size. Mapped files need less memory than the
 * size of the file and have no such limit. */
#define TALLY_QUEUED_MAX ((uint64_t)512 << 20)

/* Limits of the expansion of compressed records. Those of perf expand up to a hundredfold if they
 * hold stack dumps that hardly change. Smaller records expand less: five to seven times without
 * stack dumps. Files beyond the limits were made to exhaust memory and time. */
#define TALLY_EXPANDED_RATIO 256
#define TALLY_EXPANDED_MIN   ((uint64_t)64 << 20) /* bytes that are always permitted */
#define TALLY_EXPANDED_RECORDS_MIN \
	((uint64_t)1 << 20) /* records always permitted, plus one per two bytes */

struct tally_inflater;

/* A range of bytes with records, in a mapped file or in memory. */
struct tally_range {
	const uint8_t *data;
	uint64_t len;
	uint64_t offset; /* offset of data[0] in its file */
	uint32_t file;   /* as in struct tally_perfdata_record */
};

/* Read position. */
struct tally_input {
	TALLY_VEC(struct tally_range) ranges; /* not used for streams */
	size_t range;                         /* index of the current range */
	uint64_t at;                          /* offset in the range; for streams from the start */
	struct tally_window stream;
	int fd; /* file descriptor of the stream */
	void (*idle)(void *arg);
	void *idle_arg;
	uint64_t idle_at;      /* time of the last call of `idle`, in ns (CLOCK_MONOTONIC) */
	bool has_old_features; /* as written into pipes by perf 3.2 */
};

/* Pages of mappings that have been read and can be released. */
struct tally_release {
	bool enabled;
	const uint8_t *low, *high; /* range touched since the last release */
	uint64_t touched;
};

struct tally_perfdata {
	struct tally_perfdata_info info;
	const uint8_t *bytes; /* the file with its header; not used for streams */
	size_t len;
	TALLY_VEC(struct tally_file_map) maps;
	void *slurped; /* contents of a file-mode recording read from a pipe */
	int own_fd;    /* descriptor to close, or -1 */

	struct tally_chunk_pool pool;
	struct tally_input input;
	struct tally_inflater *inflater; /* NULL until the first COMPRESSED record */
	struct tally_chunk *scratch;     /* copies of records, for byte-swapping and others */
	size_t scratch_len;
	struct tally_release release;
	/* Records with their metadata processed, and records read in this pass. */
	uint64_t processed, read;
	struct tally_error failed; /* sticky: returned by every further read */

	struct tally_order order;
	struct tally_chunk *held; /* chunk of the last record returned */
	const uint64_t *wanted;   /* bitmap of wanted samples by number; NULL: all */
	uint64_t nr_wanted;
	uint64_t waiting_max; /* TALLY_QUEUED_MAX; less in tests */
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

/* A record as found in the input, before its event is looked up and it is sorted. */
struct tally_raw {
	const uint8_t *data; /* in the file's byte order */
	uint32_t type;
	uint16_t misc, size;
	uint16_t flags;
	uint32_t file;
	uint64_t offset;
	const uint8_t *payload;
	uint64_t payload_len;
	struct tally_chunk *chunk; /* chunk that holds the data; NULL if mapped */
};

/* Record an anomaly. Repetitions of the same kind and text are counted, so there are at most as
 * many notes as texts in the source. Never fails: a note is lost when out of memory. */
void tally_reader_add_note(struct tally_perfdata *data, struct tally_perfdata_note note);

/* Allocate space for a copy of a record in data->scratch. It is valid until the next call of this
 * function, or as long as that chunk is referenced. Returns NULL when out of memory. */
uint8_t *tally_reader_scratch(struct tally_perfdata *data, size_t size);

/* ---- perfdata_header.c: the start of the file ------------------------------------ */

/* Detect mode and byte order from the first bytes and set them in `info`. `*ret_size` is the size
 * field of the header. Returns 0 or -EINVAL. */
int tally_header_probe(struct tally_perfdata *data, const uint8_t *bytes, size_t len,
		       uint64_t *ret_size, struct tally_error *err);

/* Read the header, attrs and feature table of a file in memory (data->bytes), and add the range of
 * its records to the input. Returns 0, -EINVAL or -ENOMEM. */
int tally_header_read(struct tally_perfdata *data, struct tally_error *err);

/* Read the feature bits. They are stored as longs of the writer, so in a foreign file of a 32-bit
 * writer the halves of each u64 are exchanged. Nearly every file has a host name or a command line:
 * if both bits are clear but set with exchanged halves, the exchanged bits are returned, and the
 * result is true. The header must have 104 bytes. */
bool tally_header_feature_bits(const struct tally_perfdata *data,
			       uint64_t ret_bits[TALLY_FEATURE_LIMIT / 64]);

/* ---- metadata.c: records that describe the file ---------------------------- */

/* Process HEADER_ATTR, EVENT_TYPE, EVENT_UPDATE, HEADER_FEATURE, BUILD_ID and TRACING_DATA records
 * before they are byte-swapped. Returns 0 or -ENOMEM. */
int tally_reader_metadata_add(struct tally_perfdata *data, const struct tally_raw *raw);

/* ---- release.c ----------------------------------------------------------- */

/* Account for `len` bytes read at `at` in a mapping. From time to time this releases pages. */
void tally_release_touch(struct tally_perfdata *data, const uint8_t *at, size_t len);

#endif
