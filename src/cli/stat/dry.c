/* SPDX-License-Identifier: BSD-2-Clause */
/* --dry-run: open all events as usual, but with a transport that only returns fake descriptors. */
#include <errno.h>
#include <string.h>

#include "view/attr_text.h"
#include "cli/main/output_stream.h"
#include "cli/main/print.h"
#include "cli/stat/dry.h"
#include "cli/stat/stat_open.h"

static int dry_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		    int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	int *next = transport->private_data;

	return (*next)++;
}

static int dry_close(const struct tally_transport *transport, int fd)
{
	return 0;
}

static void add_attr(const struct tally_counters *counters, const struct tally_event_spec *spec,
		     size_t event, struct tally_str *out)
{
	size_t leader = tally_counters_leader(counters, event);

	tally_str_addf(out, "%s%s: ", leader != event ? "    " : "", spec->name);
	tally_attr_text(tally_counters_attr(counters, event), out);
	tally_str_add_char(out, '\n');
}

void stat_attrs_add(const struct stat_set *set, const struct tally_counters *counters,
		    struct tally_str *out)
{
	static const char line[] = "------------------------------------------------------------\n";

	for (size_t i = 0; i < set->list.nr; i++) {
		tally_str_addf(out, "%s\n%sperf_event_attr:\n", set->list.specs[i].name, line);
		tally_attr_lines(tally_counters_attr(counters, i), out);
		tally_str_add(out, line);
	}
}

static int set_dry_run(struct stat_session *session, struct stat_set *set, struct tally_str *out)
{
	const struct tally_counting counting = stat_counting(session, set);
	const struct tally_open_options options = tally_counting_options(&counting);
	int next = 3;
	const struct tally_transport transport = {
		.name = "dry", .open = dry_open, .close = dry_close, .private_data = &next};
	struct tally_counters *counters;
	int ret = tally_counters_open(&transport, &set->list, session->cpus, session->threads,
				      &options, &counters, NULL);

	if (ret)
		return ret;
	if (session->config->verbose)
		stat_attrs_add(set, counters, out);
	for (size_t i = 0; i < set->list.nr && !session->config->verbose; i++)
		add_attr(counters, &set->list.specs[i], i, out);
	tally_counters_close(counters);
	return 0;
}

int stat_dry_run(struct stat_session *session)
{
	struct tally_str out = {0};
	int ret = 0;

	tally_vec_for_each (set, &session->sets) {
		if (!ret)
			ret = set_dry_run(session, set, &out);
	}
	if (!ret)
		ret = tally_output_flush(&out);
	if (ret)
		tally_print_error("cannot determine the events to open: %s", strerror(-ret));
	tally_str_free(&out);
	return ret;
}
