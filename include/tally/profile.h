/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read a recording (perf.data) into a profile: how often each function, thread and call stack was
 * sampled. tally report shows the same profile.
 *
 *	ret = tally_analysis_read("perf.data", &options, &analysis);
 *	ret = tally_analysis_rows(analysis, 0, TALLY_ROWS_BY_FUNCTION, &rows);
 *	for (i = 0; (row = tally_analysis_row(rows, i)); i++)
 *		... row->place.function, row->self ...
 *	tally_analysis_rows_free(rows);
 *	tally_analysis_free(analysis);
 *
 * The file may be written by perf or tally, on this machine or another one, and is not trusted.
 * Symbols come from the recording, if they are embedded in it, and from files on this machine. All
 * strings belong to the analysis and live as long as it does. They may contain any bytes but NUL:
 * escape them, and messages, before printing to a terminal. An analysis may be used by one thread
 * at a time.
 *
 * A regular file is mapped until the analysis is freed. If it is truncated meanwhile, SIGBUS is
 * raised; see tally_perfdata_open() in perfdata.h. Child processes decode debug information. They
 * end at the latest when the analysis is freed, and the program may receive SIGCHLD.
 *
 * perfdata.h reads the records of a recording one by one. examples/top_functions.c is a program
 * that uses this header.
 */
#ifndef TALLY_PROFILE_H
#define TALLY_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function may have the name of a structure; GCC warns about this in C++. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#endif

struct tally_analysis;
struct tally_analysis_rows;

/* Kinds of messages about a recording. */
enum tally_analysis_message {
	TALLY_ANALYSIS_ERROR,   /* the function returns an error */
	TALLY_ANALYSIS_WARNING, /* something is missing or damaged */
	TALLY_ANALYSIS_NOTE     /* detail about the previous message */
};

/* An all-zero struct, or NULL instead of it, selects the defaults. Strings are borrowed during the
 * call. */
struct tally_analysis_options {
	const char *symfs;    /* look for files below this directory */
	const char *vmlinux;  /* kernel image for kernel symbols */
	const char *kallsyms; /* kernel symbols instead of /proc/kallsyms */
	bool no_demangle;     /* keep mangled C++, Rust and D names */
	bool no_inlined;      /* leave inlined functions out of call stacks */
	/* Look up the source line of every sample, for TALLY_ROWS_BY_LINE. This takes more time
	 * and memory. */
	bool lines;
	/* Called for each message, which has no newline at its end and is valid during the call.
	 * NULL to drop messages. */
	void (*message)(void *arg, enum tally_analysis_message kind, const char *text);
	void *arg;
};

/* A recorded event with samples. */
struct tally_analysis_event {
	const char *name;
	uint64_t samples;
	uint64_t period; /* sum of the sample periods: the estimated number of events */
	bool is_time;    /* periods are in nanoseconds */
};

/* Sampled code. */
struct tally_analysis_place {
	const char *function; /* demangled; NULL if unknown */
	/* Path of the program or library, or a name such as "[kernel.kallsyms]"; NULL if
	 * unknown. */
	const char *object;
	/* Start of the function, or the sampled address if the function is unknown. An offset in
	 * the file, or an absolute address in the kernel and in code without a file. For an inlined
	 * function: an address in it if options.lines is set, otherwise 0. */
	uint64_t address;
	const char *file; /* source file, as passed to the compiler; NULL if unknown */
	uint32_t line;    /* 0 if unknown */
	bool is_kernel, is_inlined;
};

/* Properties that distinguish rows. They can be combined. */
enum tally_analysis_by {
	TALLY_ROWS_BY_FUNCTION = 1 << 0, /* functions in different objects differ */
	TALLY_ROWS_BY_OBJECT = 1 << 1,
	TALLY_ROWS_BY_COMM = 1 << 2, /* thread name */
	TALLY_ROWS_BY_PID = 1 << 3,  /* process ID */
	TALLY_ROWS_BY_TID = 1 << 4,  /* thread ID, with its process ID */
	/* Source line; requires options.lines. Code without a line is distinguished by address. */
	TALLY_ROWS_BY_LINE = 1 << 5
};

/* Samples of one event with the same properties. Properties that do not distinguish the rows are
 * NULL, 0 or -1. */
struct tally_analysis_row {
	struct tally_analysis_place place;
	const char *comm; /* thread name */
	int32_t pid, tid;
	uint64_t self, self_samples;   /* sum of periods, and number of samples */
	uint64_t total, total_samples; /* the same, with callees; at least the above */
};

/* A call stack, and the samples of a thread that have it. */
struct tally_analysis_stack {
	const struct tally_analysis_place *places; /* innermost first */
	size_t nr_places;                          /* at least 1 */
	const char *comm;                          /* thread name */
	int32_t pid, tid;
	uint64_t period, samples;
};

/* Read the recording at `path`; "-" is standard input. The caller frees `*ret_analysis` with
 * tally_analysis_free(). A damaged or truncated recording is read as far as possible, see
 * tally_analysis_damage(). Returns 0; -EINVAL if the file is not a recording or none of its samples
 * can be decoded; -E2BIG if it has too many events and functions; -ENOMEM; or an error from opening
 * the file, such as -ENOENT or -EACCES. Source: perf.data's format, see perfdata.h. */
int tally_analysis_read(const char *path, const struct tally_analysis_options *options,
			struct tally_analysis **ret_analysis);

/* Free an analysis. NULL is allowed. */
void tally_analysis_free(struct tally_analysis *analysis);

/* Return 0, or -EINVAL if a part of the recording is missing or was skipped, because the file is
 * truncated or damaged. The analysis contains the samples that could be read. */
int tally_analysis_damage(const struct tally_analysis *analysis);

/* Return the number of lost samples and other records that the recorder reported. */
uint64_t tally_analysis_lost(const struct tally_analysis *analysis);

/* Get the event with this number, in the order of the recording. An event without samples has a
 * count of 0. Returns false if there is no such event. */
bool tally_analysis_event(const struct tally_analysis *analysis, size_t number,
			  struct tally_analysis_event *ret_event);

/* Sum up the samples of an event by the properties in `by` (TALLY_ROWS_BY_*). The caller frees
 * `*ret_rows` with tally_analysis_rows_free(), before the analysis. Returns 0; -EINVAL if there is
 * no such event, for unknown properties, or for TALLY_ROWS_BY_LINE without options.lines; or
 * -ENOMEM. */
int tally_analysis_rows(struct tally_analysis *analysis, size_t event, unsigned by,
			struct tally_analysis_rows **ret_rows);

/* Return the row with this number, heaviest first (by `self`), or NULL if there are no more rows.
 * The row is valid until the rows are freed. */
const struct tally_analysis_row *tally_analysis_row(const struct tally_analysis_rows *rows,
						    size_t number);

/* Free the rows. NULL is allowed. */
void tally_analysis_rows_free(struct tally_analysis_rows *rows);

/* Call `each` for every combination of thread and call stack of an event. Stacks may be passed that
 * differ only in addresses, which the places do not contain. Samples without a callchain have a
 * stack of one place. A nonzero return value of `each` ends the walk and is returned. Returns 0;
 * -EINVAL if there is no such event; or -ENOMEM. */
int tally_analysis_stacks(struct tally_analysis *analysis, size_t event,
			  int (*each)(void *arg, const struct tally_analysis_stack *stack),
			  void *arg);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#endif
