/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "reads EVENT...": open the hardware events with these numbers one at a time, enable, disable and
 * read each of them three times, and print the results.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void read_event(uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = config, .disabled = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t value;

	printf("%d:", (int)config);
	if (fd < 0)
		printf(" open %s", strerrorname_np(errno));
	for (int i = 0; i < 3 && fd >= 0; i++) {
		if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) || ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
			printf(" ioctl %s", strerrorname_np(errno));
		else if (read(fd, &value, sizeof(value)) != sizeof(value))
			printf(" read %s", strerrorname_np(errno));
		else
			printf(" %llu", (unsigned long long)value);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		read_event(strtoull(argv[i], NULL, 0));
	return 0;
}
