/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns that are computed from the fields of a sample, because the profile does not distinguish
 * samples by them: data sources, weights, branches, traces, times, cgroups. Their cells become the
 * label of the sample (TALLY_BY_LABEL), and a row's cells are read back from its label.
 *
 * Columns with `part` do not distinguish rows: their cells are the last ones of a label, and rows
 * are distinguished by the cells before them (tally_labels_row()).
 */
#ifndef TALLY_VIEW_SAMPLE_LABELS_H
#define TALLY_VIEW_SAMPLE_LABELS_H

#include "base/intern.h"
#include "profile/annotate/data_types.h"
#include "profile/process/running.h"
#include "session/session.h"
#include "session/session_tracing.h"
#include "view/view.h"

struct tally_cgroup_namespace {
	uint64_t dev, ino;
};

/* All zero is a set without columns. */
struct tally_labels {
	struct tally_intern strings; /* the cells of a label, with a separator */
	const struct tally_view_column *columns[TALLY_VIEW_MAX_COLUMNS]; /* in order of the cells */
	int nr_columns, nr_keys;        /* all columns; those that distinguish rows */
	TALLY_VEC(uint32_t) row_labels; /* by label: see tally_labels_row() */
	struct tally_running running;   /* for tally_cell_parallelism() */
	struct tally_machine *machine;
	struct tally_session *session;           /* NULL if samples are live */
	struct tally_tracing *tracing;           /* NULL if not used yet */
	const struct tally_perfdata_env *env;    /* NULL if not used yet */
	struct tally_data_types *data_types;     /* NULL if not used yet */
	struct tally_intern cgroups, cgroup_ids; /* paths; IDs as bytes */
	TALLY_VEC(uint32_t) cgroup_paths;        /* last path of a cgroup, by number of its ID */
	struct tally_map namespace_of;           /* of a TID: position in `namespaces` */
	TALLY_VEC(struct tally_cgroup_namespace) namespaces;
	uint64_t time_quantum_ns; /* times are rounded down to multiples of this */
	bool counts_running;      /* a column needs `running` */
	bool raw_traces;          /* print fields, not with the print format */
	bool nanoseconds;         /* show times with 9 decimals, not 6 */
	struct tally_str cells;
};

/* Take those of the columns that are computed from samples. Records may have been passed to
 * tally_labels_other() before. `session` is that of the recording, or NULL for live samples; then
 * no column may need a recording (tally_view_column_is_recorded()), and the owner sets
 * labels->env. Both are borrowed. */
void tally_labels_start(struct tally_labels *labels, struct tally_session *session,
			struct tally_machine *machine,
			const struct tally_view_column *const *columns, int nr);
void tally_labels_free(struct tally_labels *labels);

/* Set sample->label. `*ret_new` is the length of the label if it is new, otherwise 0. Returns 0,
 * -ENOMEM, or -E2BIG for too many labels. */
int tally_labels_set(struct tally_labels *labels, struct tally_feed_sample *sample,
		     size_t *ret_new);

/* Learn from a record that is not a sample. Returns 0 or -ENOMEM. */
int tally_labels_other(struct tally_labels *labels, const struct tally_perfdata_record *record);

/* Return the cgroup namespace of a thread, which is all zero if it is unknown; NULL if no
 * namespaces were recorded. */
const struct tally_cgroup_namespace *tally_labels_namespace(const struct tally_labels *labels,
							    uint32_t tid);

/* The part of tally_labels_other() that needs only the bytes of a record. */
int tally_labels_learn(struct tally_labels *labels, const void *record, size_t size);

/* Free the labels for which `marks` is 0. Each other mark is replaced with the new number of its
 * label, plus 1. `marks` has one entry for each label. On failure, the labels are unchanged, but
 * not the marks. Returns 0 or -ENOMEM. */
int tally_labels_sweep(struct tally_labels *labels, uint32_t *marks);

/* Return the label with the cells that distinguish rows, for a label of a sample. */
uint32_t tally_labels_row(const struct tally_labels *labels, uint32_t label);

/* Return the cell of a label in a column, and its length. The text is not terminated. Returns NULL
 * if the column is not in the labels. */
const char *tally_labels_cell(const struct tally_labels *labels,
			      const struct tally_view_column *column, uint32_t label,
			      size_t *ret_len);

/* Append the cell of a label in a column. Appends nothing if the column is not in the labels. */
void tally_labels_add_cell(const struct tally_labels *labels,
			   const struct tally_view_column *column, uint32_t label,
			   struct tally_str *out);

/* Return true if the column is not a field of a tracepoint, or the event has the field. */
bool tally_labels_event_has(struct tally_labels *labels, const struct tally_view_column *column,
			    uint32_t event);

/* Return what is known about the recorded machine, or NULL if memory runs out. */
const struct tally_perfdata_env *tally_labels_env(struct tally_labels *labels);

/* Return the path of a cgroup, or NULL if no record named it or memory runs out. */
const char *tally_labels_cgroup(struct tally_labels *labels, uint64_t id);

#endif
