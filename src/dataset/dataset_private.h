/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions and structures shared by the source files of this module. */
#ifndef TALLY_DATASET_DATASET_PRIVATE_H
#define TALLY_DATASET_DATASET_PRIVATE_H

#include "dataset/dataset_tables.h"
#include "dataset/places.h"
#include "session/session_identity.h"

/* A file of the current partition. */
struct dataset_file {
	struct tally_dataset *dataset;
	enum tally_dataset_table table;
	struct tally_parquet *writer; /* NULL if there is no partition */
};

struct tally_dataset {
	struct tally_dataset_options options;
	struct tally_dataset_output output;
	struct dataset_file files[TALLY_DATASET_TABLES];
	bool has_files;              /* output.begin() was called */
	struct tally_str date, host; /* of the current partition */
	uint64_t ids;                /* of the recordings in it, combined */
	struct tally_map recordings; /* IDs of all recordings */
	/* IDs of stacks and frames in these files, unless there are too many. */
	struct tally_map stacks, frames;
	struct tally_str text, bytes; /* buffers */
};

/* A sample that waits for its row. */
struct dataset_sample {
	uint64_t present; /* PERF_SAMPLE_* */
	uint64_t time, period;
	const char *comm; /* valid as long as the session */
	int32_t pid, tid;
	uint32_t cpu, event, stack;
};

/* The recording that is being read. */
struct dataset_recording {
	struct tally_dataset *dataset;
	struct tally_session *session;
	struct dataset_places places;
	/* IDs of the stacks of `places`. */
	struct tally_map id_of_stack;
	/* Samples wait until the source lines of many frames are read together. */
	TALLY_VEC(struct dataset_sample) waiting;
	bool has_begun; /* the members below are set */
	const struct tally_perfdata_env *env;
	struct tally_session_identity identity;
	bool has_times;
	uint64_t first, last; /* recorded times */
	uint64_t samples, unnamed;
};

/* ---- dataset_recording.c -------------------------------------------------- */

/* Set the recording's identity. `sample` is its first sample, or NULL if it has
 * none. Returns 0 or -ENOMEM. */
int dataset_recording_begin(struct dataset_recording *recording,
			    const struct tally_feed_sample *sample);

/* Add the recording's row. Returns 0 or -errno. */
int dataset_recording_add(const struct dataset_recording *recording);

/* ---- dataset_frames.c ----------------------------------------------------- */

/* Set the IDs of frames that have none, and add their rows, unless the files have them. Returns 0
 * or -errno. */
int dataset_frames_add(struct dataset_recording *recording);

/* Add the rows of a frame that has an ID. Returns 0 or -errno. */
int dataset_frame_write(struct tally_dataset *dataset, const struct dataset_frame *frame);

/* Read the lines of frames together, which is many times faster. */
void dataset_lines_prepare(const struct tally_dataset *dataset, const struct dataset_frame *frames,
			   size_t nr);

/* ---- dataset_samples.c ---------------------------------------------------- */

/* Add a sample. Returns 0 or -errno. */
int dataset_sample_add(struct dataset_recording *recording, const struct tally_feed_sample *from);

/* Add the rows of waiting samples, and of their stacks and frames. Returns 0 or -errno. */
int dataset_samples_flush(struct dataset_recording *recording);

/* ---- dataset.c ------------------------------------------------------------ */

/* Return true if an ID is not in `ids`, and add it. May forget IDs if there are many. Sets
 * `*ret_error` to -ENOMEM if out of memory. */
bool dataset_is_new(struct tally_map *ids, uint64_t id, int *ret_error);

/* Add an escaped text to a row, or null if `text` is NULL. */
void dataset_add_text(struct tally_dataset *dataset, enum tally_dataset_table table, size_t column,
		      const char *text);

#endif
