/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: reading and writing, file and pipe mode, any byte order, compressed or not.
 *
 * Errors are negative errno values; 0 is success. `ret_` pointers are untouched on failure.
 * `err`, where there is one, may be NULL; its offset is a byte of the file. A reader or writer
 * belongs to one thread at a time. Nothing here prints.
 *
 * Reading:
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

#ifdef __cplusplus
extern "C" {
#endif

struct iovec;
struct tally_error;
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
};

/* First word of an EVENT_UPDATE. */
enum {
	TALLY_PERFDATA_UPDATE_UNIT = 0,
	TALLY_PERFDATA_UPDATE_SCALE = 1,
	TALLY_PERFDATA_UPDATE_NAME = 2,
	TALLY_PERFDATA_UPDATE_CPUS = 3,
};

/* Features: what the file says besides its records. */
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
	TALLY_FEATURE_MAX = 32, /* one more than the last one known */
	/* tally's own, far above those of perf and of simpleperf (128 on), which skip it: names of
	 * the addresses that the recording holds, docs/stored-names-format.md. Not in pipes. */
	TALLY_FEATURE_STORED_NAMES = 224,
	TALLY_FEATURE_LIMIT = 256, /* bits in the header */
};

/* Description of a record type for abi/record.h's walker: perf.data's own types, else the
 * kernel's; NULL if unknown. Types with an array of structures end in a BYTES field, see
 * tally_perfdata_array(). */
const struct tally_record_desc *tally_perfdata_describe(uint32_t type);

/* Equal structures at the end of ID_INDEX, THREAD_MAP, STAT_CONFIG and AUXTRACE_INFO: the
 * BYTES field called `name` holds them, `stride` bytes each: as many as the field before
 * says (with `counted`), but no more than fit. Their fields stand one behind the other; an
 * only field without a name makes a list of plain values. */
struct tally_perfdata_array {
	uint32_t type;
	uint16_t stride;
	uint8_t nr_fields;
	bool counted;
	const char *name;
	const struct tally_record_field *fields;
};

/* NULL for types without one. */
const struct tally_perfdata_array *tally_perfdata_array(uint32_t type);

/* ---- opening ------------------------------------------------------------- */

struct tally_perfdata;

/* True if `path` is a regular file that begins as a recording does, or a directory of `record
 * --threads`. Nothing else is opened, no FIFO and no device. */
bool tally_perfdata_is_recording(const char *path);

/* Open `path`: a regular file (mapped; a file truncated meanwhile raises SIGBUS: a program that is
 * to survive that maps zeros there in its handler and asks tally_perfdata_check()), a FIFO, "-" for
 * standard input, or a directory of `record --threads`. Header, attrs and feature table of a file
 * are read at once, of a stream nothing but the header. 0; the error of open(2), read(2) or
 * mmap(2); -EINVAL with the reason when it is not perf.data or its header is nonsense; -EOPNOTSUPP;
 * -ENOMEM. */
int tally_perfdata_open(const char *path, struct tally_perfdata **ret_data,
			struct tally_error *err);

/* The same with a descriptor, which stays the caller's and must outlive the reader if it is
 * a stream. A regular file is read from its start, whatever its position. */
int tally_perfdata_open_fd(int fd, struct tally_perfdata **ret_data, struct tally_error *err);

/* The same with bytes in memory, which must outlive the reader. */
int tally_perfdata_open_bytes(const void *bytes, size_t len, struct tally_perfdata **ret_data,
			      struct tally_error *err);

/* Free the reader and everything got from it. NULL is allowed. */
void tally_perfdata_close(struct tally_perfdata *data);

struct tally_perfdata_info {
	bool is_pipe;         /* pipe mode, told by the header, not by what was opened */
	bool is_stream;       /* read once, from front to back */
	bool is_dir;          /* several data files */
	bool is_foreign;      /* written in the byte order that this machine has not */
	bool is_big_endian;   /* of the file */
	bool is_unfinished;   /* data size 0: the recorder was killed; no features */
	uint32_t version;     /* 1 for PERFFILE, 2 for PERFILE2 */
	uint32_t attr_size;   /* of the attrs in the file; 0 in pipe mode */
	uint64_t file_size;   /* 0 of streams */
	uint64_t data_offset; /* of the records */
	uint64_t data_size;   /* clipped to the file; of streams UINT64_MAX */
	uint64_t nr_records;  /* delivered or queued so far */
	uint64_t nr_late;     /* records that came after later ones had been handed out */
};

