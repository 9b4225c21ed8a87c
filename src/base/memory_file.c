/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/tally-XXXXXX", folder && *folder == '/' ? folder : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

/* Set `*ret_is_sealable` if the size of the file can be fixed. */
static int file_create(const char *name, unsigned flags, bool *ret_is_sealable)
{
	int fd = memfd_create(name, MFD_CLOEXEC | flags);

	*ret_is_sealable = fd >= 0;
	if (fd >= 0)
		return fd;
	return errno == ENOSYS ? temporary_file() : -errno;
}

int tally_memory_file(const char *name)
{
	bool is_sealable;

	return file_create(name, 0, &is_sealable);
}

int tally_memory_file_map(const char *name, size_t len, int *ret_fd, void **ret_memory)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	bool is_sealable;
	int fd = file_create(name, MFD_ALLOW_SEALING, &is_sealable), error;
	void *memory = MAP_FAILED;

	if (fd < 0)
		return fd;
	if (!ftruncate(fd, (off_t)len) && (!is_sealable || !fcntl(fd, F_ADD_SEALS, seals)))
		memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory != MAP_FAILED) {
		*ret_fd = fd;
		*ret_memory = memory;
		return 0;
	}
	error = errno;
	close(fd);
	return -error;
}
