/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read and write perf.data: file and pipe mode, either byte order, compressed or not.
 *
 * Functions that return int return 0 or a negative errno; `ret_` pointers are untouched on failure.
 * `err`, where it exists, may be NULL; its offset is an offset in the file. No function prints
 * anything. Threads: a reader or writer may be used by one thread at a time; different readers and
 * writers are independent. Functions without a reader or writer may be called from any thread.
 *
 *	tally_perfdata_open("perf.data", &data, &err);
 *	while ((ret = tally_perfdata_next_ordered(data, &record, &err)) > 0)
 *		use(record.data, record.event);
 *	tally_perfdata_close(data);
 */
#ifndef TALLY_PERFDATA_H
#define TALLY_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/abi.h"
#include "tally/perfdata_env.h"
#include "tally/texts.h"

/* A function may have the name of a structure; GCC warns about this in C++. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#endif

struct iovec;
struct tally_record_desc;
struct tally_record_field;
struct tally_sample_layout;

/* ---- perf.data's own record types --------------------------------------- */

enum {
	TALLY_PERFDATA_HEADER_ATTR = 64,
	TALLY_PERFDATA_EVENT_TYPE = 65,
	TALLY_PERFDATA_TRACING_DATA = 66,
	TALLY_PERFDATA_BUILD_ID = 67,
	TALLY_PERFDATA_FINISHED_ROUND = 68,
	TALLY_PERFDATA_ID_INDEX = 69,
	TALLY_PERFDATA_AUXTRACE_INFO = 70,
	TALLY_PERFDATA_AUXTRACE = 71,
	TALLY_PERFDATA_AUXTRACE_ERROR = 72,
	TALLY_PERFDATA_THREAD_MAP = 73,
	TALLY_PERFDATA_CPU_MAP = 74,
	TALLY_PERFDATA_STAT_CONFIG = 75,
	TALLY_PERFDATA_STAT = 76,
	TALLY_PERFDATA_STAT_ROUND = 77,
	TALLY_PERFDATA_EVENT_UPDATE = 78,
	TALLY_PERFDATA_TIME_CONV = 79,
	TALLY_PERFDATA_HEADER_FEATURE = 80,
	TALLY_PERFDATA_COMPRESSED = 81,
	TALLY_PERFDATA_FINISHED_INIT = 82,
	TALLY_PERFDATA_COMPRESSED2 = 83,
	TALLY_PERFDATA_BPF_METADATA = 84,
	TALLY_PERFDATA_SCHEDSTAT_CPU = 85,
	TALLY_PERFDATA_SCHEDSTAT_DOMAIN = 86,
};

/* Types of updates: the first word after the header of an EVENT_UPDATE record. */
enum {
	TALLY_PERFDATA_UPDATE_UNIT = 0,
	TALLY_PERFDATA_UPDATE_SCALE = 1,
	TALLY_PERFDATA_UPDATE_NAME = 2,
	TALLY_PERFDATA_UPDATE_CPUS = 3,
};

