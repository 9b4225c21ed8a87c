/* SPDX-License-Identifier: BSD-2-Clause */
#include "cortexm/app.h"

/* ---- text ----------------------------------------------------------------------------------- */

/* Divide by 10 and return the remainder. There is neither an instruction nor a library function for
 * 64-bit division. */
static uint32_t divide_by_10(uint64_t *value)
{
	uint32_t rest = 0;

	for (int i = 48; i >= 0; i -= 16) {
		uint32_t part = rest << 16 | (uint32_t)(*value >> i & 0xffff);

		*value &= ~(UINT64_C(0xffff) << i);
		*value |= (uint64_t)(part / 10) << i;
		rest = part % 10;
	}
	return rest;
}

void say(const char *name, uint64_t value)
{
	char line[80], digits[24];
	size_t len = 0, nr = 0;

	while (*name && len < 50)
		line[len++] = *name++;
	line[len++] = ' ';
	do
		digits[nr++] = (char)('0' + divide_by_10(&value));
	while (value);
	while (nr)
		line[len++] = digits[--nr];
	line[len++] = '\n';
	board_write(line, len);
}

void say_is(const char *name, int64_t value)
{
	say(name, (uint64_t)(value < 0 ? -value : value));
}

/* ---- loads ---------------------------------------------------------------------------------- */

__attribute__((noinline)) void heavy_work(void)
{
	spin(1000);
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void light_work(void)
{
	spin(1000);
	__asm__ volatile("" : : : "memory");
}

static void run_load(void *arg)
{
	struct load *load = arg;
	uint64_t end = board_clock_ns() + load->ns;
	bool heavy = load->thread->slice > 1;

	while (!__atomic_load_n(&load->stop, __ATOMIC_RELAXED) && board_clock_ns() < end) {
		if (heavy)
			heavy_work();
		else
			light_work();
	}
}

void load_start(struct load *load, const char *name, uint32_t slice)
{
	load->thread = thread_new(run_load, load, name, 1, slice);
	if (!load->thread)
		board_panic("no thread for a load", 0, 0);
}

/* ---- events --------------------------------------------------------------------------------- */

int event_simple(uint32_t type, uint64_t config, int32_t tid, int32_t cpu)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return perf_open(&attr, tid, cpu, -1, 0, NULL);
}

struct reading event_read(int fd)
{
	struct reading reading = {0};

	perf_read(fd, &reading, sizeof(reading));
	return reading;
}

int event_enable(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

int event_disable(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- rings ---------------------------------------------------------------------------------- */

/* Read data_head. A 64-bit word is read in two halves. The word only grows, so its value is correct
 * if two consecutive reads are equal. */
uint64_t ring_head(const struct perf_mapping *map)
{
	const volatile uint64_t *word = &map->page->data_head;
	uint64_t head;

	do
		head = *word;
	while (head != *word);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return head;
}

void ring_consume(const struct perf_mapping *map, uint64_t to)
{
	uint32_t flags;

	__atomic_thread_fence(__ATOMIC_RELEASE);
	flags = irq_save();
	*(volatile uint64_t *)&map->page->data_tail = to;
	irq_restore(flags);
}

struct samples samples_count(const struct perf_mapping *map, uint32_t tid)
{
	uint64_t head = ring_head(map);
	struct samples nr = {0};

	for (uint64_t at = 0; at < head;) {
		const struct perf_event_header *header = (const void *)(map->data + at);
		const uint32_t *ids = (const void *)(map->data + at + sizeof(*header) + 8);
		uint32_t mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
		bool sample = header->type == PERF_RECORD_SAMPLE;

		nr.all += sample;
		nr.of_tid += sample && ids[1] == tid;
		nr.in_kernel += sample && mode == PERF_RECORD_MISC_KERNEL;
		nr.other_records += !sample;
		at += header->size;
	}
	return nr;
}
