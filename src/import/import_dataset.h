/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a data set that is imported (docs/dataset.md). */
#ifndef TALLY_IMPORT_IMPORT_DATASET_H
#define TALLY_IMPORT_IMPORT_DATASET_H

#include "import/import_columns.h"

struct import_tables;

/* Read a file of a table. Returns 0, or -errno; an error message has been emitted, except for
 * -ENOMEM. */
typedef int import_file_fn(struct import_tables *tables, const struct import_input *input);

/* A row of the table of frames. */
struct import_frame {
	uint64_t id;
	uint32_t depth, module; /* module: IMPORT_NONE if not mapped */
	uint64_t address;       /* only of an unknown function */
	struct import_row row;
};

/* All zero except for the first two members. */
struct import_tables {
	struct imported *imported;
	const struct import_input *input;
	TALLY_VEC(struct import_frame) frames;
	struct tally_map place_of;  /* by frame */
	struct tally_map stack_of;  /* by stack */
	struct tally_map host_of;   /* text of the host's name, by recording */
	struct tally_map file_of;   /* file that is used, by recording: see `rest` */
	struct tally_map copies;    /* other files that contain a recording */
	import_file_fn *read_file;  /* reads files of the current table */
	size_t table_len;           /* length of the current table's path */
	uint32_t rest;              /* text: the rest of the current file's path */
	TALLY_VEC(uint32_t) places; /* buffer */
};

import_file_fn import_frames_read, import_stacks_read, import_recordings_read, import_samples_read;

/* Make the places of all frames, after they have been read. Returns 0 or -ENOMEM. */
int import_frames_place(struct import_tables *tables);

#endif
