/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/html_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/path.h"
#include "cli/main/document.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "cli/main/truncation.h"
#include "tally/perfdata.h"

/* Maximum length of the program name in the file name. */
enum { PROGRAM_MAX = 100 };

static bool ends_with(const char *word, const char *end)
{
	size_t len = strlen(word), tail = strlen(end);

	return len > tail && !strcmp(word + len - tail, end);
}

/* Detect the pipe that a shell creates for <(zcat FILE). This pipe is open for reading only. */
static bool is_for_reading(const char *word)
{
	int fd = -1, flags;

	if (sscanf(word, "/dev/fd/%d", &fd) != 1 && sscanf(word, "/proc/self/fd/%d", &fd) != 1)
		return false;
	flags = fcntl(fd, F_GETFL);
	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

bool tally_html_is_page_name(const char *word)
{
	if (word[0] == '-')
		return !word[1];
	return ends_with(word, ".html") ||
	       (!tally_perfdata_is_recording(word) && !is_for_reading(word));
}

bool tally_html_is_name_before_command(const char *word)
{
	static const char *const ends[] = {".html", ".htm", ".html.gz", ".htm.gz"};
	bool is_page = false;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ends); i++)
		is_page = is_page || ends_with(word, ends[i]);
	return !strcmp(word, "-") || (word[0] != '-' && is_page);
}

void tally_html_add_name(const char *program, struct tally_str *out)
{
	const char *name = tally_path_name(program);

	tally_str_add(out, "tally-");
	for (int i = 0; name[i] && i < PROGRAM_MAX; i++) {
		unsigned char byte = (unsigned char)name[i];

		tally_str_add_char(out, byte <= ' ' || byte == 0x7f || byte == '/' ? '_' : name[i]);
	}
	tally_str_add(out, ".html");
}

/* ---- checks ---------------------------------------------------------------------------- */

int tally_html_check(const char *html, bool html_source)
{
	if (html)
		return tally_document_check_plain("--html", html);
	if (!html_source)
		return 0;
	tally_print_error("option '--html-source' requires --html FILE");
	return -EINVAL;
}

static struct tally_document_place place_of(const char *html, bool force)
{
	return (struct tally_document_place){.option = "--html",
					     .path = html,
					     .kinds = TALLY_OVERWRITE_PAGE,
					     .force = force,
					     .is_binary = true};
}

int tally_html_check_place(const char *html, bool force)
{
	const struct tally_document_place place = place_of(html, force);

	return strcmp(html, TALLY_HTML_UNNAMED) != 0 ? tally_document_check(&place) : 0;
}

/* ---- writing the file ---------------------------------------------------------------------- */

/* Refuse to overwrite an input. */
static int check_inputs(const struct tally_html_file *file)
{
	for (uint32_t i = 0; i < file->request.nr_inputs; i++) {
		if (tally_document_is(file->output, file->request.inputs[i]))
			return -EINVAL;
	}
	return 0;
}

static int page_write(const struct tally_html_file *file, const struct tally_html_built *built)
{
	struct tally_document_place place = place_of(file->output, file->force);
	struct tally_document document;
	struct tally_str name = {0};
	int ret;

	if (!strcmp(file->output, TALLY_HTML_UNNAMED)) {
		tally_html_add_name(tally_str_text(&built->program), &name);
		place.path = tally_str_text(&name);
	}
	tally_document_begin(&place, &document);
	ret = tally_str_error(&name);
	if (!ret)
		ret = tally_html_write(built->page, built->threads, tally_document_write,
				       &document);
	tally_progress_end(file->request.session.progress);
	ret = tally_document_close(&document, ret);
	if (!ret && file->command)
		tally_document_print(&document, file->command, "HTML page");
	tally_str_free(&name);
	return ret;
}

static int page_make(const struct tally_html_file *file)
{
	struct tally_html_built built;
	int ret = tally_html_build(&file->request, &built), written;

	if (built.is_cut)
		(void)tally_truncation_pop(); /* reported already */
	if (built.page) {
		written = page_write(file, &built);
		ret = written ? written : ret;
	}
	tally_html_built_free(&built);
	return ret;
}

int tally_html_file(const struct tally_html_file *file,
		    const struct tally_recording_options *recording)
{
	struct tally_recording_options prepared = *recording;
	struct tally_html_file made = *file;
	struct tally_str index_dir = {0};
	bool is_prepared;
	int ret;

	prepared.goes_elsewhere = strcmp(file->output, "-") != 0;
	ret = tally_recording_prepare(&prepared, &index_dir);
	is_prepared = !ret;
	made.request.session = prepared.session;
	for (uint32_t i = 0; i < made.request.nr_inputs; i++)
		made.request.inputs[i] = tally_recording_input(made.request.inputs[i]);
	if (!ret)
		ret = tally_html_check_place(file->output, file->force);
	if (!ret)
		ret = check_inputs(&made);
	if (!ret)
		ret = page_make(&made);
	if (ret == -ENOMEM && is_prepared) /* otherwise it was reported */
		tally_print_error("out of memory");
	tally_recording_finish(&prepared.session);
	tally_str_free(&index_dir);
	return ret;
}
