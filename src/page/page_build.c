/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/endian.h"
#include "base/map.h"
#include "base/path.h"
#include "session/event_names.h"
#include "session/session_events.h"
#include "session/session_profile.h"
#include "view/recording_header.h"
#include "view/health.h"
#include "page/page_code.h"
#include "page/page.h"
#include "profile/query.h"
#include "view/wrap.h"

struct page_maker {
	const struct tally_html_request *request;
	struct tally_html_built *built;
	/* Map from each event on the page to a bit mask of the inputs that have samples of the
	 * event. */
	struct tally_map sides;
	struct tally_event_names names;
};

/* A recording that is being read. */
struct page_input {
	struct page_maker *maker;
	struct tally_session *session;
	struct tally_profile profile;
	uint32_t number;
	bool has_code; /* code was requested for this input */
	TALLY_VEC(struct tally_html_event) events;
	TALLY_VEC(struct tally_html_loss) losses;
	uint8_t *passes;
	struct tally_str header, health;
};

/* ---- reading ----------------------------------------------------------------------- */

static int input_start(void *arg, struct tally_session *session,
		       struct tally_profile_options *options)
{
	const struct page_input *input = arg;
	const struct tally_html_request *request = input->maker->request;

	(void)session;
	*options = (struct tally_profile_options){
		.by = TALLY_BY_COMM | TALLY_BY_THREAD | TALLY_BY_CPU | TALLY_BY_FRAME |
		      TALLY_BY_PATH,
		.lines = request->no_inlined ? 0 : TALLY_LINES_APART,
		.max_stack = request->max_stack,
		.raw_chains = request->raw_chains,
		.keeps_samples = true,
		.filter = request->filter,
	};
	return 0;
}

/* Add the loss that a record reports, if the record has a timestamp. */
static int input_loss(struct page_input *input, const struct tally_perfdata_record *record)
{
	enum { LOST_AT = 16, LOST_SAMPLES_AT = 8 };
	size_t at = record->type == PERF_RECORD_LOST ? LOST_AT : LOST_SAMPLES_AT;
	struct tally_sample trailer = {.cpu = UINT32_MAX};
	struct tally_html_loss loss = {.time = record->time};

	if (!record->time || record->size < at + 8 ||
	    !tally_time_ranges_have(&input->session->time, record->time) ||
	    (record->type == PERF_RECORD_LOST_SAMPLES && tally_session_sums_losses(input->session)))
		return 0;
	if (record->event && record->event->layout &&
	    tally_trailer_decode(record->event->layout, record->data, record->size, &trailer, NULL))
		return 0;
	loss.cpu = trailer.cpu;
	loss.nr = tally_get_u64((const uint8_t *)record->data + at);
	return loss.nr ? tally_vec_push(&input->losses, loss) : 0;
}

static int input_other(void *arg, const struct tally_perfdata_record *record)
{
	bool is_loss = record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES;

	return is_loss ? input_loss(arg, record) : 0;
}

/* ---- adding to the page -------------------------------------------------------------- */

static int input_events(struct page_input *input)
{
	const struct tally_perfdata_event *event;
	const char *name;
	int ret = 0;

	for (size_t i = 0; !ret && (event = tally_perfdata_event(input->session->data, i)); i++) {
		name = event->name;
		if (i < input->profile.totals.len && input->profile.totals.data[i].nr)
			ret = tally_event_names_match(&input->maker->names, input->session, event,
						      &name);
		if (!ret)
			ret = tally_vec_push(
				&input->events,
				(struct tally_html_event){name, tally_attr_is_clock(&event->attr)});
	}
	return ret;
}

static int input_select(struct page_input *input)
{
	const struct tally_query *query = input->session->query;

	if (!query)
		return 0;
	input->passes = malloc(input->profile.buckets.len + 1);
	return input->passes ? tally_query_select(query, &input->profile, input->passes) : -ENOMEM;
}

static int input_texts(struct page_input *input)
{
	int ret = tally_header_text(input->session, true, &input->header);

	tally_health_text(input->session, &input->profile, false, &input->health);
	tally_unmark_comments(&input->header, 0);
	tally_unmark_comments(&input->health, 0);
	return ret ? ret : tally_str_error(&input->health);
}

static void warn_input(const struct page_input *input, uint64_t nr)
{
	const struct tally_messages *to = input->session->options.messages;

	if (!input->session->feed.counts.samples)
		tally_session_warn_empty(input->session);
	else if (!nr)
		tally_message_warn(to, "%s: the filters rejected all samples",
				   input->session->name);
}

