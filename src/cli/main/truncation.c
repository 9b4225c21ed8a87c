/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/truncation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
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
	atomic_bool is_taken; /* a thread writes or wrote the path */
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

/* Kinds of mappings at an address. */
enum mapping_kind { OTHER, FILE_OF_OURS, ZEROS };

/* Return the kind of a mapping if the line describes the one that contains `address`, otherwise
 * OTHER. tally_file_map() makes shared and read-only mappings. The dynamic linker's mappings are
 * private, and the counters' ring buffers are writable. put_zeros() makes mappings without a
 * file. */
static enum mapping_kind line_kind(const char *line, uintptr_t address, uintptr_t *ret_end)
{
	uintptr_t start;

	line = hex_parse(line, &start);
	if (*line++ != '-')
		return OTHER;
	line = hex_parse(line, ret_end);
	if (address < start || address >= *ret_end)
		return OTHER;
	if (!strncmp(line, " r--s ", PERMS + 2))
		return FILE_OF_OURS;
	return !strncmp(line, " r--p ", PERMS + 2) && !strpbrk(line, "/[") ? ZEROS : OTHER;
}

static void path_keep(const char *line)
{
	const char *path = strchr(line, '/');

	if (!path || atomic_exchange(&truncated.is_taken, true))
		return;
	strncpy(truncated.path, path, sizeof(truncated.path) - 1);
	truncated.seen = 1;
}

static enum mapping_kind mapping_find(uintptr_t address, uintptr_t *ret_end)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	enum mapping_kind kind = OTHER;
	char line[LINE_SIZE];

	if (fd < 0)
		return OTHER;
	while (!kind && line_read(fd, line))
		kind = line_kind(line, address, ret_end);
	close(fd);
	if (kind == FILE_OF_OURS)
		path_keep(line);
	return kind;
}

/* Replace the rest of the mapping with zero pages, so that the signal occurs only once per file.
 * Another thread that read the same file may have done so. */
static bool put_zeros(uintptr_t address)
{
	uintptr_t start = address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1), end;
	enum mapping_kind kind = mapping_find(address, &end);

	if (kind != FILE_OF_OURS)
		return kind == ZEROS;
	return mmap((void *)start, end - start, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
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
	atomic_store(&truncated.is_taken, false);
	return seen ? truncated.path : NULL;
}
