/* SPDX-License-Identifier: BSD-2-Clause */
/* Decide whether files on this machine may be used for a recording's symbols. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arith.h"
#include "session/session.h"
#include "session/session_private.h"
#include "symbols/lines/symbols_lines.h"

/* Compare the header with this machine. The recording is from another machine if any value differs,
 * and from this machine if all values are recorded and equal; otherwise its origin is unknown. */
static enum tally_symbols_origin origin_of(const struct tally_perfdata_env *env,
					   const struct utsname *uts)
{
	const struct {
		uint32_t feature;
		const char *there, *here;
	} rows[] = {
		{TALLY_FEATURE_HOSTNAME, env->hostname, uts->nodename},
		{TALLY_FEATURE_OSRELEASE, env->osrelease, uts->release},
		{TALLY_FEATURE_ARCH, env->arch, uts->machine},
	};
	bool has_all = true;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		bool has = tally_perfdata_env_has(env, rows[i].feature) && *rows[i].there;

		if (has && strcmp(rows[i].there, rows[i].here))
			return TALLY_SYMBOLS_ELSEWHERE;
		has_all &= has;
	}
	return has_all ? TALLY_SYMBOLS_HERE : TALLY_SYMBOLS_UNKNOWN;
}

int session_find_origin(struct tally_session *session)
{
	enum tally_symbols_origin origin = TALLY_SYMBOLS_UNKNOWN;
	const struct tally_perfdata_env *env;
	struct utsname uts;
	int ret = tally_perfdata_env(session->data, &env);

	if (ret)
		return ret;
	if (!uname(&uts))
		origin = origin_of(env, &uts);
	if (tally_perfdata_info(session->data)->is_foreign)
		origin = TALLY_SYMBOLS_ELSEWHERE;
	return tally_symbols_set_origin(session->symbols, origin,
					*env->osrelease ? env->osrelease : NULL);
}

void tally_session_warn_foreign(const struct tally_session *session)
{
	const struct tally_dso *dso, *first = NULL;
	size_t pos = 0, nr = 0;

	while ((dso = tally_dso_next(session->symbols, &pos))) {
		if (tally_dso_status(dso).state != TALLY_DSO_FOREIGN)
			continue;
		first = first ? first : dso;
		nr++;
	}
	if (nr == 1)
		tally_message_warn(session->options.messages, "no symbols for %s: %s",
				   tally_dso_name(first), tally_dso_state_text(TALLY_DSO_FOREIGN));
	else if (nr)
		tally_message_warn(session->options.messages,
				   "no symbols for %s and %zu other file%s: %s",
				   tally_dso_name(first), nr - 1, tally_plural(nr - 1),
				   tally_dso_state_text(TALLY_DSO_FOREIGN));
}

/* Return true if debug information exists, but was not read completely. */
static bool has_failed_lines(const struct tally_dso *dso)
{
	switch (tally_dso_lines_state(dso)) {
	case TALLY_DSO_TIMEOUT:
	case TALLY_DSO_OVER_MEMORY:
	case TALLY_DSO_CRASHED:
	case TALLY_DSO_NO_RESOURCES:
	case TALLY_DSO_NO_MEMORY: return true;
	default: return false;
	}
}

void tally_session_warn_lines(const struct tally_session *session)
{
	struct tally_str reason = {0}, others = {0};
	const struct tally_dso *dso, *first = NULL;
	size_t pos = 0, nr = 0;

	while ((dso = tally_dso_next(session->symbols, &pos))) {
		if (!has_failed_lines(dso))
			continue;
		first = first ? first : dso;
		nr++;
	}
	if (!first)
		return;
	tally_dso_lines_reason(first, &reason);
	if (nr > 1)
		tally_str_addf(&others, " and %zu other file%s", nr - 1, tally_plural(nr - 1));
	tally_message_warn(session->options.messages,
			   "some inlined functions of %s%s are missing: %s", tally_dso_name(first),
			   tally_str_text(&others), tally_str_text(&reason));
	tally_str_free(&reason);
	tally_str_free(&others);
}

int tally_session_check_files(const struct tally_symbols_options *options,
			      const struct tally_messages *to)
{
	const char *const paths[] = {options->vmlinux, options->kallsyms};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(paths); i++) {
		int code;

		if (!paths[i] || !access(paths[i], R_OK))
			continue;
		code = errno; /* the message may change it */
		tally_message_error(to, "cannot read kernel symbols from %s: %s", paths[i],
				    strerror(code));
		return -code;
	}
	return 0;
}