/* Never NULL; counters advance with reading. */
const struct tally_perfdata_info *tally_perfdata_info(const struct tally_perfdata *data);

/* Something odd that did not stop the reading, for the caller to tell. */
enum tally_perfdata_note_kind {
	TALLY_NOTE_UNFINISHED,     /* data size 0 */
	TALLY_NOTE_TRUNCATED_DATA, /* the header promises more bytes than the file has */
	TALLY_NOTE_CUT_RECORD,     /* the last record or payload is not all there */
	TALLY_NOTE_STRAY_BYTES,    /* too few bytes for a record header at the end */
	TALLY_NOTE_BAD_FEATURE,    /* a feature outside the file, or one that does not parse */
	TALLY_NOTE_BAD_RECORD,     /* of a foreign record: inner sizes do not fit, not swapped */
	TALLY_NOTE_BAD_ATTR,       /* an attr or its ids are outside the file, or unreadable */
	TALLY_NOTE_BAD_COMPRESSED, /* the zstd stream is broken: its records end here */
	TALLY_NOTE_NEWER_FIELDS,   /* samples of an attr have fields that are not known here */
	TALLY_NOTE_UNKNOWN_RECORD, /* record types that are not known here, which say nothing */
	TALLY_NOTE_LIMIT,          /* a limit of this reader was met, see docs/known-gaps.md */
};

struct tally_perfdata_note {
	enum tally_perfdata_note_kind kind;
	uint32_t what;    /* feature number, record type or index of the attr, by kind */
	uint64_t offset;  /* where */
	uint64_t bytes;   /* how many are missing or left over, in all */
	uint64_t count;   /* how often; what and offset are of the first time */
	const char *text; /* constant, lower case, no full stop */
};

/* Notes so far, `i` from 0; NULL at the end. */
const struct tally_perfdata_note *tally_perfdata_note(const struct tally_perfdata *data, size_t i);

/* ---- events -------------------------------------------------------------- */

/* One attr of the file. Stable until close; in pipe mode its name and ids may still change
 * while records are read. */
struct tally_perfdata_event {
	struct perf_event_attr attr; /* attr.size as the writer had it */
	uint32_t index;              /* in the order of the file, from 0 */
	bool is_partial;             /* sample_type or read_format has bits unknown: `layout` has
					the fields before theirs */
	bool has_scale, is_named;    /* is_named: the name is the file's, not made from the attr */
	const char *name;            /* never NULL */
	const char *unit;            /* NULL unless an EVENT_UPDATE told */
	double scale;
	const uint64_t *ids; /* one per CPU or task */
	size_t nr_ids;
	const struct tally_sample_layout *layout; /* never NULL */
};

size_t tally_perfdata_nr_events(const struct tally_perfdata *data);

/* NULL when `i` is out of range. */
const struct tally_perfdata_event *tally_perfdata_event(const struct tally_perfdata *data,
							size_t i);

/* The event with this sample id; NULL if none. */
const struct tally_perfdata_event *tally_perfdata_event_by_id(const struct tally_perfdata *data,
							      uint64_t id);

/* ---- records ------------------------------------------------------------- */

enum {
	TALLY_PERFDATA_CONTAINER = 1 << 0, /* a COMPRESSED record: its contents follow */
	TALLY_PERFDATA_EXPANDED = 1 << 1,  /* such contents */
	TALLY_PERFDATA_LATE = 1 << 2,      /* older than one handed out before (ordered only) */
	TALLY_PERFDATA_DAMAGED = 1 << 3,   /* foreign and not swapped: inner sizes do not fit */
	/* Of a pipe of perf 3.2: a feature, and not what its type means today. */
	TALLY_PERFDATA_OLD_FEATURE = 1 << 4,
};

