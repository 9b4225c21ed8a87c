/* SPDX-License-Identifier: BSD-2-Clause */
/* User memory. Other threads of the program can change user memory at any time, so two fetches of
 * the same memory may return different contents. Fetching twice is therefore a violation. */
#include <string.h>

#include "core/minimal/mini.h"

static bool readable(const struct mini *mini, uintptr_t user, size_t len)
{
	uintptr_t start = (uintptr_t)mini->user;

	return !start || (user >= start && user - start <= mini->user_len &&
			  len <= mini->user_len - (user - start));
}

static int fault(struct mini *mini, const void *user, size_t len)
{
	if (mini->refuse_copy && !--mini->refuse_copy) {
		mini->refused++;
		return -EFAULT;
	}
	return readable(mini, (uintptr_t)user, len) ? 0 : -EFAULT;
}

static void note_fetch(struct mini *mini, uintptr_t from, uintptr_t to)
{
	for (uint32_t i = 0; i < mini->nr_fetches; i++) {
		if (from < mini->fetches[i].to && mini->fetches[i].from < to)
			mini_broken(mini, "user memory is fetched twice in one call");
	}
	if (mini->nr_fetches < MINI_FETCHES) {
		mini->fetches[mini->nr_fetches].from = from;
		mini->fetches[mini->nr_fetches++].to = to;
	}
}

int mini_copy_from_user(void *host, void *to, const void *user, size_t len)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_COPY_FROM);
	mini_at(mini, MINI_AT_COPY_FROM, user);
	if (fault(mini, user, len))
		return -EFAULT;
	note_fetch(mini, (uintptr_t)user, (uintptr_t)user + len);
	memcpy(to, user, len);
	return 0;
}

int mini_copy_to_user(void *host, void *user, const void *from, size_t len)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_COPY_TO);
	mini_at(mini, MINI_AT_COPY_TO, user);
	if (fault(mini, user, len))
		return -EFAULT;
	memcpy(user, from, len);
	return 0;
}
