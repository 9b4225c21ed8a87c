/* SPDX-License-Identifier: BSD-2-Clause */
#include "riscv/riscv_user.h"

#include "base/arith.h"

void *memset(void *to, int byte, size_t len);
void *memcpy(void *to, const void *from, size_t len);

/* The compiler generates calls to these functions. */
void *memset(void *to, int byte, size_t len)
{
	for (char *at = to; len--;)
		*at++ = (char)byte;
	return to;
}

void *memcpy(void *to, const void *from, size_t len)
{
	const char *in = from;

	for (char *at = to; len--;)
		*at++ = *in++;
	return to;
}

int event_open(struct perf_event_attr *attr, int pid, int cpu, int group)
{
	attr->size = sizeof(*attr);
	return (int)call(CALL_OPEN, (uintptr_t)attr, (uintptr_t)pid, (uintptr_t)cpu,
			 (uintptr_t)group, 0);
}

int event_simple(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = config,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return event_open(&attr, 0, -1, -1);
}

struct reading event_read(int fd)
{
	struct reading reading = {0};

	call(CALL_READ, (uintptr_t)fd, (uintptr_t)&reading, sizeof(reading), 0, 0);
	return reading;
}

void *event_map(int fd, size_t pages)
{
	return (void *)(uintptr_t)call(CALL_MMAP, (uintptr_t)fd, (1 + pages) * 4096, 1, 0, 0);
}

int64_t fork(void (*entry)(void *arg), void *arg, const char *name)
{
	char copy[16] = {0};

	for (size_t i = 0; i < 15 && name[i]; i++)
		copy[i] = name[i];
	return call(CALL_FORK, (uintptr_t)entry, (uintptr_t)arg, (uintptr_t)copy, 0, 0);
}

void leave(void)
{
	for (;;)
		call(CALL_EXIT, 0, 0, 0, 0, 0);
}

void say(const char *name, uint64_t value)
{
	char line[80], digits[24];
	size_t len = 0, nr = 0;

	while (*name && len < 50)
		line[len++] = *name++;
	line[len++] = ' ';
	do {
		uint64_t tens = tally_div(value, 10);

		digits[nr++] = (char)('0' + value - 10 * tens);
		value = tens;
	} while (value);
	while (nr)
		line[len++] = digits[--nr];
	line[len++] = '\n';
	say_bytes(line, len);
}

void say_bytes(const void *bytes, size_t len)
{
	call(CALL_WRITE, (uintptr_t)bytes, len, 0, 0, 0);
}

/* ---- counters without a system call ------------------------------------------------------- */

static uint64_t read_counter(void *arg, uint32_t number)
{
	switch (number) {
	case 0: return csr_read64(cycle);
	case 2: return csr_read64(instret);
	case 3: return csr_read64(hpmcounter3);
	case 4: return csr_read64(hpmcounter4);
	}
	return 0;
}

static uint64_t read_time(void *arg)
{
	return csr_read64(time);
}

bool counter_now(const void *page, uint64_t *ret_value)
{
	const struct tally_self_reader reader = {read_counter, read_time, NULL};
	struct tally_count count;

	if (!tally_self_read(page, &reader, &count))
		return false;
	*ret_value = count.value;
	return true;
}
