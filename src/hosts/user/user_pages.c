/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates the pages of ring buffers. Each allocation is a file in memory, so other processes
 * can map it. */
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory_file.h"
#include "hosts/user/user_private.h"
#include "hosts/user/supervisor.h"

void *user_pages_alloc(void *host, size_t nr)
{
	struct tally_user *user = host;
	struct user_pages pages = {0};

	if (tally_vec_reserve(&user->pages, user->pages.len + 1) ||
	    tally_memory_file_map("tally-ring", nr * user->ops.page_size, &pages.fd, &pages.memory))
		return NULL;
	(void)tally_vec_push(&user->pages, pages);
	return pages.memory;
}

void user_pages_free(void *host, void *memory, size_t nr)
{
	struct tally_user *user = host;

	tally_vec_for_each (pages, &user->pages) {
		if (pages->memory != memory)
			continue;
		close(pages->fd);
		*pages = user->pages.data[--user->pages.len];
		break;
	}
	munmap(memory, nr * user->ops.page_size);
}

int tally_user_ring_file(struct tally_user *user, const void *memory)
{
	int fd = -EINVAL;

	user_lock(user);
	tally_vec_for_each (pages, &user->pages) {
		if (pages->memory == memory)
			fd = pages->fd;
	}
	user_unlock(user);
	return fd;
}