/* Features: sections that describe the machine and the recording. */
enum {
	TALLY_FEATURE_TRACING_DATA = 1,
	TALLY_FEATURE_BUILD_ID = 2,
	TALLY_FEATURE_HOSTNAME = 3,
	TALLY_FEATURE_OSRELEASE = 4,
	TALLY_FEATURE_VERSION = 5,
	TALLY_FEATURE_ARCH = 6,
	TALLY_FEATURE_NRCPUS = 7,
	TALLY_FEATURE_CPUDESC = 8,
	TALLY_FEATURE_CPUID = 9,
	TALLY_FEATURE_TOTAL_MEM = 10,
	TALLY_FEATURE_CMDLINE = 11,
	TALLY_FEATURE_EVENT_DESC = 12,
	TALLY_FEATURE_CPU_TOPOLOGY = 13,
	TALLY_FEATURE_NUMA_TOPOLOGY = 14,
	TALLY_FEATURE_BRANCH_STACK = 15,
	TALLY_FEATURE_PMU_MAPPINGS = 16,
	TALLY_FEATURE_GROUP_DESC = 17,
	TALLY_FEATURE_AUXTRACE = 18,
	TALLY_FEATURE_STAT = 19,
	TALLY_FEATURE_CACHE = 20,
	TALLY_FEATURE_SAMPLE_TIME = 21,
	TALLY_FEATURE_MEM_TOPOLOGY = 22,
	TALLY_FEATURE_CLOCKID = 23,
	TALLY_FEATURE_DIR_FORMAT = 24,
	TALLY_FEATURE_BPF_PROG_INFO = 25,
	TALLY_FEATURE_BPF_BTF = 26,
	TALLY_FEATURE_COMPRESSED = 27,
	TALLY_FEATURE_CPU_PMU_CAPS = 28,
	TALLY_FEATURE_CLOCK_DATA = 29,
	TALLY_FEATURE_HYBRID_TOPOLOGY = 30,
	TALLY_FEATURE_PMU_CAPS = 31,
	TALLY_FEATURE_CPU_DOMAIN_INFO = 32,
	TALLY_FEATURE_E_MACHINE = 33,
	TALLY_FEATURE_CLN_SIZE = 34,
	TALLY_FEATURE_MEMORY_RANGES = 35,
	TALLY_FEATURE_MAX = 36, /* one more than the last known feature */
	/* tally's own features, which perf ignores. Not written in pipe mode. Symbols for the
	 * recorded addresses (docs/internals/embedded-symbols-format.md), and regions that programs
	 * counted with region.h (docs/library.md). */
	TALLY_FEATURE_EMBEDDED_SYMBOLS = 224,
	TALLY_FEATURE_REGIONS = 225,
	TALLY_FEATURE_LIMIT = 256, /* number of feature bits in the header */
};

/* Return the constant description of a record type, for the walker in abi/abi_record.h; NULL if the
 * type is unknown. The kernel's types and perf.data's own types are known. If a type has an array
 * of structures, its description ends with a BYTES field; see tally_perfdata_array(). */
const struct tally_record_desc *tally_perfdata_describe(uint32_t type);

/* An array of structures at the end of ID_INDEX, THREAD_MAP, STAT_CONFIG and AUXTRACE_INFO records.
 * The BYTES field called `name` contains structures of `stride` bytes. If `counted` is set, the
 * preceding field is the number of structures, clipped to fit the record. `fields` describes one
 * structure; a single field without a name means a list of plain values. */
struct tally_perfdata_array {
	uint32_t type;
	uint16_t stride;
	uint8_t nr_fields;
	bool counted;
	const char *name;
	const struct tally_record_field *fields;
};

/* Return the constant description of a record type's array; NULL if the type has no array. */
const struct tally_perfdata_array *tally_perfdata_array(uint32_t type);

/* ---- opening ------------------------------------------------------------- */

struct tally_perfdata;

/* Return true if `path` is a regular file that begins with a perf.data header, or a directory
 * written by `record --threads`. Other files, such as FIFOs and devices, are not opened. */
bool tally_perfdata_is_recording(const char *path);

/* Open a reader for `path`: a regular file, a FIFO, "-" for standard input, or a directory written
 * by `record --threads`. For a file the header, attrs and feature table are read immediately; for a
 * stream only the header. A regular file is mapped, so truncating it while it is read raises
 * SIGBUS. To survive this, map zeros there in the signal handler, and call tally_perfdata_check()
 * after reading. Return 0; -EINVAL with the reason if the input is not perf.data or the header is
 * invalid; -EOPNOTSUPP; -ENOMEM; or the error from open(2), read(2) or mmap(2). */
int tally_perfdata_open(const char *path, struct tally_perfdata **ret_data,
			struct tally_error *err);

/* Like tally_perfdata_open(), but for a descriptor that belongs to the caller. The descriptor must
 * stay open if it is a stream. A regular file is read from its start. */
int tally_perfdata_open_fd(int fd, struct tally_perfdata **ret_data, struct tally_error *err);

