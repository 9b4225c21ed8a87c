/* SPDX-License-Identifier: BSD-2-Clause */
/* tally annotate: show functions instruction by instruction, with sample costs. */
#include "cli/annotate/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/json.h"
#include "cli/annotate/annotate_browse.h"
#include "cli/annotate/annotate_types.h"
#include "cli/annotate/choose.h"
#include "cli/main/commands.h"
#include "cli/main/dump.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"
#include "cli/main/arguments.h"
#include "session/session_profile.h"
#include "view/health.h"

/* Limits on the total size of the decoded code, and on the number of warnings about files without
 * code. */
enum { CODE_MAX_MIB = 64, FAILED_MAX = 10 };

struct annotate {
	struct annotate_config *config;
	struct tally_session *session;
	struct tally_annotate *samples;
	struct tally_annotation_codes *codes;
	struct tally_source_texts *texts;
	struct tally_event_groups groups;
	uint64_t code_left; /* bytes of code that may still be decoded */
	uint64_t nr_shown, nr_failed, nr_beyond;
	bool by_inlined;         /* the user's word names inlined functions only */
	bool is_ambiguous;       /* several functions match the user's word; this was printed */
	struct tally_map failed; /* IDs of DSOs that were warned about */
	struct tally_str out;
};

/* ---- output --------------------------------------------------------------------------- */

static int flush_long(struct annotate *annotate)
{
	return annotate->out.len >= TALLY_FLUSH_AT ? tally_output_flush(&annotate->out) : 0;
}

static int show_text(struct annotate *annotate, struct tally_annotate_view *view)
{
	int ret = 0;

	tally_annotate_view_heading(view, &annotate->out);
	for (size_t i = 0; i < view->annotation->insns.len && !ret; i++) {
		tally_annotate_view_insn(view, i, &annotate->out);
		ret = flush_long(annotate);
	}
	if (view->annotation->nr_missing)
		tally_str_addf(&annotate->out,
			       "# %" PRIu64 " more bytes are not shown, because the function is "
			       "too large or the file ends there\n",
			       view->annotation->nr_missing);
	if (view->annotation->nr_outside)
		tally_str_addf(&annotate->out,
			       "# %" PRIu64 " sample%s outside these instructions\n",
			       view->annotation->nr_outside,
			       view->annotation->nr_outside == 1 ? " is" : "s are");
	tally_str_add_char(&annotate->out, '\n');
	return ret;
}

static int show_json(struct annotate *annotate, const struct tally_annotate_view *view)
{
	int ret = 0;

	tally_annotate_json_open(view, &annotate->out);
	for (size_t i = 0; i < view->annotation->insns.len && !ret; i++) {
		tally_annotate_json_insn(view, i, &annotate->out);
		/* Keep the last character, because the JSON writer uses it to decide whether to
		 * write a comma. */
		if (annotate->out.len >= TALLY_FLUSH_AT) {
			char last = annotate->out.data[--annotate->out.len];

			ret = tally_output_flush(&annotate->out);
			tally_str_add_char(&annotate->out, last);
		}
	}
	tally_annotate_json_close(view, &annotate->out);
	return ret;
}

static int show_annotation(struct annotate *annotate, const struct tally_event_group *group,
			   const struct tally_annotation *annotation)
{
	const struct annotate_config *config = annotate->config;
	struct tally_annotate_view view = {
		.annotate = annotate->samples,
		.annotation = annotation,
		.texts = config->has_source ? annotate->texts : NULL,
		.event_names = annotate->groups.names.data,
		.events = annotate->groups.events.data + group->first,
		.nr_events = group->nr,
		.heading = tally_str_text(&group->name),
		.measure = config->measure,
		.is_global = config->is_global,
		.by_hits = config->by_hits,
		.has_totals = config->has_totals,
		.has_bytes = config->has_bytes,
		.has_lines = config->has_lines,
		.has_paths = config->has_paths,
		.has_colours = config->has_colours,
	};

	annotate->nr_shown++;
	return config->is_json ? show_json(annotate, &view) : show_text(annotate, &view);
}

/* Warn only once for each file, because a file's functions usually fail for the same reason. */
static void warn_failed(struct annotate *annotate, const struct tally_annotate_function *function,
			int error)
{
	uint32_t dso = tally_dso_number(function->dso);
	struct tally_str why = {0};

	annotate->nr_failed++;
	if (annotate->config->is_missing_skipped ||
	    tally_map_get(&annotate->failed, dso) != TALLY_MAP_NONE ||
	    tally_map_set(&annotate->failed, dso, 0) || annotate->failed.len > FAILED_MAX)
		return;
	tally_annotation_explain(function->dso, error, &why);
	tally_print_warning("no instructions for %s (%s): %s",
			    tally_symbol_name(function->dso, function->symbol),
			    tally_dso_name(function->dso), tally_str_text(&why));
	tally_str_free(&why);
}

