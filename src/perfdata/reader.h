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

/* Record types that perf 3.2 used for features in pipes: HOSTNAME to NUMA_TOPOLOGY in numerical
 * order, then PMU_MAPPINGS. */
enum { TALLY_OLD_FEATURE_FIRST = 69, TALLY_OLD_FEATURE_LAST = 81 };

/* Maximum size of a payload that is kept when reading a stream. Longer payloads are skipped. */
#define TALLY_PAYLOAD_MAX ((uint64_t)64 << 20)

/* Memory limit for the queued records of streams and compressed files, which have to be copied. 512
 * MiB can hold two rounds from 256 CPUs with perf's default ring buffer size. Mapped files need
 * less memory than the size of the file and have no such limit. */
#define TALLY_QUEUED_MAX ((uint64_t)512 << 20)

/* Limits on the expansion of compressed records. perf's records expand up to a hundredfold if they
 * contain stack dumps that hardly change, but only five- to sevenfold without stack dumps. A file
 * that exceeds the limits was crafted to exhaust memory and time. */
#define TALLY_EXPANDED_RATIO 256
#define TALLY_EXPANDED_MIN   ((uint64_t)64 << 20) /* bytes that are always allowed */
#define TALLY_EXPANDED_RECORDS_MIN \
	((uint64_t)1 << 20) /* records always allowed, plus one for every two compressed bytes */

struct tally_inflater;
struct tally_ahead;

/* A range of bytes that contains records, in a mapped file or in memory. */
struct tally_range {
	const uint8_t *data;
	uint64_t len;
	uint64_t offset; /* offset of data[0] in its file */
	uint32_t file;   /* see struct tally_perfdata_record */
};

/* Read position in a file or a stream. */
struct tally_input {
	TALLY_VEC(struct tally_range) ranges; /* not used for streams */
	size_t range;                         /* index of the current range */
	uint64_t at;                          /* offset in the range or in the stream */
	struct tally_window stream;
	int fd; /* file descriptor of the stream */
	void (*idle)(void *arg);
	void *idle_arg;
	uint64_t idle_at;      /* CLOCK_MONOTONIC time of the last call to `idle`, in ns */
	bool has_old_features; /* features are encoded as in perf 3.2's pipe mode */
};

/* Mapped pages that have been read and can be released. */
struct tally_release {
	bool enabled;
	const uint8_t *low, *high; /* range touched since the last release */
	uint64_t touched;
};

struct tally_perfdata {
	struct tally_perfdata_info info;
	const uint8_t *bytes; /* contents of the main file; not used for streams */
	size_t len;
	TALLY_VEC(struct tally_file_map) maps;
	void *slurped; /* contents of a file-mode recording read from a pipe */
	int own_fd;    /* descriptor to close, or -1 */

	struct tally_chunk_pool pool;
	struct tally_input input;
	struct tally_inflater *inflater; /* NULL until the first COMPRESSED record */
	struct tally_chunk *scratch;     /* copies of records, for byte-swapping and other uses */
	size_t scratch_len;
	struct tally_release release;
	/* Number of records read in the longest pass so far, and number read in the current
	 * pass. */
	uint64_t processed, read;
	struct tally_error failed; /* sticky: returned by every further read */

	struct tally_order order;
	struct tally_chunk *held; /* chunk of the last record returned */
	const uint64_t *wanted;   /* bitmap of wanted samples by number; NULL for all */
	uint64_t nr_wanted;
	struct tally_ahead *ahead; /* reads records in another thread; or NULL */
	uint64_t waiting_max;      /* TALLY_QUEUED_MAX, except in tests */
	bool ended;
	bool fills; /* read before removing queued records, as the other thread was about to */

	struct tally_perfdata_events events;
	struct tally_names names;
	TALLY_VEC(struct tally_perfdata_feature) features;
	TALLY_VEC(struct tally_perfdata_build_id *) build_ids;
	TALLY_VEC(struct tally_perfdata_note) notes;
	struct tally_arena texts; /* features from pipes, and file names */
	struct tally_perfdata_slice tracing_bytes;
	struct tally_perfdata_tracing *tracing;
	struct tally_perfdata_env env;
	struct tally_arena env_arena;
};

/* A record as found in the input, before it is sorted and its event is looked up. */
struct tally_raw {
	const uint8_t *data; /* in the file's byte order */
	uint32_t type;
	uint16_t misc, size;
	uint16_t flags;
	uint32_t file;
	uint64_t offset;
	const uint8_t *payload;
	uint64_t payload_len;
	struct tally_chunk *chunk; /* holds the data; NULL if the file is mapped */
};

/* Record an anomaly. Repetitions of the same kind and message are only counted, so there are at
 * most as many notes as messages in the source code. Never fails; if memory runs out, the note is
 * lost. */
void tally_reader_add_note(struct tally_perfdata *data, struct tally_perfdata_note note);

/* Allocate space for a copy of a record in data->scratch. The space is valid until the next call to
 * this function, or longer if the chunk is referenced. Returns NULL when out of memory. */
uint8_t *tally_reader_scratch(struct tally_perfdata *data, size_t size);

/* ---- perfdata_header.c: the start of the file ------------------------------------ */

/* Detect the mode and byte order from the first bytes, and store them in `info`. `*ret_size` is the
 * size field of the header. Returns 0 or -EINVAL. */
int tally_header_probe(struct tally_perfdata *data, const uint8_t *bytes, size_t len,
		       uint64_t *ret_size, struct tally_error *err);

/* Read the header, attrs and feature table of a file in memory (data->bytes), and add the range of
 * its records to the input. Returns 0, -EINVAL or -ENOMEM. */
int tally_header_read(struct tally_perfdata *data, struct tally_error *err);

/* Read the feature bits. They are stored as the writer's longs, so in a foreign file from a 32-bit
 * writer, the halves of each u64 are swapped. Nearly every file has a host name or a command line.
 * If both these bits are clear, but one of them is set after swapping the halves, store the swapped
 * bits and return true. The header must be at least 104 bytes long. */
bool tally_header_feature_bits(const struct tally_perfdata *data,
			       uint64_t ret_bits[TALLY_FEATURE_LIMIT / 64]);

/* ---- metadata.c: records that describe the file ---------------------------- */

/* Process HEADER_ATTR, EVENT_TYPE, EVENT_UPDATE, HEADER_FEATURE, BUILD_ID and TRACING_DATA records
 * before they are byte-swapped. Returns 0 or -ENOMEM. */
int tally_reader_metadata_add(struct tally_perfdata *data, const struct tally_raw *raw);

/* ---- release.c ----------------------------------------------------------- */

/* Account for `len` bytes read at `at` in a mapping. Pages are released periodically. Each thread
 * that reads the mapping accounts for it in its own `range`, by default that of the reader. */
void tally_release_touch(struct tally_perfdata *data, const uint8_t *at, size_t len);
void tally_release_touch_in(const struct tally_perfdata *data, struct tally_release *range,
			    const uint8_t *at, size_t len);

#endif
