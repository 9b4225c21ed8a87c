/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recorder thread that sleeps until a ring is half full, and then sends the ring's contents over
 * the UART as a perf.data stream (pipe mode). In the console output, each chunk is a line "stream
 * N" followed by N bytes.
 */
#include "cortexm/app.h"

enum { RECORD_HEADER_ATTR = 64, ONLY_PROCESS = 1, PERIOD = 250000, RUN = 400 * MILLISECOND };
enum { IMAGE_SIZE = 0x100000, IMAGE_OFFSET = 0x1000 }; /* size as in link.ld; offset in the file */

static void send(const void *bytes, size_t len)
{
	say("stream", len);
	board_write(bytes, len);
}

static void send_header(const struct perf_event_attr *attr, uint64_t id)
{
	struct {
		char magic[8];
		uint64_t size;
		struct perf_event_header header;
		struct perf_event_attr attr;
		uint64_t id;
	} start = {
		.magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'},
		.size = 16,
		.header = {RECORD_HEADER_ATTR, 0, sizeof(start.header) + sizeof(*attr) + 8},
		.attr = *attr,
		.id = id,
	};

	send(&start, sizeof(start));
}

/* The sample_id trailer of each record, with the fields that test_stream() requests. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint64_t id;
};

/* Send an MMAP record for the image, which was mapped before the recording began. `mode` selects
 * threads or handlers. */
static void send_image(uint64_t id, uint16_t mode)
{
	const uint32_t pid = mode == PERF_RECORD_MISC_USER ? ONLY_PROCESS : UINT32_MAX;
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		char filename[24];
		struct trailer trailer;
	} map = {.header = {PERF_RECORD_MMAP, mode, sizeof(map)},
		 .pid = pid,
		 .tid = pid,
		 .addr = CODE_BASE,
		 .len = IMAGE_SIZE,
		 .pgoff = IMAGE_OFFSET,
		 .filename = "/tally-cortexm.elf",
		 .trailer = {.pid = pid, .tid = pid, .id = id}};

	send(&map, sizeof(map));
}

/* Send a COMM record for this thread, which was named before the recording began. */
static void send_comm(uint64_t id)
{
	const uint32_t tid = (uint32_t)rtos.current->perf.tid;
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char name[8];
		struct trailer trailer;
	} comm = {.header = {PERF_RECORD_COMM, 0, sizeof(comm)},
		  .pid = ONLY_PROCESS,
		  .tid = tid,
		  .name = "main",
		  .trailer = {.pid = ONLY_PROCESS, .tid = tid, .id = id}};

	send(&comm, sizeof(comm));
}

static void send_ring(const struct perf_mapping *map)
{
	uint64_t tail = map->page->data_tail, head = ring_head(map);

	while (tail < head) {
		size_t from = tail & (map->data_len - 1), len = head - tail;

		len = len < map->data_len - from ? len : map->data_len - from;
		send(map->data + from, len);
		tail += len;
		ring_consume(map, tail);
	}
}

struct recorder {
	struct perf_mapping map;
	int fd;
	bool over;
	uint64_t wakeups;
};

/* Send new data until the recording is over. The recorder has a higher priority than the sampled
 * threads, so it runs as soon as there is data to send. */
static void recorder_run(void *arg)
{
	struct recorder *recorder = arg;

	while (!__atomic_load_n(&recorder->over, __ATOMIC_ACQUIRE)) {
		perf_poll(recorder->fd, true);
		send_ring(&recorder->map);
		recorder->wakeups++;
	}
	event_disable(recorder->fd);
	send_ring(&recorder->map);
}

static void record(struct perf_event_attr *attr)
{
	struct load heavy = {.ns = RUN}, light = {.ns = RUN};
	struct recorder recorder = {.fd = perf_open(attr, -1, 0, -1, 0, NULL)};
	struct thread *thread = thread_new(recorder_run, &recorder, "recorder", 2, 1);
	uint64_t id = 0;

	say_is("stream.map", perf_map(recorder.fd, RING_LEN, &recorder.map));
	perf_ioctl(recorder.fd, PERF_EVENT_IOC_ID, (uintptr_t)&id);
	if (!thread)
		board_panic("no recorder", 0, 0);
	send_header(attr, id);
	send_image(id, PERF_RECORD_MISC_USER);
	send_image(id, PERF_RECORD_MISC_KERNEL);
	send_comm(id);
	load_start(&heavy, "heavy", 3);
	load_start(&light, "light", 1);
	event_enable(recorder.fd);
	thread_start(thread);
	thread_start(heavy.thread);
	thread_start(light.thread);
	thread_join(heavy.thread);
	say("stream.heavy", heavy.thread->ran_ns);
	say("stream.light", light.thread->ran_ns);
	thread_join(light.thread);
	__atomic_store_n(&recorder.over, true, __ATOMIC_RELEASE);
	/* Samples taken in this loop wake the recorder one last time. */
	while (!__atomic_load_n(&thread->ended, __ATOMIC_ACQUIRE))
		spin(1000);
	thread_join(thread);
	say("stream.wakeups", recorder.wakeups);
	say("stream.time", event_read(recorder.fd).value);
	perf_unmap(&recorder.map);
	perf_close(recorder.fd);
}

void test_stream(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.disabled = 1,
		.sample_period = PERIOD,
		.sample_type = SAMPLE_TYPE | PERF_SAMPLE_IDENTIFIER,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.sample_id_all = 1,
		.comm = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = RING_LEN / 2,
	};

	record(&attr);
}