/* Show a function, or only the costs of the function `inlined` in it. If its code cannot be read,
 * warn and continue. */
static int show_function(struct annotate *annotate, const struct tally_event_group *group,
			 const struct tally_annotate_function *function, const char *inlined)
{
	struct tally_annotation_options options = {
		.no_lines = !inlined && !annotate->config->has_source &&
			    !annotate->config->has_lines && !annotate->config->is_json,
	};
	struct tally_annotation annotation;
	int ret = tally_annotation_build(annotate->codes, annotate->samples, function, &options,
					 &annotation);

	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		warn_failed(annotate, function, ret);
		return 0;
	}
	if (inlined)
		ret = tally_annotation_keep_inlined(&annotation, inlined);
	if (!ret)
		ret = show_annotation(annotate, group, &annotation);
	tally_annotation_free(&annotation);
	return ret;
}

/* Drop the lightest functions if there is too much code. */
static void functions_limit(struct annotate *annotate, struct annotate_functions *functions)
{
	size_t nr = 0;

	for (; nr < functions->all.len; nr++) {
		const struct tally_annotate_function *function = functions->all.data[nr];
		uint64_t size = tally_symbol_size(function->dso, function->symbol);

		size = TALLY_MIN(size, (uint64_t)TALLY_ANNOTATION_CODE_MAX);
		if (size > annotate->code_left)
			break;
		annotate->code_left -= size;
	}
	annotate->nr_beyond += functions->all.len - nr;
	functions->all.len = nr;
}

static int show_group(struct annotate *annotate, const struct tally_event_group *group)
{
	const struct annotate_config *config = annotate->config;
	struct tally_annotation_options options = {0};
	struct annotate_functions functions = {0};
	int ret = annotate_functions_find(config, annotate->samples, &annotate->groups, group,
					  &functions);

	if (!ret && functions.match < TALLY_MATCH_WHOLE && functions.all.len > 1) {
		annotate_functions_list(config, annotate->samples,
					annotate->groups.events.data[group->first], &functions);
		annotate->is_ambiguous = true;
		functions.all.len = 0;
	}
	if (!ret)
		functions_limit(annotate, &functions);
	if (!ret && (config->has_source || config->has_lines || config->is_json))
		ret = tally_annotation_prepare_lines(annotate->codes, functions.all.data,
						     functions.all.len, &options);
	for (size_t i = 0; i < functions.all.len && !ret; i++)
		ret = show_function(annotate, group, functions.all.data[i], NULL);
	tally_vec_free(&functions.all);
	return ret;
}

/* Show the code that contains the inlined function with the user's word. */
static int show_inlined(struct annotate *annotate, const struct tally_event_group *group)
{
	const uint32_t *events = annotate->groups.events.data + group->first;
	struct tally_inlined_uses uses = {0};
	int ret = tally_inlined_uses_find(annotate->samples, annotate->config->symbol, events,
					  group->nr, &uses);

	if (!ret && annotate_inlined_are_mixed(&uses)) {
		annotate_inlined_list(annotate->config, annotate->samples, events[0], &uses);
		annotate->is_ambiguous = true;
		uses.all.len = 0;
	}
	tally_vec_for_each (use, &uses.all) {
		uint64_t size = tally_symbol_size(use->function->dso, use->function->symbol);

		if (size > annotate->code_left) {
			annotate->nr_beyond++;
			continue;
		}
		annotate->code_left -= size;
		if (!ret)
			ret = show_function(annotate, group, use->function,
					    tally_symbol_name(use->function->dso, use->symbol));
	}
	tally_inlined_uses_free(&uses);
	return ret;
}

static int show_groups(struct annotate *annotate)
{
	struct tally_str *out = &annotate->out;
	bool is_json = annotate->config->is_json;
	int ret = 0;

	if (is_json) {
		tally_json_open(out, NULL, '{');
		tally_json_u64(out, "version", 1);
		tally_json_open(out, "functions", '[');
	}
	tally_vec_for_each (group, &annotate->groups.all) {
		if (!ret)
			ret = annotate->by_inlined ? show_inlined(annotate, group)
						   : show_group(annotate, group);
	}
	if (is_json)
		tally_json_close(out, ']');
	return ret;
}

