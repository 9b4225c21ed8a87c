/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a profile that all formats need: functions, callchains and their tree, and threads. */
#ifndef TALLY_EXPORT_MODEL_H
#define TALLY_EXPORT_MODEL_H

#include "base/str.h"
#include "export/export.h"
#include "profile/profile_path.h"

/* A function. In each file, all code without a symbol counts as a single function. */
struct tally_export_function {
	struct tally_dso *dso;             /* NULL if unmapped */
	const struct tally_symbol *symbol; /* NULL for code without a symbol */
	const char *short_name;            /* see profile/short_names.h; NULL without a symbol */
	const char *file;                  /* source file of any of its lines, or NULL */
	uint64_t start;                    /* the symbol's address; see tally_export_model_link() */
};

/* Functions and frames in exported samples. Arrays indexed by frame contain UINT32_MAX for all
 * other frames. */
struct tally_export_model {
	const struct tally_profile *profile;
	uint32_t *function_of;      /* function index, by frame */
	uint32_t *place_of;         /* index in `frames`, by frame */
	TALLY_VEC(uint32_t) frames; /* in order of first use */
	TALLY_VEC(struct tally_export_function) functions;
	uint64_t *addresses; /* by index in `frames`; see tally_export_model_link() */
};

/* Build the model. Returns 0 or -ENOMEM; on success free it with tally_export_model_free(). */
int tally_export_model_build(const struct tally_export *export,
			     struct tally_export_model *ret_model);
void tally_export_model_free(struct tally_export_model *model);

/* Base that file addresses are relative to. */
enum tally_export_base {
	TALLY_EXPORT_FROM_ZERO,  /* linked addresses */
	TALLY_EXPORT_FROM_IMAGE, /* linked addresses relative to the first segment */
};

/* Set the addresses of frames and the start addresses of functions. Must be called only once. If a
 * file is not available, file offsets are used. Returns 0 or -ENOMEM. */
int tally_export_model_link(struct tally_export_model *model, enum tally_export_base base);

/* Return true if a bucket is exported because it has samples for one of the events. */
bool tally_export_has_bucket(const struct tally_export *export, const struct tally_bucket *bucket);

/* Add a weight to a sum, which must start at 0. The result is limited to INT64_MAX; reaching the
 * limit is recorded in the export's notes. */
uint64_t tally_export_sum(const struct tally_export *export, uint64_t sum, uint64_t weight);

/* Return the unit of an event's weights: "nanoseconds" or "count". */
const char *tally_export_unit_name(const struct tally_export_event *event);

/* Return an event's sampling period in its unit, or 0 if it is unknown. */
uint64_t tally_export_period(const struct tally_export_event *event);

/* Interval between samples of an event without timestamps. */
#define TALLY_EXPORT_SAMPLE_GAP UINT64_C(1000000) /* ns */

/* Append a function's short name (profile/short_names.h), "[libc.so.6]" for code without a symbol
 * in that file, or "[unknown]" for unmapped code. Not escaped. */
void tally_export_add_function(const struct tally_export_function *function, struct tally_str *out);

/* Append the path to a file as recorded, or "[unknown]" for NULL. The path is not escaped. */
void tally_export_add_dso(const struct tally_dso *dso, struct tally_str *out);

/* Append a file's build ID in hexadecimal, or nothing if it is unknown. */
void tally_export_add_build_id(struct tally_dso *dso, struct tally_str *out);

/* Return the number of frames in a bucket's callchain, including the leaf (frame 0). Without a
 * callchain, the leaf is the only frame. */
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

/* Inlining information for each frame in the callchains of a profile with lines. `outer` is the
 * frame of the function that physically contains the address, which is the frame itself unless it
 * is inlined. `depth` is the inlining depth, or 0 if the frame is not inlined. */
struct tally_export_inlining {
	uint32_t outer;
	uint32_t depth;
};

/* Return an array indexed by frame, which the caller frees, or NULL if out of memory. */
struct tally_export_inlining *tally_export_inlining_build(const struct tally_export *export);

/* Return the comm under which a bucket's samples were recorded. */
const char *tally_export_comm(const struct tally_profile *profile,
			      const struct tally_bucket_key *key);

/* A tree of callchains, merged at common outer callers. */
struct tally_export_tree {
	/* Frames in the paths are functions or frame indexes (enum tally_export_unit); the
	 * outermost may be a comm. */
	struct tally_paths paths;
	uint32_t *path_of; /* by bucket; TALLY_PATH_NONE for other events */
	uint32_t nr_units;
};

enum tally_export_unit {
	TALLY_EXPORT_FUNCTIONS,
	TALLY_EXPORT_FRAMES,
	TALLY_EXPORT_COMMS_AND_FUNCTIONS,
};

/* Build a tree of the callchains of one event, or of all events if `event` is UINT32_MAX. Returns 0
 * or -ENOMEM; on success free the tree with tally_export_tree_free(). */
int tally_export_tree_build(const struct tally_export_model *model, enum tally_export_unit unit,
			    uint32_t event, struct tally_export_tree *ret_tree);
void tally_export_tree_free(struct tally_export_tree *tree);

/* An event's samples, by thread and comm. Requires a profile that keeps samples and distinguishes
 * threads and comms. */
struct tally_export_thread_samples {
	uint32_t bucket;    /* any bucket of this thread and comm */
	uint32_t first, nr; /* range in `samples` */
};

struct tally_export_strands {
	TALLY_VEC(struct tally_export_thread_samples) all; /* in order of their first samples */
	uint32_t *samples;    /* indexes into profile->kept, grouped by strand, in recorded order */
	uint64_t first, last; /* timestamps; 0 if samples have no timestamps */
};

/* Build the strands. Returns 0, -ENOMEM, or -E2BIG if there are more samples than 32 bits can
 * count; on success free them with tally_export_strands_free(). */
int tally_export_strands_build(const struct tally_profile *profile, uint32_t event,
			       struct tally_export_strands *ret_strands);
void tally_export_strands_free(struct tally_export_strands *strands);

#endif
