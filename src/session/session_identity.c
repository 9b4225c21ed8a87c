/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session_identity.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/content_id.h"

#define NS_PER_SECOND UINT64_C(1000000000)

struct tally_session_clock tally_session_clock(const struct tally_session *session,
					       const struct tally_perfdata_env *env, uint64_t first)
{
	uint64_t written = session->written, last;
	struct tally_session_clock clock = {0};

	if (tally_perfdata_env_has(env, TALLY_FEATURE_CLOCK_DATA)) {
		clock.offset = env->clock_data_wall_ns - env->clock_data_clock_ns;
		clock.source = "recorded";
	} else if (written && first) {
		last = tally_perfdata_env_has(env, TALLY_FEATURE_SAMPLE_TIME)
			       ? env->sample_time_last
			       : first;
		clock.offset = written - last;
		clock.source = "estimated";
	}
	return clock;
}

static void date_set(struct tally_session_identity *identity, const struct tally_session *session,
		     uint64_t first)
{
	time_t seconds = (time_t)session->options.symbols.recorded;
	struct tm day = {0};

	if (first)
		seconds = (time_t)((first + identity->clock.offset) / NS_PER_SECOND);
	if (!gmtime_r(&seconds, &day) ||
	    !strftime(identity->date, sizeof(identity->date), "%Y-%m-%d", &day))
		strcpy(identity->date, "1970-01-01");
}

static int id_make(struct tally_session_identity *identity, const struct tally_session *session,
		   const struct tally_perfdata_env *env, const struct tally_feed_sample *first)
{
	struct tally_str bytes = {0};
	int ret;

	tally_content_add_text(&bytes, identity->host);
	tally_content_add_text(&bytes, env->osrelease);
	for (uint32_t i = 0; i < env->cmdline.nr; i++)
		tally_content_add_text(&bytes, env->cmdline.items[i]);
	tally_content_add(&bytes, env->clock_data_wall_ns);
	tally_content_add(&bytes, env->sample_time_last);
	if (first) {
		tally_content_add(&bytes, first->sample.time);
		tally_content_add(&bytes, first->sample.ip);
		tally_content_add(&bytes, (uint32_t)first->sample.pid);
		tally_content_add(&bytes, (uint32_t)first->sample.tid);
		tally_content_add(&bytes, first->sample.id);
	}
	tally_content_add(&bytes, tally_perfdata_info(session->data)->data_size);
	identity->id = tally_content_id(tally_str_text(&bytes), bytes.len);
	ret = tally_str_error(&bytes);
	tally_str_free(&bytes);
	return ret;
}

int tally_session_identify(const struct tally_session *session, const char *host,
			   const struct tally_feed_sample *first,
			   struct tally_session_identity *ret_identity)
{
	struct tally_session_identity identity = {0};
	const struct tally_perfdata_env *env;
	int ret = tally_perfdata_env(session->data, &env);
	uint64_t time = first && first->sample.present & PERF_SAMPLE_TIME ? first->sample.time : 0;

	if (ret)
		return ret;
	host = host ? host : env->hostname;
	identity.host = *host ? host : "unknown";
	identity.clock = tally_session_clock(session, env, time);
	date_set(&identity, session, time);
	ret = id_make(&identity, session, env, first);
	if (!ret)
		*ret_identity = identity;
	return ret;
}
