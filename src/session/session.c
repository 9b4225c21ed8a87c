/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/session.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/session_filter.h"
#include "session/session_private.h"
#include "symbols/embedded/stored.h"

bool tally_session_has(const struct tally_session *session, uint64_t field)
{
	const struct tally_perfdata_event *event;

	for (size_t i = 0; (event = tally_perfdata_event(session->data, i)); i++) {
		if (event->attr.sample_type & field)
			return true;
	}
	return false;
}

uint64_t tally_session_jobs(const struct tally_session *session)
{
	enum { SMALL = 8 << 20, THREADS = 3 };
	cpu_set_t cpus;

	if (session->options.jobs)
		return session->options.jobs;
	if (tally_perfdata_info(session->data)->file_size < SMALL)
		return 1;
	/* This fails if there are more CPUs than the set can contain. */
	if (!sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) == 1)
		return 1;
	return THREADS;
}

bool tally_session_split(struct tally_session *session)
{
	bool splits = tally_session_jobs(session) > 1 &&
		      !tally_perfdata_info(session->data)->is_pipe &&
		      !tally_session_has(session, PERF_SAMPLE_STACK_USER);

	session->is_split |= splits;
	return splits;
}

/* Return the time at which the recording ended, in seconds, or 0 for a stream. The time is taken
 * from the file's modification time. */
static uint64_t session_written(const struct tally_session *session)
{
	const char *path = session->path;
	struct stat st;

	if (session->options.fd ? fstat(session->options.fd, &st)
				: !strcmp(path, "-") || stat(path, &st) || S_ISFIFO(st.st_mode))
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
}

static int session_build_ids(struct tally_session *session)
{
	const struct tally_perfdata_build_id *id;
	int ret = 0;

	for (size_t i = 0; !ret && (id = tally_perfdata_build_id(session->data, i)); i++)
		ret = tally_machine_build_id(session->machine,
					     id->misc & PERF_RECORD_MISC_CPUMODE_MASK, id->filename,
					     id->bytes, id->size);
	return ret;
}

/* Explain why the file cannot be opened. Returns `code`. */
static int session_explain_open(const struct tally_session *session, int code,
				const struct tally_error *err)
{
	const struct tally_messages *to = session->options.messages;

	if (code == -ENOMEM)
		return code;
	tally_message_parse_error(to, session->name, code, err);
	if (code == -ENOENT && !strcmp(session->path, "perf.data"))
		tally_message_hint(to, "create one with 'tally record COMMAND', or specify another "
				       "with '-i FILE'");
	if (code == -EACCES)
		tally_message_hint(
			to, "the file belongs to another user; copy it, or run as its owner");
	return code;
}

static int session_open_data(struct tally_session *session)
{
	struct tally_error err = {0};
	int ret = session_import(session), fd;

	if (ret)
		return ret;
	fd = session->imported ? session->imported : session->options.fd;
	ret = fd ? tally_perfdata_open_fd(fd, &session->data, &err)
		 : tally_perfdata_open(session->path, &session->data, &err);
	return ret && !session->options.is_own ? session_explain_open(session, ret, &err) : ret;
}

/* Use the embedded symbols, if any. If they cannot be read, warn and continue without them. */
static int session_use_stored(struct tally_session *session)
{
	struct tally_perfdata_feature feature;
	struct tally_error err = {0};
	int ret = 0;

	for (size_t i = 0; tally_perfdata_feature(session->data, i, &feature); i++) {
		if (feature.id == TALLY_FEATURE_EMBEDDED_SYMBOLS && !session->options.no_stored)
			ret = tally_symbols_set_stored(session->symbols, feature.bytes.data,
						       feature.bytes.len, &err);
	}
	if (ret && ret != -ENOMEM)
		tally_message_warn(session->options.messages,
				   "%s: ignoring its embedded symbols: %s", session->name,
				   err.text);
	return ret == -ENOMEM ? ret : 0;
}

int session_open(const struct tally_session_options *options, struct tally_session *session)
{
	int ret;

	*session = (struct tally_session){.options = *options, .is_again = options->is_own};
	session->path = options->input;
	/* tally profile reads a file that has no name any more. */
	session->name =
		strncmp(options->input, "/proc/self/fd/", 14) ? options->input : "this recording";
	session->written = session_written(session);
	session->options.symbols.recorded = (int64_t)(session->written / 1000000000);
	ret = tally_session_check_files(&session->options.symbols, options->messages);
	if (ret)
		goto out;
	ret = session_open_data(session);
	if (!ret)
		ret = tally_symbols_new(&session->options.symbols, &session->symbols);
	session->options.symbols.index_dir = NULL;
	/* A recording made by this process was recorded on this machine, but its header does not
	 * contain the host name yet. */
	if (!ret && !options->is_own)
		ret = session_find_origin(session);
	if (!ret)
		ret = session_use_stored(session);
	if (!ret)
		ret = tally_machine_new(session->symbols, &session->machine);
	tally_feed_init(&session->feed, session->machine, session_on_sample, session);
	session->feed.joins = true;
	session->reads = (struct tally_group_reads){.find = session_attr_by_id, .arg = session};
	if (!ret)
		ret = session_build_ids(session);
	if (!ret)
		ret = session_filter_init(session);
out:
	if (ret == -ENOMEM)
		tally_session_out_of_memory(session);
	if (ret)
		tally_session_close(session);
	return ret;
}

void tally_session_close(struct tally_session *session)
{
	tally_feed_free(&session->feed);
	tally_machine_free(session->machine);
	tally_symbols_free(session->symbols);
	tally_perfdata_close(session->data);
	tally_ranges_free(&session->cpus);
	tally_ranges_free(&session->pids);
	tally_ranges_free(&session->tids);
	tally_ranges_free(&session->sockets);
	tally_time_ranges_free(&session->time);
	tally_group_reads_free(&session->reads);
	tally_traces_free(&session->traces);
	tally_intern_free(&session->comms);
	tally_query_free(session->query);
	tally_str_free(&session->fetched);
	tally_user_chains_free(&session->chains);
	if (session->imported)
		close(session->imported);
	session->imported = 0;
	session->machine = NULL;
	session->symbols = NULL;
	session->query = NULL;
	session->data = NULL;
}

uint64_t tally_line_size(const struct tally_perfdata_env *env)
{
	enum { DEFAULT = 64, MOST = 4096 };
	uint64_t size = env ? env->cache_line_size : 0;

	for (uint32_t i = 0; env && i < env->nr_caches && !size; i++)
		size = env->caches[i].line_size;
	return size && size <= MOST && !(size & (size - 1)) ? size : DEFAULT;
}