struct tally_perfdata_record {
	const void *data; /* whole record, header included, in host byte order; aligned or not */
	uint32_t size;    /* bytes of it */
	uint32_t type;
	uint16_t misc;
	uint16_t flags;                           /* TALLY_PERFDATA_* */
	uint32_t file;                            /* 0, or of a directory 1 + N for data.N */
	uint64_t offset;                          /* in that file; UINT64_MAX of expanded records */
	uint64_t number;                          /* records that come before it in the file */
	uint64_t time;                            /* ns; 0 without one */
	const struct tally_perfdata_event *event; /* by id, else the first; NULL of records of
						     user space and while there is none */
	const void *payload;  /* TRACING_DATA, AUXTRACE: the bytes behind the record (simpleperf has
				 them inside); NULL when skipped (of streams, over 64 MiB) */
	uint64_t payload_len; /* as far as the file has it */
};

/* The next record in file order, COMPRESSED ones followed by their contents. Everything in
 * `*ret_record` is valid until the next call. Attrs, names, features, build-ids and
 * tracing data that come as records are noted before the record is handed out.
 * 1; 0 at the end (see the notes for how it ended); -EINVAL for a record shorter than its
 * header: nothing behind it can be read; the error of read(2); -ENOMEM. After an error, the
 * same error again. */
int tally_perfdata_next(struct tally_perfdata *data, struct tally_perfdata_record *ret_record,
			struct tally_error *err);

/* The next record in time order, equal times in file order, using FINISHED_ROUND to hand out
 * early; records without a time come as soon as they are read. After an error in the file,
 * what was read before comes first, then the error. Use one of the two functions only. */
int tally_perfdata_next_ordered(struct tally_perfdata *data,
				struct tally_perfdata_record *ret_record, struct tally_error *err);

/* Call `idle` with `arg` when a read of a stream may wait, at most every 100 ms, so that the caller
 * can write out what it buffered. It must not use the reader. NULL, as at first: call nothing. */
void tally_perfdata_on_idle(struct tally_perfdata *data, void (*idle)(void *arg), void *arg);

/* Back to the first record. 0; -ESPIPE of streams. */
int tally_perfdata_rewind(struct tally_perfdata *data);

/* Whether what was read of a mapped file can be relied on, for programs that survive its SIGBUS
 * (see tally_perfdata_open()): 0; -EINVAL with the place where it ends now if it became shorter
 * since it was opened; the error of fstat(2). */
int tally_perfdata_check(const struct tally_perfdata *data, struct tally_error *err);

/* Say which samples are wanted in time order, for those who read again for the sake of a few: those
 * whose bit, `number` % 64 of word `number` / 64, is set, as far as there are `nr` bits. The others
 * are passed over before it takes time to look at them. `bits` is borrowed as long as records are
 * read; NULL: all are wanted, as they are at first. */
void tally_perfdata_want(struct tally_perfdata *data, const uint64_t *bits, uint64_t nr);

/* ---- features ------------------------------------------------------------ */

struct tally_perfdata_slice {
	const uint8_t *data;
	uint64_t len;
};

struct tally_perfdata_feature {
	uint32_t id;
	const char *name; /* perf's, e.g. "HOSTNAME"; NULL if unknown */
	uint64_t offset;  /* of the bytes in the file; UINT64_MAX from a compressed record */
	struct tally_perfdata_slice bytes; /* as written: unaligned, in the file's byte order */
};

/* Feature `i` from 0, in the order of the file; false at the end. In pipe mode: so far. */
bool tally_perfdata_feature(const struct tally_perfdata *data, size_t i,
			    struct tally_perfdata_feature *ret_feature);

/* perf's name of a feature, NULL if unknown. */
const char *tally_perfdata_feature_name(uint32_t id);

struct tally_perfdata_strings {
	const char *const *items; /* NUL-terminated */
	uint32_t nr;
};

struct tally_perfdata_cpu {
	int32_t core_id, socket_id, die_id; /* -1: not told */
};

struct tally_perfdata_node {
	uint32_t node;
	uint64_t mem_total_kb, mem_free_kb;
	const char *cpus; /* list, "0-3,8" */
};

struct tally_perfdata_pmu {
	uint32_t type;
	const char *name;
};

struct tally_perfdata_group {
	const char *name;
	uint32_t leader; /* index of an event */
	uint32_t nr_members;
};

struct tally_perfdata_cache {
	uint32_t level, line_size, sets, ways;
	const char *type, *size, *cpus;
};

struct tally_perfdata_mem_node {
	uint64_t node;
	uint64_t nr_bits;
	struct tally_perfdata_slice bits; /* u64 words in host order; bit n: block n present */
};

