/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a profile that all formats need: functions, callchains, their tree, threads. */
#ifndef TALLY_EXPORT_MODEL_H
#define TALLY_EXPORT_MODEL_H

#include "base/str.h"
#include "export/export.h"
#include "profile/profile_path.h"

/* A function. All code without a name in a file is one function. */
struct tally_export_function {
	struct tally_dso *dso;             /* NULL: unmapped */
	const struct tally_symbol *symbol; /* NULL: no name */
	const char *file;                  /* source file, if known from any line, or NULL */
	uint64_t start;                    /* of the symbol; see tally_export_model_link() */
};

/* Contains only frames of exported samples; for others, arrays by frame contain UINT32_MAX. */
struct tally_export_model {
	const struct tally_profile *profile;
	uint32_t *function_of;      /* by frame */
	uint32_t *place_of;         /* by frame: its index in `frames` */
	TALLY_VEC(uint32_t) frames; /* in order of first use */
	TALLY_VEC(struct tally_export_function) functions;
	uint64_t *addresses; /* by index in `frames`; see tally_export_model_link() */
};

/* Returns 0 or -ENOMEM; on success free with tally_export_model_free(). */
int tally_export_model_build(const struct tally_export *export,
			     struct tally_export_model *ret_model);
void tally_export_model_free(struct tally_export_model *model);

/* Base of addresses in files. */
enum tally_export_base {
	TALLY_EXPORT_FROM_ZERO,  /* linked addresses */
	TALLY_EXPORT_FROM_IMAGE, /* linked addresses relative to the first segment */
};

/* Set the addresses of frames and the starts of functions; to be called once. If a file is not
 * available, file offsets are used. Returns 0 or -ENOMEM. */
int tally_export_model_link(struct tally_export_model *model, enum tally_export_base base);

/* True if a bucket is exported: it has samples of one of the events. */
bool tally_export_has_bucket(const struct tally_export *export, const struct tally_bucket *bucket);

/* Add a weight to a sum, which starts at 0. The result is limited to INT64_MAX; exceeding it is
 * recorded in the export's notes. */
uint64_t tally_export_sum(const struct tally_export *export, uint64_t sum, uint64_t weight);

/* Distance of samples of an event without times. */
#define TALLY_EXPORT_SAMPLE_GAP UINT64_C(1000000) /* ns */

/* Append the name of a function: "[libc.so.6]" for code without a name in that file, "[unknown]"
 * for unmapped code. Not escaped. */
void tally_export_add_function(const struct tally_export_function *function, struct tally_str *out);

/* Append the path of a file as recorded; "[unknown]" for NULL. Not escaped. */
void tally_export_add_dso(const struct tally_dso *dso, struct tally_str *out);

/* Append the build ID of a file in hexadecimal; nothing if it is unknown. */
void tally_export_add_build_id(struct tally_dso *dso, struct tally_str *out);

/* Number of frames in the callchain of a bucket, and a single frame; 0 is the leaf. */
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

/* For each frame on a callchain of a profile with lines: the frame of the function that physically
 * contains the address, which is the frame itself unless it is inlined; and the depth of inlining,
 * 0 if it is not inlined. */
struct tally_export_inlining {
	uint32_t outer;
	uint32_t depth;
};

/* Return an array indexed by frame, which the caller frees. NULL if memory runs out. */
struct tally_export_inlining *tally_export_inlining_build(const struct tally_export *export);

/* Return the comm that a bucket's samples were recorded with. */
const char *tally_export_comm(const struct tally_profile *profile,
			      const struct tally_bucket_key *key);

/* Callchains merged at common outer callers. */
struct tally_export_tree {
	struct tally_paths paths; /* their frames are units: functions, or indices of frames; then
	                           * comms, which are outermost */
	uint32_t *path_of;        /* by bucket; TALLY_PATH_NONE for other events */
	uint32_t nr_units;
};

enum tally_export_unit {
	TALLY_EXPORT_FUNCTIONS,
	TALLY_EXPORT_FRAMES,
	TALLY_EXPORT_COMMS_AND_FUNCTIONS,
};

/* Build the tree of the callchains of one event, or of all (UINT32_MAX). Returns 0 or -ENOMEM; on
 * success free with tally_export_tree_free(). */
int tally_export_tree_build(const struct tally_export_model *model, enum tally_export_unit unit,
			    uint32_t event, struct tally_export_tree *ret_tree);
void tally_export_tree_free(struct tally_export_tree *tree);

/* The samples of an event by thread and comm. Requires a profile that keeps samples and
 * distinguishes threads and comms. */
struct tally_export_thread_samples {
	uint32_t bucket;    /* one of its buckets */
	uint32_t first, nr; /* range in `samples` */
};

struct tally_export_strands {
	TALLY_VEC(struct tally_export_thread_samples) all; /* in order of their first samples */
	uint32_t *samples;    /* indices in profile->kept, grouped by strand, in recorded order */
	uint64_t first, last; /* times; 0 if samples have none */
};

/* Returns 0, -ENOMEM, or -E2BIG if there are more samples than 32 bits can count; on success free
 * with tally_export_strands_free(). */
int tally_export_strands_build(const struct tally_profile *profile, uint32_t event,
			       struct tally_export_strands *ret_strands);
void tally_export_strands_free(struct tally_export_strands *strands);

#endif
