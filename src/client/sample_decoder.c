/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "abi/abi_sample.h"

struct tally_sample_decoder {
	struct tally_sample_layout layout;
	struct tally_sample sample;
};

int tally_sample_decoder_new(const struct perf_event_attr *attr,
			     struct tally_sample_decoder **ret_decoder)
{
	struct tally_sample_decoder *decoder = calloc(1, sizeof(*decoder));
	int ret = decoder ? tally_sample_layout_init(&decoder->layout, attr) : -ENOMEM;

	if (ret) {
		free(decoder);
		return ret;
	}
	*ret_decoder = decoder;
	return 0;
}

void tally_sample_decoder_free(struct tally_sample_decoder *decoder)
{
	free(decoder);
}

int tally_sample_decoder_read(struct tally_sample_decoder *decoder,
			      const struct perf_event_header *record,
			      const struct tally_sample **ret_sample)
{
	int ret = record->type == PERF_RECORD_SAMPLE
			  ? tally_sample_decode(&decoder->layout, record, record->size,
						&decoder->sample, NULL)
			  : tally_trailer_decode(&decoder->layout, record, record->size,
						 &decoder->sample, NULL);

	if (!ret)
		*ret_sample = &decoder->sample;
	return ret;
}
