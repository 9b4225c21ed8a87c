/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/truncation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Format of a line in /proc/self/maps: start-end perms offset device inode path. */
enum { LINE_SIZE = PATH_MAX + 128, PERMS = 4 };

/* Global, because a signal handler cannot be passed a pointer to it. */
static struct {
	char path[PATH_MAX];
	volatile sig_atomic_t seen;
} truncated;

/* Read the next line without its newline. Runs in a signal handler, so it must not use stdio or
 * malloc(3). Returns false at the end of the file. */
static bool line_read(int fd, char line[LINE_SIZE])
{
	size_t len = 0;
	char c;

	while (read(fd, &c, 1) == 1 && c != '\n') {
		if (len < LINE_SIZE - 1)
			line[len++] = c;
	}
	line[len] = '\0';
	return len;
}

static const char *hex_parse(const char *at, uintptr_t *ret_value)
{
	uintptr_t value = 0;

	for (; (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f'); at++)
		value = value << 4 | (uintptr_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	*ret_value = value;
	return at;
}

/* Return true if the line describes a mapping that contains `address` and was created by
 * tally_file_map(), that is, shared and read-only. The dynamic linker's mappings are private, and
 * the counters' ring buffers are writable. */
static bool line_is_ours(const char *line, uintptr_t address, uintptr_t *ret_end)
{
	uintptr_t start;

	line = hex_parse(line, &start);
	if (*line++ != '-')
		return false;
	line = hex_parse(line, ret_end);
	return address >= start && address < *ret_end && !strncmp(line, " r--s ", PERMS + 2);
}

static bool mapping_find(uintptr_t address, uintptr_t *ret_end)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char line[LINE_SIZE];
	bool found = false;

	if (fd < 0)
		return false;
	while (!found && line_read(fd, line))
		found = line_is_ours(line, address, ret_end);
	close(fd);
	if (found && strchr(line, '/')) {
		strncpy(truncated.path, strchr(line, '/'), sizeof(truncated.path) - 1);
		truncated.seen = 1;
	}
	return found;
}

/* Replace the rest of the mapping with zero pages, so that the signal occurs only once per file. */
static bool put_zeros(uintptr_t address)
{
	uintptr_t start = address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1), end;

	return mapping_find(address, &end) &&
	       mmap((void *)start, end - start, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0) != MAP_FAILED;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	int code = errno;

	/* With the default action, the fault recurs on return and kills the program. */
	if (info->si_code != BUS_ADRERR || !put_zeros((uintptr_t)info->si_addr))
		signal(number, SIG_DFL);
	errno = code;
}

void tally_truncation_survive(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

const char *tally_truncation_pop(void)
{
	bool seen = truncated.seen;

	truncated.seen = 0;
	return seen ? truncated.path : NULL;
}
