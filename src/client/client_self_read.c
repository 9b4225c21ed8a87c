/* SPDX-License-Identifier: BSD-2-Clause */
/* Read counts without a system call. */
#include "base/arith.h"
#include "client/self_read.h"

/* Load each field of the page exactly once, because it may change at any time. */
#define LOAD(field) (*(const volatile __typeof__(page->field) *)&page->field)

static uint64_t sign_extend(uint64_t value, uint16_t width)
{
	unsigned unused = (64U - width) & 63;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* Return the time in ns since the page's times were updated. */
static uint64_t ns_since_update(const struct perf_event_mmap_page *page, bool is_short,
				uint64_t cycles)
{
	unsigned shift = LOAD(time_shift) & 63;
	struct tally_wide wide;

	if (is_short)
		cycles = LOAD(time_cycles) + ((cycles - LOAD(time_cycles)) & LOAD(time_mask));
	wide = tally_mul_wide(cycles, LOAD(time_mult));
	return LOAD(time_offset) + (wide.high << 1 << (63 - shift) | wide.low >> shift);
}

/* Read a page, which must not change meanwhile. Returns false if its counter cannot be read. */
static bool page_read(const struct perf_event_mmap_page *page,
		      const struct tally_self_reader *reader, uint64_t cycles,
		      struct self_reading *reading)
{
	const struct perf_event_mmap_page caps = {.capabilities = LOAD(capabilities)};
	uint32_t index = LOAD(index);
	uint64_t since = 0;

	if (!caps.cap_user_rdpmc || !index)
		return false;
	if (caps.cap_user_time && reader->cycles)
		since = ns_since_update(page, caps.cap_user_time_short, cycles);
	reading->enabled = LOAD(time_enabled) + since;
	reading->running = LOAD(time_running) + since;
	reading->value = (uint64_t)LOAD(offset) +
			 sign_extend(reader->counter(reader->arg, index - 1), LOAD(pmc_width));
	return true;
}

/* Return the sum of the pages' locks, which only increase: it is the same only if all are. If an
 * interrupt on this CPU is updating a page, set the lowest bit of `*odd`. */
static uint64_t sum_of_locks(const struct perf_event_mmap_page *const *pages, size_t nr,
			     uint32_t *odd)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct perf_event_mmap_page *page = pages[i];
		uint32_t lock = LOAD(lock);

		sum += lock;
		*odd |= lock;
	}
	return sum;
}

size_t self_read_pages(const struct perf_event_mmap_page *const *pages, size_t nr,
		       const struct tally_self_reader *reader, struct self_reading *readings)
{
	uint64_t before, cycles = 0;
	uint32_t odd;
	size_t done;

	do {
		odd = 0;
		before = sum_of_locks(pages, nr, &odd);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (reader->cycles)
			cycles = reader->cycles(reader->arg);
		for (done = 0; done < nr; done++)
			if (!page_read(pages[done], reader, cycles, &readings[done]))
				break;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (odd & 1 || sum_of_locks(pages, nr, &odd) != before);
	return done;
}

bool tally_self_read(const struct perf_event_mmap_page *page,
		     const struct tally_self_reader *reader, struct tally_count *ret_count)
{
	struct self_reading now;

	if (!reader || !self_read_pages(&page, 1, reader, &now))
		return false;
	*ret_count = (struct tally_count){
		.value = now.value,
		.enabled = now.enabled,
		.running = now.running,
		.quality = now.enabled == now.running ? TALLY_QUALITY_EXACT : TALLY_QUALITY_SCALED,
	};
	return true;
}

#if defined(__x86_64__)
static uint64_t native_counter(void *arg, uint32_t number)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
	return (uint64_t)high << 32 | low;
}

static uint64_t native_cycles(void *arg)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
/* Counter 31 is the cycle counter. The other counters are selected through a register that is not
 * preserved across context switches. If another task changes that register before the counter is
 * read, the page has also changed, so the read is repeated. */
static uint64_t native_counter(void *arg, uint32_t number)
{
	uint64_t value;

	if (number == 31) {
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		return value;
	}
	__asm__ volatile("msr pmselr_el0, %1\n\tisb\n\tmrs %0, pmxevcntr_el0"
			 : "=r"(value)
			 : "r"((uint64_t)number));
	return value;
}

static uint64_t native_cycles(void *arg)
{
	uint64_t value;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value));
	return value;
}
#endif

const struct tally_self_reader *tally_self_reader_native(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	static const struct tally_self_reader reader = {native_counter, native_cycles, NULL};

	return &reader;
#else
	return NULL;
#endif
}
