/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/overwrite_marks.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/arith.h"
#include "cli/main/overwrite.h"

enum { CTIME = 24 }; /* length of a time such as "Sun Nov 29 04:10:34 2026" */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool contains(const char *text, size_t len, const char *what)
{
	return memmem(text, len, what, strlen(what)) != NULL;
}

/* ---- fixed strings ------------------------------------------------------------------ */

/* First bytes of a file, and two strings found soon after them. */
static const struct signature {
	unsigned kind;
	const char *first, *later, *also;
} signatures[] = {
	{TALLY_OVERWRITE_PAGE, "<!DOCTYPE html>\n", "<meta name=\"generator\" content=\"tally\">",
	 ""},
	{TALLY_OVERWRITE_PICTURE, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ",
	 "<title>Flame graph of ", "</title>\n<metadata>Generator: tally</metadata>\n"},
	{TALLY_OVERWRITE_EXPORT, "{\"version\":1,\"events\":[{\"event\":\"",
	 ",\"total_period\":", ",\"rows\":["},
	{TALLY_OVERWRITE_EXPORT, "{\"version\":1,\"events\":[],\"health\":{\"samples\":", "", ""},
	{TALLY_OVERWRITE_EXPORT, "{\"$schema\":\"https://www.speedscope.app/",
	 "\"exporter\":\"tally ", ""},
	{TALLY_OVERWRITE_EXPORT, "{\"meta\":{\"version\":", "\"importedFrom\":\"tally ", ""},
	{TALLY_OVERWRITE_EXPORT, "# callgrind format\n", "\ncreator: tally ", ""},
	{TALLY_OVERWRITE_COUNTS, "{\"version\":1,\"kind\":\"", "\",\"via\":\"",
	 ",\"aggregation\":\""},
	{TALLY_OVERWRITE_METRICS, "# HELP tally_build_info ", "\ntally_build_info{version=\"",
	 "\n# TYPE tally_stat_start_time_seconds gauge\n"},
	{TALLY_OVERWRITE_LIST, "{\"version\":1,\"cpu\":{\"id\":\"", ",\"table\":\"",
	 ",\"this_machine\":"},
};

static bool has_signature(const char *text, size_t len, const struct signature *signature)
{
	return begins(text, signature->first) && contains(text, len, signature->later) &&
	       contains(text, len, signature->also);
}

/* ---- exports ------------------------------------------------------------------------ */

/* pprof: the string table begins with "" and the comment that names tally. */
static bool is_pprof(const char *text, size_t len)
{
	static const char comment[] = "tally report --format pprof ";
	size_t at = 3;

	if (len < at || memcmp(text, "2\0002", at) != 0)
		return false;
	while (at < len && (text[at] & 0x80))
		at++;
	return ++at < len && begins(text + at, comment);
}

/* Perfetto: the first packet contains only the name and version of the tracing service. */
static bool is_perfetto(const char *text, size_t len)
{
	return len > 7 && text[0] == '\n' && !memcmp(text + 2, "\xea\x02", 2) && text[5] == '"' &&
	       begins(text + 7, "tally ");
}

/* OTLP: the first message of three nested ones is an attribute of the first resource. */
static bool is_otlp(const char *text, size_t len)
{
	static const char key[] = "\n\017tally.recording";
	size_t at = 0;

	for (int i = 0; i < 3; i++) {
		if (at >= len || text[at++] != '\n')
			return false;
		while (at < len && (text[at] & 0x80))
			at++;
		at++;
	}
	return at < len && begins(text + at, key);
}

/* CSV: the header line. */
static bool is_csv(const char *text)
{
	static const char end[] = ",self_period,self_samples,total_period,total_samples\r";
	const char *line_end = strchr(text, '\n');
	size_t line = line_end ? (size_t)(line_end - text) : 0, tail = sizeof(end) - 1;

	return line > tail && begins(text, "event,") && !memcmp(line_end - tail, end, tail);
}

/* ---- stat ----------------------------------------------------------------------------- */

/* Return true for a time as ctime() prints it. */
static bool is_ctime(const char *text)
{
	static const char shape[] = "Aaa Aaa .9 99:99:99 9999";

	for (size_t i = 0; i < CTIME; i++) {
		char c = text[i];
		bool fits = shape[i] == 'A'   ? c >= 'A' && c <= 'Z'
			    : shape[i] == 'a' ? c >= 'a' && c <= 'z'
			    : shape[i] == '9' ? c >= '0' && c <= '9'
			    : shape[i] == '.' ? c == ' ' || (c >= '0' && c <= '9')
					      : c == shape[i];

		if (!fits)
			return false;
	}
	return true;
}

