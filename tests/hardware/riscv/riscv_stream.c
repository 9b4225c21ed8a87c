/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recorder that samples tasks and sends the contents of their rings over the UART as a perf.data
 * stream (pipe mode). Each of the tasks' functions does a known share of the work. In the console
 * output, each chunk is a line "stream N" followed by N bytes.
 */
#include "ports/riscv/riscv_layout.h"
#include "riscv/riscv_user.h"

enum { RECORD_HEADER_ATTR = 64, RING_PAGES = 64, WORK = 2000000 };
/* Image size as in link.ld, and the image's offset in the ELF file. */
enum { IMAGE_SIZE = 0x400000, IMAGE_OFFSET = 0x401000 };
#define IMAGE UINT64_C(0x80400000)

void warm(uint64_t instructions);
void hot(uint64_t instructions);
void load(void *arg);

/* Functions that appear in reports. They do one quarter and three quarters of the work,
 * respectively. */
__attribute__((noinline)) void warm(uint64_t instructions)
{
	spin(instructions);
}

__attribute__((noinline)) void hot(uint64_t instructions)
{
	spin(3 * instructions);
}

__attribute__((noinline)) void load(void *arg)
{
	for (int i = 0; i < 100; i++) {
		warm(WORK / 100);
		hot(WORK / 100);
	}
	leave();
}

static void send(const void *bytes, size_t len)
{
	say("stream", len);
	say_bytes(bytes, len);
}

/* Send the attr and the event IDs, one for each hart. */
static void send_header(const struct perf_event_attr *attr, const uint64_t *ids)
{
	struct {
		char magic[8];
		uint64_t size;
		struct perf_event_header header;
		struct perf_event_attr attr;
		uint64_t ids[MAX_HARTS];
	} start = {
		.magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'},
		.size = 16,
		.header = {RECORD_HEADER_ATTR, 0, 8 + sizeof(*attr) + sizeof(start.ids)},
		.attr = *attr,
		.ids = {ids[0], ids[1]},
	};

	send(&start, sizeof(start));
}

/* The sample_id trailer of each record, with the fields that test_stream() requests. Time 0 is
 * earlier than all samples. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

/* Send records for the objects that existed before the recording: this task and its image, which
 * its children inherit. */
static void send_self(uint64_t id)
{
	const uint32_t pid = 1; /* the first task */
	const struct trailer trailer = {.pid = pid, .tid = pid, .id = id};
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		char filename[24];
		struct trailer trailer;
	} map = {.header = {PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, sizeof(map)},
		 .pid = pid,
		 .tid = pid,
		 .addr = IMAGE,
		 .len = IMAGE_SIZE,
		 .pgoff = IMAGE_OFFSET,
		 .filename = "/tally-riscv.elf",
		 .trailer = trailer};
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char name[8];
		struct trailer trailer;
	} comm = {{PERF_RECORD_COMM, 0, sizeof(comm)}, pid, pid, "main", trailer};

	send(&comm, sizeof(comm));
	send(&map, sizeof(map));
}

/* Send the new data of a ring, which may wrap. */
static void send_ring(struct perf_event_mmap_page *page)
{
	const char *data = (const char *)page + page->data_offset;
	uint64_t head = *(volatile uint64_t *)&page->data_head;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	while (page->data_tail < head) {
		uint64_t from = page->data_tail & (page->data_size - 1);
		uint64_t len = head - page->data_tail;

		len = len < page->data_size - from ? len : page->data_size - from;
		send(data + from, len);
		__atomic_thread_fence(__ATOMIC_RELEASE);
		*(volatile uint64_t *)&page->data_tail += len;
	}
}

/* Record children, which inherit the events of this task. Each hart has its own event and ring. */
static void record(struct perf_event_attr *attr, uint64_t nr_harts)
{
	struct perf_event_mmap_page *pages[MAX_HARTS];
	uint64_t ids[MAX_HARTS] = {0};
	int64_t children[MAX_HARTS];
	int fds[MAX_HARTS];

	for (uint64_t i = 0; i < nr_harts; i++) {
		fds[i] = event_open(attr, 0, (int)i, -1);
		pages[i] = event_map(fds[i], RING_PAGES);
		event_ioctl(fds[i], PERF_EVENT_IOC_ID, (uintptr_t)&ids[i]);
	}
	send_header(attr, ids);
	send_self(ids[0]);
	/* Enable the events only now, so that sending the header is not counted. */
	for (uint64_t i = 0; i < nr_harts; i++)
		event_ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0);
	for (uint64_t i = 0; i < nr_harts; i++)
		children[i] = fork(load, NULL, "load");
	for (uint64_t i = 0; i < nr_harts; i++)
		wait_for(children[i]);
	for (uint64_t i = 0; i < nr_harts; i++) {
		event_ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
		send_ring(pages[i]);
		say("stream.count", event_read(fds[i]).value);
		call(CALL_MUNMAP, (uintptr_t)pages[i], 0, 0, 0, 0);
		event_close(fds[i]);
	}
}

void test_stream(uint64_t nr_harts)
{
	struct perf_event_attr attr = {
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = nr_harts == 1 || __riscv_xlen == 64 ? 10007 : 40009,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.sample_id_all = 1,
		.task = 1,
		.comm = 1,
		.mmap = 1,
	};

	record(&attr, nr_harts);
}