struct tally_perfdata_pmu_caps {
	const char *pmu; /* "cpu" from CPU_PMU_CAPS; "" if not told */
	const struct tally_perfdata_cap {
		const char *name, *value;
	} * caps;
	uint32_t nr;
};

struct tally_perfdata_hybrid {
	const char *pmu, *cpus;
};

/* One event of EVENT_DESC. */
struct tally_perfdata_event_desc {
	struct perf_event_attr attr;
	const char *name;
	const uint64_t *ids;
	uint32_t nr_ids;
};

struct tally_perfdata_bpf_prog {
	uint64_t offset; /* in the feature */
	uint32_t info_len, data_len;
	uint64_t arrays;                        /* bit mask of what the data holds */
	struct tally_perfdata_slice info, data; /* struct bpf_prog_info; not swapped */
};

struct tally_perfdata_btf {
	uint32_t id;
	struct tally_perfdata_slice data;
};

struct tally_perfdata_aux_entry {
	uint64_t offset, size; /* of an AUXTRACE record in the file */
};

/* Everything the features say, decoded. Strings are "" and lists empty when absent. */
struct tally_perfdata_env {
	uint64_t present; /* bit per feature that is here and was understood */
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t nr_cpus_online, nr_cpus_avail;
	uint64_t total_mem_kb;
	struct tally_perfdata_strings cmdline;
	struct tally_perfdata_strings core_siblings, thread_siblings, die_siblings;
	const struct tally_perfdata_cpu *cpus; /* nr_cpus of them, by CPU number */
	const struct tally_perfdata_node *nodes;
	const struct tally_perfdata_pmu *pmus;
	const struct tally_perfdata_group *groups;
	const struct tally_perfdata_cache *caches;
	const struct tally_perfdata_mem_node *mem_nodes;
	const struct tally_perfdata_pmu_caps *pmu_caps;
	const struct tally_perfdata_hybrid *hybrid;
	const struct tally_perfdata_event_desc *event_desc;
	const struct tally_perfdata_bpf_prog *bpf_progs;
	const struct tally_perfdata_btf *btfs;
	const struct tally_perfdata_aux_entry *aux_index;
	uint32_t nr_cpus, nr_nodes, nr_pmus, nr_groups, nr_caches, nr_mem_nodes, nr_pmu_caps;
	uint32_t nr_hybrid, nr_event_desc, nr_bpf_progs, nr_btfs, nr_aux_index;
	uint64_t sample_time_first, sample_time_last; /* ns */
	uint64_t mem_block_size;
	uint64_t clockid_res_ns;
	uint32_t clock_data_clockid;
	uint64_t clock_data_wall_ns, clock_data_clock_ns; /* the same moment on both clocks */
	uint64_t dir_version;
	uint32_t compress_version, compress_type, compress_level, compress_ratio, compress_mmap_len;
};

static inline bool tally_perfdata_env_has(const struct tally_perfdata_env *env, uint32_t feature)
{
	return feature < 64 && (env->present >> feature & 1);
}

/* Decode the features seen so far. What does not parse is left out and noted. `*ret_env` is
 * valid until the next call of this function, or close. 0 or -ENOMEM. */
int tally_perfdata_env(struct tally_perfdata *data, const struct tally_perfdata_env **ret_env);

/* One entry of the build-id table (or a BUILD_ID record). */
struct tally_perfdata_build_id {
	int32_t pid;   /* -1: the host */
	uint16_t misc; /* cpumode: kernel, user, guest ... */
	uint8_t size;  /* bytes of the build id, 0 to 20 */
	uint8_t bytes[20];
	const char *filename;
};

/* The i-th entry, `i` from 0; NULL at the end. Stable until close. */
const struct tally_perfdata_build_id *tally_perfdata_build_id(const struct tally_perfdata *data,
							      size_t i);

/* Copy the recording that `data` reads, whose file is open at `from`, into the empty file `to`,
 * with one feature added, or another one in its place. Records and the other features are copied as
 * they are, without a look. `between` (may be NULL) is called between pieces of at most 16 MiB;
 * what is not 0 ends the copying with that. 0; -EOPNOTSUPP of what is no file with one header and
 * table of features: streams, directories, recordings that were not finished; -EINVAL if the file
 * ends too early or has parts where no recorder puts them: the reason is in `err`; or the error of
 * reading or writing. */
