/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/page_code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/json.h"
#include "page/page_source.h"
#include "profile/annotate/annotation.h"
#include "profile/selection.h"
#include "session/session_profile.h"
#include "view/annotate_view.h"

/* Limits on the number of functions, the code bytes per function, and the total size of the JSON
 * text. */
enum { FUNCTIONS_MAX = 20, CODE_MAX = 32 << 10, JSON_MAX_MIB = 2 };

/* An event's cost in a function. */
struct page_heavy {
	uint32_t event, frame;
	uint64_t nr, weight;
	double share; /* fraction of the event's total */
};

struct page_code {
	struct tally_session *session;
	const struct tally_profile *profile;
	const struct tally_html_code_options *options;
	struct tally_html *page;
	TALLY_VEC(struct page_heavy) heavy; /* heaviest first */
	struct tally_map numbers;           /* (event, frame) -> index in `heavy`, before sorting */
	uint64_t *wanted, nr_wanted;        /* bitmap of sample numbers */
	struct tally_annotate *samples;
	struct tally_annotation_codes *codes;
	struct tally_source_texts *texts;
	struct tally_str json;
	uint32_t nr_beyond;
	struct tally_map failed; /* IDs of DSOs that already have a note about missing code */
};

/* ---- selecting the functions --------------------------------------------------------- */

static int heavy_count(struct page_code *code, const struct tally_bucket *bucket)
{
	const struct tally_bucket_key *key = &bucket->key;
	/* The code of an inlined function is in another one. */
	uint32_t container = tally_bucket_container(code->profile, key);
	const struct tally_frame *frame = &code->profile->frames.all.data[container];
	uint64_t of = (uint64_t)key->event << 32 | container;
	uint64_t number = tally_map_get(&code->numbers, of);
	int ret = 0;

	if (!frame->dso || !frame->symbol || tally_dso_kind(frame->dso) == TALLY_DSO_UNKNOWN)
		return 0;
	if (number == TALLY_MAP_NONE) {
		number = code->heavy.len;
		ret = tally_vec_push(&code->heavy, (struct page_heavy){key->event, container});
		if (!ret)
			ret = tally_map_set(&code->numbers, of, number);
	}
	if (ret)
		return ret;
	code->heavy.data[number].nr += bucket->nr;
	code->heavy.data[number].weight += bucket->period;
	return 0;
}

static int by_share(const void *a, const void *b)
{
	const struct page_heavy *x = a, *y = b;

	if (x->share < y->share || x->share > y->share)
		return x->share < y->share ? 1 : -1;
	if (x->frame != y->frame)
		return x->frame > y->frame ? 1 : -1;
	return (x->event > y->event) - (x->event < y->event);
}

static int heavy_find(struct page_code *code)
{
	const struct tally_profile *profile = code->profile;
	int ret = 0;

	for (size_t i = 0; i < profile->buckets.len && !ret; i++) {
		if (!code->options->passes || code->options->passes[i])
			ret = heavy_count(code, &profile->buckets.data[i]);
	}
	tally_vec_for_each (heavy, &code->heavy) {
		uint64_t whole = profile->totals.data[heavy->event].period;

		heavy->share = whole ? (double)heavy->weight / (double)whole : 0;
	}
	if (code->heavy.len)
		qsort(code->heavy.data, code->heavy.len, sizeof(*code->heavy.data), by_share);
	code->heavy.len = TALLY_MIN(code->heavy.len, (size_t)FUNCTIONS_MAX);
	return ret;
}

/* ---- their samples --------------------------------------------------------------------- */

static bool is_heavy(const struct page_code *code, uint32_t bucket)
{
	const struct tally_bucket_key *key = &code->profile->buckets.data[bucket].key;
	uint32_t container = tally_bucket_container(code->profile, key);

	if (code->options->passes && !code->options->passes[bucket])
		return false;
	for (size_t i = 0; i < code->heavy.len; i++) {
		if (code->heavy.data[i].event == key->event &&
		    code->heavy.data[i].frame == container)
			return true;
	}
	return false;
}

/* Find the wanted samples' numbers for the second pass. */
static int find_samples(struct page_code *code)
{
	const struct tally_selection_options options = {0};
	size_t nr = code->profile->buckets.len;
	uint8_t *judged = malloc(nr + 1);
	int ret;

	if (!judged)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		judged[i] = is_heavy(code, i);
	ret = tally_selection_numbers(code->profile, judged, &options, &code->wanted,
				      &code->nr_wanted);
	free(judged);
	return ret;
}

/* Read the samples again. */
static int samples_read(struct page_code *code)
{
	const struct tally_annotate_options options = {.no_callers = true};
	int ret = find_samples(code);

	if (!ret)
		ret = tally_annotate_new(code->session->machine, &options, &code->samples);
	return ret ? ret
		   : tally_session_annotate_again(code->session, code->wanted, code->nr_wanted,
						  code->samples);
}

static const struct tally_annotate_function *function_of(const struct page_code *code,
							 const struct page_heavy *heavy)
{
	const struct tally_frame *frame = &code->profile->frames.all.data[heavy->frame];

	return tally_annotate_find(code->samples, frame->dso, frame->symbol);
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void add_row(const struct tally_annotation *annotation,
		    const struct tally_annotation_insn *insn, uint32_t event,
		    const struct page_sources *sources, struct tally_str *out)
{
	struct tally_annotate_cost cost = tally_annotation_cost(annotation, insn, event);
	struct tally_str text = {0};
	char addr[20];

	tally_annotate_view_code(annotation, insn, &text);
	snprintf(addr, sizeof(addr), "0x%llx", (unsigned long long)insn->linked);
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "addr", addr);
	tally_json_text(out, "text", tally_str_text(&text));
	tally_json_u64(out, "weight", cost.weight);
	tally_json_u64(out, "samples", cost.nr);
	page_sources_row_json(sources, insn, out);
	tally_json_close(out, '}');
	out->failed |= text.failed;
	tally_str_free(&text);
}

