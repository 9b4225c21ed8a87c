/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counting counter: it is initially disabled, is enabled and disabled by ioctl, and is read
 * together with its times. Events are given as hardware:ID, software:ID, tracepoint:ID or raw:CODE.
 *
 *	cc count.c $(pkg-config --cflags --libs tally) -o count
 *	./count software:1 software:2 hardware:0 raw:0x4064
 */
#include "example.h"

/* Parse a string such as "raw:0x4064" into the `config` of an attr. Returns false if the string is
 * not an event. */
static int parse(const char *text, uint64_t *ret_config)
{
	static const struct {
		const char *name;
		uint64_t bits;
	} types[] = {
		{"hardware:", HARDWARE(0)},
		{"software:", SOFTWARE(0)},
		{"tracepoint:", TRACEPOINT(0)},
		{"raw:", TALLY_CLASSIC_RAW(0)},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t len = strlen(types[i].name);

		if (strncmp(text, types[i].name, len))
			continue;
		*ret_config = types[i].bits | strtoull(text + len, NULL, 0);
		return 1;
	}
	return 0;
}

static void count(struct tally_classic *perf, const char *text)
{
	struct perf_event_attr attr = {
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	uint64_t values[3]; /* the count, then the values selected by read_format */
	int fd;

	if (!parse(text, &attr.config)) {
		fprintf(stderr, "%s: not hardware:, software:, tracepoint: or raw:\n", text);
		exit(2);
	}
	fd = open_event(perf, &attr, 0, -1, -1);
	if (fd < 0) {
		printf("%s: %s\n", text, strerror(-fd));
		return;
	}
	must("enable", tally_classic_ioctl(perf, fd, PERF_EVENT_IOC_ENABLE, 0));
	use_time(2);
	fault(100);
	must("disable", tally_classic_ioctl(perf, fd, PERF_EVENT_IOC_DISABLE, 0));
	must("read", tally_classic_read(perf, fd, values, sizeof(values)));
	printf("%s: %llu, running %llu of %llu ns\n", text, (unsigned long long)values[0],
	       (unsigned long long)values[2], (unsigned long long)values[1]);
	tally_classic_close(perf, fd);
}

int main(int argc, char **argv)
{
	struct tally_classic *perf = classic_new();

	for (int i = 1; i < argc; i++)
		count(perf, argv[i]);
	tally_classic_free(perf);
	return 0;
}
