/* SPDX-License-Identifier: BSD-2-Clause */
/* Show a report in the terminal browser. */
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/path.h"
#include "cli/browser/browser.h"
#include "cli/browser/find_samples.h"
#include "cli/main/output_stream.h"
#include "view/health.h"
#include "cli/report/report.h"
#include "profile/profile_annotate.h"

bool report_wants_browser(const struct report_config *config)
{
	bool asks_text = config->stdio || config->json || config->separator || config->header ||
			 config->header_only || config->health || config->quiet || config->svg ||
			 config->format;

	if (config->tui)
		return true;
	return !asks_text && tally_output_takes_screens();
}

static const char *event_name(void *arg, uint32_t number)
{
	const struct report *report = arg;
	const struct tally_perfdata_event *event =
		tally_perfdata_event(report->session->data, number);

	if (!event || number >= report->profile.totals.len ||
	    !report->profile.totals.data[number].nr_shown)
		return NULL;
	return event->name;
}

static uint64_t fields(void *arg, uint32_t number)
{
	const struct report *report = arg;

	return tally_perfdata_event(report->session->data, number)->attr.sample_type;
}

static void add_health(void *arg, struct tally_str *out)
{
	const struct report *report = arg;

	tally_health_text(report->session, &report->profile, false, out);
}

/* ---- costs of the addresses of a function -------------------------------------- */

struct annotate_pass {
	struct tally_annotate *samples;
	uint64_t *wanted; /* bitmap of sample numbers */
	uint64_t nr;      /* number of bits */
	bool is_raw;      /* use callchains as recorded, without validation */
};

static bool is_wanted(const struct annotate_pass *again, uint64_t number)
{
	number = TALLY_MIN(number, (uint64_t)UINT32_MAX); /* see struct tally_kept */
	return number < again->nr && tally_bit_is_set(again->wanted, number);
}

static int annotate_add_record(void *arg, struct tally_session *session,
			       const struct tally_perfdata_record *record,
			       const struct tally_session_sample *sample)
{
	struct annotate_pass *again = arg;

	if (!sample || !is_wanted(again, record->number))
		return 0;
	return tally_annotate_add(again->samples, sample->event->index, sample->thread,
				  sample->cpumode, &sample->sample, sample->period,
				  tally_callers_from(&sample->event->attr, again->is_raw));
}

/* Read all samples again, because threads may be known only from samples. The profile refers to
 * samples by number, so they must be numbered as in the first pass. */
static int annotate(void *arg, struct browser *browser, const struct tally_frame *frame,
		    struct tally_annotate **ret_samples)
{
	struct report *report = arg;
	const char *const dsos[] = {tally_dso_name(frame->dso), NULL};
	struct tally_annotate_options options = {
		.symbol = tally_symbol_name(frame->dso, frame->symbol),
		.dsos = dsos,
		.max_stack = (uint32_t)report->config->max_stack,
	};
	struct annotate_pass again = {.is_raw = report->config->raw_chains};
	int ret = browser_find_samples(browser, frame, &again.wanted, &again.nr);

	if (!ret)
		ret = tally_annotate_new(report->session->machine, &options, &again.samples);
	if (!ret)
		ret = tally_session_rerun(report->session, NULL, 0, annotate_add_record, &again);
	if (!ret)
		ret = tally_annotate_finish(again.samples);
	free(again.wanted);
	if (ret)
		tally_annotate_free(again.samples);
	else
		*ret_samples = again.samples;
	return ret;
}

int report_browse(struct report *report)
{
	struct tally_browser_source source = {
		.views = tally_browser_views,
		.profile = &report->profile,
		.nr_events = (uint32_t)report->profile.totals.len,
		.config = report->config,
		.labels = &report->traces,
		.arg = report,
		.event = event_name,
		.fields = fields,
		.health = add_health,
		.annotate = tally_perfdata_info(report->session->data)->is_stream ? NULL : annotate,
		.what = tally_path_name(tally_session_name(report->session->path)),
		.query = report->query,
	};

	while (source.first_event < report->profile.totals.len &&
	       !event_name(report, source.first_event))
		source.first_event++;
	if (source.first_event == report->profile.totals.len)
		return report_print(report);
	return tally_browser_run(&source);
}