/* Like tally_perfdata_open(), but for bytes in memory, which must outlive the reader. */
int tally_perfdata_open_bytes(const void *bytes, size_t len, struct tally_perfdata **ret_data,
			      struct tally_error *err);

/* Free the reader and everything that it returned. NULL is allowed. */
void tally_perfdata_close(struct tally_perfdata *data);

/* Properties of the file. */
struct tally_perfdata_info {
	bool is_pipe;         /* pipe mode, according to the header */
	bool is_stream;       /* can be read only once, from beginning to end */
	bool is_dir;          /* a directory with several data files */
	bool is_foreign;      /* the file's byte order differs from this machine's */
	bool is_big_endian;   /* the file is big-endian */
	bool is_unfinished;   /* data size is 0: the recorder was killed before writing features */
	uint32_t version;     /* 1 for PERFFILE, 2 for PERFILE2 */
	uint32_t attr_size;   /* size of the attrs in the file; 0 in pipe mode */
	uint64_t file_size;   /* 0 for streams */
	uint64_t data_offset; /* offset of the records */
	uint64_t data_size;   /* clipped to the file size; UINT64_MAX for streams */
	uint64_t nr_records;  /* records returned or queued so far */
	uint64_t nr_late;     /* records returned after newer ones */
};

/* Return information about the file. It belongs to the reader. Counters change during reading. */
const struct tally_perfdata_info *tally_perfdata_info(const struct tally_perfdata *data);

/* A problem that did not stop the reader. The caller may report it. */
enum tally_perfdata_note_kind {
	TALLY_NOTE_UNFINISHED,       /* the data size in the header is 0 */
	TALLY_NOTE_TRUNCATED_DATA,   /* the file is shorter than its header claims */
	TALLY_NOTE_TRUNCATED_RECORD, /* the last record or payload is incomplete */
	TALLY_NOTE_STRAY_BYTES,      /* the bytes at the end are too few for a record header */
	TALLY_NOTE_BAD_FEATURE,      /* a feature is outside the file or cannot be parsed */
	TALLY_NOTE_BAD_RECORD,     /* not byte-swapped, because its inner sizes are inconsistent */
	TALLY_NOTE_BAD_ATTR,       /* an attr or its IDs are outside the file or unreadable */
	TALLY_NOTE_BAD_COMPRESSED, /* the zstd stream is damaged; its later records are lost */
	TALLY_NOTE_NEWER_FIELDS,   /* an attr's samples have unknown fields */
	TALLY_NOTE_UNKNOWN_RECORD, /* unknown record types */
	TALLY_NOTE_LIMIT, /* a limit of this reader was exceeded, see docs/limitations.md */
};

/* A problem and its place in the file. */
struct tally_perfdata_note {
	enum tally_perfdata_note_kind kind;
	uint32_t what;    /* feature number, record type or attr index, depending on `kind` */
	uint64_t offset;  /* offset in the file */
	uint64_t bytes;   /* bytes missing or left over, in total */
	uint64_t count;   /* number of occurrences; what and offset describe the first one */
	const char *text; /* constant, lower case, no full stop */
};

/* Return note `i` of those collected so far; NULL if there are no more. Valid until the next
 * read. */
const struct tally_perfdata_note *tally_perfdata_note(const struct tally_perfdata *data, size_t i);

/* ---- events -------------------------------------------------------------- */

/* An event in the file, valid until the reader is closed. In pipe mode its name and IDs may change
 * while records are read. */
struct tally_perfdata_event {
	struct perf_event_attr attr; /* attr.size keeps the writer's value */
	uint32_t index;              /* position in the file, from 0 */
	bool is_partial;             /* attr has unknown bits: `layout` omits their fields */
	bool has_scale, is_named;    /* is_named: the name is from the file, not from the attr */
	const char *name;            /* never NULL */
	const char *unit;            /* NULL unless an EVENT_UPDATE record set it */
	double scale;
	const uint64_t *ids; /* one per CPU or task */
	size_t nr_ids;
	const struct tally_sample_layout *layout; /* never NULL */
};

