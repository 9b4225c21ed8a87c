/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands received through --control. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/main/print_events.h"
#include "cli/main/print.h"
#include "cli/record/record_control.h"

int record_control_open(struct record *record)
{
	return tally_control_open(&record->control, record->config->control, &tally_print_messages);
}

static int carry_out(struct record *record, enum tally_control_command word)
{
	switch (word) {
	case TALLY_CONTROL_ENABLE:
		record->disabled = false;
		record_schedule_stop(&record->schedule);
		return tally_counters_enable(record->sampler.counters);
	case TALLY_CONTROL_DISABLE:
		record->disabled = true;
		record_schedule_stop(&record->schedule);
		return tally_counters_disable(record->sampler.counters);
	case TALLY_CONTROL_SNAPSHOT: record->dump = true; return 0;
	case TALLY_CONTROL_STOP: record->stop = true; return 0;
	case TALLY_CONTROL_EVLIST: tally_events_print(&record->sampler, false); return 0;
	case TALLY_CONTROL_EVLIST_VERBOSE: tally_events_print(&record->sampler, true); return 0;
	case TALLY_CONTROL_UNKNOWN: tally_print_warning("--control: unknown command"); return 0;
	default: return 0;
	}
}

int record_control_read(struct record *record)
{
	enum tally_control_command word;
	int ret = 0;

	while (!ret && (word = tally_control_next(&record->control)) != TALLY_CONTROL_NONE) {
		ret = carry_out(record, word);
		if (!ret && word != TALLY_CONTROL_UNKNOWN)
			tally_control_acknowledge(&record->control);
	}
	return ret;
}
