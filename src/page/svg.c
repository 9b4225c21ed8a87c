/* SPDX-License-Identifier: BSD-2-Clause */
/* The SVG document that contains the graphs. */
#include "page/svg.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "page/svg_private.h"
#include "page/xml.h"

/* Limits. Events and lines that exceed them are replaced by a note. */
enum { MOST_EVENTS = 20, MOST_CAPTION_LINES = 200 };

const char svg_kind_letters[] = {
	[TALLY_KIND_USER] = 'u', [TALLY_KIND_LIBRARY] = 'l', [TALLY_KIND_KERNEL] = 'k',
	[TALLY_KIND_JIT] = 'j',  [TALLY_KIND_INLINED] = 'i', [TALLY_KIND_UNKNOWN] = 'n',
	[TALLY_NR_KINDS] = '\0',
};

static const char *const kind_names[TALLY_NR_KINDS] = {
	[TALLY_KIND_USER] = "program",    [TALLY_KIND_LIBRARY] = "library",
	[TALLY_KIND_KERNEL] = "kernel",   [TALLY_KIND_JIT] = "JIT",
	[TALLY_KIND_INLINED] = "inlined", [TALLY_KIND_UNKNOWN] = "no name",
};

/* The colors of the terminal flame graph; dark pages use darker colors with light text. In a viewer
 * that does not support style sheets, the boxes would be black, but all current viewers support
 * them. */
static const char style[] =
	"<style>\n"
	"text{font:12px ui-monospace,\"DejaVu Sans "
	"Mono\",Menlo,Consolas,monospace;fill:#1b1b1b;white-space:pre}\n"
	".head{font-size:16px;font-weight:bold}.event{font-weight:bold}\n"
	".ground{fill:#fff}g "
	"rect{stroke:#fff;stroke-width:.6}g:hover>rect{stroke:#000;stroke-width:1}\n"
	".all rect{fill:#e4e4e4}.u0 rect{fill:#ffd787}.u1 rect{fill:#ffaf87}.l0 "
	"rect{fill:#afd7af}.l1 rect{fill:#d7d7af}\n"
	".k0 rect{fill:#ff8787}.k1 rect{fill:#ffafaf}.j0 rect{fill:#afd7ff}.j1 rect{fill:#87d7ff}\n"
	".i0 rect{fill:#d7afff}.i1 rect{fill:#ffafff}.n0 rect{fill:#bcbcbc}.n1 rect{fill:#d0d0d0}\n"
	"@media (prefers-color-scheme:dark){\n"
	"text{fill:#f0f0f0}.ground{fill:#161616}g rect{stroke:#161616}g:hover>rect{stroke:#fff}\n"
	".all rect{fill:#333}.u0 rect{fill:#705212}.u1 rect{fill:#7c4521}.l0 rect{fill:#2b5c36}.l1 "
	"rect{fill:#545624}\n"
	".k0 rect{fill:#842f33}.k1 rect{fill:#7b3f48}.j0 rect{fill:#22506f}.j1 rect{fill:#17607c}\n"
	".i0 rect{fill:#563d80}.i1 rect{fill:#723f78}.n0 rect{fill:#484848}.n1 rect{fill:#545454}\n"
	"}\n"
	"</style>\n";

void svg_add_length(struct tally_str *out, int length)
{
	tally_str_addf(out, "%d", length / 10);
	if (length % 10)
		tally_str_addf(out, ".%d", length % 10);
}

/* Add a line of text starting at `left`. */
static void add_text(struct svg_writer *writer, const char *class, int left, const char *text)
{
	struct tally_str *out = writer->out;
	size_t start;

	tally_str_addf(out, "<text class=\"%s\" x=\"", class);
	svg_add_length(out, left);
	tally_str_add(out, "\" y=\"");
	svg_add_length(out, writer->top + SVG_BASE);
	tally_str_add(out, "\">");
	start = out->len;
	tally_str_add(out, text);
	writer->svg->shorten(out, start, SVG_COLUMNS);
	tally_xml_escape_shown(out, start);
	tally_str_add(out, "</text>\n");
}

