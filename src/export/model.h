/* SPDX-License-Identifier: BSD-2-Clause */
/* What all formats need of a profile: its functions, callchains, the tree of these, threads. */
#ifndef TALLY_EXPORT_MODEL_H
#define TALLY_EXPORT_MODEL_H

#include "base/str.h"
#include "export/export.h"
#include "profile/path.h"

/* Code without names is one function in each file. */
struct tally_export_function {
	struct tally_dso *dso;             /* NULL: not mapped */
	const struct tally_symbol *symbol; /* NULL: no name */
	const char *file;                  /* of source, where one of its lines is known; or NULL */
	uint64_t start;                    /* of a symbol; see tally_export_model_link() */
};

/* Of the frames that samples of the events have: others are UINT32_MAX in the arrays by frame. */
struct tally_export_model {
	const struct tally_profile *profile;
	uint32_t *function_of;      /* by frame */
	uint32_t *place_of;         /* by frame: its place in */
	TALLY_VEC(uint32_t) frames; /* all, in the order in which they are met */
	TALLY_VEC(struct tally_export_function) functions;
	uint64_t *addresses; /* by place; see tally_export_model_link() */
};

/* 0 or -ENOMEM; free it with tally_export_model_free(). */
int tally_export_model_make(const struct tally_export *export,
			    struct tally_export_model *ret_model);
void tally_export_model_free(struct tally_export_model *model);

/* What addresses of files count from. */
enum tally_export_base {
	TALLY_EXPORT_FROM_ZERO,  /* where they are linked to be */
	TALLY_EXPORT_FROM_IMAGE, /* the same, from the file's first segment on */
};

/* Fill in addresses of frames and starts of functions, once. Of files that are not at hand they
 * stay offsets in these. 0 or -ENOMEM. */
int tally_export_model_link(struct tally_export_model *model, enum tally_export_base base);

/* Whether a bucket is exported: it has samples, of one of the events. */
bool tally_export_has_bucket(const struct tally_export *export, const struct tally_bucket *bucket);

/* A weight more, 0 being none: at most INT64_MAX, and the export's notes tell where that is less
 * than it comes to. */
uint64_t tally_export_sum(const struct tally_export *export, uint64_t sum, uint64_t weight);

/* Between samples of an event without times. */
#define TALLY_EXPORT_APART UINT64_C(1000000) /* ns */

/* Append the name of a function: "[libc.so.6]" for code of that file without a name, "[unknown]"
 * where nothing is mapped. Not escaped. */
void tally_export_add_function(const struct tally_export_function *function, struct tally_str *out);

/* Append the name of a file as it was recorded, "[unknown]" for none. Not escaped. */
void tally_export_add_dso(const struct tally_dso *dso, struct tally_str *out);

/* The build id of a file in hexadecimal digits, nothing if it is not known. */
void tally_export_add_build_id(struct tally_dso *dso, struct tally_str *out);

/* The callchain of a bucket: how many frames it has, and each, 0 being the innermost one. */
static inline uint32_t tally_export_depth(const struct tally_profile *profile,
					  const struct tally_bucket_key *key)
{
	return tally_stacks_get(&profile->stacks, key->callers).nr + 1;
}

static inline uint32_t tally_export_frame(const struct tally_profile *profile,
					  const struct tally_bucket_key *key, uint32_t at)
{
	return at ? tally_stacks_get(&profile->stacks, key->callers).frames[at - 1]
		  : tally_bucket_leaf(key);
}

/* By frame of a profile with lines, as far as it is on a callchain: the frame of the function that
 * has its address, which is itself unless it is of an inlined one; and how deep it is inlined into
 * that, 0 for itself. */
struct tally_export_inlining {
	uint32_t outer;
	uint32_t depth;
};

/* An array for all frames, which the caller frees. NULL when out of memory. */
struct tally_export_inlining *tally_export_inlining_make(const struct tally_export *export);

/* Name of the comm that the samples of a bucket were recorded with. */
const char *tally_export_comm(const struct tally_profile *profile,
			      const struct tally_bucket_key *key);

/* Callchains put together where they begin with the same callers. */
struct tally_export_tree {
	struct tally_paths paths; /* whose frames are units: functions, or places of frames; behind
				   * them the comms, which are outermost if they are wanted */
	uint32_t *path_of;        /* by bucket; TALLY_PATH_NONE of other events */
	uint32_t nr_units;
};

enum tally_export_unit {
	TALLY_EXPORT_FUNCTIONS,
	TALLY_EXPORT_FRAMES,
	TALLY_EXPORT_COMMS_AND_FUNCTIONS,
};

/* Of the callchains of one event, or all (UINT32_MAX). 0 or -ENOMEM; free it with
 * tally_export_tree_free(). */
int tally_export_tree_make(const struct tally_export_model *model, enum tally_export_unit unit,
			   uint32_t event, struct tally_export_tree *ret_tree);
void tally_export_tree_free(struct tally_export_tree *tree);

/* The samples of an event by thread and its comm, of a profile that keeps samples and tells both
 * apart. */
struct tally_export_strand {
	uint32_t bucket;    /* one of them */
	uint32_t first, nr; /* in `samples` */
};

struct tally_export_strands {
	TALLY_VEC(struct tally_export_strand) all; /* in the order of their first samples */
	uint32_t *samples;    /* places in profile->kept, each strand's in the order they came */
	uint64_t first, last; /* times; 0 without any */
};

/* 0, -ENOMEM, or -E2BIG for more samples than 32 bits count; free it with
 * tally_export_strands_free(). */
int tally_export_strands_make(const struct tally_profile *profile, uint32_t event,
			      struct tally_export_strands *ret_strands);
void tally_export_strands_free(struct tally_export_strands *strands);

#endif