/* Return the number of events found so far. */
size_t tally_perfdata_nr_events(const struct tally_perfdata *data);

/* Return event `i`; NULL if it does not exist. */
const struct tally_perfdata_event *tally_perfdata_event(const struct tally_perfdata *data,
							size_t i);

/* Return the event with this sample ID, or NULL. */
const struct tally_perfdata_event *tally_perfdata_event_by_id(const struct tally_perfdata *data,
							      uint64_t id);

/* ---- records ------------------------------------------------------------- */

enum {
	TALLY_PERFDATA_CONTAINER = 1 << 0, /* a COMPRESSED record; the records in it follow */
	TALLY_PERFDATA_EXPANDED = 1 << 1,  /* a record from a COMPRESSED record */
	TALLY_PERFDATA_LATE = 1 << 2,      /* older than a record returned earlier (time order) */
	TALLY_PERFDATA_DAMAGED = 1 << 3,   /* not byte-swapped: inner sizes are inconsistent */
	/* A feature record from a perf 3.2 pipe; its type number has a different meaning today. */
	TALLY_PERFDATA_OLD_FEATURE = 1 << 4,
};

/* A record of the file. */
struct tally_perfdata_record {
	const void *data; /* whole record with header, in host byte order; may be unaligned */
	uint32_t size;    /* size of the record in bytes */
	uint32_t type;
	uint16_t misc;
	uint16_t flags;  /* TALLY_PERFDATA_* */
	uint32_t file;   /* 0, or 1 + N for data.N in a directory */
	uint64_t offset; /* offset in `file`; UINT64_MAX if EXPANDED */
	uint64_t number; /* number of preceding records in the file */
	uint64_t time;   /* in ns; 0 if the record has no timestamp */
	/* Event by sample ID, else the first; NULL for user-space records, or without events. */
	const struct tally_perfdata_event *event;
	const void *payload;  /* TRACING_DATA, AUXTRACE: data after the record (simpleperf: inside
	                       * it); NULL if skipped (in streams, over 64 MiB) */
	uint64_t payload_len; /* clipped to the file size */
};

/* Read the next record in file order; COMPRESSED records are followed by the records in them.
 * Everything in `*ret_record` is valid until the next call. Attrs, names, features, build IDs and
 * tracing data in records are processed before the record is returned. Return 1; 0 at the end (see
 * tally_perfdata_note()); -EINVAL for a record shorter than its header, after which nothing can be
 * read; -ENOMEM; or the error from read(2). After an error, all calls return that error. */
int tally_perfdata_next(struct tally_perfdata *data, struct tally_perfdata_record *ret_record,
			struct tally_error *err);

/* Read the next record in time order; records with equal timestamps stay in file order, and records
 * without one are returned immediately. FINISHED_ROUND records determine how long records are held
 * back. If the file has an error, the records before it are returned first. Return values are as
 * for tally_perfdata_next(). Do not mix the two functions. */
int tally_perfdata_next_ordered(struct tally_perfdata *data,
				struct tally_perfdata_record *ret_record, struct tally_error *err);

/* Call `idle` with `arg` when reading a stream may block, at most every 100 ms, so that the caller
 * can flush its output. `idle` must not use the reader. NULL (the default) disables this. */
void tally_perfdata_on_idle(struct tally_perfdata *data, void (*idle)(void *arg), void *arg);

/* Go back to the first record. Return 0, or -ESPIPE for streams. */
int tally_perfdata_rewind(struct tally_perfdata *data);

/* Check that the mapped file has not been truncated. For programs that handle SIGBUS (see
 * tally_perfdata_open()). Return 0; -EINVAL with the current end of the file if the file is shorter
 * than when it was opened; or the error from fstat(2). */
int tally_perfdata_check(const struct tally_perfdata *data, struct tally_error *err);

/* Select the samples that tally_perfdata_next_ordered() returns: those with number < `nr` and bit
 * `number` % 64 of word `number` / 64 set. Other samples are skipped early. `bits` must stay valid
 * while records are read; NULL (the default) selects all samples. */