void svg_line(struct svg_writer *writer, const char *class, const char *text)
{
	add_text(writer, class, SVG_MARGIN, text);
	writer->top += SVG_LINE;
}

/* Add the legend for the colors used. */
static void add_legend(struct svg_writer *writer)
{
	struct tally_str *out = writer->out;
	int left = SVG_MARGIN;

	for (size_t i = 0; i < TALLY_NR_KINDS; i++) {
		if (!writer->kinds[i])
			continue;
		for (int shade = 0; shade < 2; shade++) {
			tally_str_addf(out, "<g class=\"%c%d\"><rect x=\"", svg_kind_letters[i],
				       shade);
			svg_add_length(out, left + shade * 120);
			tally_str_add(out, "\" y=\"");
			svg_add_length(out, writer->top + 20);
			tally_str_add(out, "\" width=\"12\" height=\"12\"/></g>");
		}
		add_text(writer, "kind", left + 290, kind_names[i]);
		left += 290 + ((int)strlen(kind_names[i]) + 3) * SVG_LETTER;
	}
	if (left > SVG_MARGIN)
		writer->top += SVG_ROW + SVG_LINE / 4;
}

static void add_caption(struct svg_writer *writer)
{
	const char *at = writer->svg->caption ? writer->svg->caption : "";
	struct tally_str line = {0};

	for (int i = 0; *at; i++) {
		size_t len = strcspn(at, "\n");

		tally_str_clear(&line);
		if (i < MOST_CAPTION_LINES)
			tally_str_add_bytes(&line, at, len);
		else
			tally_str_add(&line, "see the text report for more");
		svg_line(writer, "note", tally_str_text(&line));
		if (i == MOST_CAPTION_LINES)
			break;
		at += len + (at[len] == '\n');
	}
	writer->out->failed |= line.failed;
	tally_str_free(&line);
}

static int add_body(struct svg_writer *writer)
{
	const struct tally_svg *svg = writer->svg;
	size_t nr = TALLY_MIN(svg->nr_events, (size_t)MOST_EVENTS);
	char more[80];
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		ret = svg_graph(writer, &svg->events[i]);
		writer->top += SVG_LINE / 2;
	}
	if (!nr)
		svg_line(writer, "event", "There are no samples to draw.");
	if (svg->nr_events > nr) {
		snprintf(more, sizeof(more), "%zu more event%s not drawn", svg->nr_events - nr,
			 svg->nr_events - nr == 1 ? " is" : "s are");
		svg_line(writer, "note", more);
	}
	add_legend(writer);
	add_caption(writer);
	writer->top += SVG_MARGIN;
	return ret;
}

static void add_opening(const struct tally_svg *svg, int height, struct tally_str *out)
{
	int width = SVG_WIDTH + 2 * SVG_MARGIN;

	tally_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	tally_str_addf(out,
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		       "height=\"%d\" "
		       "viewBox=\"0 0 %d %d\" role=\"img\">\n<title>Flame graph of ",
		       width / 10, height / 10, width / 10, height / 10);
	tally_xml_add(out, svg->title);
	tally_str_add(out, "</title>\n<metadata>Generator: tally</metadata>\n");
	tally_str_add(out, style);
	tally_str_add(out, "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
}

int tally_svg_write(const struct tally_svg *svg, struct tally_str *out)
{
	struct tally_str body = {0}, title = {0};
	struct svg_writer writer = {.svg = svg, .out = &body, .top = SVG_MARGIN};
	int ret;

	tally_str_add_escaped(&title, svg->title);
	svg_line(&writer, "head", tally_str_text(&title));
	body.failed |= title.failed;
	tally_str_free(&title);
	writer.top += SVG_LINE / 2;
	ret = add_body(&writer);
	add_opening(svg, (writer.top + 9) / 10 * 10, out);
	tally_str_add_bytes(out, tally_str_text(&body), body.len);
	tally_str_add(out, "</svg>\n");
	out->failed |= body.failed;
	tally_str_free(&body);
	return ret ? ret : tally_str_error(out);
}
