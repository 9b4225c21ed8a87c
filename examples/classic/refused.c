/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that fail: reserved flags and fields, an undefined type, descriptors that are not group
 * leaders, and mapping sizes other than 1 + 2^n pages.
 *
 *	cc refused.c $(pkg-config --cflags --libs tally) -o refused
 */
#include "example.h"

static struct tally_classic *perf;

static void open_one(const char *what, const struct perf_event_attr *attr, int group_fd,
		     unsigned long flags)
{
	int fd = tally_classic_open(perf, attr, 0, -1, group_fd, flags);

	printf("%s: %s\n", what, fd < 0 ? strerror(-fd) : "opened");
	if (fd >= 0)
		tally_classic_close(perf, fd);
}

static void map_one(int fd, size_t pages)
{
	const struct perf_event_mmap_page *page;
	int ret = tally_classic_mmap(perf, fd, pages * (size_t)sysconf(_SC_PAGESIZE), &page);

	printf("mmap of %zu pages: %s\n", pages, ret ? strerror(-ret) : "mapped");
}

int main(void)
{
	const struct perf_event_attr attr = {.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK),
					     .exclude_kernel = 1};
	struct perf_event_attr wrong = attr;
	int leader, member;

	perf = classic_new();
	open_one("nothing wrong", &attr, -1, 0);
	open_one("flags 1", &attr, -1, 1);
	wrong.extra_config_len = 8;
	open_one("extra_config_len 8", &wrong, -1, 0);
	wrong = attr;
	wrong.__reserved_2 = 1;
	open_one("__reserved_2 1", &wrong, -1, 0);
	wrong = attr;
	wrong.config = TALLY_CLASSIC_EVENT(3, 0);
	open_one("type 3", &wrong, -1, 0);

	leader = open_self(perf, &attr, -1);
	member = open_self(perf, &attr, leader);
	open_one("group of a leader", &attr, leader, 0);
	open_one("group of a member", &attr, member, 0);
	open_one("group of standard output", &attr, STDOUT_FILENO, 0);
	map_one(leader, 4);
	map_one(leader, 1 + 4);
	tally_classic_free(perf);
	return 0;
}
