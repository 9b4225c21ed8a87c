/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates the pages of ring buffers. Each allocation is a memfd, so other processes can map
 * it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hosts/user/user_private.h"
#include "hosts/user/supervisor.h"

static int pages_register(struct tally_user *user, size_t len, struct user_pages *pages)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

	/* The seals prevent a process that maps the file from truncating it while other processes
	 * have it mapped. */
	if (ftruncate(pages->fd, (off_t)len) || fcntl(pages->fd, F_ADD_SEALS, seals) ||
	    tally_vec_reserve(&user->pages, user->pages.len + 1))
		return -ENOMEM;
	pages->memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, pages->fd, 0);
	return pages->memory == MAP_FAILED ? -ENOMEM : tally_vec_push(&user->pages, *pages);
}

void *user_pages_alloc(void *host, size_t nr)
{
	struct tally_user *user = host;
	struct user_pages pages = {
		.fd = memfd_create("tally-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING)};

	if (pages.fd < 0)
		return NULL;
	if (!pages_register(user, nr * user->ops.page_size, &pages))
		return pages.memory;
	close(pages.fd);
	return NULL;
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
