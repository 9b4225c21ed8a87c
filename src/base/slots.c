/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/slots.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

static void slots_put(struct tally_slots *slots, uint64_t slot)
{
	size_t mask = slots->nr - 1, i = (slot >> 32) & mask;

	while (slots->at[i])
		i = (i + 1) & mask;
	slots->at[i] = slot;
}

static int slots_grow(struct tally_slots *slots)
{
	struct tally_slots grown = {
		.nr = slots->nr ? slots->nr * 2 : FIRST_SLOTS,
		.len = slots->len,
	};

	grown.at = calloc(grown.nr, sizeof(*grown.at));
	if (!grown.at)
		return -ENOMEM;
	for (size_t i = 0; i < slots->nr; i++) {
		if (slots->at[i])
			slots_put(&grown, slots->at[i]);
	}
	free(slots->at);
	*slots = grown;
	return 0;
}

int tally_slots_add(struct tally_slots *slots, uint32_t hash, uint32_t number)
{
	/* Keep the index at most three quarters full, so that probe sequences stay short. */
	if ((slots->len + 1) * 4 > slots->nr * 3 && slots_grow(slots))
		return -ENOMEM;
	slots_put(slots, (uint64_t)hash << 32 | (number + 1));
	slots->len++;
	return 0;
}

void tally_slots_free(struct tally_slots *slots)
{
	free(slots->at);
	*slots = (struct tally_slots){0};
}