static int input_code(struct page_input *input)
{
	const struct tally_html_code_options options = {
		.passes = input->passes,
		.symfs = input->session->options.symbols.symfs,
		.public_only = input->maker->request->code == TALLY_HTML_CODE_PUBLIC};

	return tally_html_code_add(input->session, &input->profile, &options,
				   input->maker->built->page);
}

/* Show the error on the page as well, because readers of the page do not see this command's
 * messages. */
static void note_end(const struct page_input *input, const char *name)
{
	const struct tally_error *ended = &input->session->ended;

	if (!ended->code)
		return;
	if (ended->text)
		tally_html_add_note(input->maker->built->page,
				    "reading %s ended early: %s (at byte %" PRIu64 ")", name,
				    ended->text, ended->offset);
	else
		tally_html_add_note(input->maker->built->page, "reading %s ended early: %s", name,
				    strerror(-ended->code));
}

/* Record which of the page's events have samples in this input. */
static int input_sides(struct page_input *input)
{
	struct tally_map *sides = &input->maker->sides;
	int ret = 0;

	for (size_t i = 0; i < input->profile.buckets.len && !ret; i++) {
		const struct tally_bucket *bucket = &input->profile.buckets.data[i];
		uint64_t event = tally_html_event(input->maker->built->page, bucket->key.event);
		uint64_t known = tally_map_get(sides, event), bit = UINT64_C(1) << input->number;

		known = known == TALLY_MAP_NONE ? 0 : known;
		if (bucket->nr && (!input->passes || input->passes[i]) && !(known & bit))
			ret = tally_map_set(sides, event, known | bit);
	}
	return ret;
}

/* Return the name of the threads with the most samples, or "profile" if there are no samples. */
static const char *main_program(const struct tally_profile *profile)
{
	const struct tally_intern *comms = tally_machine_comms(profile->machine);
	struct tally_map sums = {0};
	const char *found = "profile";
	uint64_t most = 0;

	for (size_t i = 0; i < profile->buckets.len; i++) {
		const struct tally_bucket *bucket = &profile->buckets.data[i];
		uint32_t comm = tally_machine_comm_of(profile->machine, bucket->key.comm);
		uint64_t sum = tally_map_get(&sums, comm);

		sum = (sum == TALLY_MAP_NONE ? 0 : sum) + bucket->nr;
		if (tally_map_set(&sums, comm, sum))
			break;
		if (sum > most) {
			most = sum;
			found = tally_intern_text(comms, comm);
		}
	}
	tally_map_free(&sums);
	return *found ? found : "profile";
}

static int input_name(struct page_input *input)
{
	struct tally_str *program = &input->maker->built->program;

	tally_str_clear(program);
	tally_str_add(program, main_program(&input->profile));
	return tally_str_error(program);
}

static int input_add(struct page_input *input)
{
	const char *name = input->session->name;
	uint64_t nr = tally_html_nr_samples(input->maker->built->page);
	struct tally_html_recording recording;
	int ret = input_select(input);

	if (!ret)
		ret = input_events(input);
	if (!ret)
		ret = input_texts(input);
	if (ret)
		return ret;
	recording = (struct tally_html_recording){
		.name = strcmp(name, "-") ? tally_path_name(name) : "standard input",
		.profile = &input->profile,
		.passes = input->passes,
		.events = input->events.data,
		.nr_events = input->events.len,
		.losses = input->losses.data,
		.nr_losses = input->losses.len,
		.header = tally_str_text(&input->header),
		.health = tally_str_text(&input->health),
	};
	ret = tally_html_add(input->maker->built->page, &recording);
	if (!ret)
		ret = input_sides(input);
	if (!ret && input->has_code)
		ret = input_code(input);
	if (!ret)
		ret = input_name(input);
	if (!ret)
		note_end(input, recording.name);
	if (!ret)
		warn_input(input, tally_html_nr_samples(input->maker->built->page) - nr);
	return ret;
}

/* Process an input. If the file is damaged, still add the part before the damage. */
static int input_run(struct page_input *input, bool *is_added)
{
	const struct tally_session_profile_options options = {
		.start = input_start,
		.other = input_other,
		.arg = input,
		.event_number = input->maker->request->event_number,
		.only_event = true,
	};
	int ret = tally_session_profile(input->session, &options, &input->profile), added;

	if (!input->profile.machine || (ret && ret != -EINVAL))
		return ret;
	added = input_add(input);
	*is_added = !added;
	if (!ret && input->session->is_cut)
		ret = -EINVAL;
	return ret ? ret : added;
}