/* Return true if one of the first two lines contains a count. The first line may have the names of
 * metrics. */
static bool has_count(const char *text)
{
	const char *end = strchr(text, '\n');

	end = end ? strchr(end + 1, '\n') : NULL;
	for (; *text && text != end; text++) {
		if (isdigit((unsigned char)*text) || *text == '<')
			return true;
	}
	return false;
}

static bool is_counts(const char *text)
{
	if (!begins(text, "# started on "))
		return false;
	text += strlen("# started on ");
	if (!is_ctime(text) || !begins(text + CTIME, "\n\n"))
		return false;
	text += CTIME + 2;
	return !*text || begins(text, "\n Performance counter stats for ") ||
	       begins(text, "#           time ") || (*text != '\n' && has_count(text));
}

/* Return true if counts were appended to the text. */
static bool has_counts(const char *text)
{
	for (const char *at = text; (at = strstr(at, "# started on ")); at++) {
		if ((at == text || at[-1] == '\n') && is_counts(at))
			return true;
	}
	return false;
}

/* Return true for a thread's label, which ends in "-TID". */
static bool is_thread(const char *value)
{
	const char *end = *value == '"' ? strchr(value + 1, '"') : NULL, *at = end;

	while (at && at > value + 1 && isdigit((unsigned char)at[-1]))
		at--;
	return at && at < end && at[-1] == '-';
}

/* Return true for a metric's number, which may be missing, and for a label such as "S0". */
static bool is_metric(const char *value)
{
	if (is_thread(value))
		return true;
	value += *value == '"';
	value += *value >= 'A' && *value <= 'Z';
	value += *value == '-';
	return isdigit((unsigned char)*value) || *value == '"' || begins(value, "none\"");
}

/* Return true for a line of `stat -j` output, a JSON object. */
static bool is_perf_json(const char *line, size_t len)
{
	const char *end = line + len;

	if (len < 4 || !begins(line, "{\"") || end[-1] != '}')
		return false;
	if (contains(line, len, "\"counter-value\" : \""))
		return contains(line, len, "\"event-runtime\" : ");
	if (contains(line, len, "\"metric-value\" : "))
		return contains(line, len, "\"metric-unit\" : \"");
	if (!contains(line, len, "\" : "))
		return false;
	for (const char *at = line; (at = memmem(at, (size_t)(end - at), "\" : ", 4));) {
		at += 4;
		if (!is_metric(at))
			return false;
	}
	return true;
}

static bool are_perf_json(const char *text)
{
	const char *end;
	size_t nr = 0;

	for (; (end = strchr(text, '\n')); text = end + 1, nr++) {
		if (!is_perf_json(text, (size_t)(end - text)))
			return false;
	}
	return nr > 0;
}

/* ---- list ----------------------------------------------------------------------------- */

const char *const tally_list_labels[TALLY_LIST_LABELS] = {
	"Hardware event",
	"Software event",
	"Hardware cache event",
	"Kernel PMU event",
	"Raw event descriptor",
	"Hardware breakpoint",
	"Tracepoint event",
	"CPU event",
	"Metric",
	"Metric group",
};

/* Return true for a heading such as "Software event", if a later line has the same in brackets. */
static bool is_list(const char *text, size_t len)
{
	size_t heading = strcspn(text, ":\n");

	for (size_t i = 0; i < TALLY_LIST_LABELS; i++) {
		const char *label = tally_list_labels[i], *at = text + heading;
		size_t size = strlen(label);

		if (heading != size || memcmp(text, label, size) != 0)
			continue;
		while ((at = memmem(at, len - (size_t)(at - text), label, size))) {
			if (at[-1] == '[' && (at[size] == ']' || at[size] == ';'))
				return true;
			at += size;
		}
	}
	return false;
}

bool tally_overwrite_is_own(const char *text, size_t len, unsigned kinds)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(signatures); i++) {
		if ((signatures[i].kind & kinds) && has_signature(text, len, &signatures[i]))
			return true;
	}
	if ((kinds & TALLY_OVERWRITE_EXPORT) &&
	    (is_pprof(text, len) || is_perfetto(text, len) || is_otlp(text, len) || is_csv(text)))
		return true;
	if ((kinds & TALLY_OVERWRITE_COUNTS) && (is_counts(text) || are_perf_json(text)))
		return true;
	return ((kinds & TALLY_OVERWRITE_APPEND) && has_counts(text)) ||
	       ((kinds & TALLY_OVERWRITE_LIST) && is_list(text, len));
}