int tally_perfdata_copy(const struct tally_perfdata *data, int from, int to,
			const struct tally_perfdata_feature *feature, int (*between)(void *arg),
			void *arg, struct tally_error *err);

/* ---- tracing data -------------------------------------------------------- */

/* Text of one `format` file of tracefs. */
struct tally_perfdata_trace_format {
	const char *system; /* "ftrace" of ftrace's own */
	struct tally_perfdata_slice text;
};

struct tally_perfdata_tracing {
	const char *version; /* "0.6" */
	bool is_cut;         /* it ends before what it says it has */
	bool is_big_endian;  /* of the machine that wrote it */
	uint8_t long_size;
	uint32_t page_size;
	struct tally_perfdata_slice header_page, header_event;
	const struct tally_perfdata_trace_format *formats;
	size_t nr_formats;
	struct tally_perfdata_slice kallsyms, printk_formats, saved_cmdlines; /* texts */
	struct tally_perfdata_slice bytes;                                    /* the whole blob */
};

/* The TRACING_DATA of the file, feature or record. `*ret_tracing` is stable until close. A blob
 * that ends early is taken as far as it goes. 0; -ENOENT when there is none (yet); -EINVAL when it
 * is no such blob; -ENOMEM. */
int tally_perfdata_tracing(struct tally_perfdata *data,
			   const struct tally_perfdata_tracing **ret_tracing,
			   struct tally_error *err);

/* The format of the tracepoint `id`, which is the first in TRACING_DATA with this id; events are
 * named after the same one. `*ret_format` is stable until close. 0; -ENOENT when there is none
 * (yet); -ENOMEM. */
int tally_perfdata_trace_format(struct tally_perfdata *data, uint64_t id,
				const struct tally_perfdata_trace_format **ret_format);

/* The same as tally_perfdata_tracing() for a blob from elsewhere: free with
 * tally_perfdata_tracing_free(). The slices point into `bytes`. */
int tally_perfdata_tracing_parse(const void *bytes, size_t len,
				 struct tally_perfdata_tracing **ret_tracing,
				 struct tally_error *err);
void tally_perfdata_tracing_free(struct tally_perfdata_tracing *tracing);

/* ---- writing ------------------------------------------------------------- */

struct tally_perfdata_writer;

struct tally_perfdata_writer_options {
	bool pipe;          /* pipe mode, else a file, for which the descriptor must seek */
	bool foreign;       /* write in the other byte order (records are copied then) */
	int compress_level; /* 0: do not; else zstd's level: records go out as COMPRESSED */
	/* In the place of writev(2) on the descriptor, for who has to watch other things while a
	 * reader takes its time: how many bytes of the `nr` pieces were taken, or -errno, which
	 * ends the call of the writer. NULL: writev(2) itself. */
	int64_t (*writev)(void *data, const struct iovec *iov, int nr);
	void *data; /* for writev */
};

/* A writer on `fd`, which stays the caller's. In file mode it writes from offset 0 and
 * truncates the file. `options` NULL: all zero. 0; -ESPIPE if it cannot seek; -ENOMEM. */
int tally_perfdata_writer_new(int fd, const struct tally_perfdata_writer_options *options,
			      struct tally_perfdata_writer **ret_writer);
void tally_perfdata_writer_free(struct tally_perfdata_writer *writer);

/* Add an event: before start. `name` (copied) may be NULL, ids (copied) may be none. The attr is
 * written with 128 bytes unless its newer fields are set (perf before 6.3 refuses more). 0; -EBUSY
 * after start; -ENOMEM. */
int tally_perfdata_writer_add_event(struct tally_perfdata_writer *writer,
				    const struct perf_event_attr *attr, const char *name,
				    const uint64_t *ids, size_t nr_ids);

/* Write the header and attrs; in pipe mode also names and the features set so far. Until finish, a
 * file reads back as unfinished, with all its records. 0; -EBUSY the second time; the error of
 * write(2); -ENOMEM. */
int tally_perfdata_writer_start(struct tally_perfdata_writer *writer);

/* Append whole records in host order, as they stand in a ring buffer: a record may straddle pieces
 * of this call, not calls. Uncompressed they go to writev(2) without a copy. With compression one
 * zstd flush per call. `iov` is unchanged. 0; -EINVAL before start or (foreign only) for a broken
 * record; the error of write(2): in a file the whole records written up to there stay, of a
 * compressed call none, and no more compressed ones can follow. */
