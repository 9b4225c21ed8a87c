/* SPDX-License-Identifier: BSD-2-Clause */
/* Read counts without a system call. */
#include "tally/client.h"

/* Load each field of the page exactly once, because it may change at any time. */
#define LOAD(field) (*(const volatile __typeof__(page->field) *)&page->field)

static int64_t sign_extend(uint64_t value, uint16_t width)
{
	unsigned unused = width && width < 64 ? 64U - width : 0;

	return (int64_t)(value << unused) >> unused;
}

/* Return the time in ns since the page's times were updated. */
static uint64_t ns_since_update(const struct perf_event_mmap_page *page,
				const struct tally_self_reader *reader, uint64_t capabilities)
{
	const struct perf_event_mmap_page caps = {.capabilities = capabilities};
	uint64_t cycles, whole, rest;
	uint16_t shift = LOAD(time_shift) & 63;
	uint32_t mult = LOAD(time_mult);

	if (!caps.cap_user_time || !reader->cycles)
		return 0;
	cycles = reader->cycles(reader->arg);
	if (caps.cap_user_time_short)
		cycles = LOAD(time_cycles) + ((cycles - LOAD(time_cycles)) & LOAD(time_mask));
	whole = cycles >> shift;
	rest = cycles & ((UINT64_C(1) << shift) - 1);
	return LOAD(time_offset) + whole * mult + ((rest * mult) >> shift);
}

/* Read the page once. The result is valid only if the page did not change during the read. */
static bool page_read(const struct perf_event_mmap_page *page,
		      const struct tally_self_reader *reader, struct tally_count *count)
{
	const struct perf_event_mmap_page caps = {.capabilities = LOAD(capabilities)};
	uint32_t index = LOAD(index);
	uint64_t since;

	if (!caps.cap_user_rdpmc || !index)
		return false;
	since = ns_since_update(page, reader, caps.capabilities);
	count->enabled = LOAD(time_enabled) + since;
	count->running = LOAD(time_running) + since;
	count->value =
		(uint64_t)LOAD(offset) +
		(uint64_t)sign_extend(reader->counter(reader->arg, index - 1), LOAD(pmc_width));
	return true;
}

bool tally_self_read(const struct perf_event_mmap_page *page,
		     const struct tally_self_reader *reader, struct tally_count *ret_count)
{
	struct tally_count count = {0};
	uint32_t before, after;
	bool there;

	if (!reader)
		return false;
	do {
		/* If page->lock is odd, an interrupt on this CPU is updating the page and will soon
		 * finish. */
		before = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		there = page_read(page, reader, &count);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		after = LOAD(lock);
	} while (before != after || before & 1);
	if (!there)
		return false;
	count.quality = count.enabled == count.running ? TALLY_QUALITY_EXACT : TALLY_QUALITY_SCALED;
	*ret_count = count;
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