void tally_perfdata_select(struct tally_perfdata *data, const uint64_t *bits, uint64_t nr);

/* ---- features ------------------------------------------------------------ */

/* A feature section. */
struct tally_perfdata_feature {
	uint32_t id;
	const char *name; /* perf's name, such as "HOSTNAME"; NULL if unknown */
	uint64_t offset;  /* file offset of the bytes; UINT64_MAX if in a COMPRESSED record */
	struct tally_perfdata_slice bytes; /* unaligned, in the byte order of the file */
};

/* Get feature `i` (from 0) of those read so far, in file order. Return false if there are no
 * more. */
bool tally_perfdata_feature(const struct tally_perfdata *data, size_t i,
			    struct tally_perfdata_feature *ret_feature);

/* Return perf's name for a feature; NULL if unknown. The string is constant. */
const char *tally_perfdata_feature_name(uint32_t id);

/* Decode the features read so far. A feature that cannot be parsed is skipped and noted. `*ret_env`
 * is valid until the next call to this function or until close. Return 0 or -ENOMEM. */
int tally_perfdata_env(struct tally_perfdata *data, const struct tally_perfdata_env **ret_env);

/* An entry of the build ID table, or a BUILD_ID record. */
struct tally_perfdata_build_id {
	int32_t pid;   /* -1 for the host */
	uint16_t misc; /* cpumode: kernel, user, guest ... */
	uint8_t size;  /* bytes of the build ID, 0 to 20 */
	uint8_t bytes[20];
	const char *filename;
};

/* Return entry `i`, from 0; NULL at the end. The entry is valid until close. */
const struct tally_perfdata_build_id *tally_perfdata_build_id(const struct tally_perfdata *data,
							      size_t i);

/* Copy the recording that `data` reads, which is open as descriptor `from`, to the empty file `to`,
 * and add or replace one feature. Records and other features are copied unchanged. `between` (may
 * be NULL) is called with `arg` between pieces of at most 16 MiB; a nonzero result ends the copy
 * with that result. Return 0; -EOPNOTSUPP for streams, directories, unfinished recordings, and
 * files from perf versions that predate features; -EINVAL with the reason in `err` if the file is
 * truncated or not laid out as recorders write it; or the error from reading or writing. */
int tally_perfdata_copy(const struct tally_perfdata *data, int from, int to,
			const struct tally_perfdata_feature *feature, int (*between)(void *arg),
			void *arg, struct tally_error *err);

/* ---- tracing data -------------------------------------------------------- */

/* The text of a tracefs `format` file. */
struct tally_perfdata_trace_format {
	const char *system; /* "ftrace" for ftrace's own formats */
	struct tally_perfdata_slice text;
};

/* The contents of the TRACING_DATA feature. */
struct tally_perfdata_tracing {
	const char *version; /* "0.6" */
	bool is_cut;         /* the data is truncated */
	bool is_big_endian;  /* byte order of the machine that wrote the data */
	uint8_t long_size;
	uint32_t page_size;
	struct tally_perfdata_slice header_page, header_event;
	const struct tally_perfdata_trace_format *formats;
	size_t nr_formats;
	struct tally_perfdata_slice kallsyms, printk_formats, saved_cmdlines; /* text */
	struct tally_perfdata_slice bytes;                                    /* the whole data */
};

/* Get the file's TRACING_DATA, from the feature or the record. `*ret_tracing` is valid until close.
 * Truncated data is parsed as far as possible. Return 0; -ENOENT if absent (so far); -EINVAL if it
 * is not tracing data; -ENOMEM. */
int tally_perfdata_tracing(struct tally_perfdata *data,
			   const struct tally_perfdata_tracing **ret_tracing,
			   struct tally_error *err);

/* Get the format of tracepoint `id`: the first one with this ID in TRACING_DATA, as for the events'
 * names. `*ret_format` is valid until close. Return 0; -ENOENT if absent (so far); -ENOMEM. */
int tally_perfdata_trace_format(struct tally_perfdata *data, uint64_t id,
				const struct tally_perfdata_trace_format **ret_format);

