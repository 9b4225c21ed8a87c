/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processed profile format of profiler.firefox.com, version 60. It has tables of strings,
 * files, functions, frames and stacks, and each thread's samples as columns. Later versions of the
 * profiler upgrade the format when they load it.
 */
#include "export/firefox.h"

#include <stdlib.h>

#include "base/json.h"
#include "export/formats.h"

enum { PROCESSED_VERSION = 60, GECKO_VERSION = 24 };

static void add_categories(struct tally_str *out)
{
	/* Categories, indexed by enum firefox_category. */
	static const struct {
		const char *name, *colour;
	} categories[] = {{"Other", "grey"}, {"User", "yellow"}, {"Kernel", "orange"}};

	tally_json_open(out, "categories", '[');
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "name", categories[i].name);
		tally_json_text(out, "color", categories[i].colour);
		tally_json_open(out, "subcategories", '[');
		tally_json_text(out, NULL, "Other");
		tally_json_close(out, ']');
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}

/* Return the interval between samples in ms. */
static double interval(const struct tally_export_event *event)
{
	if (event->frequency)
		return 1e3 / (double)event->frequency;
	return event->period && event->is_time ? (double)event->period / 1e6 : 1;
}

static void add_meta(struct firefox *firefox)
{
	const struct tally_export *export = firefox->export;
	struct tally_str *out = &firefox->stream.text;

	tally_json_open(out, "meta", '{');
	tally_json_u64(out, "version", GECKO_VERSION);
	tally_json_u64(out, "preprocessedProfileVersion", PROCESSED_VERSION);
	tally_json_text(out, "product", export->title);
	tally_json_text(out, "importedFrom", export->version);
	tally_json_double(out, "interval", interval(&export->events[0]), 6);
	tally_json_double(out, "startTime", (double)export->start / 1e6, 3);
	tally_json_u64(out, "processType", 0);
	tally_json_u64(out, "stackwalk", 1);
	tally_json_bool(out, "debug", false);
	tally_json_bool(out, "symbolicated", true);
	tally_json_bool(out, "usesOnlyOneStackType", true);
	tally_json_bool(out, "sourceCodeIsNotOnSearchfox", true);
	tally_json_open(out, "sampleUnits", '{');
	tally_json_text(out, "time", "ms");
	tally_json_text(out, "eventDelay", "ms");
	tally_json_text(out, "threadCPUDelta", "ns");
	tally_json_close(out, '}');
	tally_json_open(out, "markerSchema", '[');
	tally_json_close(out, ']');
	add_categories(out);
	tally_json_open(out, "extra", '[');
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "label", "Recording");
	tally_json_open(out, "entries", '[');
	tally_json_open(out, NULL, '{');
	tally_json_text(out, "label", "Event");
	tally_json_text(out, "format", "string");
	tally_json_text(out, "value", export->events[0].name);
	tally_json_close(out, '}');
	tally_json_close(out, ']');
	tally_json_close(out, '}');
	tally_json_close(out, ']');
	tally_json_close(out, '}');
}

static int firefox_write(struct firefox *firefox)
{
	struct tally_str *out = &firefox->stream.text;
	int ret;

	firefox->inlining = tally_export_inlining_build(firefox->export);
	if (!firefox->inlining)
		return -ENOMEM;
	ret = tally_export_model_link(&firefox->model, TALLY_EXPORT_FROM_IMAGE);
	if (ret)
		return ret;
	ret = tally_export_tree_build(&firefox->model, TALLY_EXPORT_FRAMES,
				      firefox->export->events[0].number, &firefox->tree);
	if (ret)
		return ret;
	tally_json_open(out, NULL, '{');
	add_meta(firefox);
	ret = firefox_add_libs(firefox);
	if (!ret)
		ret = firefox_add_threads(firefox);
	if (!ret)
		ret = firefox_add_shared(firefox);
	tally_json_close(out, '}');
	tally_str_add_char(out, '\n');
	return ret;
}

static int write_format(const struct tally_export *export)
{
	struct firefox firefox = {.export = export, .profile = export->profile};
	int ret = tally_export_model_build(export, &firefox.model);

	if (!ret)
		ret = tally_export_stream_start(&firefox.stream, export, export->packs);
	if (!ret)
		ret = firefox_write(&firefox);
	ret = tally_export_stream_end(&firefox.stream, ret);
	tally_export_tree_free(&firefox.tree);
	tally_intern_free(&firefox.strings);
	tally_vec_free(&firefox.dsos);
	tally_map_free(&firefox.lib_of);
	free(firefox.inlining);
	tally_export_model_free(&firefox.model);
	return ret;
}

const struct tally_export_format tally_export_firefox = {
	.name = "firefox",
	.help = "processed profile: profiler.firefox.com",
	.one_event = true,
	.keeps_samples = true,
	.by = TALLY_BY_COMM | TALLY_BY_THREAD,
	.lines = TALLY_LINES_ALL | TALLY_LINES_APART,
	.write = write_format,
};