/* ---- diagnostics ------------------------------------------------------------------------ */

static void explain_no_symbol(const struct annotate *annotate)
{
	const char *wanted = annotate->config->symbol;
	struct tally_suggest suggest;

	tally_suggest_start(&suggest, wanted, strlen(wanted));
	for (size_t i = 0; i < tally_annotate_nr_functions(annotate->samples); i++) {
		const struct tally_annotate_function *function =
			tally_annotate_function(annotate->samples, i);

		tally_suggest_offer(&suggest, tally_symbol_name(function->dso, function->symbol));
	}
	tally_print_error("no samples in function '%s'%s", wanted,
			  annotate->config->dsos ? " in these files" : "");
	if (!tally_print_typo(&suggest))
		tally_print_hint("'tally report --sort symbol' lists the functions with samples; "
				 "--total also finds functions with samples only in callees");
}

/* Return true if there are samples in the functions that the user selected. */
static bool has_wanted(const struct annotate *annotate)
{
	for (size_t i = 0; i < tally_annotate_nr_functions(annotate->samples); i++) {
		if (tally_annotate_function(annotate->samples, i)->is_wanted)
			return true;
	}
	return false;
}

/* Explain why nothing was shown. Return 0 or -errno. */
static int explain_nothing(const struct annotate *annotate)
{
	if (!annotate->session->feed.counts.samples) {
		tally_session_warn_empty(annotate->session);
		return 0;
	}
	if (annotate->is_ambiguous)
		return -ENOENT;
	if (annotate->config->data_type && has_wanted(annotate)) {
		annotate_types_explain(annotate->config);
		return -ENOENT;
	}
	if (annotate->nr_failed) {
		tally_print_error("cannot show any function, because no code is available");
		return -ENOENT;
	}
	if (annotate->config->symbol)
		explain_no_symbol(annotate);
	else
		tally_print_error("no sample that passed the filters is in a named function; see "
				  "'tally report'");
	return -ENOENT;
}

static void warn_left_out(const struct annotate *annotate)
{
	uint64_t left_out = tally_annotate_nr_left_out(annotate->samples);

	uint64_t nr_said = annotate->failed.len < FAILED_MAX ? annotate->failed.len : FAILED_MAX;

	if (annotate->nr_failed > nr_said && !annotate->config->is_missing_skipped)
		tally_print_detail("no instructions for %" PRIu64
				   " more function%s in files without available code",
				   annotate->nr_failed - nr_said,
				   tally_plural(annotate->nr_failed - nr_said));
	if (annotate->nr_beyond)
		tally_print_warning("%" PRIu64
				    " function%s not shown, because the code of the others reaches "
				    "the limit of %d MiB; use -s or --percent-limit",
				    annotate->nr_beyond, annotate->nr_beyond == 1 ? " is" : "s are",
				    CODE_MAX_MIB);
	if (left_out)
		tally_print_warning("%" PRIu64 " sample addresses were not counted, because there "
				    "are too many distinct addresses; use -s or -d",
				    left_out);
}

/* ---- command ------------------------------------------------------------------------------- */

/* Append the recording's health report. */
static int show_health(struct annotate *annotate)
{
	struct tally_profile_options options = {0};
	struct tally_profile profile;
	int ret;

	if (annotate->config->is_quiet && !annotate->config->is_json)
		return 0;
	ret = tally_profile_init(&profile, annotate->session->machine, &options);
	if (ret)
		return ret;
	ret = tally_annotate_add_frames(annotate->samples, &profile.frames);
	if (!ret && annotate->config->is_json)
		tally_health_json(annotate->session, &profile, &annotate->out);
	else if (!ret)
		tally_health_text(annotate->session, &profile, false, &annotate->out);
	tally_profile_free(&profile);
	return ret;
}

static int annotate_show(struct annotate *annotate)
{
	int ret, explained = 0;

	tally_pager_start();
	ret = annotate_groups_find(annotate->config, annotate->session, annotate->samples,
				   &annotate->groups);
	if (!ret && (annotate->config->data_type || annotate->config->has_type_stat))
		ret = annotate_types_show(annotate->config, annotate->samples, &annotate->groups,
					  &annotate->out, &annotate->nr_shown);
	else if (!ret)
		ret = show_groups(annotate);
	if (!ret)
		ret = show_health(annotate);
	if (!ret && annotate->config->is_json) {
		tally_json_close(&annotate->out, '}');
		tally_str_add_char(&annotate->out, '\n');
	}
	if (!ret)
		ret = tally_output_flush(&annotate->out);
	if (!ret && !annotate->nr_shown)
		explained = explain_nothing(annotate);
	warn_left_out(annotate);
	return ret ? ret : explained;
}