static void input_free(struct page_input *input)
{
	tally_profile_free(&input->profile);
	tally_vec_free(&input->events);
	tally_vec_free(&input->losses);
	free(input->passes);
	tally_str_free(&input->header);
	tally_str_free(&input->health);
}

/* ---- the whole page -------------------------------------------------------------------- */

/* Read a recording. Set `*is_added` if the recording, or at least its readable part, was added to
 * the page. */
static int maker_read(struct page_maker *maker, uint32_t number, bool *is_added)
{
	struct tally_session_options options = maker->request->session;
	struct tally_session session;
	struct page_input input = {.maker = maker, .session = &session, .number = number};
	int ret;

	input.has_code = maker->request->code != TALLY_HTML_CODE_NONE &&
			 number + 1 == maker->request->nr_inputs;
	options.input = maker->request->inputs[number];
	ret = tally_session_open(&options, &session);
	if (ret)
		return ret;
	ret = input_run(&input, is_added);
	maker->built->is_cut |= session.is_cut;
	maker->built->threads = TALLY_MAX(maker->built->threads, tally_session_jobs(&session));
	input_free(&input);
	tally_session_close(&session);
	return ret;
}

/* `arg` is a struct tally_progress, or NULL. */
static int show_progress(void *arg, uint64_t done, uint64_t all)
{
	tally_progress_at(arg, "making", "the page", done, all);
	return 0;
}

/* Warn about a large page, because browsers keep all samples in memory, at about 40 bytes each. */
static void warn_many(const struct tally_messages *to, uint64_t nr)
{
	enum { MANY = 5000000 };

	if (nr <= MANY)
		return;
	tally_message_warn(to,
			   "the page has %llu samples: a browser may take a long time to open it",
			   (unsigned long long)nr);
	tally_message_hint(to, "use --time, --query or other filters to select fewer");
}

/* Check that two recordings can be compared. */
static int maker_check(const struct page_maker *maker)
{
	const struct tally_map_slot *slot;
	bool has_samples[TALLY_HTML_INPUTS_MAX] = {false}, has_common = false;

	if (maker->request->nr_inputs < TALLY_HTML_INPUTS_MAX)
		return 0;
	for (size_t pos = 0; (slot = tally_map_next(&maker->sides, &pos));) {
		has_samples[0] |= (slot->value & 1) != 0;
		has_samples[1] |= (slot->value & 2) != 0;
		has_common |= slot->value == 3;
	}
	return tally_check_sides(maker->request->session.messages, has_samples, has_common);
}

/* Read all inputs. `*ret_broken` is the error of a damaged one, or 0. */
static int maker_run(struct page_maker *maker, int *ret_broken)
{
	const struct tally_html_request *request = maker->request;
	int ret = 0;

	*ret_broken = 0;
	for (uint32_t i = 0; i < request->nr_inputs && !ret; i++) {
		bool is_added = false;

		ret = maker_read(maker, i, &is_added);
		if (ret && is_added) {
			*ret_broken = ret;
			ret = 0;
		}
	}
	tally_progress_end(request->session.progress);
	if (!ret)
		ret = maker_check(maker);
	if (!ret && request->verdicts)
		ret = tally_html_add_verdicts(maker->built->page, request->verdicts,
					      request->nr_verdicts);
	if (!ret)
		warn_many(request->session.messages, tally_html_nr_samples(maker->built->page));
	return ret;
}

int tally_html_build(const struct tally_html_request *request, struct tally_html_built *ret_built)
{
	const struct tally_html_options options = {show_progress,
						   (void *)request->session.progress};
	struct page_maker maker = {.request = request, .built = ret_built};
	int broken = 0, ret;

	*ret_built = (struct tally_html_built){0};
	ret = tally_html_new(&options, &ret_built->page);
	if (ret)
		return ret;
	ret = maker_run(&maker, &broken);
	tally_map_free(&maker.sides);
	tally_event_names_free(&maker.names);
	if (ret) {
		tally_html_free(ret_built->page);
		ret_built->page = NULL;
	}
	return ret ? ret : broken;
}

void tally_html_built_free(struct tally_html_built *built)
{
	tally_html_free(built->page);
	tally_str_free(&built->program);
}
