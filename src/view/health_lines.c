/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/health_lines.h"

#include "base/escape.h"
#include "base/json.h"
#include "symbols/lines/symbols_lines.h"

/* Return true if the file could be opened. */
static bool has_file(const struct tally_dso *dso)
{
	enum tally_dso_state state = tally_dso_status(dso).state;

	return state == TALLY_DSO_LOADED || state == TALLY_DSO_NO_SYMBOLS;
}

/* Append the reason why a file has no source lines. Return false if the file has lines, the lines
 * were not needed, or their absence is not worth reporting. */
static bool add_reason(const struct tally_profile *profile, const struct tally_dso *dso,
		       struct tally_str *out)
{
	switch (tally_dso_lines_state(dso)) {
	case TALLY_DSO_NOT_LOADED:
	case TALLY_DSO_LOADED: return false;
	case TALLY_DSO_UNSUPPORTED:
		tally_str_add(out, "this build of tally cannot read debug information");
		return true;
	case TALLY_DSO_NO_LINES:
		/* A file that differs from the recorded file is listed among the files without
		 * symbols instead. */
		if (!(profile->options.lines & TALLY_LINES_ALL) ||
		    tally_dso_kind(dso) != TALLY_DSO_USER || !has_file(dso))
			return false;
		break;
	default: break;
	}
	tally_dso_lines_reason(dso, out);
	return true;
}

void tally_health_lines_text(const struct tally_session *session,
			     const struct tally_profile *profile, size_t max_files,
			     struct tally_str *out)
{
	struct tally_str reason = {0};
	const struct tally_dso *dso;
	size_t pos = 0, nr = 0;

	while ((dso = tally_dso_next(session->symbols, &pos))) {
		tally_str_clear(&reason);
		if (add_reason(profile, dso, &reason) && ++nr <= max_files)
			tally_str_add_line(out, "# No lines: %s: %s", tally_dso_name(dso),
					   tally_str_text(&reason));
	}
	tally_str_free(&reason);
	if (nr > max_files)
		tally_str_addf(out, "# No lines: %zu more file%s\n", nr - max_files,
			       tally_plural(nr - max_files));
}

void tally_health_lines_json(const struct tally_session *session,
			     const struct tally_profile *profile, struct tally_str *out)
{
	struct tally_str reason = {0};
	const struct tally_dso *dso;
	size_t pos = 0;

	tally_json_open(out, "files_without_lines", '[');
	while ((dso = tally_dso_next(session->symbols, &pos))) {
		tally_str_clear(&reason);
		if (!add_reason(profile, dso, &reason))
			continue;
		tally_json_open(out, NULL, '{');
		tally_json_text(out, "file", tally_dso_name(dso));
		tally_json_text(out, "reason", tally_str_text(&reason));
		tally_json_close(out, '}');
	}
	tally_str_free(&reason);
	tally_json_close(out, ']');
}