static int annotate_setup(struct annotate *annotate)
{
	const struct annotate_config *config = annotate->config;
	struct tally_annotate_options options = {
		.symbol = config->symbol,
		.dsos = config->dso_list,
		.max_stack = (uint32_t)config->max_stack,
		.no_callers = !config->is_json && !config->has_totals,
	};
	int ret = tally_annotate_new(annotate->session->machine, &options, &annotate->samples);

	if (!ret)
		ret = tally_annotation_codes_new(config->is_intel, &annotate->codes);
	if (!ret)
		ret = tally_source_texts_new(&config->source, &annotate->texts);
	annotate->code_left = (uint64_t)CODE_MAX_MIB << 20;
	return ret;
}

static void annotate_free(struct annotate *annotate)
{
	tally_event_groups_free(&annotate->groups);
	tally_map_free(&annotate->failed);
	tally_source_texts_free(annotate->texts);
	tally_annotation_codes_free(annotate->codes);
	tally_annotate_free(annotate->samples);
	tally_str_free(&annotate->out);
}

/* If no function has the user's word in its name, read the recording again to find inlined ones:
 * the first pass has not kept the addresses of the functions that contain them. */
static int find_inlined(struct annotate *annotate)
{
	const struct annotate_config *config = annotate->config;
	struct tally_annotate_options options = {
		.dsos = config->dso_list,
		.max_stack = (uint32_t)config->max_stack,
		.no_callers = !config->is_json && !config->has_totals,
	};
	struct tally_annotate *samples = NULL;
	int ret;

	if (!config->symbol || config->data_type || config->has_type_stat || has_wanted(annotate))
		return 0;
	ret = tally_annotate_new(annotate->session->machine, &options, &samples);
	if (!ret)
		ret = tally_session_annotate_again(annotate->session, NULL, 0, samples);
	if (ret) {
		tally_annotate_free(samples);
		return ret == -ESPIPE ? 0 : ret;
	}
	tally_annotate_free(annotate->samples);
	annotate->samples = samples;
	annotate->by_inlined = true;
	return 0;
}

static int annotate_session(struct annotate_config *config, struct tally_session *session)
{
	struct annotate annotate = {.config = config, .session = session};
	int shown = annotate_setup(&annotate), ret = shown;

	if (!ret)
		ret = tally_session_annotate(session, annotate.samples);
	/* If the file is damaged, still show the part before the damage. */
	if (!shown && (!ret || ret == -EINVAL))
		shown = find_inlined(&annotate);
	if (!shown && (!ret || ret == -EINVAL)) {
		shown = annotate_show(&annotate);
		ret = ret ? ret : shown;
	}
	if (shown == -ENOMEM)
		tally_print_error("out of memory: the output is incomplete");
	if (!ret && session->is_cut)
		ret = -EINVAL;
	annotate_free(&annotate);
	return ret;
}

static int annotate_run(int argc, char **argv)
{
	struct annotate_config config = {.has_source = true};
	struct tally_session session;
	const char *word = NULL;
	int first, ret;

	ret = tally_options_parse(&tally_command_annotate, &config, argc, argv, TALLY_PARSE_WORDS,
				  &first);
	if (!ret)
		ret = tally_words_parse(&tally_command_annotate, argc - first, argv + first,
					&config.recording.session.input, &word);
	if (ret)
		return ret - 1;
	config.symbol = word ? word : config.symbol;
	config.recording.session.symbols.bounds = true;
	if (annotate_wants_browser(&config))
		return annotate_browse(&config);
	ret = annotate_config_finish(&config);
	if (!ret)
		ret = tally_recording_open(&config.recording, &session);
	if (!ret) {
		ret = config.raw_dump ? tally_dump_text(&session)
				      : annotate_session(&config, &session);
		tally_recording_close(&session);
	}
	annotate_config_free(&config);
	return ret ? TALLY_EXIT_ERROR : TALLY_EXIT_OK;
}

const struct tally_command tally_command_annotate = {
	.name = "annotate",
	.summary = "Show functions with the cost of each instruction",
	.usage = "[OPTIONS] [FILE] [SYMBOL]",
	.about = " Without SYMBOL, shows all functions with samples, heaviest first.\n",
	.options = annotate_options,
	.privileged = true,
	.run = annotate_run,
};
