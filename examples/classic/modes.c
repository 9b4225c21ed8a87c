/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The `exclude_user` and `exclude_kernel` bits: the program itself touches 100 new pages, and the
 * kernel touches 50 new pages in read(). Counting the kernel requires privileges.
 *
 *	cc -D_GNU_SOURCE modes.c $(pkg-config --cflags --libs tally) -o modes
 */
#include <fcntl.h>

#include "example.h"

enum { OWN = 100, KERNELS = 50 };

/* Let the kernel be the first to write to new pages. */
static void fault_in_kernel(size_t pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (fd < 0 || memory == MAP_FAILED)
		exit(1);
	madvise(memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		must("read", read(fd, memory + i * size, 1));
	munmap(memory, pages * size);
	close(fd);
}

int main(void)
{
	static const char *const names[] = {"all modes", "exclude_user", "exclude_kernel",
					    "exclude_user, exclude_kernel"};
	struct tally_classic *perf = classic_new();
	uint64_t before[4];
	int fds[4];

	for (unsigned i = 0; i < 4; i++) {
		struct perf_event_attr attr = {.config = SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS),
					       .exclude_user = i & 1,
					       .exclude_kernel = i >> 1};

		fds[i] = must("open", tally_classic_open(perf, &attr, 0, -1, -1, 0));
	}
	for (unsigned i = 0; i < 4; i++)
		before[i] = read_value(perf, fds[i]);
	fault(OWN);
	fault_in_kernel(KERNELS);
	for (unsigned i = 0; i < 4; i++)
		printf("%s: %llu page faults\n", names[i],
		       (unsigned long long)(read_value(perf, fds[i]) - before[i]));
	tally_classic_free(perf);
	return 0;
}