/* Like tally_perfdata_tracing(), but for data from another source. The slices point into `bytes`.
 * Free the result with tally_perfdata_tracing_free(). */
int tally_perfdata_tracing_parse(const void *bytes, size_t len,
				 struct tally_perfdata_tracing **ret_tracing,
				 struct tally_error *err);
/* Free the result of tally_perfdata_tracing_parse(). NULL is allowed. */
void tally_perfdata_tracing_free(struct tally_perfdata_tracing *tracing);

/* ---- writing ------------------------------------------------------------- */

struct tally_perfdata_writer;

/* Options of tally_perfdata_writer_new(). */
struct tally_perfdata_writer_options {
	bool pipe;          /* write in pipe mode; if false, write a file (fd must be seekable) */
	bool foreign;       /* write in the other byte order; the records are copied for this */
	int compress_level; /* zstd level for COMPRESSED records; 0 for no compression */
	/* Replacement for writev(2), for a caller that must do other work while a pipe's reader is
	 * slow. Return the number of bytes written from the `nr` pieces, or -errno, which the
	 * writer function then returns. NULL selects writev(2). */
	int64_t (*writev)(void *data, const struct iovec *iov, int nr);
	void *data; /* argument of writev */
};

/* Create a writer on the caller's `fd`. A file is written from offset 0 and truncated. NULL
 * `options` means all zero. Return 0; -ESPIPE if a file is not seekable; -ENOMEM. */
int tally_perfdata_writer_new(int fd, const struct tally_perfdata_writer_options *options,
			      struct tally_perfdata_writer **ret_writer);
/* Free the writer; does not close the descriptor. NULL is allowed. */
void tally_perfdata_writer_free(struct tally_perfdata_writer *writer);

/* Add an event. `name` may be NULL, and `nr_ids` may be 0; the name and the IDs are copied. The
 * attr is written with 128 bytes unless its newer fields are set, because perf before 6.3 rejects
 * larger attrs. Return 0; -EBUSY after tally_perfdata_writer_start(); -ENOMEM. */
int tally_perfdata_writer_add_event(struct tally_perfdata_writer *writer,
				    const struct perf_event_attr *attr, const char *name,
				    const uint64_t *ids, size_t nr_ids);

/* Write the header and the attrs; in pipe mode also the names and the features set so far. Until
 * tally_perfdata_writer_finish() a file reads as an unfinished recording with all its records.
 * Return 0; -EBUSY if called twice; -ENOMEM; or the error from write(2). */
int tally_perfdata_writer_start(struct tally_perfdata_writer *writer);

/* Append whole records in host byte order, as they are in a ring buffer. A record may continue in
 * the next piece, but not in the next call. Uncompressed records are passed to writev(2) without a
 * copy; with compression each call ends with a zstd flush. `iov` is not modified. Return 0; -EINVAL
 * before start, after finish or (foreign only) for an invalid record; -ENOMEM; or the error from
 * write(2). After a write error a file keeps the whole records written so far; with compression it
 * keeps no records from this call, and accepts no more records. */
int tally_perfdata_writer_writev(struct tally_perfdata_writer *writer, const struct iovec *iov,
				 int nr);
/* Like tally_perfdata_writer_writev(), but with a single piece. */
int tally_perfdata_writer_write(struct tally_perfdata_writer *writer, const void *records,
				size_t len);

/* Append one uncompressed record, and `payload_len` bytes after it (TRACING_DATA, AUXTRACE). Return
 * 0; -EINVAL before start, after finish or for an invalid record; or the error from write(2). */
int tally_perfdata_writer_payload(struct tally_perfdata_writer *writer, const void *record,
				  const void *payload, size_t payload_len);

/* Append a FINISHED_ROUND record, which means that all records older than the previous round have
 * been written. Return values are as for tally_perfdata_writer_writev(). */
int tally_perfdata_writer_finish_round(struct tally_perfdata_writer *writer);

