/* SPDX-License-Identifier: BSD-2-Clause */
/* User memory. Other threads of the program can change it at any time, so a call that fetches the
 * same memory twice may read different contents. Fetching twice is a violation. */
#include <string.h>

#include "core/least/least.h"

static bool readable(const struct least *least, uintptr_t user, size_t len)
{
	uintptr_t start = (uintptr_t)least->user;

	return !start || (user >= start && user - start <= least->user_len &&
			  len <= least->user_len - (user - start));
}

static int fault(struct least *least, const void *user, size_t len)
{
	if (least->refuse_copy && !--least->refuse_copy) {
		least->refused++;
		return -EFAULT;
	}
	return readable(least, (uintptr_t)user, len) ? 0 : -EFAULT;
}

static void note_fetch(struct least *least, uintptr_t from, uintptr_t to)
{
	for (uint32_t i = 0; i < least->nr_fetches; i++) {
		if (from < least->fetches[i].to && least->fetches[i].from < to)
			least_broken(least, "user memory is fetched twice in one call");
	}
	if (least->nr_fetches < LEAST_FETCHES) {
		least->fetches[least->nr_fetches].from = from;
		least->fetches[least->nr_fetches++].to = to;
	}
}

int least_copy_from_user(void *host, void *to, const void *user, size_t len)
{
	struct least *least = host;

	least_check(least, LEAST_OP_COPY_FROM);
	least_at(least, LEAST_AT_COPY_FROM, user);
	if (fault(least, user, len))
		return -EFAULT;
	note_fetch(least, (uintptr_t)user, (uintptr_t)user + len);
	memcpy(to, user, len);
	return 0;
}

int least_copy_to_user(void *host, void *user, const void *from, size_t len)
{
	struct least *least = host;

	least_check(least, LEAST_OP_COPY_TO);
	least_at(least, LEAST_AT_COPY_TO, user);
	if (fault(least, user, len))
		return -EFAULT;
	memcpy(user, from, len);
	return 0;
}
