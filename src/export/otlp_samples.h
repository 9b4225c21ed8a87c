/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples of OTLP profiles: those with the same event, stack and attributes are one message,
 * with a list of weights and a list of times. */
#ifndef TALLY_EXPORT_OTLP_SAMPLES_H
#define TALLY_EXPORT_OTLP_SAMPLES_H

#include "export/otlp_dictionary.h"

struct otlp_sample {
	uint32_t event;       /* index in export->events */
	uint32_t first, nr;   /* range in `order` */
	uint64_t weights_len; /* size of the encoded weights */
	uint64_t sum;
};

/* Times of an event's samples. */
struct otlp_times {
	bool are_known;       /* all samples have times since 1970 */
	uint64_t first, last; /* since 1970 */
};

struct otlp_samples {
	const struct tally_export *export;
	struct tally_intern
		identities; /* of each sample: event, then encoded stack and attributes */
	TALLY_VEC(struct otlp_sample) all;
	uint32_t *sample_of;      /* by bucket; UINT32_MAX if it is not exported */
	uint32_t *order;          /* indexes in profile->kept, by sample */
	struct otlp_times *times; /* by event */
};

/* Group the samples, and add their stacks and attributes to the dictionary. `samples` must not be
 * moved. Returns 0, -ENOMEM, or -E2BIG if there are more samples than 32 bits can count. Call
 * otlp_samples_free() in any case. */
int otlp_samples_build(struct otlp_samples *samples, const struct tally_export *export,
		       struct otlp_dictionary *dictionary);
void otlp_samples_free(struct otlp_samples *samples);

/* Return the size of an event's samples, with their tags, which are `field`, and write them.
 * otlp_samples_write() returns 0 or -errno. */
uint64_t otlp_samples_size(const struct otlp_samples *samples, uint32_t event, unsigned field);
int otlp_samples_write(const struct otlp_samples *samples, uint32_t event, unsigned field,
		       struct tally_export_stream *stream);

#endif