int tally_perfdata_writer_writev(struct tally_perfdata_writer *writer, const struct iovec *iov,
				 int nr);
int tally_perfdata_writer_write(struct tally_perfdata_writer *writer, const void *records,
				size_t len);

/* Append one record that is never compressed, followed by `payload_len` bytes: TRACING_DATA,
 * AUXTRACE, or any other type with none. */
int tally_perfdata_writer_payload(struct tally_perfdata_writer *writer, const void *record,
				  const void *payload, size_t payload_len);

/* Append a FINISHED_ROUND: everything recorded before the previous one is in the file. */
int tally_perfdata_writer_finish_round(struct tally_perfdata_writer *writer);

/* Write what is left: features and, in a file, the sizes in the header. In pipe mode features set
 * after start, as records. The descriptor is not closed. Where a file has no room for the features
 * (a full disk) it gets its end without any: the error is given then, and
 * tally_perfdata_writer_is_finished() is true. 0; -EINVAL before start; the error of write(2);
 * -ENOMEM. Twice is harmless. */
int tally_perfdata_writer_finish(struct tally_perfdata_writer *writer);

/* The file has its end: what was written reads as a finished recording. */
bool tally_perfdata_writer_is_finished(const struct tally_perfdata_writer *writer);

/* Bytes of records written so far (as they are in the file), and before compression. */
uint64_t tally_perfdata_writer_bytes(const struct tally_perfdata_writer *writer);
uint64_t tally_perfdata_writer_raw_bytes(const struct tally_perfdata_writer *writer);

/* Features: each setter may be called any time before finish, the last call wins (build-ids add
 * up). All content is copied. EVENT_DESC, COMPRESSED and BRANCH_STACK are set by the writer itself
 * from its events. 0; -EINVAL for a feature that is not of that form; -ENOMEM. */

/* HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID. */
int tally_perfdata_writer_string(struct tally_perfdata_writer *writer, uint32_t feature,
				 const char *text);
int tally_perfdata_writer_nrcpus(struct tally_perfdata_writer *writer, uint32_t online,
				 uint32_t avail);
int tally_perfdata_writer_cmdline(struct tally_perfdata_writer *writer, int argc,
				  const char *const *argv);
int tally_perfdata_writer_total_mem(struct tally_perfdata_writer *writer, uint64_t kb);

/* Uses core_siblings, thread_siblings, die_siblings, cpus and nr_cpus of `env`. */
int tally_perfdata_writer_cpu_topology(struct tally_perfdata_writer *writer,
				       const struct tally_perfdata_env *env);
int tally_perfdata_writer_numa(struct tally_perfdata_writer *writer,
			       const struct tally_perfdata_node *nodes, uint32_t nr);
int tally_perfdata_writer_pmus(struct tally_perfdata_writer *writer,
			       const struct tally_perfdata_pmu *pmus, uint32_t nr);
int tally_perfdata_writer_groups(struct tally_perfdata_writer *writer,
				 const struct tally_perfdata_group *groups, uint32_t nr);
int tally_perfdata_writer_caches(struct tally_perfdata_writer *writer,
				 const struct tally_perfdata_cache *caches, uint32_t nr);
int tally_perfdata_writer_sample_time(struct tally_perfdata_writer *writer, uint64_t first_ns,
				      uint64_t last_ns);
int tally_perfdata_writer_clockid(struct tally_perfdata_writer *writer, uint64_t res_ns);
int tally_perfdata_writer_clock_data(struct tally_perfdata_writer *writer, uint32_t clockid,
				     uint64_t wall_ns, uint64_t clock_ns);
int tally_perfdata_writer_build_id(struct tally_perfdata_writer *writer,
				   const struct tally_perfdata_build_id *build_id);
int tally_perfdata_writer_tracing(struct tally_perfdata_writer *writer, const void *blob,
				  size_t len);

/* Any feature below TALLY_FEATURE_LIMIT by its bytes, in the byte order of the file written;
 * replaces what the writer would make itself. */
int tally_perfdata_writer_feature(struct tally_perfdata_writer *writer, uint32_t feature,
				  const void *bytes, size_t len);

#ifdef __cplusplus
}
#endif

#endif