/* Finish the recording: write the features and, in a file, the sizes in the header. In pipe mode,
 * write the features set after start as records. If there is no space for the features, a file is
 * finished without them: the error is returned, but tally_perfdata_writer_is_finished() is true.
 * Return 0, even if called again; -EINVAL before start; -ENOMEM; or the error from write(2). */
int tally_perfdata_writer_finish(struct tally_perfdata_writer *writer);

/* Return true if the file reads as a finished recording. */
bool tally_perfdata_writer_is_finished(const struct tally_perfdata_writer *writer);

/* Return the total size in bytes of the records written so far, after compression. */
uint64_t tally_perfdata_writer_bytes(const struct tally_perfdata_writer *writer);
/* Return the total size in bytes of the records written so far, before compression. */
uint64_t tally_perfdata_writer_raw_bytes(const struct tally_perfdata_writer *writer);

/* Features. Each may be set at any time before finish. All content is copied; setting a feature
 * again replaces it, except that build IDs accumulate. The writer sets EVENT_DESC, COMPRESSED and
 * BRANCH_STACK from its events. Return 0; -EINVAL if the feature has another format; -ENOMEM. */

/* Set HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC or CPUID. */
int tally_perfdata_writer_string(struct tally_perfdata_writer *writer, uint32_t feature,
				 const char *text);
/* Set NRCPUS: the numbers of online and available CPUs. */
int tally_perfdata_writer_nrcpus(struct tally_perfdata_writer *writer, uint32_t online,
				 uint32_t avail);
/* Set CMDLINE. */
int tally_perfdata_writer_cmdline(struct tally_perfdata_writer *writer, int argc,
				  const char *const *argv);
/* Set TOTAL_MEM, in KiB. */
int tally_perfdata_writer_total_mem(struct tally_perfdata_writer *writer, uint64_t kb);
/* Set CPU_TOPOLOGY from core_siblings, thread_siblings, die_siblings, cpus and nr_cpus of `env`. */
int tally_perfdata_writer_cpu_topology(struct tally_perfdata_writer *writer,
				       const struct tally_perfdata_env *env);
/* Set NUMA_TOPOLOGY. */
int tally_perfdata_writer_numa(struct tally_perfdata_writer *writer,
			       const struct tally_perfdata_node *nodes, uint32_t nr);
/* Set PMU_MAPPINGS. */
int tally_perfdata_writer_pmus(struct tally_perfdata_writer *writer,
			       const struct tally_perfdata_pmu *pmus, uint32_t nr);
/* Set GROUP_DESC. */
int tally_perfdata_writer_groups(struct tally_perfdata_writer *writer,
				 const struct tally_perfdata_group *groups, uint32_t nr);
/* Set CACHE. */
int tally_perfdata_writer_caches(struct tally_perfdata_writer *writer,
				 const struct tally_perfdata_cache *caches, uint32_t nr);
/* Set SAMPLE_TIME: the timestamps of the first and last samples. */
int tally_perfdata_writer_sample_time(struct tally_perfdata_writer *writer, uint64_t first_ns,
				      uint64_t last_ns);
/* Set CLOCKID: the resolution of the clock. */
int tally_perfdata_writer_clockid(struct tally_perfdata_writer *writer, uint64_t res_ns);
/* Set CLOCK_DATA: the same moment on the wall clock and on clock `clockid`. */
int tally_perfdata_writer_clock_data(struct tally_perfdata_writer *writer, uint32_t clockid,
				     uint64_t wall_ns, uint64_t clock_ns);
/* Add an entry to the build ID table. */
int tally_perfdata_writer_build_id(struct tally_perfdata_writer *writer,
				   const struct tally_perfdata_build_id *build_id);
/* Set TRACING_DATA. */
int tally_perfdata_writer_tracing(struct tally_perfdata_writer *writer, const void *blob,
				  size_t len);
/* Set any feature below TALLY_FEATURE_LIMIT to bytes in the byte order of the file, instead of the
 * bytes that the writer would generate. */
int tally_perfdata_writer_feature(struct tally_perfdata_writer *writer, uint32_t feature,
				  const void *bytes, size_t len);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
