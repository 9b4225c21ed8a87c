/* SPDX-License-Identifier: BSD-2-Clause */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "abi/abi_sample.h"
#include "session/debuginfod.h"
#include "session/session_private.h"
#include "symbols/lines/symbols_lines.h"

/* A file is fetched only if at least one in this many samples hits it. */
enum { FETCH_SHARE = 200 };

struct fetch_file {
	struct tally_dso *dso;
	uint64_t samples;
	uint64_t last; /* index of the last sample counted, to count each sample only once */
};

struct fetch {
	TALLY_VEC(struct fetch_file) files; /* indexed by DSO number until sorted */
	uint64_t samples;
	size_t nr_fetched, nr_missing;
	const struct tally_messages *messages;
};

/* ---- selecting the files --------------------------------------------------------- */

static int address_count(struct fetch *fetch, const struct tally_session *session,
			 const struct tally_feed_sample *sample, uint8_t cpumode, uint64_t ip)
{
	struct tally_dso *dso =
		tally_machine_find_dso(session->machine, sample->thread, cpumode, ip);
	struct fetch_file *file;
	int ret = 0;

	if (!dso)
		return 0;
	while (!ret && fetch->files.len <= tally_dso_number(dso))
		ret = tally_vec_push(&fetch->files, (struct fetch_file){0});
	if (ret)
		return ret;
	file = &fetch->files.data[tally_dso_number(dso)];
	file->dso = dso;
	file->samples += file->last != fetch->samples;
	file->last = fetch->samples;
	return 0;
}

static int sample_count(void *arg, struct tally_session *session,
			const struct tally_perfdata_record *record,
			struct tally_feed_sample *sample)
{
	struct tally_words chain;
	struct fetch *fetch = arg;
	uint8_t cpumode;
	int ret;

	(void)record;
	if (!sample)
		return 0;
	fetch->samples++;
	cpumode = sample->cpumode;
	ret = address_count(fetch, session, sample, cpumode, sample->sample.ip);
	chain = sample->sample.callchain;
	for (uint64_t i = 0; i < chain.nr && !ret; i++) {
		uint64_t ip = tally_words_get(chain, i);
		int mode = tally_context_cpumode(ip);

		if (mode == -2)
			ret = address_count(fetch, session, sample, cpumode, ip);
		else if (mode >= 0)
			cpumode = (uint8_t)mode;
	}
	return ret;
}

/* Sort by number of samples in descending order. */
static int by_samples(const void *a, const void *b)
{
	const struct fetch_file *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return 0;
}

static bool is_wanted(const struct fetch *fetch, const struct fetch_file *file)
{
	enum tally_dso_kind kind = file->dso ? tally_dso_kind(file->dso) : TALLY_DSO_UNKNOWN;

	return (kind == TALLY_DSO_USER || kind == TALLY_DSO_KERNEL) &&
	       file->samples >= fetch->samples / FETCH_SHARE && !tally_dso_has_lines(file->dso);
}

/* ---- fetching the files ---------------------------------------------------------- */

/* Fetch the debug information for one file. Return 0 to continue with the next file. */
static int file_fetch(struct fetch *fetch, struct tally_debuginfod *client,
		      const struct fetch_file *file, struct tally_str *dir)
{
	size_t size;
	const uint8_t *build_id = tally_dso_build_id(file->dso, &size);
	int ret = build_id ? tally_debuginfod_fetch(client, build_id, size,
						    tally_dso_name(file->dso), dir)
			   : -ENOENT;

	fetch->nr_fetched += !ret;
	fetch->nr_missing += ret == -ENOENT;
	if (!ret || ret == -ENOENT)
		return 0;
	tally_message_warn(fetch->messages, "cannot fetch debug information for %s: %s",
			   tally_dso_name(file->dso),
			   ret == -EINTR ? "interrupted" : strerror(-ret));
	/* Continue after a file that is too large; any other error stops fetching. */
	return ret == -EFBIG ? 0 : ret;
}

static int files_fetch(struct fetch *fetch, struct tally_debuginfod *client, struct tally_str *dir)
{
	int ret = 0;

	if (fetch->files.len)
		qsort(fetch->files.data, fetch->files.len, sizeof(*fetch->files.data), by_samples);
	tally_vec_for_each (file, &fetch->files) {
		if (!ret && is_wanted(fetch, file))
			ret = file_fetch(fetch, client, file, dir);
	}
	if (fetch->nr_fetched || fetch->nr_missing)
		tally_message_info(
			fetch->messages,
			"[ debug information: %zu fetched, %.1f MB; %zu not found on any server ]",
			fetch->nr_fetched, (double)tally_debuginfod_fetched(client) / 1024 / 1024,
			fetch->nr_missing);
	if (ret == -ENOMEM)
		tally_message_error(fetch->messages, "out of memory");
	return ret == -ENOMEM ? ret : 0;
}

static int session_fetch(struct fetch *fetch, struct tally_session *session,
			 struct tally_debuginfod *client, struct tally_str *dir)
{
	int ret;

	session->is_again = true; /* leave warnings about the file to the next pass */
	ret = tally_session_run(session, sample_count, fetch);
	/* If the file is damaged, fetch what the part before the damage needs. */
	return ret && ret != -EINVAL ? ret : files_fetch(fetch, client, dir);
}

/* Read the recording once to find files that have no debug information on this machine and are hit
 * by at least one in 200 samples, directly or in callchains. Fetch the debug information for these
 * files from the servers in options->debuginfod. If anything is fetched, set `ret_dir` to its
 * directory. A file that cannot be fetched causes a warning, not an error. Returns 0, or -errno
 * after emitting an error message if the recording cannot be read (or cannot be read twice), or if
 * fetching is not possible at all. */
static int recording_fetch(const struct tally_session_options *options, struct tally_str *ret_dir)
{
	struct fetch fetch = {.messages = options->messages};
	struct tally_session_options once = *options;
	struct tally_debuginfod *client;
	struct tally_session session;
	struct stat st;
	int ret;

	/* A file that cannot be opened is reported when the session is opened. */
	if (!strcmp(options->input, "-") || (!stat(options->input, &st) && !S_ISREG(st.st_mode))) {
		tally_message_error(
			options->messages,
			"option '--debuginfod': %s is not a regular file and cannot be read twice",
			options->input);
		return -ESPIPE;
	}
	ret = tally_debuginfod_open(options->debuginfod, options->messages, options->progress,
				    &client);
	if (ret)
		return ret;
	once.debuginfod = NULL;
	ret = session_open(&once, &session);
	if (!ret) {
		ret = session_fetch(&fetch, &session, client, ret_dir);
		tally_session_close(&session);
	}
	tally_vec_free(&fetch.files);
	tally_debuginfod_close(client);
	return ret;
}

int tally_session_open(const struct tally_session_options *options, struct tally_session *session)
{
	struct tally_session_options with = *options;
	struct tally_str fetched = {0};
	int ret = options->debuginfod ? recording_fetch(options, &fetched) : 0;

	if (!ret && fetched.len)
		with.symbols.fetched_dir = tally_str_text(&fetched);
	if (!ret)
		ret = session_open(&with, session);
	if (ret)
		tally_str_free(&fetched);
	else
		session->fetched = fetched;
	return ret;
}