static int add_function(struct page_code *code, const struct page_heavy *heavy,
			const struct tally_annotation *annotation, struct tally_str *out)
{
	const struct tally_frame *frame = &code->profile->frames.all.data[heavy->frame];
	struct page_sources sources = {0};
	int ret = page_sources_find(annotation, heavy->event, &sources);

	if (ret)
		goto out;
	tally_json_open(out, NULL, '{');
	tally_json_u64(out, "frame", tally_html_frame(code->page, heavy->frame));
	tally_json_text(out, "name", annotation->name);
	tally_json_text(out, "file", tally_dso_name(frame->dso));
	tally_json_u64(out, "samples", heavy->nr);
	tally_json_u64(out, "weight", heavy->weight);
	tally_json_u64(out, "event", tally_html_event(code->page, heavy->event));
	page_sources_json(&sources, code->texts, out);
	tally_json_open(out, "rows", '[');
	tally_vec_for_each (insn, &annotation->insns)
		add_row(annotation, insn, heavy->event, &sources, out);
	tally_json_close(out, ']');
	tally_json_close(out, '}');
	ret = tally_str_error(out);
out:
	page_sources_free(&sources);
	return ret;
}

/* Add only one note per file, because a file's functions usually fail for the same reason. */
static void report_failed_once(struct page_code *code, const struct tally_frame *frame, int error)
{
	uint32_t dso = tally_dso_number(frame->dso);
	struct tally_str why = {0};

	if (tally_map_get(&code->failed, dso) != TALLY_MAP_NONE ||
	    tally_map_set(&code->failed, dso, 0))
		return;
	tally_annotation_explain(frame->dso, error, &why);
	tally_html_add_note(code->page, "no instructions for %s (%s): %s",
			    tally_symbol_name(frame->dso, frame->symbol),
			    tally_dso_name(frame->dso), tally_str_text(&why));
	tally_str_free(&why);
}

static int code_function(struct page_code *code, const struct page_heavy *heavy)
{
	const struct tally_annotation_options options = {.max_code = CODE_MAX};
	const struct tally_annotate_function *function = function_of(code, heavy);
	struct tally_annotation annotation;
	size_t start = code->json.len;
	int ret;

	if (!function)
		return 0;
	ret = tally_annotation_build(code->codes, code->samples, function, &options, &annotation);
	if (ret && ret != -ENOMEM)
		report_failed_once(code, &code->profile->frames.all.data[heavy->frame], ret);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = add_function(code, heavy, &annotation, &code->json);
	if (!ret && code->json.len > JSON_MAX_MIB << 20) {
		code->json.len = start;
		code->nr_beyond++;
	}
	tally_annotation_free(&annotation);
	return ret;
}

/* Note the source files that were not included because of their names or permissions. */
static void note_private(struct page_code *code)
{
	size_t nr = tally_source_texts_nr_private(code->texts);

	if (!nr)
		return;
	tally_html_add_note(
		code->page, "%zu source file%s named by the recording omitted, because %s", nr,
		tally_plural(nr),
		code->options->public_only
			? "not all users may read them, or they do not have the name of a source "
			  "file (--html-source includes all source files)"
			: "they do not have the name of a source file, or cannot be read");
}

static int code_functions(struct page_code *code)
{
	const struct tally_annotate_function *functions[FUNCTIONS_MAX];
	const struct tally_annotation_options options = {.max_code = CODE_MAX};
	size_t nr = 0;
	int ret;

	tally_vec_for_each (heavy, &code->heavy) {
		functions[nr] = function_of(code, heavy);
		nr += functions[nr] != NULL;
	}
	ret = tally_annotation_prepare_lines(code->codes, functions, nr, &options);
	tally_json_open(&code->json, NULL, '[');
	for (size_t i = 0; i < code->heavy.len && !ret; i++)
		ret = code_function(code, &code->heavy.data[i]);
	tally_json_close(&code->json, ']');
	if (code->nr_beyond)
		tally_html_add_note(
			code->page,
			"the code of %u function%s was omitted: the total would exceed %d MiB",
			code->nr_beyond, tally_plural(code->nr_beyond), JSON_MAX_MIB);
	note_private(code);
	return ret ? ret : tally_html_set_code(code->page, &code->json);
}

static int code_run(struct page_code *code)
{
	const struct tally_source_options source = {.symfs = code->options->symfs,
						    .handed_on = true,
						    .public_only = code->options->public_only};
	int ret = heavy_find(code);

	if (!ret)
		ret = samples_read(code);
	if (!ret)
		ret = tally_annotation_codes_new(false, &code->codes);
	if (!ret)
		ret = tally_source_texts_new(&source, &code->texts);
	return ret ? ret : code_functions(code);
}

int tally_html_code_add(struct tally_session *session, const struct tally_profile *profile,
			const struct tally_html_code_options *options, struct tally_html *page)
{
	struct page_code code = {
		.session = session, .profile = profile, .options = options, .page = page};
	int ret = 0;

	if (tally_perfdata_info(session->data)->is_stream)
		tally_html_add_note(page,
				    "no instructions or source: a stream cannot be read again");
	else
		ret = code_run(&code);
	tally_vec_free(&code.heavy);
	tally_map_free(&code.numbers);
	tally_map_free(&code.failed);
	free(code.wanted);
	tally_annotate_free(code.samples);
	tally_annotation_codes_free(code.codes);
	tally_source_texts_free(code.texts);
	tally_str_free(&code.json);
	return ret;
}
