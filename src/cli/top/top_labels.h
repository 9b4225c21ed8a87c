/* SPDX-License-Identifier: BSD-2-Clause */
/* Sort keys that are computed from samples (view/sample_labels.h), for live samples. */
#ifndef TALLY_CLI_TOP_LABELS_H
#define TALLY_CLI_TOP_LABELS_H

#include "cli/top/top_config.h"
#include "profile/profile_model.h"
#include "view/sample_labels.h"

struct top_labels {
	struct tally_labels of; /* for the samples in the profile */
	struct tally_perfdata_env env;
	struct tally_perfdata_cpu *cpus; /* env.cpus */
};

/* Reject keys that need a recording or branches, and sample the fields that the keys show. Returns
 * 0, or -EINVAL after printing an error. */
int top_labels_check(struct top_config *config);

/* Take the keys of the options. Returns 0 or -ENOMEM; free the labels in either case. */
int top_labels_start(struct top_labels *labels, const struct top_config *config,
		     struct tally_machine *machine);

/* Free the labels that no bucket of the profile uses, once there are many. Returns 0 or -ENOMEM. */
int top_labels_collect(struct top_labels *labels, struct tally_profile *profile);

void top_labels_free(struct top_labels *labels);

#endif
